"""The text around a step: where its tokens come from and go to."""

from __future__ import annotations

OPTIONS = "float temperature = 0, int top_k = 0, float top_p = 1, int seed = 0"

DECODER = """
// {batches} of tokens, step by step. A token that is less than 0 is replaced by the one that was chosen for it; what comes out is
// what went into the model, so first the prompt and then what the model says. Layers attend to the last {context} tokens.
int->int pipeline {name}({options}) {{
    add TokensOfNumbers({batch});
    add feedbackloop {{
        join roundrobin(1, 1);
        body pipeline {{
            add GivenOrChosen({batch}, {stop});
            add splitjoin {{
                split duplicate;
                add Identity<tensor>();
                add pipeline {{
{scores}
                    add sampletokens({batch}, {tokens}, temperature, top_k, top_p, seed);
                }}
                join roundrobin;
            }}
        }}
        loop Identity<tensor>();
        split roundrobin(1, 1);
        enqueue long(zeros({batch}));
    }}
    add NumbersOfTokens({batch});
}}
"""

TOKENS_OF_NUMBERS = """
int->tensor filter TokensOfNumbers(int batch) {
    work pop batch push 1 {
        int[batch] numbers;
        for (int b = 0; b < batch; b++) numbers[b] = pop();
        tensor tokens = numbers;
        push(long(tokens));
    }
}
"""

WITH_ENCODER = """
// Takes what the encoder takes, and gives for each {context} tokens of {batches}: first the prompt, then what the model says.
{takes}->int pipeline {name}({options}) {{
    add {encoder}();
    add splitjoin {{
        split roundrobin;
        for (int k = 0; k < {kept}; k++) add Hold({context});
        join roundrobin;
    }}
    add splitjoin {{
        split roundrobin({kept}, 0);
        add Identity<tensor>();
        add Prompt({batch}, {context}, {count}, {{{prompt}}});
        join roundrobin({kept}, 1);
    }}
    add feedbackloop {{
        join roundrobin({kept} + 1, 1);
        body pipeline {{
            add splitjoin {{
                split roundrobin({kept}, 2);
                add Identity<tensor>();
                add GivenOrChosen({batch}, {stop});
                join roundrobin({kept}, 1);
            }}
            add splitjoin {{
                split duplicate;
                add pick({kept} + 1, {{{kept}}});
                add pipeline {{
{scores}
                    add sampletokens({batch}, {tokens}, temperature, top_k, top_p, seed);
                }}
                join roundrobin;
            }}
        }}
        loop Identity<tensor>();
        split roundrobin(1, 1);
        enqueue long(zeros({batch}));
    }}
    add NumbersOfTokens({batch});
}}
"""

PROMPT = """
// What an encoder gave, for each of `steps` tokens.
tensor->tensor filter Hold(int steps) {
    work pop 1 push steps {
        tensor held = pop();
        for (int k = 0; k < steps; k++) push(held);
    }
}

// For each `steps` tokens first those that are given, then -1.
void->tensor filter Prompt(int batch, int steps, int count, int[count] prompt) {
    int at;
    work push 1 {
        int[batch] numbers;
        for (int b = 0; b < batch; b++) numbers[b] = at < count ? prompt[at] : -1;
        at = (at + 1) % steps;
        tensor tokens = numbers;
        push(long(tokens));
    }
}
"""

CHOICE = """
// A token that is given, or else the one that was chosen. Behind `stop`, if that was chosen, all are `stop` until one is given; -1: nothing stops.
tensor->tensor filter GivenOrChosen(int batch, int stop) {
    tensor<long>[batch] isOver;
    work pop 2 push 1 {
        tensor given = pop();
        tensor chosen = where(isOver > 0, long(full(stop, batch)), pop());
        isOver = long((given < 0) * (chosen == stop));
        push(where(given < 0, chosen, given));
    }
}

tensor->int filter NumbersOfTokens(int batch) {
    work pop 1 push batch {
        tensor tokens = pop();
        for (int b = 0; b < batch; b++) push((int) tokens[b]);
    }
}
"""
