"""Models over one token of each sequence."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .attention import Attention


class Step(torch.nn.Module):  # type: ignore[misc]
    """A decoder over one token of each sequence, and the place of these: the scores of the next ones, and their place."""

    def __init__(self, model: torch.nn.Module):
        super().__init__()
        self.model = model

    def forward(self, tokens: Tensor, place: Tensor) -> tuple[Tensor, Tensor]:
        made = self.model(input_ids=tokens.unsqueeze(1), position_ids=place, use_cache=False)
        return made.logits.squeeze(1), place + 1


class Encoder(torch.nn.Module):  # type: ignore[misc]
    """An encoder, and the keys and values that the layers of its decoder make of what it gives: those of the first layer, then those of the second one."""

    def __init__(self, model: torch.nn.Module):
        super().__init__()
        self.model = model

    def forward(self, given: Tensor) -> list[Tensor]:
        from transformers import DynamicCache, EncoderDecoderCache

        encoded = self.model.get_encoder()(given)
        cache = EncoderDecoderCache(DynamicCache(), DynamicCache())
        first = torch.zeros(given.shape[0], 1, dtype=torch.int64)
        self.model(encoder_outputs=encoded, decoder_input_ids=first, past_key_values=cache, use_cache=True)
        return [one for layer in cache.cross_attention_cache.layers for one in (layer.keys, layer.values)]


def cache_at(place: Tensor, encoded: tuple[Tensor, ...]) -> Any:
    """A cache that keeps nothing of what a decoder says, which is at `place`, and has what an encoder gave."""
    from transformers import DynamicCache, EncoderDecoderCache

    class Here(DynamicCache):  # type: ignore[misc]
        def update(self, keys: Tensor, values: Tensor, layer: int, *args: Any, **options: Any) -> tuple[Tensor, Tensor]:
            return keys, values

        def get_seq_length(self, layer: int = 0) -> Any:
            return place

        def get_mask_sizes(self, query_length: int, layer: int) -> tuple[int, int]:
            return query_length, 0

        def get_query_offset(self, layer: int = 0) -> int:
            return 0

    cross = DynamicCache(list(zip(encoded[::2], encoded[1::2])))
    for layer, keys, values in zip(cross.layers, encoded[::2], encoded[1::2]):
        layer.keys, layer.values = keys, values  # these, and no copies
    return EncoderDecoderCache(Here(), cross)


class EncodedStep(torch.nn.Module):  # type: ignore[misc]
    """A decoder with an encoder over one token of each sequence: takes what `Encoder` gives, the tokens and their place, from 0 up to `attention.restart`."""

    def __init__(self, model: torch.nn.Module, attention: Attention):
        super().__init__()
        self.model, self.attention = model, attention

    def forward(self, *given: Tensor) -> tuple[Tensor, Tensor]:
        from transformers.modeling_outputs import BaseModelOutput

        *encoded, tokens, place = given
        self.attention.encoded = tuple(encoded[::2])
        # The layers have its keys and values, and look at its shape alone.
        hidden = torch.zeros(encoded[0].shape[0], encoded[0].shape[2], self.model.config.hidden_size)
        made = self.model(
            encoder_outputs=BaseModelOutput(last_hidden_state=hidden), decoder_input_ids=tokens.unsqueeze(1),
            decoder_attention_mask=torch.ones(tokens.shape[0], 1, dtype=torch.int64), past_key_values=cache_at(place, tuple(encoded)), use_cache=True,
        )
        return made.logits.squeeze(1), (place + 1) % self.attention.restart
