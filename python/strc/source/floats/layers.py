"""Layers with stored values."""

from __future__ import annotations

from .filter import StreamFilter

LAYERS = {
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
    "stream_batchnorm": StreamFilter("BatchNorm", ("num_features",), """
// Of each of several sequences the channels, each of which has so many bands.
float->float filter NAME(int num_features, int sequences = 1, int bands = 1, float eps = 0.00001, boolean affine = true,
                         String weights = "") {
    tensor<float>[num_features] scale;
    tensor<float>[num_features] shift;
    init {
        scale = 1 / sqrt(stored(weights, "running_var", num_features) + eps);
        if (affine) scale = scale * stored(weights, "weight", num_features);
        shift = -stored(weights, "running_mean", num_features) * scale;
        if (affine) shift = shift + stored(weights, "bias", num_features);
    }
    work pop sequences * num_features * bands push sequences * num_features * bands {
        for (int s = 0; s < sequences; s++)
            for (int k = 0; k < num_features; k++)
                for (int f = 0; f < bands; f++) push(pop() * scale[k] + shift[k]);
    }
}"""),
}
