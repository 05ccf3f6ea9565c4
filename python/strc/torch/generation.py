"""Decoders of the package transformers as programs that take tokens and give tokens, one of each sequence in a firing.

The model runs over one token without any cache; what its layers attend to is kept by the filter of an operator that stands for their attention.
"""

from __future__ import annotations

import contextlib
import inspect
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.nn import functional

from ..errors import ImportFailure
from .attributes import unchanged
from .capture import first_lines
from .decompositions.primitives import primitive
from .export import Imported, import_model, write
from .lowering import Lowering, lowers

TOP = "Generate"
ATTENTION = "strc_step"  # the name under which transformers knows `Attention`
PROOF_STEPS = 7
TOLERANCE = 1e-4
# Arguments of an attention that change what it computes, and that the filter does not know.
UNKNOWN = ("softcap", "s_aux", "position_bias", "head_mask")

_PROGRAM = """
// {batches} of tokens, step by step. A token that is less than 0 is replaced by the one that was chosen for it; what comes out is
// what went into the model, so first the prompt and then what the model says. Layers attend to the last {context} tokens.
int->int pipeline {name}(float temperature = 0, int top_k = 0, float top_p = 1, int seed = 0) {{
    add TokensOfNumbers({batch});
    add feedbackloop {{
        join roundrobin(1, 1);
        body pipeline {{
            add GivenOrChosen();
            add splitjoin {{
                split duplicate;
                add Identity<tensor>();
                add pipeline {{
                    add {step}();
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

{source}
int->tensor filter TokensOfNumbers(int batch) {{
    work pop batch push 1 {{
        int[batch] numbers;
        for (int b = 0; b < batch; b++) numbers[b] = pop();
        tensor tokens = numbers;
        push(long(tokens));
    }}
}}

tensor->int filter NumbersOfTokens(int batch) {{
    work pop 1 push batch {{
        tensor tokens = pop();
        for (int b = 0; b < batch; b++) push((int) tokens[b]);
    }}
}}

tensor->tensor filter GivenOrChosen {{
    work pop 2 push 1 {{
        tensor given = pop();
        tensor chosen = pop();
        push(where(given < 0, chosen, given));
    }}
}}
"""


@primitive("cached_attention(Tensor q, Tensor k, Tensor v, int context, float scale) -> Tensor")
def cached_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, context: int, scale: float) -> torch.Tensor:
    """What the first step gives, which attends to itself alone."""
    return v.repeat_interleave(q.shape[1] // v.shape[1], 1) + 0 * q


@lowers("strc.cached_attention.default")
def lower_cached_attention(ctx: Lowering, q: Any, k: Any, v: Any, context: int, scale: float) -> Any:
    batch, heads, _, width = q.shape
    return ctx.emit("cachedattention", (q, k, v), batch, heads, k.shape[1], width, context, float(scale))


class Attention:
    """The attention of all layers to the last `context` steps: `kept` has keys and values by layer, or is None where the operator stands for it."""

    def __init__(self, context: int):
        self.context = context
        self.kept: dict[int, tuple[torch.Tensor, torch.Tensor]] | None = None

    def __call__(
        self, module: torch.nn.Module, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: Any = None, **options: Any
    ) -> tuple[torch.Tensor, None]:
        changing = [name for name in UNKNOWN if options.get(name) is not None]
        if changing or query.shape[2:] != key.shape[2:] or key.shape != value.shape:
            raise ImportFailure(f"an attention with {', '.join(changing) or 'keys and values of another shape'} has no filter with a ring")
        context = min(self.context, options.get("sliding_window") or self.context)
        scale = options.get("scaling") or query.shape[3] ** -0.5
        if self.kept is None:
            made = torch.ops.strc.cached_attention(query, key, value, context, scale)
        else:
            made = self.step(id(module), query, key, value, context, scale)
        return made.transpose(1, 2).contiguous(), None

    def step(self, layer: int, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, context: int, scale: float) -> torch.Tensor:
        assert self.kept is not None
        if layer in self.kept:
            keys, values = self.kept[layer]
            key, value = (torch.cat(pair, 2)[:, :, -context:] for pair in ((keys, key), (values, value)))
        self.kept[layer] = key, value
        return functional.scaled_dot_product_attention(query, key, value, scale=scale, enable_gqa=True)


class Step(torch.nn.Module):  # type: ignore[misc]
    """A decoder over one token of each sequence, and the place of these: the scores of the next ones, and their place."""

    def __init__(self, model: torch.nn.Module):
        super().__init__()
        self.model = model

    def forward(self, tokens: torch.Tensor, place: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        made = self.model(input_ids=tokens.unsqueeze(1), position_ids=place, use_cache=False)
        return made.logits.squeeze(1), place + 1


def check_decoder(model: torch.nn.Module) -> None:
    """Raises `ImportFailure` for what is no decoder of transformers."""
    config = getattr(model, "config", None)
    names = inspect.signature(model.forward).parameters
    missing = [name for name in ("input_ids", "position_ids", "use_cache") if name not in names]
    if config is None or getattr(model, "get_output_embeddings", lambda: None)() is None:
        raise ImportFailure(f"a {type(model).__name__} is no decoder of the package transformers (GPT2LMHeadModel, LlamaForCausalLM, ...), which --generate takes")
    if missing or getattr(config, "is_encoder_decoder", False):
        why = f"its forward takes no {', '.join(missing)}" if missing else "it has an encoder, too"
        raise ImportFailure(f"a {type(model).__name__} cannot generate token by token: {why}")


@contextlib.contextmanager
def attending(model: Any, attention: Attention) -> Iterator[None]:
    """Lets the layers of a model attend by `attention`."""
    from transformers import AttentionInterface, AttentionMaskInterface

    AttentionInterface.register(ATTENTION, attention)
    AttentionMaskInterface.register(ATTENTION, lambda *args, **options: None)
    before = model.config._attn_implementation
    model.config._attn_implementation = ATTENTION
    try:
        yield
    finally:
        model.config._attn_implementation = before


def check_steps(model: Any, context: int, batch: int) -> None:
    """Raises `ImportFailure` if the model gives something else step by step than for a whole sequence."""
    count = min(PROOF_STEPS, context)
    attention, step = Attention(context), Step(model)
    attention.kept = {}
    tokens = torch.randint(0, model.get_input_embeddings().num_embeddings, (batch, count))
    with torch.no_grad(), unchanged(model):
        try:
            whole = model(input_ids=tokens, use_cache=False).logits
            with attending(model, attention):
                steps = [step(tokens[:, place], torch.tensor([[place]]))[0] for place in range(count)]
        except ImportFailure:
            raise
        except Exception as error:
            raise ImportFailure(f"the model does not run token by token: {first_lines(error)}") from error
    found = torch.stack(steps, 1)
    if not attention.kept:
        raise ImportFailure(f"the layers of {type(model).__name__} have an attention of their own, which transformers cannot replace")
    if bool(((found - whole).abs() > TOLERANCE * whole.abs().clamp(min=1)).any()):
        raise ImportFailure(
            f"{type(model).__name__} gives something else token by token than for a whole sequence (by {float((found - whole).abs().max()):.1e}): "
            "a decoder looks at nothing that comes later"
        )


@dataclass(frozen=True, kw_only=True)
class Generator(Imported):
    """A decoder that has been read as a step, with the loop around it."""

    batch: int
    tokens: int
    context: int

    def source(self, replicate: bool = False, title: str = "") -> str:
        batches = "A sequence" if self.batch == 1 else f"{self.batch} sequences side by side"
        text = _PROGRAM.format(
            name=TOP, step=self.program.name, batch=self.batch, tokens=self.tokens, context=self.context, batches=batches,
            source=super().source(replicate),
        )
        return "\n".join([*([f"// {title}", ""] if title else []), text.strip(), ""])


def import_generator(model: torch.nn.Module, context: int, batch: int = 1) -> Generator:
    """Reads a decoder as a program that generates `batch` sequences. Raises `strc.errors.ImportFailure`."""
    check_decoder(model)
    if context < 1 or batch < 1:
        raise ImportFailure("a context and a batch are 1 or more")
    step = Step(model)
    step.train(model.training)
    place = torch.zeros(1, 1, dtype=torch.int64)
    with attending(model, Attention(context)):
        made = import_model(step, [torch.zeros(batch, dtype=torch.int64)], states=[place])
    check_steps(model, context, batch)
    tokens = made.captured.returned[0].meta["val"].shape[1]
    return Generator(
        replace(made.program, name=f"{type(model).__name__}Step"), made.tensors, captured=made.captured, batch=batch, tokens=int(tokens), context=context
    )


def export_generator(
    model: torch.nn.Module, path: str | os.PathLike[str], *, context: int, batch: int = 1, title: str = ""
) -> Generator:
    """Writes a decoder as such a program to `path`, and its weights beside it: both, or nothing. Raises `strc.errors.ImportFailure`."""
    made = import_generator(model, context, batch)
    write(made, made.source(title=title), path, model, [])
    return made
