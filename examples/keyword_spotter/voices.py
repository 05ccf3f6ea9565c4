"""A synthesiser of spoken words: what the network of this example is trained with and tried on.

`clips(seed, count)` makes sounds of 1.024 s at 8 kHz and says which word each of them is. A word is a list of
sounds; pulses of a voice, or noise, go through resonators that move from one sound to the next. Every clip has
a voice of its own (pitch, its melody, the size of the mouth), a speed, a loudness, a place in time, and noise behind it.
Nobody would take them for a human being.
"""

import numpy

RATE = 8000
LENGTH = 8192  # samples of a clip: 63 frames of 256, every 128
WORDS = ["yes", "no", "up", "down", "left", "right", "stop", "go"]
OTHER = len(WORDS)  # the label of everything else
LABELS = [*WORDS, "-"]
STEP = 16  # samples for which the resonators stay as they are

# Sounds: milliseconds, loudness of the voice, loudness of noise, three resonances of the voice, that of noise (Hz).
SOUNDS = {
    "ee": (110, 1.0, 0, 270, 2290, 3010, 3000), "ih": (90, 1.0, 0, 390, 1990, 2550, 3000),
    "eh": (130, 1.0, 0, 530, 1840, 2480, 3000), "ah": (150, 1.0, 0, 730, 1090, 2440, 3000),
    "oh": (130, 1.0, 0, 570, 840, 2410, 3000), "oo": (110, 0.9, 0, 300, 870, 2240, 3000),
    "uh": (130, 1.0, 0, 640, 1190, 2390, 3000), "er": (120, 0.9, 0, 490, 1350, 1690, 3000),
    "y": (60, 0.7, 0, 260, 2200, 3000, 3000), "r": (80, 0.7, 0, 310, 1060, 1380, 3000),
    "l": (80, 0.6, 0, 360, 1100, 2600, 3000), "w": (70, 0.6, 0, 290, 610, 2150, 3000),
    "n": (80, 0.4, 0, 250, 1400, 2400, 3000), "m": (80, 0.4, 0, 250, 1000, 2200, 3000),
    "s": (120, 0, 0.10, 300, 1500, 2500, 3600), "f": (90, 0, 0.15, 300, 1500, 2500, 2200),
    "sh": (120, 0, 0.25, 300, 1500, 2500, 2400), ".": (50, 0, 0, 400, 1500, 2500, 3000),
    "t": (25, 0, 0.20, 400, 1700, 2600, 3300), "d": (20, 0.3, 0.10, 350, 1700, 2600, 3000),
    "p": (20, 0, 0.90, 400, 900, 2300, 900), "k": (30, 0, 0.60, 400, 1900, 2500, 1900),
    "g": (25, 0.3, 0.50, 300, 1300, 2100, 1500), "b": (20, 0.4, 0.40, 300, 900, 2300, 800),
}  # fmt: skip
SPELLING = {
    "yes": "y eh s", "no": "n oh oo", "up": "uh . p", "down": "d ah oo n", "left": "l eh f . t",
    "right": "r ah ih . t", "stop": "s . t ah . p", "go": "g oh oo",
}  # fmt: skip
KINDS = ["word"] * 8 + ["nonsense"] * 3 + ["cut word"] * 2 + ["noise"]


def clips(seed, count, words=None):
    """Sounds (count x LENGTH, between -1 and 1) and labels; `words` says which, else anything may come."""
    draw = numpy.random.default_rng(seed)
    tracks = numpy.zeros((count, LENGTH // STEP, 6))
    labels = numpy.full(count, OTHER)
    for clip in range(count):
        kind = "word" if words else KINDS[draw.integers(len(KINDS))]
        if kind == "noise":
            continue
        label = words[clip] if words else int(draw.integers(OTHER))
        sounds = SPELLING[WORDS[label]].split() if kind != "nonsense" else nonsense(draw)
        tracks[clip] = place(draw, utter(draw, sounds), cut=kind == "cut word")
        if kind == "word":
            labels[clip] = label
    return record(draw, speak(draw, tracks)), labels


def nonsense(draw):
    """Sounds that are no word of ours, nor as good as one."""
    while True:
        sounds = list(draw.choice(list(SOUNDS), size=draw.integers(2, 6)))
        spoken = " ".join(sounds)
        if not any(word[2:] in spoken or word[:-2] in spoken for word in SPELLING.values()):
            return sounds


def utter(draw, sounds):
    """What the mouth does, every STEP samples: loudness of voice and noise, resonances."""
    speed = draw.uniform(0.75, 1.3)
    mouth = draw.uniform(0.85, 1.2)
    rows = []
    for sound in sounds:
        milliseconds, voice, noise, *resonances = SOUNDS[sound]
        steps = max(2, round(milliseconds * speed * draw.uniform(0.8, 1.25) * RATE / 1000 / STEP))
        shifted = [hertz * mouth * draw.uniform(0.94, 1.06) for hertz in resonances]
        rows += [[voice * draw.uniform(0.8, 1.2), noise * draw.uniform(0.7, 1.4), *shifted]] * steps
    track = numpy.array(rows)
    # No mouth jumps: resonances take some 40 ms from one sound to the next, loudness 10.
    for columns, width in ((slice(0, 2), 5), (slice(2, 6), 21)):
        edge = width // 2
        padded = numpy.pad(track[:, columns], ((edge, edge), (0, 0)), mode="edge")
        track[:, columns] = sum(padded[k : k + len(track)] for k in range(width)) / width
    return track


def place(draw, track, cut):
    """The track somewhere in a clip; if `cut`, with half of it or more beyond an edge."""
    room = LENGTH // STEP
    length = len(track)
    if not cut:
        at = int(draw.integers(0, max(1, room - length)))
    elif draw.random() < 0.5:
        at = -int(length * draw.uniform(0.5, 0.8))
    else:
        at = room - int(length * draw.uniform(0.2, 0.5))
    placed = numpy.zeros((room, 6))
    placed[:, 2:] = track[0, 2:]
    begin, end = max(at, 0), min(at + length, room)
    placed[begin:end] = track[begin - at : end - at]
    return placed


def resonate(x, hertz, width):
    """`x` (time x clips) through a resonator whose frequency changes with time; it lets 0 Hz pass as it is."""
    r = numpy.exp(-numpy.pi * width / RATE)
    a = 2 * r * numpy.cos(2 * numpy.pi * numpy.minimum(hertz, 3900) / RATE)
    b = -r * r
    gain = 1 - a - b
    y = numpy.zeros_like(x)
    before = older = numpy.zeros(x.shape[1])
    for t in range(len(x)):
        y[t] = gain[t // STEP] * x[t] + a[t // STEP] * before + b * older
        before, older = y[t], before
    return y


def speak(draw, tracks):
    """Sounds of tracks (clips x steps x 6)."""
    count = len(tracks)
    steps = tracks.transpose(2, 1, 0)
    voice, noise = (numpy.repeat(column, STEP, axis=0) for column in steps[:2])
    t = numpy.arange(LENGTH)[:, None] / LENGTH
    pitch = draw.uniform(85, 250, count) * 2 ** (draw.normal(0, 0.2, count) * t)
    pitch = pitch * (1 + 0.02 * numpy.sin(2 * numpy.pi * (5 * t + draw.random(count))))
    turns = numpy.floor(numpy.cumsum(pitch / RATE, axis=0) + draw.random(count))
    pulses = numpy.diff(turns, axis=0, prepend=turns[:1]) * RATE / pitch / 10
    sound = voice * (pulses + 0.02 * draw.normal(size=pulses.shape))
    for hertz, width in zip(steps[2:5], (70, 100, 160)):
        sound = resonate(sound, hertz, width)
    hiss = resonate(noise * draw.normal(size=noise.shape), steps[5], 700)
    hiss[1:] -= hiss[:-1].copy()
    return (sound + 0.5 * hiss).T


def record(draw, sounds):
    """As a microphone in some room may have it: louder or softer, with noise and hum, 16 bits."""
    count = len(sounds)
    loudest = numpy.abs(sounds).max(axis=1, keepdims=True)
    sounds = sounds / numpy.maximum(loudest, 1e-9) * 10 ** draw.uniform(-1.3, -0.1, (count, 1))
    level = 10 ** draw.uniform(-3.5, -1.9, (count, 1))
    white = draw.normal(size=sounds.shape)
    brown = numpy.cumsum(white, axis=1)
    brown = brown - numpy.repeat(brown[:, ::64], 64, axis=1)
    t = numpy.arange(sounds.shape[1]) / RATE
    hum = numpy.sin(2 * numpy.pi * (50 * t + draw.random((count, 1))))
    share = draw.random((2, count, 1))
    noise = level * (share[0] * white + (1 - share[0]) * brown / 4 + share[1] * hum)
    return numpy.clip(numpy.round(32768 * (sounds + noise)), -32768, 32767) / 32768
