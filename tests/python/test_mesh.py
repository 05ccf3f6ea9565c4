"""Programs that processes of torch.distributed share. Run with the wheel (STRC_WHEEL)."""

import os
import pickle
import random
import re
import time

import numpy
import pytest
import torch
from mesh_support import together
from support import WHEEL

if not WHEEL:
    pytest.skip("the extension is only there in the wheel that make_wheel makes", allow_module_level=True)

import strc  # noqa: E402

LINEAR = 'tensor->tensor pipeline Main(int inner, int outer) {{ add linear(inner, outer, weights = "layer"); {behind} }}'
CONVOLUTION = 'tensor->tensor pipeline Main { add conv2d(8, 32, 3, 3, padding_h = 1, padding_w = 1, weights = "layer"); add relu(); }'
BESIDE = """
tensor->tensor pipeline Main {
    add splitjoin { split duplicate; add linear(256, 128, weights = "one"); add linear(256, 100, weights = "two"); join roundrobin; }
    add cat(2, dim = 1);
    add linear(228, 64, weights = "three");
}
"""
RUNNING = """
tensor<float>[2]->tensor<float>[2] filter Main { tensor<float>[2] kept; work pop 1 push 1 { kept = 0.5 * kept + pop(); push(kept); } }
"""


def same_bits(one, two):
    return one.shape == two.shape and one.dtype == two.dtype and torch.equal(one.view(torch.int32), two.view(torch.int32))


def layer(rows, inner, outer, seed=1, behind="add relu();"):
    """A program, what it is compiled with, and an input."""
    torch.manual_seed(seed)
    weights = {"layer.weight": torch.randn(outer, inner), "layer.bias": torch.randn(outer)}
    how = {"inputs": [(rows, inner)], "weights": weights, "params": {"inner": inner, "outer": outer}, "at_once": 1}
    return LINEAR.format(behind=behind), how, torch.randn(rows, inner)


# ---- parts of products


def parts_of_layers(rank, size, shapes):
    found = []
    for number, (rows, inner, outer, split) in enumerate(shapes):
        source, how, x = layer(rows, inner, outer, number)
        alone = strc.compile(source, "Main", options={"split": split}, **how)(x)
        shared = strc.compile(source, "Main", mesh=size, split=split, **how)(x)
        right = torch.relu(torch.nn.functional.linear(x, how["weights"]["layer.weight"], how["weights"]["layer.bias"]))
        found.append((split, same_bits(alone, shared), torch.allclose(shared, right, rtol=1e-4, atol=1e-3 * inner**0.5 / 10)))
    return found


def random_shapes(seed, count):
    """Layers with a million multiplications or more, in parts of any size."""
    chance = random.Random(seed)
    shapes = []
    while len(shapes) < count:
        rows, inner, outer = (chance.choice([1, 3, 16, 33, 129, 512, 1000, 2049]) for _ in range(3))
        if 1 << 20 <= rows * inner * outer <= 1 << 27:
            what, most = chance.choice([("0", rows), ("1", outer), ("sums", inner)])
            shapes.append((rows, inner, outer, f"{what}:{chance.randint(max(1, most // 9), most)}"))
    return shapes


@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_bits_are_those_of_one_process(tmp_path, size):
    shapes = [(128, 512, 256, split) for split in ("1:64", "1:100", "0:32", "sums:128", "sums:100", "sums:500")] + random_shapes(size, 16)
    for found in together(tmp_path, size, parts_of_layers, shapes):
        assert found == [(split, True, True) for _, _, _, split in shapes]


def convolutions(rank, size, splits):
    torch.manual_seed(3)
    weights = {"layer.weight": torch.randn(32, 8, 3, 3), "layer.bias": torch.randn(32)}
    x = torch.randn(2, 8, 24, 24)
    how = {"inputs": [(2, 8, 24, 24)], "weights": weights, "at_once": 1}
    right = torch.relu(torch.nn.functional.conv2d(x, weights["layer.weight"], weights["layer.bias"], padding=1))
    found = []
    for split in splits:
        alone = strc.compile(CONVOLUTION, "Main", options={"split": split}, **how)(x)
        shared = strc.compile(CONVOLUTION, "Main", mesh=size, split=split, **how)(x)
        found.append((split, same_bits(alone, shared), torch.allclose(shared, right, rtol=1e-4, atol=1e-4)))
    return found


def test_convolutions(tmp_path):
    splits = ("0:1", "1:8", "1:10", "2:5", "sums:2", "sums:3")
    for found in together(tmp_path, 2, convolutions, splits):
        assert found == [(split, True, True) for split in splits]


def beside(rank, size, splits):
    """Results that are parts of another one, with a step and an offset."""
    torch.manual_seed(5)
    weights = {f"{name}.{kind}": torch.randn(*shape) for name, inner, outer in (("one", 256, 128), ("two", 256, 100), ("three", 228, 64))
               for kind, shape in (("weight", (outer, inner)), ("bias", (outer,)))}  # fmt: skip
    x, how = torch.randn(96, 256), {"inputs": [(96, 256)], "weights": weights, "at_once": 1}
    layers = [(weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in ("one", "two", "three")]
    joined = torch.cat([torch.nn.functional.linear(x, *layer) for layer in layers[:2]], 1)
    right = torch.nn.functional.linear(joined, *layers[2])
    found = []
    for split in splits:
        alone = strc.compile(BESIDE, "Main", options={"split": split}, **how)(x)
        shared = strc.compile(BESIDE, "Main", mesh=size, split=split, **how)(x)
        found.append((split, same_bits(alone, shared), torch.allclose(shared, right, rtol=1e-3, atol=1e-2)))
    return found


def test_results_that_are_put_together(tmp_path):
    splits = ("0:20", "1:30", "sums:50", "sums:120")
    for found in together(tmp_path, 2, beside, splits):
        assert found == [(split, True, True) for split in splits]


def chosen(rank, size):
    """A large layer is worth it, a small one is not."""
    calls = []
    for rows, inner, outer in ((512, 2048, 2048), (16, 300, 300)):
        source, how, x = layer(rows, inner, outer)
        program = strc.compile(source, "Main", mesh=size, **how)
        right = torch.relu(torch.nn.functional.linear(x, how["weights"]["layer.weight"], how["weights"]["layer.bias"]))
        calls.append(("call void @strc_spread(" in program.text("llvm"), torch.allclose(program(x), right, rtol=1e-3, atol=1e-2)))
    return calls


def test_what_pays_is_shared(tmp_path):
    assert together(tmp_path, 2, chosen) == [[(True, True), (False, True)]] * 2


def other_elements(rank, size):
    torch.manual_seed(4)
    found = []
    for element, kind in (("double", torch.float64), ("int", torch.int32)):
        source = f"""
tensor<{element}>->tensor<{element}> filter Main {{
    tensor<{element}>[512, 64] w;
    init {{ w = ({element}) reshape(arange(32768), 512, 64); }}
    work pop 1 push 1 {{ push(matmul(pop(), w)); }}
}}
"""
        x = torch.randint(-5, 5, (64, 512)).to(kind)
        w = torch.arange(32768).reshape(512, 64).to(kind)
        shared = strc.compile(source, "Main", mesh=size, split="sums:100", inputs=[f"64x512:{element}"], at_once=1)(x)
        found.append(bool(torch.equal(shared, x @ w)))
    return found


def test_sums_of_ints_and_doubles(tmp_path):
    assert together(tmp_path, 3, other_elements) == [[True, True]] * 3


def text_of_parts(rank, size):
    source, how, _ = layer(128, 512, 256)
    program = strc.compile(source, "Main", mesh=size, split="1:64", **how)
    text = program.text("llvm")
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(program)
    return len(set(re.findall(r"@strc_packed_\d+", text))), "call void @strc_spread(" in text


def test_each_process_has_its_panels_alone(tmp_path):
    """Two of four parts are packed in each of two processes."""
    assert together(tmp_path, 2, text_of_parts) == [(2, True)] * 2


# ---- items of a stack


def stacks(rank, size):
    source, how, _ = layer(3, 64, 40)
    torch.manual_seed(9)
    alone = strc.compile(source, "Main", **how)
    shared = strc.compile(source, "Main", mesh=size, split="batch", **how)
    found = []
    for count in (1, 2, 5, 8):
        x = torch.randn(count, 3, 64)
        found.append(same_bits(alone(x), shared(x)))
    x = numpy.ones((4, 3, 64), "f4")
    found.append(bool((alone(x) == shared(x)).all()) and isinstance(shared(x), numpy.ndarray))
    found.append(same_bits(alone(torch.ones(3, 64)), shared(torch.ones(3, 64))))
    return found


def test_items_of_a_stack(tmp_path):
    assert together(tmp_path, 3, stacks) == [[True] * 6] * 3


def keeping(rank, size):
    strc.compile(RUNNING, "Main", mesh=size, split="batch")


def test_items_that_depend_on_each_other_stay_together(tmp_path):
    for found in together(tmp_path, 2, keeping):
        assert "keeps something from one item to the next" in found


PAIRS = """
tensor<float>[2]->tensor<float>[2] filter Main { work pop 2 push 1 { push(pop() + pop()); } }
"""


def pairing(rank, size):
    strc.compile(PAIRS, "Main", mesh=size, split="batch")


def test_items_that_are_not_one_for_one_stay_together(tmp_path):
    """A process would give other items than its part of the stack."""
    for found in together(tmp_path, 2, pairing):
        assert "does not give one item for each that it takes" in found


def test_a_group_that_was_lost_stays_lost():
    """What the others send next is of another call: it would be taken for what this one waits for."""
    mesh, calls = object.__new__(strc.Mesh), []
    mesh.rank, mesh.size, mesh.failure = 0, 2, None

    def lost(*_):
        calls.append(1)
        raise RuntimeError("gone")

    for _ in range(2):
        assert not mesh.attempt(lost, 0, 0, 0)
        with pytest.raises(strc.MeshError, match="has lost the others: gone"):
            mesh.check()
    assert len(calls) == 1


def failing(rank, size):
    source = "tensor<int>[1]->tensor<int>[1] filter Main { work pop 1 push 1 { tensor<int>[1] x = pop(); int y = 12 / x[0]; tensor<int>[1] z = x + y; push(z); } }"
    program = strc.compile(source, "Main", mesh=size, split="batch")
    try:
        program(torch.tensor([[1], [2], [3], [0]], dtype=torch.int32))
    except (strc.RunError, strc.MeshError) as error:
        first = f"{type(error).__name__}: {error}"
    return first, program(torch.tensor([[1], [2], [3], [4]], dtype=torch.int32)).tolist()


def test_a_fault_is_told_by_all(tmp_path):
    (first, goes_on), (second, also) = together(tmp_path, 2, failing)
    assert first == "MeshError: process 1 of 2 has failed, and what it has computed is missing"
    assert second.startswith("RunError: ") and "division" in second
    assert goes_on == also == [[13], [8], [7], [7]]


# ---- what is wrong


def wrong_sizes(rank, size):
    source, how, _ = layer(128, 512, 256)
    found = []
    for mesh in (size + 1, "two", torch.distributed.init_device_mesh("cpu", (1, size))):
        try:
            strc.compile(source, "Main", mesh=mesh, **how)
        except (strc.MeshError, TypeError) as error:
            found.append(str(error))
    return found


def test_a_mesh_of_the_wrong_size(tmp_path):
    for found in together(tmp_path, 2, wrong_sizes):
        assert found[0] == "mesh=3, but there are 2 processes"
        assert found[1] == "mesh is a DeviceMesh, a process group, the number of processes, or a strc.Mesh"
        assert found[2].startswith("the mesh has 2 dimensions")


def meshes(rank, size):
    source, how, x = layer(128, 512, 256)
    mesh = torch.distributed.init_device_mesh("cpu", (size,))
    given = [size, mesh, torch.distributed.group.WORLD, strc.Mesh(timeout=20)]
    made = [strc.compile(source, "Main", mesh=each, split="1:64", **how)(x) for each in given]
    return [same_bits(made[0], each) for each in made]


def test_all_ways_to_say_which_processes(tmp_path):
    assert together(tmp_path, 2, meshes) == [[True] * 4] * 2


def test_without_a_group():
    source, how, _ = layer(128, 512, 256)
    with pytest.raises(strc.MeshError, match="init_process_group"):
        strc.compile(source, "Main", mesh=2, **how)
    with pytest.raises(ValueError, match="mesh="):
        strc.compile(source, "Main", split="batch", **how)


def other_programs(rank, size, what):
    source, how, _ = layer(128, 512, 256)
    if what == "weights" and rank == 1:
        how["weights"]["layer.weight"][3, 4] += 1
    split = "1:32" if what == "split" and rank == 1 else "1:64"
    if what == "error" and rank == 1:
        source = source.replace("relu", "rebu")
    if what == "missing" and rank == 1:
        how["weights"] = "not-there.safetensors"
    strc.compile(source, "Main", mesh=size, split=split, **how)


@pytest.mark.parametrize("what", ["weights", "split"])
def test_another_program(tmp_path, what):
    for found in together(tmp_path, 3, other_programs, what):
        assert found.startswith("MeshError: process 1 of 3 has another program than process 0")


@pytest.mark.parametrize("what", ["error", "missing"])
def test_a_process_that_cannot_compile(tmp_path, what):
    first, second = together(tmp_path, 2, other_programs, what)
    assert first.startswith("MeshError: process 1 of 2 has no program: ") and "error:" in first
    assert second.startswith("CompileError: ")


def dying(rank, size, kind):
    source, how, x = layer(128, 512, 256)
    program = strc.compile(source, "Main", mesh=strc.Mesh(timeout=5), split="1:64", **how)
    program(x)
    if rank == 1 and kind == "dies":
        os._exit(3)
    if rank == 1:
        time.sleep(20)
        return "late"
    begin = time.monotonic()
    try:
        program(x)
    except strc.MeshError as error:
        return str(error), time.monotonic() - begin


@pytest.mark.parametrize("kind", ["dies", "sleeps"])
def test_a_process_that_is_lost(tmp_path, kind):
    first, second = together(tmp_path, 2, dying, kind)
    assert first[0].startswith("process 0 of 2 has lost the others: ")
    assert first[1] < 15
    assert second == (None if kind == "dies" else "late")


def other_options(rank, size):
    source, how, x = layer(128, 512, 256)
    found = []
    for more in ({"threads": 2}, {"options": {"lanes": True}}, {"options": {"mesh": "0/2"}}, {"split": "columns"}):
        try:
            strc.compile(source, "Main", mesh=size, **{**how, **more})
        except (ValueError, strc.MeshError) as error:
            found.append(str(error))
    return found


def test_options_that_do_not_go_together(tmp_path):
    for found in together(tmp_path, 2, other_options):
        assert found[0].startswith("a program that processes share has one thread")
        assert found[1:3] == ["the option 'lanes' does not go with mesh=", "the option 'mesh' does not go with mesh="]
        assert found[3].startswith("there is no option 'split=columns'")
