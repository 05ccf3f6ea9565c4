"""Transposed convolutions along time, whose results are sums over several frames."""

from __future__ import annotations

from .filter import StreamFilter

TRANSPOSED = {
    "stream_convtranspose1d": StreamFilter("ConvTranspose1d", ("in_channels", "out_channels", "kernel", "stride"), """
// Gives `stride` frames for each that comes: the sums of what this one and those before it add to them. It looks at `frames`
// frames, the last of which is the new one.
float->float filter NAME(int in_channels, int out_channels, int kernel, int stride, int frames, int dilation = 1, int groups = 1,
                         int sequences = 1, boolean bias = true, String weights = "") {
    tensor<float>[in_channels, out_channels / groups, kernel] stored_weight = stored(weights, "weight");
    tensor<float>[groups, frames * in_channels / groups, stride * out_channels / groups] weight;
    tensor<float>[out_channels] offset;
    init {
        int inputs = in_channels / groups;
        int outputs = out_channels / groups;
        tensor w = reshape(stored_weight, in_channels, outputs, kernel, 1);
        if (dilation > 1) w = concat(w, zeros(in_channels, outputs, kernel, dilation - 1), 3);
        w = reshape(w, in_channels, outputs, kernel * dilation);
        if (frames * stride > kernel * dilation)
            w = concat(w, zeros(in_channels, outputs, frames * stride - kernel * dilation), 2);
        w = reshape(slice(w, 2, 0, frames * stride), groups, inputs, outputs, frames, stride);
        weight = reshape(permute(w, 0, 3, 1, 4, 2), groups, frames * inputs, stride * outputs);
        if (bias) offset = stored(weights, "bias", out_channels);
    }
    work peek frames * sequences * in_channels pop sequences * in_channels push stride * sequences * out_channels {
        int inputs = in_channels / groups;
        int outputs = out_channels / groups;
        float[groups][sequences][frames * in_channels / groups] window;
        for (int g = 0; g < groups; g++)
            for (int s = 0; s < sequences; s++)
                for (int k = 0; k < frames; k++)
                    for (int i = 0; i < inputs; i++)
                        window[g][s][k * inputs + i] =
                            peek(((frames - 1 - k) * sequences + s) * in_channels + g * inputs + i);
        tensor x = window;
        tensor y = matmul(x, weight);
        for (int r = 0; r < stride; r++)
            for (int s = 0; s < sequences; s++)
                for (int g = 0; g < groups; g++)
                    for (int o = 0; o < outputs; o++)
                        push(y[g, s, r * outputs + o] + (bias ? offset[g * outputs + o] : 0.0));
        for (int k = 0; k < sequences * in_channels; k++) pop();
    }
}"""),
    "stream_convtranspose2d": StreamFilter(
        "ConvTranspose2d", ("in_channels", "out_channels", "bands", "out_bands", "kernel", "kernel_bands", "stride", "stride_bands"), """
// Gives `stride` frames for each that comes: the sums of what this one and those before it add to them, along the bands, too. It
// looks at `frames` frames, the last of which is the new one.
float->float filter NAME(int in_channels, int out_channels, int bands, int out_bands, int kernel, int kernel_bands, int stride,
                         int stride_bands, int frames, int padding_bands = 0, int dilation = 1, int dilation_bands = 1,
                         int groups = 1, int sequences = 1, boolean time_is_last = false, boolean bias = true,
                         String weights = "") {
    tensor<float>[in_channels, out_channels / groups, time_is_last ? kernel_bands : kernel,
                  time_is_last ? kernel : kernel_bands] stored_weight = stored(weights, "weight");
    tensor<float>[groups, frames * in_channels / groups, kernel_bands * stride * out_channels / groups] weight;
    tensor<float>[out_channels] offset;
    init {
        int inputs = in_channels / groups;
        int outputs = out_channels / groups;
        tensor w = stored_weight;
        if (time_is_last) w = transpose(w, 2, 3);
        w = reshape(permute(w, 0, 1, 3, 2), in_channels, outputs * kernel_bands, kernel, 1);
        if (dilation > 1) w = concat(w, zeros(in_channels, outputs * kernel_bands, kernel, dilation - 1), 3);
        w = reshape(w, in_channels, outputs * kernel_bands, kernel * dilation);
        if (frames * stride > kernel * dilation)
            w = concat(w, zeros(in_channels, outputs * kernel_bands, frames * stride - kernel * dilation), 2);
        w = reshape(slice(w, 2, 0, frames * stride), groups, inputs, outputs, kernel_bands, frames, stride);
        weight = reshape(permute(w, 0, 4, 1, 3, 5, 2), groups, frames * inputs, kernel_bands * stride * outputs);
        if (bias) offset = stored(weights, "bias", out_channels);
    }
    work peek frames * sequences * in_channels * bands pop sequences * in_channels * bands
         push stride * sequences * out_channels * out_bands {
        int inputs = in_channels / groups;
        int outputs = out_channels / groups;
        float[groups][sequences * bands][frames * in_channels / groups] window;
        for (int g = 0; g < groups; g++)
            for (int s = 0; s < sequences; s++)
                for (int k = 0; k < frames; k++)
                    for (int i = 0; i < inputs; i++)
                        for (int f = 0; f < bands; f++)
                            window[g][s * bands + f][k * inputs + i] =
                                peek((((frames - 1 - k) * sequences + s) * in_channels + g * inputs + i) * bands + f);
        tensor x = window;
        tensor y = matmul(x, weight);
        float[stride * sequences * out_channels * out_bands] sums;
        for (int r = 0; r < stride; r++)
            for (int s = 0; s < sequences; s++)
                for (int o = 0; o < out_channels; o++)
                    for (int f = 0; f < out_bands; f++)
                        sums[((r * sequences + s) * out_channels + o) * out_bands + f] = bias ? offset[o] : 0.0;
        for (int g = 0; g < groups; g++)
            for (int s = 0; s < sequences; s++)
                for (int f = 0; f < bands; f++)
                    for (int j = 0; j < kernel_bands; j++) {
                        int band = f * stride_bands + j * dilation_bands - padding_bands;
                        if (band >= 0 && band < out_bands)
                            for (int r = 0; r < stride; r++)
                                for (int o = 0; o < outputs; o++)
                                    sums[((r * sequences + s) * out_channels + g * outputs + o) * out_bands + band] +=
                                        y[g, s * bands + f, (j * stride + r) * outputs + o];
                    }
        for (int k = 0; k < stride * sequences * out_channels * out_bands; k++) push(sums[k]);
        for (int k = 0; k < sequences * in_channels * bands; k++) pop();
    }
}"""),
    "stream_between": StreamFilter("Between", ("size", "factor"), """
// Gives `factor` frames for each that comes, on the line from the one before it to it. The first `factor / 2` of them belong
// to the one before.
float->float filter NAME(int size, int factor) {
    work peek 2 * size pop size push factor * size {
        for (int r = (factor + 1) / 2; r < factor + (factor + 1) / 2; r++) {
            float share = (r + 0.5) / factor - 0.5;
            for (int i = 0; i < size; i++) push(peek(i) * (1 - share) + peek(size + i) * share);
        }
        for (int i = 0; i < size; i++) pop();
    }
}"""),
    "stream_hold": StreamFilter("Hold", ("n", "size"), """
// What means nothing, the first frame, and then all frames from the first one on.
float->float filter NAME(int n, int size) {
    prework peek n + size pop n push n + size {
        for (int k = 0; k < n; k++) push(pop());
        for (int k = 0; k < size; k++) push(peek(k));
    }
    work pop 1 push 1 { push(pop()); }
}"""),
    "stream_again": StreamFilter("Again", ("size", "factor"), """
// Each frame so many times.
float->float filter NAME(int size, int factor) {
    work pop size push factor * size {
        for (int r = 0; r < factor; r++)
            for (int i = 0; i < size; i++) push(peek(i));
        for (int i = 0; i < size; i++) pop();
    }
}"""),
}
