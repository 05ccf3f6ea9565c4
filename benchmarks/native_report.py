"""What run_native.py prints and writes: lines, a table in Markdown, a plot as SVG."""

import math
import os
import platform
import statistics

from sides import CONTRACTED, FAST, RING, TWIN, UNCHECKED

OTHERS = ("fftw", "liquid", "Faust")
BUSY = 0.5  # load per core, beyond which times are not to be trusted
NAME = 24  # columns
FIGURES = {"median": statistics.median, "least": min}


def machine(march="native"):
    """What one has to know of the machine, and of the code for it, to judge the times."""
    model = platform.processor() or "unknown processor"
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            lines = [line for line in file if line.startswith("model name")]
        model = lines[0].split(":", 1)[1].strip() if lines else model
    except OSError:
        pass
    return {"processor": model, "cores": os.cpu_count(), "load": os.getloadavg()[0], "march": march}


def machine_line(march="native"):
    here = machine(march)
    text = f"{here['processor']}, code for {march}, {here['cores']} cores, load {here['load']:.1f}"
    return text + (": busy, the times are rough" if here["load"] > BUSY * here["cores"] else "")


def markdown(heads, rows, left):
    """A table, of which `left` columns are texts and the others numbers."""
    lines = ["| " + " | ".join(row) + " |" for row in (heads, *rows)]
    return "\n".join([lines[0], "|---" * left + "|--:" * (len(heads) - left) + "|", *lines[1:]])


def figures(result, kind="work"):
    figure = FIGURES[result["figure"]]
    return {side: figure(values) for side, values in result[kind].items()}


def heading(engines, runs):
    columns = "".join(f" {name:>15}" for name in (*engines, TWIN))
    pairs = [*((name, TWIN) for name in usual(engines)), *compared(engines)]
    ratios = "".join(f" {over + '/' + under:>22}" for over, under in pairs)
    return f"{'seconds':{NAME}}{columns}{ratios} {'C++ by':>8}   {runs} runs each, in turn"


def shown(number, form):
    """Nothing where a program has no such side."""
    return "" if number is None else format(number, form)


def ratio(seconds, over, under):
    known = over in seconds and under in seconds
    return shown(seconds[over] / seconds[under] if known else None, ".2f")


def line(name, result, engines):
    seconds = figures(result)
    columns = "".join(f" {shown(seconds.get(side), '.3f'):>15}" for side in (*engines, TWIN))
    pairs = [*((engine, TWIN) for engine in usual(engines)), *compared(engines)]
    ratios = "".join(f" {ratio(seconds, *pair):>22}" for pair in pairs)
    return f"{name:{NAME}}{columns}{ratios} {result['by'][TWIN]:>8}"


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def usual(engines):
    """Engines but for those that are only there to be compared with them."""
    return [name for name in engines if not name.endswith((RING, UNCHECKED, FAST))]


def compared(engines):
    """Pairs of engines whose ratio says something: what rings would cost, what checks cost, and what is
    as fast as C++ that may contract, too."""
    for name in usual(engines):
        if name + RING in engines:
            yield name + RING, name
        if name + UNCHECKED in engines:
            yield name, name + UNCHECKED
        if name + FAST in engines:
            yield name + FAST, CONTRACTED


def ratios_of(results, over, under):
    every = [figures(each) for each in results.values()]
    return [seconds[over] / seconds[under] for seconds in every if {over, under} <= seconds.keys()]


def table(results, engines, march="native"):
    pairs = [*((engine, TWIN) for engine in usual(engines)), *compared(engines)]
    others = [side for side in OTHERS if any(side in each["work"] for each in results.values())]
    heads = ["program", "items", *engines, TWIN, "by", CONTRACTED, "by", *others]
    heads += [f"{over} / {under}" for over, under in pairs]
    heads += [f"whole process, {engine} / {TWIN}" for engine in usual(engines)]
    heads += [f"compiling, {engine}" for engine in usual(engines)] + ["compiling, clang -O2"]
    rows = []
    for name, result in results.items():
        seconds, whole = figures(result), figures(result, "whole")
        row = [name, f"{result['items'] / 1e6:.1f} M"]
        for side in (*engines, TWIN, CONTRACTED, *others):
            known = side in seconds
            row.append(f"{seconds[side] / result['items'] * 1e9:.2f}" if known else "")
            row += [result["by"][side]] if side in result["by"] else []
        row += [ratio(seconds, *pair) for pair in pairs]
        row += [f"{whole[engine] / whole[TWIN]:.2f}" for engine in usual(engines)]
        row += [f"{result['compile'][side]:.2f} s" for side in (*usual(engines), TWIN)]
        rows.append(row)
    figure = " or ".join(sorted({each["figure"] for each in results.values()}))
    text = [
        machine_line(march),
        "",
        f"Nanoseconds an item of input ({figure} of the runs), and ratios of strc to {TWIN}:",
        "",
        markdown(heads, rows, left=1),
    ]
    for over, under in pairs if results else ():
        mean = geometric_mean(ratios_of(results, over, under))
        text += ["", f"Geometric mean of {over} / {under}: {mean:.2f}"]
    return "\n".join(text) + "\n"


COLOURS = ("#3b6ea8", "#c8703a", "#4f9a5c", "#8a63a8", "#999999")
LEFT, WIDTH, BAR, GAP = 150, 560, 12, 8


def plot(results, engines):
    """Bars of the ratios on a logarithmic scale, with a line where strc is as fast as C++."""
    engines = usual(engines)
    ratios = {
        name: [figures(result)[engine] / figures(result)[TWIN] for engine in engines]
        for name, result in results.items()
    }
    every = [ratio for row in ratios.values() for ratio in row] or [1.0]
    low = min(0.5, 2.0 ** math.floor(math.log2(min(every))))
    high = max(2.0, 2.0 ** math.ceil(math.log2(max(every))))

    def place(ratio):
        return LEFT + WIDTH * (math.log2(ratio / low) / math.log2(high / low))

    step = BAR * len(engines) + GAP
    bottom = 40 + step * len(ratios)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 60}" '
        f'height="{bottom + 40}" font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{LEFT}" y="16">time of strc / time of {TWIN} (less is better)</text>',
    ]
    for power in range(round(math.log2(low)), round(math.log2(high)) + 1):
        x, colour = place(2.0**power), "#000" if power == 0 else "#ddd"
        parts.append(f'<line x1="{x:.1f}" y1="28" x2="{x:.1f}" y2="{bottom}" stroke="{colour}"/>')
        parts.append(
            f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{2.0**power:g}</text>'
        )
    for row, (name, values) in enumerate(ratios.items()):
        top = 36 + step * row
        parts.append(
            f'<text x="{LEFT - 8}" y="{top + step / 2}" text-anchor="end">{name}</text>'
        )
        for number, ratio in enumerate(values):
            start, end = sorted((place(1.0), place(ratio)))
            y, colour = top + BAR * number, COLOURS[number % len(COLOURS)]
            parts.append(
                f'<rect x="{start:.1f}" y="{y}" width="{end - start:.1f}" height="{BAR - 2}" '
                f'fill="{colour}"/>'
            )
            parts.append(f'<text x="{place(high) + 6:.1f}" y="{y + 9}">{ratio:.2f}</text>')
    for number, engine in enumerate(engines):
        x, colour = LEFT + 120 * number, COLOURS[number % len(COLOURS)]
        parts.append(f'<rect x="{x}" y="{bottom + 22}" width="10" height="10" fill="{colour}"/>')
        parts.append(f'<text x="{x + 14}" y="{bottom + 31}">{engine}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
