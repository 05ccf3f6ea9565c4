"""From a model of transformers to a program that generates."""

from __future__ import annotations

import inspect
import os
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from ...errors import ImportFailure
from ...ir import Program
from ...ir.model import Kind
from ...source import sources_of
from ...source.printer import tensor
from ..attributes import unchanged
from ..capture import first_lines
from ..export import Imported, Model, import_model, only_kind, write
from .attention import Attention, attending
from .scores import Asked, asked_by
from .source import CHOICE, DECODER, OPTIONS, PROMPT, TOKENS_OF_NUMBERS, WITH_ENCODER
from .steps import EncodedStep, Encoder, Step

TOP = "Generate"
PROOF_STEPS = 7
TOLERANCE = 1e-4
TAKES = {False: ("input_ids", "position_ids", "use_cache"), True: ("encoder_outputs", "decoder_input_ids", "past_key_values", "use_cache")}


def has_encoder(model: torch.nn.Module) -> bool:
    return bool(getattr(getattr(model, "config", None), "is_encoder_decoder", False))


def check_generates(model: torch.nn.Module) -> None:
    """Raises `ImportFailure` for what is no model of transformers that gives tokens."""
    if getattr(model, "config", None) is None or getattr(model, "get_output_embeddings", lambda: None)() is None:
        raise ImportFailure(
            f"a {type(model).__name__} is no decoder of the package transformers (GPT2LMHeadModel, LlamaForCausalLM, T5ForConditionalGeneration, ...), "
            "which --generate takes"
        )
    names = inspect.signature(model.forward).parameters
    missing = [name for name in TAKES[has_encoder(model)] if name not in names]
    if missing:
        raise ImportFailure(f"a {type(model).__name__} cannot generate token by token: its forward takes no {', '.join(missing)}")


def check_steps(model: Any, whole: Any, steps: Any, attention: Attention) -> None:
    """Raises `ImportFailure` if the scores that `steps()` gives one after the other are not those of `whole()`, for the whole sequence."""
    attention.kept = {}
    with torch.no_grad(), unchanged(model):
        try:
            expected = whole().logits
            with attending(model, attention):
                found = torch.stack(steps(), 1)
        except ImportFailure:
            raise
        except Exception as error:
            raise ImportFailure(f"the model does not run token by token: {first_lines(error)}") from error
    name = type(model).__name__
    if not attention.kept:
        raise ImportFailure(f"the layers of {name} have an attention of their own, which transformers cannot replace")
    if bool(((found - expected).abs() > TOLERANCE * expected.abs().amax(2, keepdim=True).clamp(min=1)).any()):
        raise ImportFailure(
            f"{name} gives something else token by token than for a whole sequence (by {float((found - expected).abs().max()):.1e}): "
            "a decoder looks at nothing that comes later"
        )


@dataclass(frozen=True, kw_only=True)
class Generator(Imported):
    """A model that has been read as a step, with the loop around it. `encoder` is the program that comes before all steps, if there is one."""

    batch: int
    tokens: int
    context: int
    stop: int = -1
    prompt: tuple[int, ...] = ()
    encoder: Model | None = None
    taken: Kind | None = None  # by the encoder
    given_tokens: int = 0  # that the encoder knows, if it takes tokens
    asked: Asked = Asked()

    def source(self, replicate: bool = False, title: str = "") -> str:
        values: dict[str, Any] = {
            "name": TOP, "options": OPTIONS, "batch": self.batch, "tokens": self.tokens, "context": self.context, "stop": self.stop,
            "batches": "a sequence" if self.batch == 1 else f"{self.batch} sequences side by side", "step": self.program.name,
        }
        programs = [self.program]
        kept = len(self.encoder.program.results) if self.encoder else 0
        scores = self.asked.text(self.program.name, self.batch, self.tokens, len(self.prompt) - 1, self.context if self.encoder else 0, kept)
        values["scores"] = textwrap.indent(scores, " " * 20)
        if self.encoder is None:
            values["batches"] = values["batches"].capitalize()
            text, ends = DECODER, [CHOICE, TOKENS_OF_NUMBERS]
        else:
            programs.insert(0, self.encoder.program)
            text, ends = WITH_ENCODER, [PROMPT, CHOICE]
            values |= {"encoder": self.encoder.program.name, "kept": kept, "takes": tensor(self.taken)}
            values |= {"count": len(self.prompt), "prompt": ", ".join(map(str, self.prompt))}
        blocks = [*([f"// {title}"] if title else []), text.format(**values), sources_of(programs, replicate), *ends, *self.asked.filters()]
        return "\n\n".join(block.strip() for block in blocks) + "\n"

    def used_tensors(self) -> dict[str, torch.Tensor]:
        return {**(self.encoder.used_tensors() if self.encoder else {}), **super().used_tensors(), **self.asked.stored}


def import_generator(
    model: torch.nn.Module, context: int, batch: int = 1, *, example: torch.Tensor | None = None, stop: int | None = None, prompt: Sequence[int] = ()
) -> Generator:
    """Reads a model as a program that generates. Raises `strc.errors.ImportFailure`.

    A decoder takes `batch` sequences of tokens, and attends to `context` of them. A model with an encoder takes what is like `example`, and gives `context` tokens
    for it, the first ones of which are the `prompt` (if there is none: what its configuration begins with). Behind a chosen token `stop` it says nothing else.
    """
    check_generates(model)
    if context < 1 or batch < 1:
        raise ImportFailure("a context and a batch are 1 or more")
    count = tokens_of(model)
    for token in (*prompt, *(() if stop is None else (stop,))):
        if not 0 <= token < count:
            raise ImportFailure(f"{token} is no token: the model has those from 0 to {count - 1}")
    if has_encoder(model):
        made = import_encoded(model, context, example, tuple(prompt))
    elif example is not None or prompt:
        raise ImportFailure(f"a {type(model).__name__} has no encoder, which could take an input before the tokens, and its prompt comes with the tokens")
    else:
        made = import_decoder(model, context, batch)
    return replace(made, stop=-1 if stop is None else stop)


def import_decoder(model: torch.nn.Module, context: int, batch: int) -> Generator:
    asked = asked_by(model, tokens_of(model), 0)
    step, attention = Step(model), Attention(context)
    step.train(model.training)
    with attending(model, attention):
        made = import_model(step, [torch.zeros(batch, dtype=torch.int64)], states=[torch.zeros(1, 1, dtype=torch.int64)])
    tokens = some_tokens(model, batch, min(PROOF_STEPS, context))
    check_steps(
        model, lambda: model(input_ids=tokens, use_cache=False), lambda: [step(one, torch.tensor([[place]]))[0] for place, one in enumerate(tokens.T)], attention
    )
    return Generator(**step_of(model, made), batch=batch, context=context, asked=asked)


def import_encoded(model: Any, context: int, example: torch.Tensor | None, prompt: tuple[int, ...]) -> Generator:
    if example is None:
        raise ImportFailure(f"a {type(model).__name__} has an encoder: --input SHAPE[:TYPE] says what that takes")
    prompt = prompt or first_tokens(model)
    if len(prompt) >= context:
        raise ImportFailure(f"the prompt of {len(prompt)} tokens leaves nothing to be said of {context}")
    asked, attention = asked_by(model, tokens_of(model), context), Attention(context, restart=context)
    encoder, step = Encoder(model), EncodedStep(model, attention)
    for module in (encoder, step):
        module.train(model.training)
    given_tokens = 0 if example.dtype.is_floating_point else int(model.get_input_embeddings().num_embeddings)
    if given_tokens:
        example = torch.randint(0, given_tokens, example.shape, dtype=example.dtype)
    before = import_model(encoder, [example])
    with torch.no_grad(), unchanged(model):
        encoded = encoder(example)
    with attending(model, attention):
        made = import_model(step, [*encoded, torch.zeros(len(example), dtype=torch.int64)], states=[torch.zeros(1, dtype=torch.int64)], stored=before.tensors)
    tokens = some_tokens(model, len(example), min(PROOF_STEPS, context))
    check_steps(
        model, lambda: model(example, decoder_input_ids=tokens, use_cache=False),
        lambda: [step(*encoded, one, torch.tensor([place]))[0] for place, one in enumerate(tokens.T)], attention,
    )
    named = replace(before.program, name=f"{type(model).__name__}Encoder")
    return Generator(
        **step_of(model, made), batch=len(example), context=context, prompt=prompt, encoder=replace(before, program=named), taken=only_kind([example]),
        given_tokens=given_tokens, asked=asked,
    )


def step_of(model: torch.nn.Module, made: Imported) -> dict[str, Any]:
    """What all generators have of their step."""
    program: Program = replace(made.program, name=f"{type(model).__name__}Step")
    return {"program": program, "tensors": made.tensors, "captured": made.captured, "tokens": int(made.captured.returned[0].meta["val"].shape[1])}


def tokens_of(model: Any) -> int:
    """How many tokens a model may say."""
    return int(model.get_output_embeddings().weight.shape[0])


def some_tokens(model: Any, batch: int, count: int) -> torch.Tensor:
    return torch.randint(0, tokens_of(model), (batch, count))


def first_tokens(model: Any) -> tuple[int, ...]:
    """The tokens with which a decoder begins by its configuration."""
    config = model.generation_config
    first = [config.decoder_start_token_id, config.forced_bos_token_id]
    if not isinstance(first[0], int):
        raise ImportFailure(f"the configuration of {type(model).__name__} names no decoder_start_token_id: --prompt ID says with what it begins")
    return tuple(one for one in first if isinstance(one, int))


def export_generator(
    model: torch.nn.Module, path: str | os.PathLike[str], *, context: int, batch: int = 1, example: torch.Tensor | None = None, stop: int | None = None,
    prompt: Sequence[int] = (), title: str = "",
) -> Generator:
    """Writes a model as such a program to `path`, and its weights beside it: both, or nothing. The arguments are those of `import_generator`."""
    made = import_generator(model, context, batch, example=example, stop=stop, prompt=prompt)
    write(made, made.source(title=title), path, model, [])
    return made
