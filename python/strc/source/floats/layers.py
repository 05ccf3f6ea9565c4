"""Layers with stored values."""

from __future__ import annotations

from .filter import StreamFilter

LAYERS = {
    "stream_conv1d": StreamFilter("Conv1d", ("in_channels", "out_channels", "kernel"), """
// Looks at `kernel` frames from its own on, `dilation` frames apart.
float->float filter NAME(int in_channels, int out_channels, int kernel, int stride = 1, int dilation = 1, int groups = 1,
                         boolean bias = true, String weights = "") {
    tensor<float>[out_channels, in_channels / groups, kernel] stored_weight = stored(weights, "weight");
    tensor<float>[groups, kernel * in_channels / groups, out_channels / groups] weight;
    tensor<float>[groups, 1, out_channels / groups] offset;
    init {
        tensor w = reshape(stored_weight, groups, out_channels / groups, in_channels / groups, kernel);
        weight = reshape(permute(w, 0, 3, 2, 1), groups, kernel * in_channels / groups, out_channels / groups);
        if (bias) offset = reshape(stored(weights, "bias", out_channels), groups, 1, out_channels / groups);
    }
    work peek (int) max((kernel - 1) * dilation + 1, stride) * in_channels pop stride * in_channels
         push out_channels {
        int inputs = in_channels / groups;
        float[groups][1][kernel * in_channels / groups] window;
        for (int g = 0; g < groups; g++)
            for (int k = 0; k < kernel; k++)
                for (int i = 0; i < inputs; i++)
                    window[g][0][k * inputs + i] = peek(k * dilation * in_channels + g * inputs + i);
        tensor x = window;
        tensor y = matmul(x, weight);
        if (bias) y = y + offset;
        for (int g = 0; g < groups; g++)
            for (int o = 0; o < out_channels / groups; o++) push(y[g, 0, o]);
        for (int k = 0; k < stride * in_channels; k++) pop();
    }
}"""),
    "stream_linear": StreamFilter("Linear", ("in_features", "out_features"), """
float->float filter NAME(int in_features, int out_features, boolean bias = true, String weights = "") {
    tensor<float>[out_features, in_features] stored_weight = stored(weights, "weight");
    tensor<float>[in_features, out_features] weight;
    tensor<float>[out_features] offset;
    init {
        weight = transpose(stored_weight, 0, 1);
        if (bias) offset = stored(weights, "bias", out_features);
    }
    work pop in_features push out_features {
        float[in_features] frame;
        for (int k = 0; k < in_features; k++) frame[k] = pop();
        tensor x = frame;
        tensor y = matmul(x, weight);
        if (bias) y = y + offset;
        for (int k = 0; k < out_features; k++) push(y[k]);
    }
}"""),
    "stream_batchnorm": StreamFilter("BatchNorm1d", ("num_features",), """
float->float filter NAME(int num_features, float eps = 0.00001, boolean affine = true, String weights = "") {
    tensor<float>[num_features] scale;
    tensor<float>[num_features] shift;
    init {
        scale = 1 / sqrt(stored(weights, "running_var", num_features) + eps);
        if (affine) scale = scale * stored(weights, "weight", num_features);
        shift = -stored(weights, "running_mean", num_features) * scale;
        if (affine) shift = shift + stored(weights, "bias", num_features);
    }
    work pop num_features push num_features {
        for (int k = 0; k < num_features; k++) push(pop() * scale[k] + shift[k]);
    }
}"""),
}
