"""Plucked strings, and the amplifier that the network of this example imitates."""

import numpy

RATE = 16000


def plucks(seed, count, length):
    """Melodies and chords of strings without an amplifier (count x length, between -1 and 1)."""
    draw = numpy.random.default_rng(seed)
    sounds = numpy.zeros((count, length))
    for sound in sounds:
        at = int(draw.integers(0, 2000))
        while at < length - 100:
            for _ in range(draw.integers(1, 4)):
                string(draw, sound, at + int(draw.integers(0, 200)))
            at += int(draw.integers(1500, 9000))
        sound *= draw.uniform(0.1, 0.95) / max(1e-9, numpy.abs(sound).max())
    return sounds


def string(draw, sound, at):
    """One string by Karplus and Strong: a delay goes round through a soft low-pass. Added to `sound` from `at` on."""
    period = int(RATE / (82.4 * 2 ** (draw.integers(0, 37) / 12)))
    room = len(sound) - at
    if room <= 0:
        return
    softness = draw.uniform(0.2, 0.5)
    held = draw.uniform(0.985, 0.999)
    wave = draw.uniform(-1, 1, period)
    wave = wave - numpy.roll(wave, int(period * draw.uniform(0.1, 0.4)))  # where it is plucked
    played = []
    for _ in range(-(-room // period)):
        played.append(wave)
        wave = held * ((1 - softness) * wave + softness * numpy.roll(wave, 1))
    sound[at:] += draw.uniform(0.3, 1) * numpy.concatenate(played)[:room]


def amplify(x, drive):
    """What the amplifier makes of sounds (count x time), its knob at `drive` (count; 0 to 1): a valve whose
    working point gives way to loud sounds for some 50 ms, between a high-pass and the low-pass of a loudspeaker."""
    gain = 10 ** (0.2 + 1.2 * numpy.asarray(drive))
    y = numpy.zeros_like(x)
    before, high, load, first, second = (numpy.zeros(len(x)) for _ in range(5))
    for t in range(x.shape[1]):
        high = 0.97 * (high + x[:, t] - before)
        before = x[:, t]
        hot = gain * high
        load += (numpy.abs(numpy.tanh(hot)) - load) * (0.01 if t else 1)
        working = 0.3 - 0.8 * load
        valve = numpy.tanh(hot + working) - numpy.tanh(working)
        first += 0.6 * (valve - first)
        second += 0.6 * (first - second)
        y[:, t] = 0.5 * second
    return y
