"""Models of PyTorch that processes of torch.distributed share. Run with the wheel (STRC_WHEEL)."""

import pytest
import torch
from mesh_support import together
from support import WHEEL

if not WHEEL:
    pytest.skip("the extension is only there in the wheel that make_wheel makes", allow_module_level=True)

import strc  # noqa: E402
from strc.errors import ImportFailure  # noqa: E402


class Perceptron(torch.nn.Module):
    def __init__(self, inner=512, hidden=1024, outer=256):
        super().__init__()
        self.up, self.down = torch.nn.Linear(inner, hidden), torch.nn.Linear(hidden, outer)

    def forward(self, x):
        return self.down(torch.nn.functional.gelu(self.up(x)))


class Pictures(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Conv2d(3, 32, 3, padding=1), torch.nn.Conv2d(32, 16, 3)
        self.last = torch.nn.Linear(16, 10)

    def forward(self, x):
        x = torch.relu(self.second(torch.relu(self.first(x))))
        return self.last(x.mean((2, 3)))


class Encoder(torch.nn.Module):
    """Attention, norms, two inputs and two results."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, batch_first=True)

    def forward(self, x, scale):
        y = self.layer(x * scale)
        return y, y.argmax(-1)


class Together(torch.nn.Module):
    """What an item becomes depends on all others."""

    def forward(self, x):
        return x - x.mean(0)


class Failing(Perceptron):
    def forward(self, x):
        raise ValueError("it cannot be called")


def model_of(kind, seed=1):
    torch.manual_seed(seed)
    return kind().eval()


def same(one, two):
    ones, twos = (each if isinstance(each, tuple) else (each,) for each in (one, two))
    return len(ones) == len(twos) and all(a.dtype == b.dtype and torch.equal(a, b) for a, b in zip(ones, twos))


def near(one, two):
    ones, twos = (each if isinstance(each, tuple) else (each,) for each in (one, two))
    return len(ones) == len(twos) and all(a.shape == b.shape and torch.allclose(a, b, rtol=1e-4, atol=1e-4) for a, b in zip(ones, twos))


GIVEN = {Perceptron: ((96, 512),), Pictures: ((4, 3, 24, 24),), Encoder: ((4, 32, 128), (128,))}


def inputs_of(kind):
    torch.manual_seed(2)
    return [torch.randn(shape) for shape in GIVEN[kind]]


# ---- parts of products


def in_parts(rank, size, cases):
    found = []
    for kind, split in cases:
        model, given = model_of(kind), inputs_of(kind)
        alone = strc.compile(model, inputs=given, options={"split": split})
        shared = strc.compile(model, inputs=given, mesh=size, split=split)
        with torch.no_grad():
            right = model(*given)
        found.append((split, "call void @strc_spread(" in shared.program.text("llvm"), same(alone(*given), shared(*given)), near(shared(*given), right)))
    return found


CASES = [(Perceptron, split) for split in ("1:128", "0:32", "sums:128", "pairs:128", "1:100")] + [(Pictures, split) for split in ("1:8", "sums:8")] + [(Encoder, "2:128")]


@pytest.mark.parametrize("size", [2, 3])
def test_products_of_models_in_parts(tmp_path, size):
    for found in together(tmp_path, size, in_parts, CASES):
        assert found == [(split, True, True, True) for _, split in CASES]


# ---- items of a batch


def batches(rank, size, cases):
    found = []
    for kind, split, sizes in cases:
        model, given = model_of(kind), inputs_of(kind)
        shared = strc.compile(model, inputs=given, mesh=size, split=split)
        for items in sizes:
            values = [given[0].repeat(4, *(1 for _ in given[0].shape[1:]))[:items] + torch.arange(items).reshape(-1, *(1 for _ in given[0].shape[1:])), *given[1:]]
            with torch.no_grad():
                right = model(*values)
            made = shared(*values)
            found.append((kind.__name__, split, items, near(made, right), [tuple(one.shape) for one in (made if isinstance(made, tuple) else (made,))][0][0]))
        try:
            shared(given[0][:3], *given[1:])
            found.append(None)
        except ValueError as error:
            found.append(str(error))
    return found


@pytest.mark.parametrize("size", [2, 3])
def test_items_of_a_batch(tmp_path, size):
    cases = [(Perceptron, "batch:8", (8, 16, 96, 256)), (Pictures, "batch:2", (2, 4, 10)), (Encoder, "batch:4", (4, 12))]
    for found in together(tmp_path, size, batches, cases):
        expected = []
        for kind, split, sizes in cases:
            expected += [(kind.__name__, split, items, True, items) for items in sizes]
            count = split.partition(":")[2]
            expected.append(f"the inputs have to have equally many items, a multiple of {count}, in their first dimension, and not [3]")
        assert found == expected


def bits_of_batches(rank, size):
    model, given = model_of(Pictures), inputs_of(Pictures)
    return strc.compile(model, inputs=given, mesh=size, split="batch")(*given)


def test_the_bits_of_a_batch_do_not_depend_on_the_processes(tmp_path):
    made = []
    for size in (1, 2, 3):
        (tmp_path / str(size)).mkdir()
        made += together(tmp_path / str(size), size, bits_of_batches)
    assert len(made) == 6 and all(same(made[0], one) for one in made)


# ---- alone, and what is wrong


def test_a_model_alone():
    model, given = model_of(Encoder), inputs_of(Encoder)
    program = strc.compile(model, inputs=given)
    with torch.no_grad():
        assert near(program(*given), model(*given))
    with pytest.raises(TypeError, match="needs inputs="):
        strc.compile(model)
    with pytest.raises(TypeError, match="no top="):
        strc.compile(model, "Main", inputs=given)
    with pytest.raises(ValueError, match="split="):
        strc.compile(model, inputs=given, split="batch")


def wrong(rank, size, what):
    kind = Together if what == "mixed" else Perceptron
    if rank == 1:
        kind = {"other": Pictures, "fails": Failing}.get(what, kind)
    model = model_of(kind, seed=2 if what == "weights" and rank == 1 else 1)
    given = [torch.randn(4, 8)] if what == "mixed" else inputs_of(Pictures if kind is Pictures else Perceptron)
    split = "batch:none" if what == "word" else "batch" if what == "mixed" else "1:128"
    try:
        strc.compile(model, inputs=given, mesh=size, split=split)
    except (ImportFailure, ValueError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("what", ["weights", "other", "fails", "mixed", "word"])
def test_what_is_wrong_is_told_by_all(tmp_path, what):
    first, second = together(tmp_path, 2, wrong, what)
    if what in ("weights", "other"):
        assert first.startswith("MeshError: process 1 of 2 has another program than process 0") and second == first
    elif what == "fails":
        assert first.startswith("MeshError: process 1 of 2 has no program: ") and second.startswith("ImportFailure: ")
    elif what == "mixed":
        assert first == second and "the items of a batch are not on their own" in first
    else:
        assert first == second == "ValueError: split is 'batch:none': behind 'batch:' there is the number of items of a firing"
