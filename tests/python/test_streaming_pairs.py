"""Attention over the past in other forms than products, a mask and a softmax: what is computed for each pair of time steps is that of a band."""

import math

import pytest
import torch
from streaming_support import exported, in_engines, refusal, the_compiler  # noqa: F401
from test_streaming_relative import BAND, CHUNKS, HEADS, PAST, REACH, SEQUENCE, SIZE, Attention, distances, products
from torch import nn
from torch.nn import functional


class Mixed(Attention):
    """With layers over the heads."""

    def __init__(self, way, seen):
        super().__init__(way, seen)
        self.before = nn.Linear(HEADS, HEADS, bias=False)
        self.after = nn.Linear(HEADS, HEADS, bias=False)
        self.talks = nn.Conv2d(HEADS, HEADS, 1, bias=False)
        self.keys = nn.Linear(HEADS * SIZE, HEADS * SIZE)
        self.register_buffer("counts", seen.float())


def seen(model, steps):
    return model.counts[:steps, :steps]


def softmax_by_hand(model, q, k, v, steps):
    shares = products(q, k).exp() * seen(model, steps)
    return shares / shares.sum(-1, keepdim=True) @ v


def softmax_without_the_greatest(model, q, k, v, steps):
    scores = model.masked(products(q, k))
    shares = torch.exp(scores - scores.max(-1, keepdim=True).values)
    return (shares @ v) / (shares.sum(-1, keepdim=True) + 1e-6)


def softmax_by_amax(model, q, k, v, steps):
    scores = products(q, k) + (1 - seen(model, steps)) * -1e9
    shares = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return torch.einsum("bhij,bhjd->bhid", shares / shares.sum(dim=-1, keepdim=True), v)


def log_softmax(model, q, k, v, steps):
    return torch.log_softmax(model.masked(products(q, k)), -1).exp() @ v


def talking_heads(model, q, k, v, steps):
    """Both before the softmax and behind it."""
    scores = model.before(products(q, k).permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
    shares = model.masked(scores).softmax(-1)
    return model.after(shares.permute(0, 2, 3, 1)).permute(0, 3, 1, 2) @ v


def talking_heads_by_einsum(model, q, k, v, steps):
    scores = torch.einsum("bhij,gh->bgij", products(q, k), model.before.weight)
    return torch.einsum("bhij,hg->bgij", model.masked(scores).softmax(-1), model.after.weight) @ v


def talking_heads_by_convolution(model, q, k, v, steps):
    return model.talks(model.masked(products(q, k)).softmax(-1)) @ v


def by_distance_and_key(model, q, k, v, steps):
    """Content to position, and position to content, as DeBERTa has them."""
    places = (distances(steps) + REACH).clamp(0, 2 * REACH).expand(*q.shape[:2], steps, steps)
    to_place = (q @ model.by_head.transpose(-2, -1)).gather(-1, places)
    from_place = (k @ model.keys(model.table.weight.repeat(1, HEADS)).view(-1, HEADS, SIZE).permute(1, 2, 0)).gather(-1, places.transpose(-2, -1))
    return model.masked((products(q, k) + to_place + from_place.transpose(-2, -1)) / math.sqrt(3)).softmax(-1) @ v


def by_key(model, q, k, v, steps):
    rows = model.rows_by_distance(steps)
    return model.masked(products(q, k) + torch.einsum("bhjd,ijd->bhij", k, rows)).softmax(-1) @ v


def times_and_plus(model, q, k, v, steps):
    """A table multiplies scores, another one is added, and there is no softmax."""
    decay = 0.9 ** distances(steps).clamp(min=0).float() * seen(model, steps)
    return (products(q, k) * decay + 0.1 * distances(steps).clamp(min=0) * seen(model, steps)) @ v


def times_before_the_softmax(model, q, k, v, steps):
    return model.masked(products(q, k) * (1 + 0.1 * distances(steps))).softmax(-1) @ v


def retention(model, q, k, v, steps):
    """Divided by the size of its sum, as RetNet has it."""
    scores = products(q, k) * (0.8 ** distances(steps).clamp(min=0).float() * seen(model, steps))
    return scores / scores.abs().sum(-1, keepdim=True).clamp(min=1.0) @ v


def one_key_for_all(model, q, k, v, steps):
    return model.masked(products(q, k[:, :1])).softmax(-1) @ v[:, :1]


def with_gates(model, q, k, v, steps):
    """What each query, and each key, adds and multiplies."""
    scores = products(q, k) * torch.sigmoid(q[..., :1]) + k[..., :1].transpose(-2, -1)
    return model.masked(scores).softmax(-1) @ v


def additive(model, q, k, v, steps):
    """Bahdanau's: no product at all. A sum of what the query and the key have goes through a function."""
    scores = products(q, k).square().relu().tanh()
    return model.masked(scores).softmax(-1) @ v


def keys_first(model, q, k, v, steps):
    """Rows are the time steps that are looked at."""
    scores = (k @ q.transpose(-2, -1) * 0.5).masked_fill(model.hidden[:steps, :steps].t(), float("-inf"))
    shares = torch.exp(scores - scores.amax(-2, keepdim=True))
    return (v.transpose(-2, -1) @ (shares / shares.sum(-2, keepdim=True))).transpose(-2, -1)


def heads_last(model, q, k, v, steps):
    scores = torch.einsum("bhid,bhjd->bijh", q, k)
    scores = model.before(scores).masked_fill(model.hidden[:steps, :steps, None], float("-inf"))
    return torch.einsum("bijh,bhjd->bhid", scores.softmax(2), v)


WAYS = [
    softmax_by_hand, softmax_without_the_greatest, softmax_by_amax, log_softmax, talking_heads, talking_heads_by_einsum, talking_heads_by_convolution,
    by_distance_and_key, by_key, times_and_plus, times_before_the_softmax, retention, one_key_for_all, with_gates, additive, keys_first, heads_last,
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_a_band(way, tmp_path):
    made = exported(Mixed(way, BAND), SEQUENCE, tmp_path, time=1)
    assert made.streamed.latency == 0
    (clock,) = made.streamed.clocks
    assert (clock.last_of(40), clock.first_of(40)) == (40, 41 - REACH)


@pytest.mark.parametrize("way", [softmax_by_hand, talking_heads_by_einsum, by_distance_and_key, times_before_the_softmax, keys_first])
def test_chunks(way, tmp_path):
    made = exported(Mixed(way, CHUNKS), SEQUENCE, tmp_path, time=1, latency=3)
    assert made.streamed.latency == 3


@pytest.mark.parametrize("way", [softmax_without_the_greatest, talking_heads_by_einsum, by_distance_and_key, one_key_for_all, heads_last])
def test_batches(way, tmp_path):
    exported(Mixed(way, BAND), (3, *SEQUENCE[1:]), tmp_path, time=1)


@pytest.mark.parametrize("way", [talking_heads, by_distance_and_key, with_gates])
def test_a_bounded_context(way, tmp_path):
    model = Mixed(way, PAST)
    assert "--context N" in refusal(model, SEQUENCE, tmp_path, time=1)
    made = exported(model, SEQUENCE, tmp_path, time=1, context=6)
    (clock,) = made.streamed.clocks
    assert (clock.last_of(40), clock.first_of(40)) == (40, 35)


def test_tables_are_as_large_as_the_reach(tmp_path):
    made = exported(Mixed(by_distance_and_key, BAND), SEQUENCE, tmp_path, time=1)
    assert max(tensor.numel() for tensor in made.used_tensors().values()) == 6 * 3 * HEADS * SIZE


def test_the_interpreter_agrees(tmp_path):
    exported(Mixed(by_distance_and_key, CHUNKS), SEQUENCE, tmp_path, time=1, latency=3)
    assert len(in_engines("Mixed", torch.randn(20, 6).numpy(), tmp_path)) == (20 - 3) * 3


# ---- what is refused


def all_before(model, q, k, v, steps):
    shares = products(q, k).exp() * PAST[:steps, :steps]
    return shares / shares.sum(-1, keepdim=True) @ v


def greatest_of_all(model, q, k, v, steps):
    """The greatest score is looked for before the mask hides some."""
    scores = products(q, k)
    shares = torch.exp(scores - scores.amax(-1, keepdim=True)) * seen(model, steps)
    return shares / shares.sum(-1, keepdim=True) @ v


def offset_behind_the_softmax(model, q, k, v, steps):
    """A layer that adds something gives each time step a share of all others."""
    shares = model.masked(products(q, k)).softmax(-1)
    return functional.conv2d(shares, model.talks.weight, torch.ones(HEADS)) @ v


def in_an_order(model, q, k, v, steps):
    return model.masked(products(q, k)).square().cumsum(-1) @ v


def growing(model, q, k, v, steps):
    table = torch.arange(steps).float()[:, None] * distances(steps).float().square()
    return model.masked(products(q, k).square() * table).softmax(-1) @ v


REFUSED = {
    "all_before": (all_before, "each time step looks at all that came before it (at 60 in the example)"),
    "greatest_of_all": (greatest_of_all, "also at later ones: no latency suffices"),
    "offset": (offset_behind_the_softmax, "also at later ones: no latency suffices"),
    "in_an_order": (in_an_order, "'square' of scores of all time steps with all has no form that works frame by frame"),
    "growing": (growing, "is different in each row"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, tmp_path):
    way, words = REFUSED[name]
    told = refusal(Mixed(way, BAND), SEQUENCE, tmp_path, time=1)
    assert words in told and "test_streaming_" in told


def test_a_context_is_that_of_a_softmax(tmp_path):
    assert "--context bounds what a softmax goes over" in refusal(Mixed(softmax_by_hand, PAST), SEQUENCE, tmp_path, time=1, context=6)
