"""Attention over the past with terms that depend on a query and on how far it looks back, as several papers' code has them."""

import math

import pytest
import torch
from streaming_support import exported, in_engines, refusal, the_compiler  # noqa: F401
from torch import nn
from torch.nn import functional

HEADS, SIZE, REACH = 4, 4, 8
SEQUENCE = (1, 60, 6)


class Attention(nn.Module):
    """Queries, keys and values of several heads, rows for positions, and a way to put them together; `seen` says which time steps look at which."""

    def __init__(self, way, seen):
        super().__init__()
        torch.manual_seed(1)
        self.way = way
        self.qkv = nn.Linear(6, 3 * HEADS * SIZE)
        self.out = nn.Linear(HEADS * SIZE, 3)
        self.table = nn.Embedding(2 * REACH + 1, SIZE)
        self.by_head = nn.Parameter(torch.randn(HEADS, 2 * REACH + 1, SIZE))
        self.long = nn.Parameter(torch.randn(512, SIZE))
        self.positions = nn.Linear(HEADS * SIZE, HEADS * SIZE, bias=False)
        self.u = nn.Parameter(torch.randn(HEADS, SIZE))
        self.v = nn.Parameter(torch.randn(HEADS, SIZE))
        self.register_buffer("hidden", ~seen)

    def forward(self, x):
        batch, steps, _ = x.shape
        q, k, v = self.qkv(x).view(batch, steps, 3, HEADS, SIZE).permute(2, 0, 3, 1, 4).unbind(0)
        return self.out(self.way(self, q, k, v, steps).transpose(1, 2).reshape(batch, steps, HEADS * SIZE))

    def masked(self, scores):
        return scores.masked_fill(self.hidden[: scores.shape[-1], : scores.shape[-1]], float("-inf"))

    def rows_by_distance(self, steps):
        return self.table(distances(steps).clamp(-REACH, REACH) + REACH)

    def rows_of_waves(self, places):
        """Sinusoidal positions behind a layer, by heads."""
        frequencies = 1 / 10000 ** (torch.arange(0, HEADS * SIZE, 2).float() / (HEADS * SIZE))
        angles = places[:, None].float() * frequencies
        return self.positions(torch.cat([angles.sin(), angles.cos()], -1)).view(len(places), HEADS, SIZE)


def distances(steps):
    place = torch.arange(steps)
    return place[:, None] - place[None]


def products(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


PAST = torch.ones(512, 512, dtype=torch.bool).tril()
BAND = PAST.triu(1 - REACH)
CHUNK = torch.arange(512) // 4
CHUNKS = (CHUNK[None] <= CHUNK[:, None]) & (CHUNK[None] >= CHUNK[:, None] - 2)


def shaw(model, q, k, v, steps):
    rows = model.rows_by_distance(steps)
    return model.masked(products(q, k) + torch.einsum("bhid,ijd->bhij", q, rows)).softmax(-1) @ v


def shaw_of_keys_and_values(model, q, k, v, steps):
    """With rows added to the values, too; time goes before the heads for the products."""
    rows = model.rows_by_distance(steps)
    batch = q.shape[0]
    by_time = q.permute(2, 0, 1, 3).reshape(steps, batch * HEADS, SIZE)
    more = torch.matmul(by_time, rows.transpose(1, 2)).transpose(0, 1).reshape(batch, HEADS, steps, steps)
    shares = model.masked((q @ k.transpose(-1, -2) + more) / math.sqrt(SIZE)).softmax(-1)
    shares_by_time = shares.permute(2, 0, 1, 3).reshape(steps, batch * HEADS, steps)
    return shares @ v + torch.matmul(shares_by_time, rows * 2).transpose(0, 1).reshape(batch, HEADS, steps, SIZE)


def shaw_of_values_by_einsum(model, q, k, v, steps):
    shares = model.masked(products(q, k)).softmax(-1)
    return shares @ v - torch.einsum("bhij,ijd->bhid", shares, model.rows_by_distance(steps))


def transformer_xl(model, q, k, v, steps):
    """As its authors have it: time first, scores with the heads last."""
    q, k, v = (x.permute(2, 0, 1, 3) for x in (q, k, v))
    rows = model.rows_of_waves(torch.arange(steps - 1, -1, -1))
    content = torch.einsum("ibnd,jbnd->ijbn", q + model.u, k)
    places = torch.einsum("ibnd,jnd->ijbn", q + model.v, rows)
    padded = torch.cat([torch.zeros(steps, 1, *places.shape[2:]), places], 1).view(steps + 1, steps, *places.shape[2:])
    scores = (content + padded[1:].view_as(places)) * SIZE**-0.5
    shares = scores.masked_fill(model.hidden[:steps, :steps, None, None], float("-inf")).softmax(1)
    return torch.einsum("ijbn,jbnd->ibnd", shares, v).permute(1, 2, 0, 3)


def conformer(model, q, k, v, steps):
    """Rows for both directions, shifted by padding and reshaping."""
    rows = model.rows_of_waves(torch.arange(steps - 1, -steps, -1)).transpose(0, 1)
    return model.masked((q + model.u[:, None]) @ k.transpose(-2, -1) + shifted((q + model.v[:, None]) @ rows.transpose(-2, -1), steps)).softmax(-1) @ v


def shifted(products, steps):
    batch, heads, _, rows = products.shape
    return functional.pad(products, (1, 0)).view(batch, heads, rows + 1, steps)[:, :, 1:].view(batch, heads, steps, rows)[..., :steps]


def as_a_mask(model, q, k, v, steps):
    """The terms are hidden first, and are the mask of PyTorch's attention then."""
    rows = model.rows_of_waves(torch.arange(steps - 1, -steps, -1)).transpose(0, 1)
    terms = model.masked(shifted(q @ rows.transpose(-2, -1), steps) * 0.5)
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=terms)


def music(model, q, k, v, steps):
    """Rows for the past alone, skewed; what is skewed from elsewhere is zero."""
    terms = (q @ model.long[-steps:].t()) * (distances(steps).flip(1) >= 0).float()
    skewed = functional.pad(terms, (1, 0)).reshape(*q.shape[:2], steps + 1, steps)[:, :, 1:]
    return model.masked(products(q, k) - skewed).softmax(-1) @ v


def by_a_table_of_places(model, q, k, v, steps):
    places = (distances(steps) + REACH).clamp(0, 2 * REACH).expand(*q.shape[:2], steps, steps)
    return model.masked(products(q, k) + (q @ model.by_head.transpose(-2, -1)).gather(-1, places)).softmax(-1) @ v


def by_two_indices(model, q, k, v, steps):
    places = (distances(steps) + REACH).clamp(0, 2 * REACH)
    terms = (q @ model.table.weight.t())[:, :, torch.arange(steps)[:, None], places]
    return model.masked(products(q, k) + terms).softmax(-1) @ v


def two_terms(model, q, k, v, steps):
    places = (distances(steps) + REACH).clamp(0, 2 * REACH).expand(*q.shape[:2], steps, steps)
    one = (q @ model.table.weight.t()).gather(-1, places)
    other = torch.einsum("bhid,hrd->bhir", k, model.by_head).gather(-1, places)
    return model.masked(products(q, k) + one + 0.3 * other).softmax(-1) @ v


def rows_first(model, q, k, v, steps):
    """Rows times queries; and no softmax."""
    places = (distances(steps).t() + REACH).clamp(0, 2 * REACH).expand(*q.shape[:2], steps, steps)
    terms = (model.table.weight @ q.transpose(-2, -1)).gather(-2, places).transpose(-2, -1)
    return (products(q, k) + terms) * ~model.hidden[:steps, :steps] @ v


def capped(model, q, k, v, steps):
    """A function of the scores with their terms, before the mask."""
    scores = products(q, k) + torch.einsum("bhid,ijd->bhij", q, model.rows_by_distance(steps))
    return model.masked(3 * torch.tanh(scores / 3)).softmax(-1) @ v


def of_keys(model, q, k, v, steps):
    places = (distances(steps).t() + REACH).clamp(0, 2 * REACH).expand(*q.shape[:2], steps, steps)
    return model.masked(products(q, k) + (k @ model.table.weight.t()).gather(-1, places).transpose(-2, -1)).softmax(-1) @ v


WAYS = [
    shaw, shaw_of_keys_and_values, shaw_of_values_by_einsum, transformer_xl, conformer, as_a_mask, music, by_a_table_of_places, by_two_indices, two_terms,
    rows_first, capped, of_keys,
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_a_band(way, tmp_path):
    made = exported(Attention(way, BAND), SEQUENCE, tmp_path, time=1)
    assert made.streamed.latency == 0
    (clock,) = made.streamed.clocks
    assert (clock.last_of(40), clock.first_of(40)) == (40, 41 - REACH)


@pytest.mark.parametrize("way", [shaw_of_keys_and_values, transformer_xl, conformer, as_a_mask, capped])
def test_a_bounded_context(way, tmp_path):
    model = Attention(way, PAST)
    assert "--context N" in refusal(model, SEQUENCE, tmp_path, time=1)
    made = exported(model, SEQUENCE, tmp_path, time=1, context=6)
    (clock,) = made.streamed.clocks
    assert (clock.last_of(40), clock.first_of(40)) == (40, 35)


@pytest.mark.parametrize("way", [shaw_of_keys_and_values, conformer, by_a_table_of_places])
def test_chunks(way, tmp_path):
    """Rows of later time steps count within a chunk."""
    made = exported(Attention(way, CHUNKS), SEQUENCE, tmp_path, time=1, latency=3)
    assert made.streamed.latency == 3


@pytest.mark.parametrize("way", [shaw_of_keys_and_values, transformer_xl, conformer, two_terms])
def test_batches(way, tmp_path):
    exported(Attention(way, BAND), (3, *SEQUENCE[1:]), tmp_path, time=1)


def test_rows_are_as_many_as_the_reach(tmp_path):
    """What a model has for each pair of time steps, or for each time step of the example, is not stored."""
    made = exported(Attention(conformer, BAND), SEQUENCE, tmp_path, time=1)
    assert max(tensor.numel() for tensor in made.used_tensors().values()) == 6 * 3 * HEADS * SIZE


def test_the_interpreter_agrees(tmp_path):
    exported(Attention(shaw_of_keys_and_values, CHUNKS), SEQUENCE, tmp_path, time=1, latency=3)
    assert len(in_engines("Attention", torch.randn(20, 6).numpy(), tmp_path)) == (20 - 3) * 3


class Both(nn.Module):
    """Products with stored rows are values of attention, too."""

    def __init__(self):
        super().__init__()
        self.attention = Attention(by_a_table_of_places, BAND)
        self.rows = self.attention.table.weight

    def forward(self, x):
        scores = self.attention.masked(products(x, x)).softmax(-1)
        return self.attention(x), scores @ (x[..., :SIZE] @ self.rows.t())


def test_products_are_values(tmp_path):
    exported(Both(), SEQUENCE, tmp_path, time=1)


# ---- what is refused


def learned_by_place(model, q, k, v, steps):
    """Rows that do not depend on the distance alone."""
    rows = model.long[(torch.arange(steps)[:, None] * 7 + torch.arange(steps)) % 512]
    return model.masked(products(q, k) + torch.einsum("bhid,ijd->bhij", q, rows)).softmax(-1) @ v


def skewed_from_elsewhere(model, q, k, v, steps):
    """Without a mask for it, what is above the diagonal is of the next query."""
    skewed = functional.pad(q @ model.long[-steps:].t(), (1, 0)).reshape(*q.shape[:2], steps + 1, steps)[:, :, 1:]
    return model.masked(products(q, k) + skewed).softmax(-1) @ v


def bent(model, q, k, v, steps):
    return model.masked(products(q, k) + shifted(q @ model.rows_of_waves(torch.arange(steps - 1, -steps, -1)).permute(1, 2, 0), steps).tanh()).softmax(-1) @ v


def shifted_alone(model, q, k, v, steps):
    return shifted(q @ model.rows_of_waves(torch.arange(steps - 1, -steps, -1)).permute(1, 2, 0), steps)[..., :SIZE] + v


def rows_of_values_by_place(model, q, k, v, steps):
    shares = model.masked(products(q, k)).softmax(-1)
    return torch.einsum("bhij,ijd->bhid", shares, model.long[(torch.arange(steps)[:, None] * 7 + torch.arange(steps)) % 512])


REFUSED = {
    "by_place": (learned_by_place, BAND, "what is added to its scores, is different in each row"),
    "values_by_place": (rows_of_values_by_place, BAND, "is different in each row"),
    "elsewhere": (skewed_from_elsewhere, CHUNKS, "products of rows with queries of other time steps, where its mask hides nothing"),
    "bent": (bent, BAND, "it puts time and other dimensions together"),
    "alone": (shifted_alone, BAND, "it puts time and other dimensions together"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, tmp_path):
    way, seen, words = REFUSED[name]
    told = refusal(Attention(way, seen), SEQUENCE, tmp_path, time=1, latency=3)
    assert words in told and "test_streaming_relative.py:" in told
