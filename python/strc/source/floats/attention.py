"""Attention of each frame to some before it."""

from __future__ import annotations

from .filter import StreamFilter

ATTENTION = {
    "stream_attention": StreamFilter(
        "AttentionToPast", ("heads", "size", "value_size", "before", "ahead", "period", "late", "bias_heads", "factor_heads", "scale", "shares"), """
// A frame has the queries of all heads, then the keys, then the values. Each looks at the frames from `before` frames back to `ahead` frames
// on; what is added to the products of query and key, and what they are multiplied by in the end, comes again after `period` frames. The
// firing with number `late` is for the first frame, before which there are none.
float->float filter NAME(int heads, int size, int value_size, int before, int ahead, int period, int late, int bias_heads,
                         int factor_heads, float scale, boolean shares, String bias_weights, String factor_weights) {
    int reach = before + 1 + ahead;
    int frame = heads * (2 * size + value_size);
    tensor<float>[period, bias_heads, reach] stored_bias = stored("", bias_weights);
    tensor<float>[period, factor_heads, reach] stored_factor = stored("", factor_weights);
    tensor<float>[period, bias_heads, 1, reach] bias;
    tensor<float>[period, factor_heads, 1, reach] factor;
    int phase = (period - late % period) % period;
    int missing = before + late;
    init {
        bias = unsqueeze(stored_bias, 2);
        factor = unsqueeze(stored_factor, 2);
    }
    work peek reach * frame pop frame push heads * value_size {
        int none = (int) min(missing, before);
        float[heads][1][size] query;
        float[heads][size][reach] keys;
        float[heads][reach][value_size] values;
        float[1][1][reach] start;
        for (int w = 0; w < reach; w++) start[0][0][w] = w < none ? (shares ? -1.0 / 0.0 : 0) : (shares ? 0 : 1);
        for (int h = 0; h < heads; h++) {
            for (int k = 0; k < size; k++) query[h][0][k] = peek(before * frame + h * size + k);
            for (int w = 0; w < reach; w++)
                for (int k = 0; k < size; k++)
                    keys[h][k][w] = w < none ? 0 : peek(w * frame + (heads + h) * size + k);
            for (int w = 0; w < reach; w++)
                for (int k = 0; k < value_size; k++)
                    values[h][w][k] = w < none ? 0 : peek(w * frame + 2 * heads * size + h * value_size + k);
        }
        tensor q = query;
        tensor there = start;
        tensor scores = matmul(q, keys) * scale + reshape(narrow(bias, 0, phase, 1), bias_heads, 1, reach);
        if (shares) scores = softmax(scores + there, 2);
        else scores = scores * there;
        tensor y = matmul(scores * reshape(narrow(factor, 0, phase, 1), factor_heads, 1, reach), values);
        for (int h = 0; h < heads; h++)
            for (int k = 0; k < value_size; k++) push(y[h, 0, k]);
        phase = phase == period - 1 ? 0 : phase + 1;
        if (missing > 0) missing--;
        for (int k = 0; k < frame; k++) pop();
    }
}"""),
}
