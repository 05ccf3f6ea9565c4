"""Attention over the past: every time step looks at a band of those before it."""

import math

import pytest
import torch
from streaming_support import exported, refusal, the_compiler  # noqa: F401
from torch import nn
from torch.nn import functional

SIZE, HEADS, REACH = 16, 4, 8
SEQUENCE = (1, 60, 6)


class Attention(nn.Module):
    """Queries, keys and values of several heads, and a way to put them together."""

    def __init__(self, way):
        super().__init__()
        self.way = way
        self.qkv = nn.Linear(6, 3 * SIZE)
        self.out = nn.Linear(SIZE, 3)
        self.slopes = nn.Parameter(torch.rand(HEADS, 1, 1))
        self.by_distance = nn.Embedding(8, HEADS)
        self.register_buffer("band", torch.ones(512, 512).tril().triu(1 - REACH))

    def forward(self, x):
        steps = x.shape[1]
        q, k, v = self.qkv(x).view(1, steps, 3, HEADS, SIZE // HEADS).permute(2, 0, 3, 1, 4).unbind(0)
        return self.out(self.way(self, q, k, v, steps).transpose(1, 2).reshape(1, steps, SIZE))  # out


def products(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


def distances(steps):
    place = torch.arange(steps)
    return place[:, None] - place[None]


def by_buffer(model, q, k, v, steps):
    return products(q, k).masked_fill(model.band[:steps, :steps] == 0, float("-inf")).softmax(-1) @ v


def by_argument(model, q, k, v, steps):
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=model.band[:steps, :steps].bool())


def made_in_forward(model, q, k, v, steps):
    back = distances(steps)
    return (products(q, k) + torch.where((back < 0) | (back >= REACH), -1e9, 0.0)).softmax(-1) @ v


def by_where(model, q, k, v, steps):
    back = distances(steps)
    scores = products(q, k)
    return torch.where((back >= 0) & (back < 5), scores, torch.full_like(scores, -1e30)).softmax(-1) @ v


def slopes(model, q, k, v, steps):
    scores = products(q, k) - model.slopes * distances(steps).clamp(min=0)
    return scores.masked_fill(model.band[:steps, :steps] == 0, float("-inf")).softmax(-1) @ v


def buckets(model, q, k, v, steps):
    """A learned number for each distance; long ones share those of a logarithmic scale, as T5 has it."""
    back = distances(steps).clamp(min=0)
    far = 4 + (torch.log(back.clamp(min=1) / 4) / math.log(8) * 4).long()
    bias = model.by_distance(torch.where(back < 4, back, far.clamp(max=7))).permute(2, 0, 1)
    return (products(q, k) + bias).masked_fill(model.band[:steps, :steps] == 0, float("-inf")).softmax(-1) @ v


def fixed_slopes(model, q, k, v, steps):
    """ALiBi: slopes are powers of two, and the mask is added to the bias."""
    slope = torch.tensor([2.0 ** (-8 * (head + 1) / HEADS) for head in range(HEADS)])[:, None, None]
    bias = (-slope * distances(steps)).masked_fill(model.band[:steps, :steps] == 0, float("-inf"))
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)


def rotary(model, q, k, v, steps):
    half = q.shape[-1] // 2
    angles = torch.outer(torch.arange(steps).float(), 1.0 / 10000 ** (torch.arange(half).float() / half))
    cosine, sine = torch.cat((angles, angles), -1).cos(), torch.cat((angles, angles), -1).sin()

    def turned(x):
        return x * cosine + torch.cat((-x[..., half:], x[..., :half]), -1) * sine

    return by_buffer(model, turned(q), turned(k), v, steps)


def frequencies(size):
    return 1.0 / 10000 ** (torch.arange(0, size, 2).float() / size)


def rotary_by_complex(model, q, k, v, steps):
    turns = torch.polar(torch.ones(steps, q.shape[-1] // 2), torch.outer(torch.arange(steps).float(), frequencies(q.shape[-1])))

    def turned(x):
        return torch.view_as_real(torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * turns).flatten(3)

    return by_buffer(model, turned(q), turned(k), v, steps)


def rotary_by_pairs(model, q, k, v, steps):
    angles = torch.outer(torch.arange(steps).float(), frequencies(q.shape[-1])).repeat_interleave(2, -1)

    def turned(x):
        return x * angles.cos() + torch.stack((-x[..., 1::2], x[..., ::2]), -1).reshape(x.shape) * angles.sin()

    return by_buffer(model, turned(q), turned(k), v, steps)


def chunks(model, q, k, v, steps):
    chunk = torch.arange(steps) // 4
    seen = (chunk[None] <= chunk[:, None]) & (chunk[None] >= chunk[:, None] - 2)
    return products(q, k).masked_fill(~seen, float("-inf")).softmax(-1) @ v


def retention(model, q, k, v, steps):
    back = distances(steps)
    return (products(q, k) * (0.9 ** back.clamp(min=0).float() * model.band[:steps, :steps])) @ v


def by_mask_of_a_batch(model, q, k, v, steps):
    """The mask brings along a dimension that scores do not have."""
    return products(q[0], k[0]).masked_fill(model.band[None, None, :steps, :steps] == 0, float("-inf")).softmax(3) @ v


def causal(model, q, k, v, steps):
    return functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def by_triangle(model, q, k, v, steps):
    return products(q, k).masked_fill(torch.ones(steps, steps).triu(1) == 1, float("-inf")).softmax(-1) @ v


def capped(model, q, k, v, steps):
    return (30 * torch.tanh(products(q, k) / 30)).masked_fill(model.band[:steps, :steps] == 0, float("-inf")).softmax(-1) @ v


def gates(model, q, k, v, steps):
    """No softmax: shares by themselves."""
    return (torch.sigmoid(products(q, k) - 0.1 * distances(steps)) * model.band[:steps, :steps] / REACH) @ v


def squared(model, q, k, v, steps):
    return products(q, k).square().masked_fill(model.band[:steps, :steps] == 0, float("-inf")).softmax(-1) @ v


def twice_a_function(model, q, k, v, steps):
    return (products(q, k).relu().tanh() * model.band[:steps, :steps]) @ v


def one_head_for_all(model, q, k, v, steps):
    return (products(q[:, :1], k[:, :1]) + slopes_of(steps)).masked_fill(model.band[:steps, :steps] == 0, float("-inf")).softmax(-1) @ v


def slopes_of(steps):
    return -torch.tensor([0.1 * (head + 1) for head in range(HEADS)])[:, None, None] * distances(steps)


WAYS = [by_buffer, by_argument, made_in_forward, by_where, slopes, buckets, fixed_slopes, rotary, rotary_by_complex, rotary_by_pairs, retention, capped, gates, by_mask_of_a_batch, squared, twice_a_function, one_head_for_all]


@pytest.mark.parametrize("way", WAYS)
def test_bands(way, tmp_path):
    torch.manual_seed(1)
    made = exported(Attention(way), SEQUENCE, tmp_path, time=1)
    assert made.streamed.latency == 0
    (clock,) = made.streamed.clocks
    reach = 5 if way is by_where else REACH
    assert (clock.last_of(40), clock.first_of(40)) == (40, 41 - reach)


class Layers(nn.Module):
    """PyTorch's own layers, whose first one is no layer over time."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 12, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        back = distances(x.shape[1])
        hidden = (back < 0) | (back >= REACH)
        y = self.encoder(x, mask=torch.zeros(hidden.shape).masked_fill(hidden, float("-inf")))
        return self.attention(y, y, y, attn_mask=hidden, need_weights=False)[0]


def test_layers_of_pytorch(tmp_path):
    """The encoder looks at values of the mask, which are the same for all inputs."""
    torch.manual_seed(1)
    exported(Layers(), (1, 60, 8), tmp_path)


class Memory(nn.Module):
    """Attention to stored rows, which is one of a frame, behind one to the past."""

    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)
        self.memory = nn.Parameter(torch.randn(1, 5, 8))

    def forward(self, x):
        back = distances(x.shape[1])
        return self.layer(x, self.memory, tgt_mask=(back < 0) | (back >= REACH))


def test_attention_to_stored_rows(tmp_path):
    torch.manual_seed(1)
    exported(Memory(), (1, 60, 8), tmp_path)


def test_chunks_look_ahead_to_their_end(tmp_path):
    torch.manual_seed(1)
    told = refusal(Attention(chunks), (1, 61, 6), tmp_path, time=1)
    assert "its result waits for 3 samples" in told
    made = exported(Attention(chunks), (1, 61, 6), tmp_path, time=1, latency=3)
    (clock,) = made.streamed.clocks
    assert [clock.last_of(i) for i in range(8, 12)] == [11] * 4


def test_weights_have_no_mask(tmp_path):
    """What a model has for each pair of time steps is as large as its reach."""
    torch.manual_seed(1)
    made = exported(Attention(by_buffer), SEQUENCE, tmp_path, time=1)
    assert max(tensor.numel() for tensor in made.used_tensors().values()) == 6 * 3 * SIZE


HEADS_ALONE = {
    "rows": lambda x, weight: (x.transpose(1, 2) @ weight).transpose(1, 2),
    "columns": lambda x, weight: (weight.transpose(1, 2) @ x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2),
    "einsum": lambda x, weight: torch.einsum("bthd,hde->bthe", x, weight),
}


class HeadsAlone(nn.Module):
    """Heads that have a stored matrix each, of which time is no dimension."""

    def __init__(self, product):
        super().__init__()
        self.product = product
        self.weight = nn.Parameter(torch.randn(3, 2, 5))

    def forward(self, x):
        return self.product(x.view(1, -1, 3, 2), self.weight).flatten(2).cumsum(1)


@pytest.mark.parametrize("way", HEADS_ALONE)
def test_a_matrix_for_each_head(way, tmp_path):
    torch.manual_seed(1)
    made = exported(HeadsAlone(HEADS_ALONE[way]), SEQUENCE, tmp_path, time=1)
    assert made.streamed.latency == 0


def from_input(model, q, k, v, steps):
    return (products(q, k) + v[..., :1]).softmax(-1) @ v


def weighed(model, q, k, v, steps):
    return (products(q, k) * model.band[:steps, :steps]).softmax(-1) @ v


REFUSED = {
    "weighed": (weighed, "also at later ones: no latency suffices"),
    "all_before": (causal, "each time step looks at all that came before it (at 60 in the example), which would have to be kept for ever"),
    "by_triangle": (by_triangle, "--context N, which imports the model as if it had such a mask"),
    "all": (lambda m, q, k, v, steps: functional.scaled_dot_product_attention(q, k, v), "also at later ones: no latency suffices"),
    "from_input": (from_input, "also at later ones: no latency suffices"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, tmp_path):
    way, words = REFUSED[name]
    told = refusal(Attention(way), SEQUENCE, tmp_path, time=1)
    assert words in told and "test_streaming_attention.py:" in told


def test_scores_are_no_result(tmp_path):
    model = Attention(by_buffer)
    model.forward = lambda x: products(x, x).masked_fill(model.band[:60, :60] == 0, float("-inf")).softmax(-1)
    assert "a table of all time steps with all" in refusal(model, SEQUENCE, tmp_path, time=1)


def test_masks_that_come_never_again(tmp_path):
    def growing(model, q, k, v, steps):
        back = distances(steps)
        return products(q, k).masked_fill((back < 0) | (back > 1 + torch.arange(steps)[:, None] // 9), float("-inf")).softmax(-1) @ v

    assert "is different in each row" in refusal(Attention(growing), SEQUENCE, tmp_path, time=1)


@pytest.mark.parametrize("way", [causal, by_triangle])
def test_a_bounded_context_can_be_asked_for(way, tmp_path):
    """The program is compared with the model as it is with such a mask."""
    torch.manual_seed(1)
    made = exported(Attention(way), SEQUENCE, tmp_path, time=1, context=6)
    (clock,) = made.streamed.clocks
    assert (clock.last_of(40), clock.first_of(40)) == (40, 35)
    assert "Attention goes back 6 time steps" in (tmp_path / "model.str").read_text(encoding="ascii")
