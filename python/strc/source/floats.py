"""The filters of streamed programs, over floats: the numbers of a frame follow each other. They are written into the program."""

from __future__ import annotations

from dataclasses import dataclass

from ..ir import Instruction
from .functions import ONE, TWO, Function


@dataclass(frozen=True)
class StreamFilter:
    """A declaration: its name, the names of its positional parameters, and its text, in which NAME stands for the name."""

    name: str
    formals: tuple[str, ...]
    text: str

    def source(self, name: str, _: Instruction) -> str:
        return self.text.strip("\n").replace("NAME", name)


def _item(name: str, function: Function, pops: str) -> StreamFilter:
    """A filter that makes one number of some."""
    letters = pops.split()
    head = f"float->float filter NAME{f'({function.formals})' if function.formals else ''} {{"
    lines = [head, f"    work pop {len(letters)} push 1 {{", *(f"        float {x} = pop();" for x in letters)]
    return StreamFilter(name, function.names, "\n".join([*lines, f"        push({function.floats});", "    }", "}"]))


UNARY: dict[str, StreamFilter] = {op: _item(op.title().replace("_", ""), function, "x") for op, function in ONE.items()}
BINARY: dict[str, StreamFilter] = {op: _item(op.title(), function, "a b") for op, function in TWO.items()}


def _stored(op: str, value: str, is_first: bool) -> StreamFilter:
    """An operator whose other operand is stored."""
    terms = value.replace("a", "A").replace("b", "B") if op not in ("maximum", "minimum", "pow", "atan2") else value
    one, other = ("values[k]", "pop()") if is_first else ("pop()", "values[k]")
    if op in ("maximum", "minimum", "pow", "atan2"):
        terms = f"{value.split('(')[0]}({one}, {other})"
    else:
        terms = terms.replace("A", one).replace("B", other)
    text = f"""
float->float filter NAME(int n, String weights) {{
    tensor<float>[n] values = stored("", weights);
    work pop n push n {{
        for (int k = 0; k < n; k++) push({terms});
    }}
}}"""
    return StreamFilter(f"{'Stored' if is_first else ''}{op.title()}{'' if is_first else 'Stored'}", ("n",), text)


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
// Each number is added to those at its place in all frames before.
float->float feedbackloop NAME(int n) {
    join roundrobin(1, 1);
    body float->float filter { work pop 2 push 1 { push(pop() + pop()); } };
    loop Identity<float>;
    split duplicate;
    for (int k = 0; k < n; k++) enqueue 0.0;
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

# Of each layer: what goes round with the new input, how many numbers a gate has, the products, and what a unit makes of its gates.
_LOOP = """
// One step for each frame: the states of all units go round, as pairs of what a unit gives and what it keeps.
float->float pipeline NAME(int inputs, int hidden, int layer = 0, boolean bias = true, String weights = "") {
    add NAMELoop(inputs, hidden, layer, bias, weights);
    add float->float filter { work pop 2 push 1 { push(pop()); pop(); } };
}

float->float feedbackloop NAMELoop(int inputs, int hidden, int layer, boolean bias, String weights) {
    join roundrobin(inputs, 2 * hidden);
    body pipeline {
        add NAMEGates(inputs, hidden, layer, bias, weights);
        add NAMECell();
    }
    loop Identity<float>;
    split duplicate;
    for (int k = 0; k < 2 * hidden; k++) enqueue 0.0;
}
"""
_GATES = """
// Takes a frame and the states of all units; gives each unit its gates and what it kept.
float->float filter NAMEGates(int inputs, int hidden, int layer, boolean bias, String weights) {
    tensor<float>[GATES * hidden, inputs] input_weight = stored(weights, "weight_ih_l" + layer);
    tensor<float>[GATES * hidden, hidden] state_weight = stored(weights, "weight_hh_l" + layer);
    tensor<float>[inputs + hidden, GATES * hidden] weight;
    tensor<float>[GATES * hidden] offset;
    init {
        weight = concat(transpose(input_weight, 0, 1), transpose(state_weight, 0, 1), 0);
        if (bias)
            offset = stored(weights, "bias_ih_l" + layer, GATES * hidden)
                     + stored(weights, "bias_hh_l" + layer, GATES * hidden);
    }
    work pop inputs + 2 * hidden push (GATES + 1) * hidden {
        float[inputs + hidden] frame;
        for (int k = 0; k < inputs; k++) frame[k] = peek(k);
        for (int k = 0; k < hidden; k++) frame[inputs + k] = peek(inputs + 2 * k);
        tensor x = frame;
        tensor gates = matmul(x, weight) + offset;
        for (int k = 0; k < hidden; k++) {
            for (int gate = 0; gate < GATES; gate++) push(gates[gate * hidden + k]);
            push(peek(inputs + 2 * k + 1));
        }
        for (int k = 0; k < inputs + 2 * hidden; k++) pop();
    }
}
"""
_GRU_GATES = """
// Takes a frame and the states of all units; gives each unit its gates, the part of the new state that comes from the
// old ones, and what it kept.
float->float filter NAMEGates(int inputs, int hidden, int layer, boolean bias, String weights) {
    tensor<float>[3 * hidden, inputs] input_weight = stored(weights, "weight_ih_l" + layer);
    tensor<float>[3 * hidden, hidden] state_weight = stored(weights, "weight_hh_l" + layer);
    tensor<float>[inputs + hidden, 4 * hidden] weight;
    tensor<float>[4 * hidden] offset;
    init {
        tensor from_input = transpose(input_weight, 0, 1);
        tensor from_state = transpose(state_weight, 0, 1);
        weight = concat(concat(from_input, zeros(inputs, hidden), 1),
                        concat(slice(from_state, 1, 0, 2 * hidden), zeros(hidden, hidden),
                               slice(from_state, 1, 2 * hidden, 3 * hidden), 1), 0);
        if (bias) {
            tensor b = stored(weights, "bias_ih_l" + layer, 3 * hidden);
            tensor c = stored(weights, "bias_hh_l" + layer, 3 * hidden);
            offset = concat(slice(b, 0, 0, 2 * hidden) + slice(c, 0, 0, 2 * hidden), slice(b, 0, 2 * hidden, 3 * hidden),
                            slice(c, 0, 2 * hidden, 3 * hidden), 0);
        }
    }
    work pop inputs + 2 * hidden push 5 * hidden {
        float[inputs + hidden] frame;
        for (int k = 0; k < inputs; k++) frame[k] = peek(k);
        for (int k = 0; k < hidden; k++) frame[inputs + k] = peek(inputs + 2 * k);
        tensor x = frame;
        tensor gates = matmul(x, weight) + offset;
        for (int k = 0; k < hidden; k++) {
            for (int gate = 0; gate < 4; gate++) push(gates[gate * hidden + k]);
            push(peek(inputs + 2 * k + 1));
        }
        for (int k = 0; k < inputs + 2 * hidden; k++) pop();
    }
}
"""


def _cell(count: int, body: str) -> str:
    lines = "\n".join(f"        {line}" for line in body.strip().splitlines())
    return f"\nfloat->float filter NAMECell {{\n    work pop {count} push 2 {{\n{lines}\n    }}\n}}"


def _rnn(function: str) -> str:
    return _cell(2, f"float h = {function};\npop();\npush(h);\npush(h);")


_LSTM_CELL = """
float take = 1 / (1 + exp(-pop()));
float keep = 1 / (1 + exp(-pop()));
float fresh = tanh(pop());
float give = 1 / (1 + exp(-pop()));
float c = keep * pop() + take * fresh;
push(give * tanh(c));
push(c);"""
_GRU_CELL = """
float reset = 1 / (1 + exp(-pop()));
float keep = 1 / (1 + exp(-pop()));
float from_input = pop();
float fresh = tanh(from_input + reset * pop());
float h = (1 - keep) * fresh + keep * pop();
push(h);
push(h);"""

RECURRENT = {
    f"stream_{op}": StreamFilter(name, ("inputs", "hidden"), _LOOP + text)
    for op, name, text in (
        ("lstm", "Lstm", _GATES.replace("GATES *", "4 *").replace("(GATES + 1)", "5").replace("< GATES", "< 4") + _cell(5, _LSTM_CELL)),
        ("gru", "Gru", _GRU_GATES + _cell(5, _GRU_CELL)),
        ("rnn", "Rnn", _GATES.replace("GATES * ", "").replace("(GATES + 1)", "2").replace("< GATES", "< 1") + _rnn("tanh(pop())")),
        (
            "rnn_relu", "RnnRelu",
            _GATES.replace("GATES * ", "").replace("(GATES + 1)", "2").replace("< GATES", "< 1") + _rnn("max(pop(), 0.0)"),
        ),
    )
}

FILTERS: dict[str, StreamFilter] = {
    **UNARY, **BINARY, **ALONG_TIME, **LAYERS, **RECURRENT,
    **{f"stream_{op}_stored": _stored(op, function.floats, False) for op, function in TWO.items()},
    **{f"stream_{op}_stored_first": _stored(op, function.floats, True) for op, function in TWO.items()},
}

# Operators that do nothing where numbers follow each other: what they take is what they give.
WIRES = {"stream_parts", "stream_cat"}
# Operators that take the numbers of their operands in turns.
IN_TURNS = set(BINARY)
# The names of what is declared together with some filters.
PARTS = {f"{made.name}{part}" for made in RECURRENT.values() for part in ("Loop", "Gates", "Cell")}


