"""Which models do the same with each item of a batch, so that a program for one item serves every batch."""

import pytest
import torch
import torch.nn.functional as F
from cases import CASES
from torch import nn

from strc.errors import ImportFailure
from strc.torch.export import import_items
from strc.torch.items import Mixed


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.weight = nn.Parameter(torch.randn(6, 4))
        self.token = nn.Parameter(torch.randn(1, 1, 4))
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)
        self.lstm = nn.LSTM(4, 3, batch_first=True)

    def forward(self, *inputs):
        return self.function(self, *inputs)


def rows_of_several(model, x):
    """Items whose rows are merged with the batch, and taken apart again."""
    return (x.reshape(-1, 4) @ model.weight.T).view(x.shape[0], 5, 6)


def time_first(model, x):
    """Rows of items in several runs, as attention with the time in front has them."""
    turned = x.transpose(0, 1).reshape(-1, 4) @ model.weight.T
    return torch.relu(turned).view(5, -1, 6).transpose(0, 1)


def with_token(model, x):
    return torch.cat([model.token.expand(x.shape[0], -1, -1), x], 1)


APART = {
    "plain": lambda model, x: F.linear(torch.relu(x), model.weight), "rows": rows_of_several, "time_first": time_first, "token": with_token,
    "attention": lambda model, x: model.attention(x, x, x, need_weights=False)[0], "lstm": lambda model, x: model.lstm(x)[0], "states": lambda model, x: model.lstm(x)[1],
    "norms": lambda model, x: (F.layer_norm(x, (4,)), x.softmax(1), x.mean(2), x.amax((1, 2), keepdim=True), x.cumsum(1), x.sum(1).argmax(1)),
    "shapes": lambda model, x: (x.flatten(1), x.permute(1, 2, 0), x.unsqueeze(0), x[:, 1:3], x.chunk(5, 1)[2], x[:, 2], x.flip(1), x.roll(1, 2), x.squeeze(1)),
    "operands": lambda model, x: (x + model.weight[:5], x * x.mean(1, keepdim=True), x @ x.mT, x @ model.weight.T, torch.stack([x, -x], 1), torch.where(x > 0, x, 1.0)),
    "tensors": lambda model, x: (x + torch.zeros(x.shape[0], 5, 4), torch.zeros_like(x) + x, x * torch.full((x.shape[0], 1, 1), 3.0), x[:, torch.tensor([3, 0])]),
    "windows": lambda model, x: (F.max_pool1d(x, 2), F.pad(x, (1, 2)), F.avg_pool1d(x, 2), F.conv1d(x, torch.ones(2, 5, 3)), F.interpolate(x[:, None], (3, 3))),
    "merged": lambda model, x: x.reshape(-1, 2).sum(1), "looked_up": lambda model, x: F.embedding((x > 0).long(), model.weight), "places": lambda model, x: model.weight[x.argmax(1)],
    "same_for_all": lambda model, x: (x, model.weight * 2 + 1),
}  # fmt: skip
TOGETHER = {
    "mean": lambda model, x: x - x.mean(0), "softmax": lambda model, x: x.softmax(0), "all": lambda model, x: x / x.sum(), "flip": lambda model, x: x.flip(0), "cumsum": lambda model, x: x.cumsum(0),
    "gram": lambda model, x: x[:, 0] @ x[:, 0].T, "numbers": lambda model, x: x * torch.arange(x.shape[0]).view(-1, 1, 1), "counted": lambda model, x: x + torch.ones(x.shape[0], 1, 4).cumsum(0),
    "count": lambda model, x: x / x.shape[0], "first": lambda model, x: x - x[0], "part": lambda model, x: x[1:], "roll": lambda model, x: x.roll(1, 0), "halves": lambda model, x: x.chunk(2, 0)[0],
    "twice": lambda model, x: torch.cat([x, x], 0), "pairs": lambda model, x: x.reshape(2, -1).sum(0), "other_runs": lambda model, x: x.reshape(-1, 4) + x.transpose(0, 1).reshape(-1, 4),
    "runs": lambda model, x: x.transpose(0, 1).reshape(-1), "norm": lambda model, x: F.layer_norm(x, x.shape), "greatest": lambda model, x: x.argmax(0), "columns": lambda model, x: x.flatten(1).T.softmax(1),
    "groups": lambda model, x: x.transpose(0, 1).reshape(1, -1).cumsum(1), "by_item": lambda model, x: x[x[:, 0, 0].long().clamp(0, 1)], "pad": lambda model, x: F.pad(x, (0, 0, 0, 0, 1, 0)),
}  # fmt: skip


def leaves(value):
    return [leaf for leaf in torch.utils._pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


@torch.no_grad()
@pytest.mark.parametrize("name", APART)
def test_items_that_are_on_their_own(name):
    torch.manual_seed(5)
    model, x = Function(APART[name]).eval(), torch.randn(3, 5, 4)
    imported, places = import_items(model, [x], [0])
    whole, each = leaves(model(x)), [leaves(model(item)) for item in x.split(1)]
    assert len(places) == len(whole)
    for number, place in enumerate(places):
        parts = [one[number] for one in each]
        torch.testing.assert_close(whole[number], parts[0] if place is None else torch.cat(parts, place))
    assert (None in places) == (name == "same_for_all")
    assert "-1" not in imported.source() or name in ("rows", "time_first", "merged", "lstm", "states", "attention", "tensors")


@pytest.mark.parametrize("name", TOGETHER)
def test_items_that_come_together(name):
    with pytest.raises((Mixed, ImportFailure)):
        import_items(Function(TOGETHER[name]).eval(), [torch.randn(4, 5, 4)], [0])


def test_inputs_without_items_and_in_other_places():
    model = Function(lambda model, x, table, y: x @ table + y.transpose(0, 1))
    _, places = import_items(model, [torch.randn(3, 5, 4), torch.randn(4, 4), torch.randn(5, 3, 4)], [0, None, 1])
    assert places == [0]


def test_so_many_at_once():
    imported, _ = import_items(Function(with_token), [torch.randn(3, 5, 4)], [0], 8)
    (token,) = [tensor for name, tensor in imported.tensors.items() if "expand" in name]
    assert token.shape == (8, 1, 4)


@pytest.mark.parametrize("case", [case for case in CASES if not case.states and len(case.shapes[0]) == 4], ids=lambda case: case.name)
def test_models_over_pictures(case):
    model, inputs = case.make()
    inputs = [x.expand(2, -1, -1, -1).clone() if x.shape[0] == 1 else x for x in inputs]
    _, places = import_items(model, inputs, [0] * len(inputs))
    assert set(places) == {0}
