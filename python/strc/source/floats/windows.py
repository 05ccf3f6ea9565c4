"""Layers that look at several frames: convolutions and pooling along time, and several frames as one."""

from __future__ import annotations

from .filter import StreamFilter

WINDOWS = {
    "stream_conv1d": StreamFilter("Conv1d", ("in_channels", "out_channels", "kernel"), """
// Looks at `kernel` frames from its own on, `dilation` frames apart, of each of several sequences side by side.
float->float filter NAME(int in_channels, int out_channels, int kernel, int stride = 1, int dilation = 1, int groups = 1,
                         int sequences = 1, boolean bias = true, String weights = "") {
    tensor<float>[out_channels, in_channels / groups, kernel] stored_weight = stored(weights, "weight");
    tensor<float>[groups, kernel * in_channels / groups, out_channels / groups] weight;
    tensor<float>[groups, 1, out_channels / groups] offset;
    init {
        tensor w = reshape(stored_weight, groups, out_channels / groups, in_channels / groups, kernel);
        weight = reshape(permute(w, 0, 3, 2, 1), groups, kernel * in_channels / groups, out_channels / groups);
        if (bias) offset = reshape(stored(weights, "bias", out_channels), groups, 1, out_channels / groups);
    }
    work peek (int) max((kernel - 1) * dilation + 1, stride) * sequences * in_channels
         pop stride * sequences * in_channels push sequences * out_channels {
        int inputs = in_channels / groups;
        float[groups][sequences][kernel * in_channels / groups] window;
        for (int g = 0; g < groups; g++)
            for (int s = 0; s < sequences; s++)
                for (int k = 0; k < kernel; k++)
                    for (int i = 0; i < inputs; i++)
                        window[g][s][k * inputs + i] =
                            peek((k * dilation * sequences + s) * in_channels + g * inputs + i);
        tensor x = window;
        tensor y = matmul(x, weight);
        if (bias) y = y + offset;
        for (int s = 0; s < sequences; s++)
            for (int g = 0; g < groups; g++)
                for (int o = 0; o < out_channels / groups; o++) push(y[g, s, o]);
        for (int k = 0; k < stride * sequences * in_channels; k++) pop();
    }
}"""),
    "stream_conv2d": StreamFilter("Conv2d", ("in_channels", "out_channels", "bands", "out_bands", "kernel", "kernel_bands"), """
// Looks at `kernel` frames from its own on, each of which has a row of bands for every channel, and along the bands.
float->float filter NAME(int in_channels, int out_channels, int bands, int out_bands, int kernel, int kernel_bands,
                         int stride = 1, int stride_bands = 1, int padding_bands = 0, int dilation = 1,
                         int dilation_bands = 1, int groups = 1, int sequences = 1, boolean time_is_last = false,
                         boolean bias = true, String weights = "") {
    tensor<float>[out_channels, in_channels / groups, time_is_last ? kernel_bands : kernel,
                  time_is_last ? kernel : kernel_bands] stored_weight = stored(weights, "weight");
    tensor<float>[groups, kernel * kernel_bands * in_channels / groups, out_channels / groups] weight;
    tensor<float>[groups, 1, out_channels / groups] offset;
    init {
        tensor w = stored_weight;
        if (time_is_last) w = transpose(w, 2, 3);
        w = reshape(w, groups, out_channels / groups, in_channels / groups, kernel, kernel_bands);
        weight = reshape(permute(w, 0, 3, 4, 2, 1), groups, kernel * kernel_bands * in_channels / groups,
                         out_channels / groups);
        if (bias) offset = reshape(stored(weights, "bias", out_channels), groups, 1, out_channels / groups);
    }
    work peek (int) max((kernel - 1) * dilation + 1, stride) * sequences * in_channels * bands
         pop stride * sequences * in_channels * bands push sequences * out_channels * out_bands {
        int inputs = in_channels / groups;
        float[groups][sequences * out_bands][kernel * kernel_bands * in_channels / groups] window;
        for (int g = 0; g < groups; g++)
            for (int s = 0; s < sequences; s++)
                for (int f = 0; f < out_bands; f++)
                    for (int k = 0; k < kernel; k++)
                        for (int j = 0; j < kernel_bands; j++) {
                            int band = f * stride_bands + j * dilation_bands - padding_bands;
                            if (band >= 0 && band < bands)
                                for (int i = 0; i < inputs; i++)
                                    window[g][s * out_bands + f][(k * kernel_bands + j) * inputs + i] =
                                        peek(((k * dilation * sequences + s) * in_channels + g * inputs + i) * bands
                                             + band);
                        }
        tensor x = window;
        tensor y = matmul(x, weight);
        if (bias) y = y + offset;
        for (int s = 0; s < sequences; s++)
            for (int g = 0; g < groups; g++)
                for (int o = 0; o < out_channels / groups; o++)
                    for (int f = 0; f < out_bands; f++) push(y[g, s * out_bands + f, o]);
        for (int k = 0; k < stride * sequences * in_channels * bands; k++) pop();
    }
}"""),
    "stream_window": StreamFilter("Window", ("size", "places", "stride", "reach"), """
// Several frames from its own on as one.
float->float filter NAME(int size, int[_] places, int stride, int reach) {
    work peek reach * size pop stride * size push places.length * size {
        for (int k = 0; k < places.length; k++)
            for (int i = 0; i < size; i++) push(peek(places[k] * size + i));
        for (int k = 0; k < stride * size; k++) pop();
    }
}"""),
}
