"""Filters that put the numbers of a frame elsewhere, or leave some out."""

from __future__ import annotations

from .filter import StreamFilter

PLACES = {
    "stream_part": StreamFilter("Part", ("before", "extent", "after", "start", "count", "step"), """
// Of a dimension of a frame, which has so many numbers before and after it, some places.
float->float filter NAME(int before, int extent, int after, int start, int count, int step = 1) {
    work pop before * extent * after push before * count * after {
        for (int b = 0; b < before; b++)
            for (int k = 0; k < count; k++)
                for (int a = 0; a < after; a++) push(peek((b * extent + start + k * step) * after + a));
        for (int k = 0; k < before * extent * after; k++) pop();
    }
}"""),
    "stream_swap": StreamFilter("Swap", ("before", "first", "between", "second", "after"), """
// A frame with two of its dimensions in each other's place.
float->float filter NAME(int before, int first, int between, int second, int after) {
    work pop before * first * between * second * after push before * first * between * second * after {
        for (int b = 0; b < before; b++)
            for (int j = 0; j < second; j++)
                for (int m = 0; m < between; m++)
                    for (int i = 0; i < first; i++)
                        for (int a = 0; a < after; a++)
                            push(peek((((b * first + i) * between + m) * second + j) * after + a));
        for (int k = 0; k < before * first * between * second * after; k++) pop();
    }
}"""),
    "stream_spread": StreamFilter("Spread", ("before", "count", "after"), """
// Each run of `after` numbers of a frame so many times.
float->float filter NAME(int before, int count, int after) {
    work pop before * after push before * count * after {
        for (int b = 0; b < before; b++)
            for (int k = 0; k < count; k++)
                for (int a = 0; a < after; a++) push(peek(b * after + a));
        for (int k = 0; k < before * after; k++) pop();
    }
}"""),
}
