"""What a model's configuration asks to be done to scores before a token is chosen of them: some of what `generate()` does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from ...errors import ImportFailure

# What is not done, and the values that ask for nothing beside None.
UNDONE: Mapping[str, tuple[Any, ...]] = {
    "num_beams": (1,), "num_beam_groups": (1,), "penalty_alpha": (0,), "encoder_repetition_penalty": (1.0,), "no_repeat_ngram_size": (0,), "encoder_no_repeat_ngram_size": (0,),
    "bad_words_ids": ([],), "min_length": (0,), "min_new_tokens": (0,), "sequence_bias": ({},), "guidance_scale": (1,), "exponential_decay_length_penalty": (),
    "force_words_ids": ([],), "constraints": ([],), "typical_p": (1.0,), "epsilon_cutoff": (0.0,), "eta_cutoff": (0.0,), "diversity_penalty": (0.0,), "watermarking_config": (), "min_p": (0.0,), "top_h": (),
}  # fmt: skip

PENALISED = """
// Scores of the next tokens, and the tokens that were given: those that have been given so far count less by a factor. All begins anew after so many steps; 0: never.
tensor->tensor filter Penalised(int batch, int tokens, float penalty, int steps) {
    tensor<float>[batch, tokens] seen;
    int at;
    work pop 2 push 1 {
        tensor scores = pop();
        tensor given = unsqueeze(pop(), 1);
        tensor now = where(given == unsqueeze(arange(tokens), 0), 1.0, 0.0);
        seen = at == 0 ? now : max(seen, now);
        at = steps > 0 ? (at + 1) % steps : 1;
        push(where(seen > 0, where(scores < 0, scores * penalty, scores / penalty), scores));
    }
}
"""

ALLOWED = """
// Without tokens that are never said, that are not said behind the `first` token of so many steps, and all but one at their end; 0 steps: they have none.
tensor->tensor filter Allowed(int tokens, int first, int steps) {
    tensor<float>[tokens] always = stored("allowed", "always");
    tensor<float>[tokens] behind = stored("allowed", "behind");
    tensor<float>[tokens] last = stored("allowed", "last");
    int at;
    work pop 1 push 1 {
        tensor scores = pop() + always;
        if (steps > 0) {
            if (at == first) scores = scores + behind;
            if (at == steps - 2) scores = scores + last;
            at = (at + 1) % steps;
        }
        push(scores);
    }
}
"""


def without(count: int, tokens: Iterable[int]) -> torch.Tensor:
    """What takes some of `count` tokens away where it is added to their scores. Configurations name some that a model has not."""
    made = torch.zeros(count)
    made[[token for token in tokens if token < count]] = -torch.inf
    return made


@dataclass(frozen=True)
class Asked:
    """`penalty` is a factor for tokens that have been given; `stored` is empty if all tokens may be said."""

    penalty: float = 1.0
    stored: Mapping[str, torch.Tensor] = field(default_factory=dict)

    def text(self, step: str, batch: int, tokens: int, first: int, steps: int, kept: int) -> str:
        """What stands between the inputs of a step, `kept` values and a token of each sequence, and the choice. `steps` is 0 where a text goes on for ever."""
        made = f"add {step}();"
        if self.penalty != 1:
            token = f"add pick({kept} + 1, {{{kept}}});" if kept else "add Identity<tensor>();"
            made = f"add splitjoin {{ split duplicate; {made} {token} join roundrobin; }}\nadd Penalised({batch}, {tokens}, {self.penalty}, {steps});"
        return f"{made}\nadd Allowed({tokens}, {first}, {steps});" if self.stored else made

    def filters(self) -> list[str]:
        return [*([PENALISED] if self.penalty != 1 else []), *([ALLOWED] if self.stored else [])]


def asked_by(model: Any, tokens: int, steps: int) -> Asked:
    """What the configuration of a model that says so many tokens asks for. Raises `ImportFailure` if that is not done. `steps` as in `Asked.text`."""
    config = getattr(model, "generation_config", None)
    if config is None:
        return Asked()
    for name, nothing in UNDONE.items():
        value = getattr(config, name, None)
        if value is not None and value not in nothing:
            raise ImportFailure(
                f"the generation_config of {type(model).__name__} asks for {name}={value}, which no filter does; "
                f"model.generation_config.{name} = {nothing[0] if nothing else None} leaves it out"
            )
    always, behind, last = (getattr(config, name, None) for name in ("suppress_tokens", "begin_suppress_tokens", "forced_eos_token_id"))
    if not steps and (behind or last is not None):
        raise ImportFailure(f"the generation_config of {type(model).__name__} asks for tokens at the begin or the end of a text, and without an encoder that goes on for ever")
    ends = [last] if isinstance(last, int) else list(last or ())
    stored = {
        "allowed.always": without(tokens, always or ()), "allowed.behind": without(tokens, behind or ()),
        "allowed.last": without(tokens, set(range(tokens)) - set(ends) if ends else ()),
    }  # fmt: skip
    return Asked(float(config.repetition_penalty or 1.0), stored if any(bool(one.any()) for one in stored.values()) else {})
