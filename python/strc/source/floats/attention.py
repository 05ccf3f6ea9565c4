"""Attention of each frame to some before it."""

from __future__ import annotations

from .filter import StreamFilter

TEXT = """
// A frame has the queries of all heads, then the keys{and_values}{and_others}. Each looks at the frames from `before` frames back to `ahead` frames
// on; what is added to the products of query and key, and what they are multiplied by in the end, comes again after `period` frames. The
// firing with number `late` is for the first frame, before which there are none.{about_rows}{about_function}{about_shares}
float->float filter NAME(int heads, int size, int before, int ahead, int period, int late, int bias_heads, int factor_heads, float scale,
                         boolean shares{formals}, String bias_weights, String factor_weights{stored_formals}) {
    int reach = before + 1 + ahead;
    int frame = {frame};
    tensor<float>[period, bias_heads, reach] stored_bias = stored("", bias_weights);
    tensor<float>[period, factor_heads, reach] stored_factor = stored("", factor_weights);{stored_rows}
    tensor<float>[period, bias_heads, 1, reach] bias;
    tensor<float>[period, factor_heads, 1, reach] factor;{fields}
    int phase = (period - late % period) % period;
    int missing = before + late;
    init {
        bias = unsqueeze(stored_bias, 2);
        factor = unsqueeze(stored_factor, 2);{init}
    }
    work peek reach * frame pop frame push heads * {given} {
        int none = (int) min(missing, before);
        float[heads][1][size] query;
        float[heads][size][reach] keys;{arrays}
        float[1][1][reach] start;
        for (int w = 0; w < reach; w++) start[0][0][w] = w < none ? (shares ? -1.0 / 0.0 : 0) : (shares ? 0 : 1);
        for (int h = 0; h < heads; h++) {
            for (int k = 0; k < size; k++) query[h][0][k] = peek(before * frame + h * size + k);
            for (int w = 0; w < reach; w++)
                for (int k = 0; k < size; k++)
                    keys[h][k][w] = w < none ? 0 : peek(w * frame + (heads + h) * size + k);{read}
        }{read_others}
        tensor q = query;
        tensor there = start;
        tensor scores = matmul(q, keys) * scale + reshape(narrow(bias, 0, phase, 1), bias_heads, 1, reach);{add}{apply}
        if (shares) scores = softmax(scores + there, 2);
        else scores = scores * there;
        scores = scores * reshape(narrow(factor, 0, phase, 1), factor_heads, 1, reach);
{push}
        phase = phase == period - 1 ? 0 : phase + 1;
        if (missing > 0) missing--;
        for (int k = 0; k < frame; k++) pop();
    }
}"""

# What stands in the places of the text with values and without them, and what does with rows.
WITH_VALUES = {
    "and_values": ", then the values",
    "formals": ", int value_size",
    "given": "value_size",
    "arrays": "\n        float[heads][reach][value_size] values;",
    "read": """
            for (int w = 0; w < reach; w++)
                for (int k = 0; k < value_size; k++)
                    values[h][w][k] = w < none ? 0 : peek(w * frame + 2 * heads * size + h * value_size + k);""",
    "push": """        tensor y = matmul(scores, values);
        for (int h = 0; h < heads; h++)
            for (int k = 0; k < value_size; k++) push(y[h, 0, k]);""",
}
WITHOUT_VALUES = {
    "about_shares": "\n// It gives the shares of the frames in each head.",
    "given": "reach",
    "push": """        for (int h = 0; h < heads; h++)
            for (int w = 0; w < reach; w++) push(scores[h, 0, w]);""",
}
WITH_ROWS = {
    "and_others": ", then other queries",
    "about_rows": """
// The other queries are multiplied by stored rows: one for each frame that is looked at, of each head, or the same for all heads.""",
    "formals": ", int row_size, int row_heads",
    "stored_formals": ", String row_weights",
    "stored_rows": """
    tensor<float>[period, row_heads, reach, row_size] stored_rows = stored("", row_weights);""",
    "fields": """
    tensor<float>[period, row_heads, row_size, reach] rows;""",
    "init": """
        rows = transpose(stored_rows, 2, 3);""",
    "arrays": """
        float[row_heads][heads / row_heads][row_size] others;""",
    "read_others": """
        for (int g = 0; g < row_heads; g++)
            for (int h = 0; h < heads / row_heads; h++)
                for (int k = 0; k < row_size; k++)
                    others[g][h][k] = peek((before + 1) * frame - heads * row_size + (g * (heads / row_heads) + h) * row_size + k);""",
    "add": """
        tensor o = others;
        scores = scores + reshape(matmul(o, reshape(narrow(rows, 0, phase, 1), row_heads, row_size, reach)), heads, 1, reach);""",
}
# Functions of scores, before what hides some.
FUNCTIONS = ("tanh", "sigmoid", "relu", "exp")
WITH_FUNCTION = {
    "about_function": """
// Of the scores a function is taken, which is scaled, and to which something is added.""",
    "formals": ", float outer_scale, int outer_heads",
    "stored_formals": ", String outer_bias_weights",
    "stored_rows": """
    tensor<float>[period, outer_heads, reach] stored_outer = stored("", outer_bias_weights);""",
    "fields": """
    tensor<float>[period, outer_heads, 1, reach] outer_bias;""",
    "init": """
        outer_bias = unsqueeze(stored_outer, 2);""",
    "apply": """
        scores = FUNCTION(scores) * outer_scale + reshape(narrow(outer_bias, 0, phase, 1), outer_heads, 1, reach);""",
}
PLACES = (
    "and_values", "and_others", "about_rows", "about_function", "about_shares", "formals", "stored_formals", "stored_rows", "fields", "init", "given", "arrays", "read",
    "read_others", "add", "apply", "push",
)  # fmt: skip


def attention(name: str, has_values: bool, has_rows: bool, function: str = "") -> StreamFilter:
    """The filter with values or without them, with rows or without them, with a function of the scores or with none."""
    parts = [WITH_VALUES if has_values else WITHOUT_VALUES, *([WITH_ROWS] if has_rows else []), *([WITH_FUNCTION] if function else [])]
    text = TEXT.replace("{frame}", f"heads * (2 * size{' + value_size' if has_values else ''}{' + row_size' if has_rows else ''})")
    for place in PLACES:
        text = text.replace(f"{{{place}}}", "".join(part.get(place, "") for part in parts))
    formals = ["heads", "size", "before", "ahead", "period", "late", "bias_heads", "factor_heads", "scale", "shares"]
    formals += [*(["value_size"] if has_values else []), *(["row_size", "row_heads"] if has_rows else [])]
    formals += ["outer_scale", "outer_heads"] if function else []
    return StreamFilter(f"{name}{'Of' if function else ''}{function.capitalize()}", tuple(formals), text.replace("FUNCTION", function))


ATTENTION = {
    f"{op}{'_' if function else ''}{function}": attention(name, has_values, has_rows, function)
    for op, name, has_values, has_rows in (
        ("stream_attention", "AttentionToPast", True, False),
        ("stream_attention_rows", "AttentionToPlaces", True, True),
        ("stream_shares", "SharesOfPast", False, False),
        ("stream_shares_rows", "SharesOfPlaces", False, True),
    )
    for function in ("", *FUNCTIONS)
}
