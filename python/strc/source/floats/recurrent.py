"""Recurrent layers, as feedback loops."""

from __future__ import annotations

from .filter import StreamFilter

# Of each layer: what goes round with the new input, how many numbers a gate has, the products, and what a unit makes of its gates.
_LOOP = """
// One step for each frame, for each of several sequences side by side: the states of all units go round, as pairs of what
// a unit gives and what it keeps.
float->float pipeline NAME(int inputs, int hidden, int layer = 0, int sequences = 1, boolean bias = true, String weights = "") {
    add NAMELoop(inputs, hidden, layer, sequences, bias, weights);
    add float->float filter { work pop 2 push 1 { push(pop()); pop(); } };
}

float->float feedbackloop NAMELoop(int inputs, int hidden, int layer, int sequences, boolean bias, String weights) {
    join roundrobin(sequences * inputs, sequences * 2 * hidden);
    body pipeline {
        add NAMEGates(inputs, hidden, layer, sequences, bias, weights);
        add NAMECell();
    }
    loop Identity<float>;
    split duplicate;
    for (int k = 0; k < sequences * 2 * hidden; k++) enqueue 0.0;
}
"""
_GATES = """
// Takes a frame and the states of all units; gives each unit its gates and what it kept.
float->float filter NAMEGates(int inputs, int hidden, int layer, int sequences, boolean bias, String weights) {
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
    work pop sequences * (inputs + 2 * hidden) push sequences * (GATES + 1) * hidden {
        int states = sequences * inputs;
        float[sequences][inputs + hidden] frame;
        for (int s = 0; s < sequences; s++) {
            for (int k = 0; k < inputs; k++) frame[s][k] = peek(s * inputs + k);
            for (int k = 0; k < hidden; k++) frame[s][inputs + k] = peek(states + 2 * (s * hidden + k));
        }
        tensor x = frame;
        tensor gates = matmul(x, weight) + offset;
        for (int s = 0; s < sequences; s++) {
            for (int k = 0; k < hidden; k++) {
                for (int gate = 0; gate < GATES; gate++) push(gates[s, gate * hidden + k]);
                push(peek(states + 2 * (s * hidden + k) + 1));
            }
        }
        for (int k = 0; k < sequences * (inputs + 2 * hidden); k++) pop();
    }
}
"""
_GRU_GATES = """
// Takes a frame and the states of all units; gives each unit its gates, the part of the new state that comes from the
// old ones, and what it kept.
float->float filter NAMEGates(int inputs, int hidden, int layer, int sequences, boolean bias, String weights) {
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
    work pop sequences * (inputs + 2 * hidden) push sequences * 5 * hidden {
        int states = sequences * inputs;
        float[sequences][inputs + hidden] frame;
        for (int s = 0; s < sequences; s++) {
            for (int k = 0; k < inputs; k++) frame[s][k] = peek(s * inputs + k);
            for (int k = 0; k < hidden; k++) frame[s][inputs + k] = peek(states + 2 * (s * hidden + k));
        }
        tensor x = frame;
        tensor gates = matmul(x, weight) + offset;
        for (int s = 0; s < sequences; s++) {
            for (int k = 0; k < hidden; k++) {
                for (int gate = 0; gate < 4; gate++) push(gates[s, gate * hidden + k]);
                push(peek(states + 2 * (s * hidden + k) + 1));
            }
        }
        for (int k = 0; k < sequences * (inputs + 2 * hidden); k++) pop();
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

_WITHIN = """
// Goes over the rows of each tensor; its last states are left out.
tensor->tensor pipeline NAME(int input_size, int hidden_size, int num_layers = 1, boolean bias = true, boolean batch_first = false,
                             boolean bidirectional = false,RELU String weights = "") {
    add CELL(input_size, hidden_size, num_layers, bias, batch_first, bidirectional,USED weights = weights);
    add separator({GIVES});
}"""
WITHIN_FRAMES = {
    f"stream_frame_{op}": StreamFilter(
        f"{op.title()}OfFrame", ("input_size", "hidden_size", "num_layers"),
        _WITHIN.replace("CELL", op).replace("GIVES", dropped).replace("RELU", " boolean relu = false," if op == "rnn" else "")
        .replace("USED", " relu," if op == "rnn" else ""),
    )
    for op, dropped in (("rnn", "1, 0"), ("gru", "1, 0"), ("lstm", "1, 0, 0"))
}
