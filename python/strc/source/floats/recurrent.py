"""Recurrent layers, as feedback loops."""

from __future__ import annotations

from .filter import StreamFilter

_HEAD = "int inputs, int hidden, int layer = 0, int sequences = 1, boolean bias = true, String weights = \"\""

# The states of all units go round from one frame to the next.
_LOOP = """
// One step for each frame, for each of several sequences side by side: what the units give goes round.
float->float feedbackloop NAME(HEAD) {
    join roundrobin(sequences * inputs, sequences * hidden);
    body NAMEStep(inputs, hidden, layer, sequences, bias, weights);
    loop Identity<float>;
    split duplicate;
    for (int k = 0; k < sequences * hidden; k++) enqueue 0.0;
}
"""
_LOOP_OF_TWO = """
// One step for each frame, for each of several sequences side by side: what the units give goes round, and behind it what
// they keep.
float->float pipeline NAME(HEAD) {
    add NAMELoop(inputs, hidden, layer, sequences, bias, weights);
    add float->float filter {
        work pop 2 * sequences * hidden push sequences * hidden {
            for (int k = 0; k < sequences * hidden; k++) push(peek(k));
            for (int k = 0; k < 2 * sequences * hidden; k++) pop();
        }
    };
}

float->float feedbackloop NAMELoop(int inputs, int hidden, int layer, int sequences, boolean bias, String weights) {
    join roundrobin(sequences * inputs, 2 * sequences * hidden);
    body NAMEStep(inputs, hidden, layer, sequences, bias, weights);
    loop Identity<float>;
    split duplicate;
    for (int k = 0; k < 2 * sequences * hidden; k++) enqueue 0.0;
}
"""
_STEP = """
// Takes a frame and the states of all units; gives their new states.
float->float filter NAMEStep(int inputs, int hidden, int layer, int sequences, boolean bias, String weights) {
    tensor<float>[GATES * hidden, inputs] input_weight = stored(weights, "weight_ih_l" + layer);
    tensor<float>[GATES * hidden, hidden] state_weight = stored(weights, "weight_hh_l" + layer);
WEIGHT
    work pop sequences * (inputs + STATES * hidden) push sequences * STATES * hidden {
        float[sequences][inputs + hidden] frame;
        for (int s = 0; s < sequences; s++)
            for (int k = 0; k < inputs; k++) frame[s][k] = pop();
TAKE
        tensor x = frame;
        tensor gates = matmul(x, weight) + offset;
CELL
    }
}
"""
_WEIGHT = """
    tensor<float>[inputs + hidden, GATES * hidden] weight;
    tensor<float>[GATES * hidden] offset;
    init {
        weight = concat(transpose(input_weight, 0, 1), transpose(state_weight, 0, 1), 0);
        if (bias)
            offset = stored(weights, "bias_ih_l" + layer, GATES * hidden)
                     + stored(weights, "bias_hh_l" + layer, GATES * hidden);
    }"""
# The part of the new state that comes from the old ones has columns of its own, since a gate scales it.
_GRU_WEIGHT = """
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
    }"""
_OLD = """
float[sequences][hidden] old;
for (int s = 0; s < sequences; s++)
    for (int k = 0; k < hidden; k++) old[s][k] = pop();
"""
_TAKE_OLD = f"""{_OLD}
for (int s = 0; s < sequences; s++)
    for (int k = 0; k < hidden; k++) frame[s][inputs + k] = old[s][k];
"""
_TAKE = """
for (int s = 0; s < sequences; s++)
    for (int k = 0; k < hidden; k++) frame[s][inputs + k] = pop();
"""
_LSTM_CELL = """
tensor take = 1 / (1 + exp(-slice(gates, 1, 0, hidden)));
tensor keep = 1 / (1 + exp(-slice(gates, 1, hidden, 2 * hidden)));
tensor fresh = tanh(slice(gates, 1, 2 * hidden, 3 * hidden));
tensor give = 1 / (1 + exp(-slice(gates, 1, 3 * hidden, 4 * hidden)));
tensor before = old;
tensor c = keep * before + take * fresh;
tensor h = give * tanh(c);
for (int s = 0; s < sequences; s++)
    for (int k = 0; k < hidden; k++) push(h[s, k]);
for (int s = 0; s < sequences; s++)
    for (int k = 0; k < hidden; k++) push(c[s, k]);
"""
_PUSH = """
for (int s = 0; s < sequences; s++)
    for (int k = 0; k < hidden; k++) push(h[s, k]);
"""
_GRU_CELL = f"""
tensor reset = 1 / (1 + exp(-slice(gates, 1, 0, hidden)));
tensor keep = 1 / (1 + exp(-slice(gates, 1, hidden, 2 * hidden)));
tensor fresh = tanh(slice(gates, 1, 2 * hidden, 3 * hidden) + reset * slice(gates, 1, 3 * hidden, 4 * hidden));
tensor before = old;
tensor h = (1 - keep) * fresh + keep * before;
{_PUSH}"""


def _indented(text: str) -> str:
    return "\n".join(f"        {line}" for line in text.splitlines() if line)


def _layer(loop: str, gates: int, states: int, take: str, cell: str, weight: str = _WEIGHT) -> str:
    step = _STEP.replace("WEIGHT", weight.strip("\n")).replace("TAKE", _indented(take)).replace("CELL", _indented(cell))
    step = step.replace("GATES * ", f"{gates} * " if gates > 1 else "").replace("STATES * ", f"{states} * " if states > 1 else "")
    return loop.replace("HEAD", _HEAD) + step


def _rnn(function: str) -> str:
    return _layer(_LOOP, 1, 1, _TAKE, f"tensor h = {function};\n{_PUSH}")


RECURRENT = {
    f"stream_{op}": StreamFilter(name, ("inputs", "hidden"), text)
    for op, name, text in (
        ("lstm", "Lstm", _layer(_LOOP_OF_TWO, 4, 2, _TAKE + _OLD, _LSTM_CELL)),
        ("gru", "Gru", _layer(_LOOP, 3, 1, _TAKE_OLD, _GRU_CELL, _GRU_WEIGHT)),
        ("rnn", "Rnn", _rnn("tanh(gates)")),
        ("rnn_relu", "RnnRelu", _rnn("relu(gates)")),
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
