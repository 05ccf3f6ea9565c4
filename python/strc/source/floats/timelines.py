"""Filters that give a frame that depends on the time step alone for each frame that comes."""

from __future__ import annotations

from .filter import StreamFilter


def _timeline(name: str, about: str, rows: int, value: str, before: str = "") -> StreamFilter:
    return StreamFilter(name, ("size", "n", "late"), f"""
// {about}
// Takes frames of `size` numbers, of which the one with number `late` is of time step 0.
float->float filter NAME(int size, int n, int late, String weights) {{
    tensor<double>[{rows}, n] v = stored("", weights);
    double t = -late;
    work pop size push n {{
        for (int k = 0; k < n; k++) {{
            {before}
            push((float) ({value}));
        }}
        t += 1;
        for (int k = 0; k < size; k++) pop();
    }}
}}""")


TIMELINES = {
    "stream_line": _timeline("Line", "A start and a step for each of n columns.", 2, "(double) v[0, k] + (double) v[1, k] * t"),
    "stream_inverse_line": _timeline(
        "InverseLine", "One divided by a line, for each of n columns.", 2, "1 / ((double) v[0, k] + (double) v[1, k] * t)",
    ),
    "stream_decay": _timeline(
        "Decay", "A start, and the logarithm of a factor for each time step.", 2, "(double) v[0, k] * exp((double) v[1, k] * t)",
    ),
    "stream_wave": _timeline(
        "Wave", "Of each column the part of a cosine, that of a sine, the turns of a time step, and the angle of a turn.", 4,
        "(double) v[0, k] * cos((double) v[3, k] * turn) + (double) v[1, k] * sin((double) v[3, k] * turn)",
        "double turn = (double) v[2, k] * t; turn -= floor(turn);",
    ),
    "stream_settled": StreamFilter("Settled", ("size", "n", "late", "rows"), """
// The rows of a table, and then the last one for ever. The frame with number `late` gets row 0.
float->float filter NAME(int size, int n, int late, int rows, String weights) {
    tensor<float>[rows, n] table = stored("", weights);
    int t = -late;
    work pop size push n {
        for (int k = 0; k < n; k++) push(table[t < 0 ? 0 : t, k]);
        if (t < rows - 1) t++;
        for (int k = 0; k < size; k++) pop();
    }
}"""),
    "stream_period": StreamFilter("Period", ("size", "n", "late", "rows"), """
// The rows of a table, again and again. The frame with number `late` gets row 0.
float->float filter NAME(int size, int n, int late, int rows, String weights) {
    tensor<float>[rows, n] table = stored("", weights);
    int t = (rows - late % rows) % rows;
    work pop size push n {
        for (int k = 0; k < n; k++) push(table[t, k]);
        t = t == rows - 1 ? 0 : t + 1;
        for (int k = 0; k < size; k++) pop();
    }
}"""),
}
