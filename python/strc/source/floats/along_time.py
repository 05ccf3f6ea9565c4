"""Filters that count frames, or look at several of them."""

from __future__ import annotations

from .filter import StreamFilter

ALONG_TIME = {
    "stream_delay": StreamFilter("Delay", ("n", "value"), """
// Numbers before the first one.
float->float filter NAME(int n, float value = 0.0) {
    prework push n { for (int k = 0; k < n; k++) push(value); }
    work pop 1 push 1 { push(pop()); }
}"""),
    "stream_blank": StreamFilter("Blank", ("n", "value"), """
// Another number instead of the first ones.
float->float filter NAME(int n, float value) {
    prework pop n push n {
        for (int k = 0; k < n; k++) {
            pop();
            push(value);
        }
    }
    work pop 1 push 1 { push(pop()); }
}"""),
    "stream_skip": StreamFilter("Skip", ("n",), """
// Without the first numbers.
float->float filter NAME(int n) {
    prework pop n { for (int k = 0; k < n; k++) pop(); }
    work pop 1 push 1 { push(pop()); }
}"""),
    "stream_every": StreamFilter("Every", ("n", "size"), """
// One frame of n, the first one.
float->float filter NAME(int n, int size) {
    work pop n * size push size {
        for (int k = 0; k < size; k++) push(pop());
        for (int k = size; k < n * size; k++) pop();
    }
}"""),
    "stream_repeat": StreamFilter("Repeat", ("n",), """
float->float filter NAME(int n) {
    work pop 1 push n {
        float x = pop();
        for (int k = 0; k < n; k++) push(x);
    }
}"""),
    "stream_sum": StreamFilter("RunningSum", ("n",), """
// Each number is added to those at its place in all frames before: in double, so that nothing gets lost however long it runs.
float->float filter NAME(int n) {
    double[n] sums;
    work pop n push n {
        for (int k = 0; k < n; k++) {
            sums[k] += pop();
            push((float) sums[k]);
        }
    }
}"""),
    "stream_maxpool": StreamFilter("MaxPool1d", ("channels", "kernel", "stride"), """
// The largest of `kernel` frames from its own on, for each channel.
float->float filter NAME(int channels, int kernel, int stride, int dilation = 1) {
    work peek (int) max((kernel - 1) * dilation + 1, stride) * channels pop stride * channels push channels {
        for (int c = 0; c < channels; c++) {
            float most = peek(c);
            for (int k = 1; k < kernel; k++) most = max(most, peek(k * dilation * channels + c));
            push(most);
        }
        for (int k = 0; k < stride * channels; k++) pop();
    }
}"""),
    "stream_avgpool": StreamFilter("AvgPool1d", ("channels", "kernel", "stride"), """
// The mean of `kernel` frames from its own on, for each channel.
float->float filter NAME(int channels, int kernel, int stride) {
    work peek (int) max(kernel, stride) * channels pop stride * channels push channels {
        for (int c = 0; c < channels; c++) {
            float sum = 0;
            for (int k = 0; k < kernel; k++) sum += peek(k * channels + c);
            push(sum / kernel);
        }
        for (int k = 0; k < stride * channels; k++) pop();
    }
}"""),
}
