"""What is known of all elements up to each one, over time or along a dimension of a frame: products, extremes, logarithms of sums."""

from __future__ import annotations

from dataclasses import dataclass

from .filter import StreamFilter


@dataclass(frozen=True)
class Cumulative:
    """What it begins with, and the statement that brings a number x in: in double, as a float is one of many."""

    name: str
    about: str
    start: str
    step: str

    def over_time(self) -> StreamFilter:
        return StreamFilter(self.name, ("n",), f"""
// {self.about} at its place in this frame and in all before.
float->float filter NAME(int n) {{
    double[n] states;
    init {{ for (int k = 0; k < n; k++) states[k] = {self.start}; }}
    work pop n push n {{
        for (int k = 0; k < n; k++) {{
            float x = pop();
            double state = states[k];
            {self.step}
            states[k] = state;
            push((float) state);
        }}
    }}
}}""")

    def within_frame(self) -> StreamFilter:
        return StreamFilter(f"{self.name}InFrame", ("before", "extent", "after"), f"""
// {self.about} up to its place in a dimension of the frame, which has so many numbers before and after it.
float->float filter NAME(int before, int extent, int after) {{
    work pop before * extent * after push before * extent * after {{
        double[after] states;
        for (int b = 0; b < before; b++) {{
            for (int a = 0; a < after; a++) states[a] = {self.start};
            for (int k = 0; k < extent * after; k++) {{
                float x = pop();
                double state = states[k % after];
                {self.step}
                states[k % after] = state;
                push((float) state);
            }}
        }}
    }}
}}""")


# An extreme begins with infinity.
_KINDS = {
    "cumprod": Cumulative("RunningProduct", "The product of the numbers", "1", "state *= x;"),
    "cummax": Cumulative("RunningMax", "The largest of the numbers", "log(0)", "if (x >= state || x != x) state = x;"),
    "cummin": Cumulative("RunningMin", "The smallest of the numbers", "-log(0)", "if (x <= state || x != x) state = x;"),
    "logcumsumexp": Cumulative("RunningLogSumExp", "The logarithm of the sum of the exponentials of the numbers", "log(0)",
                               "double most = max(state, x);\n"
                               "            state = abs(most) > 3.4e38 ? most : most + log(exp(state - most) + exp(x - most));"),
}  # fmt: skip

CUMULATIVE: dict[str, StreamFilter] = {
    **{f"stream_{op}": kind.over_time() for op, kind in _KINDS.items()},
    **{f"stream_frame_{op}": kind.within_frame() for op, kind in _KINDS.items()},
}
