"""Programs called from Python: on arrays and tensors, whole and chunk by chunk. Run with the wheel (STRC_WHEEL)."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy
import pytest
import torch
from support import ROOT, WHEEL

if not WHEEL:
    pytest.skip("the extension is only there in the wheel that make_wheel makes", allow_module_level=True)

import strc

SMOOTH = """
float->float filter Smooth(float weight = 0.25) {
    float last;
    work pop 1 push 1 { last += weight * (pop() - last); push(last); }
}
"""
WINDOW = "int->int filter Window(int n) { work pop 2 push 1 peek n { int sum = 0; for (int k = 0; k < n; ++k) sum += peek(k); pop(); pop(); push(sum); } }"
PAIR = """
struct Pair { int count; double[2] values; }
int->Pair filter Make { work pop 1 push 1 { Pair p; p.count = pop(); p.values[0] = 0.5 * p.count; p.values[1] = -1; push(p); } }
Pair->double filter Take { work pop 1 push 1 { Pair p = pop(); push(p.values[0] + p.count); } }
"""
LINEAR = 'tensor->tensor pipeline Net { add linear(3, 2, weights = "fc"); add relu(); }'
SCALE = "tensor->tensor filter Scale { work pop 1 push 1 { push(pop() * 2); } }"
TURNS = "tensor->tensor pipeline Turns { add splitjoin { split roundrobin; add relu(); add Identity<tensor>(); join roundrobin; } }"


def numbers(*shape):
    return numpy.random.default_rng(1).standard_normal(shape).astype(numpy.float32)


# ---- items


def test_a_program_is_a_function_of_arrays():
    program = strc.compile(SMOOTH, "Smooth", weight=0.5)
    assert program([1, 1, 1]).tolist() == [0.5, 0.75, 0.875]
    assert program([1, 1, 1]).tolist() == [0.5, 0.75, 0.875], "each call begins at the start"
    assert isinstance(program(torch.ones(3)), torch.Tensor)


def test_threads_change_nothing():
    text = """float->float pipeline Two { add Slow(1); add Slow(2); }
float->float filter Slow(int n) {
    float last;
    work pop 1 push 1 { float x = pop(); for (int i = 0; i < 1000; i++) last = 0.5 * last + x * n; push(last); }
}
"""
    items = numpy.arange(500, dtype=numpy.float32) % 17
    assert (strc.compile(text, "Two", threads=3)(items) == strc.compile(text, "Two")(items)).all()
    with pytest.raises(ValueError, match="threads"):
        strc.compile(text, "Two", threads=0)(items)


def test_a_file_is_a_program(tmp_path):
    path = tmp_path / "smooth.str"
    path.write_text(SMOOTH)
    assert strc.compile(path, "Smooth")([4]).tolist() == [1]
    assert strc.compile(str(path), "Smooth")([4]).tolist() == [1]
    with pytest.raises(strc.CompileError, match="cannot-read-file|No such file"):
        strc.compile(tmp_path / "none.str")


def test_parameters_of_all_types():
    text = "float->float filter F(float[2] a, boolean b, String s, int n) { work pop 1 push 1 { push(pop() * a[b ? 1 : 0] + (s == \"x\" ? n : 0)); } }"
    program = strc.compile(text, "F", a=[1.5, 2.5], b=True, s="x", n=3)
    assert program([2]).tolist() == [8]
    assert strc.compile(SMOOTH, "Smooth", params={"weight": 1})([3]).tolist() == [3]


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 64, 100, 1000])
@pytest.mark.parametrize("text, top", [(SMOOTH, "Smooth"), (WINDOW, "Window(5)")])
def test_chunks_give_what_the_whole_gives(text, top, chunk):
    program = strc.compile(text, top)
    items = (numbers(1001) * 100).astype(program.input.dtype)
    stream = program.stream()
    parts = [stream.process(items[at : at + chunk]) for at in range(0, len(items), chunk)]
    assert numpy.array_equal(numpy.concatenate(parts), program(items))
    stream.reset()
    assert numpy.array_equal(stream.process(items), program(items))


def test_streams_do_not_know_of_each_other():
    program = strc.compile(SMOOTH, "Smooth")
    one, other = program.stream(), program.stream()
    one.process([8])
    assert other.process([4]).tolist() == [1] and one.process([0]).tolist() == [1.5]


@pytest.mark.parametrize("text, top", [(SMOOTH, "Smooth"), (WINDOW, "Window(5)")])
def test_a_stream_goes_on_from_a_state(text, top):
    program, again = strc.compile(text, top), strc.compile(text, top)
    items = (numbers(100) * 100).astype(program.input.dtype)
    stream = program.stream()
    stream.process(items[:37])
    state, copy = stream.save(), stream.clone()
    want = stream.process(items[37:])
    other = again.stream()
    other.process(items[:5])
    other.restore(state)
    assert numpy.array_equal(other.process(items[37:]), want) and numpy.array_equal(copy.process(items[37:]), want)
    assert isinstance(state, bytes) and other.save() == stream.save() == copy.save()


def test_a_stream_goes_on_in_another_process(tmp_path):
    code = (f"import strc, sys, numpy; stream = strc.compile({SMOOTH!r}, 'Smooth', keep=['weight']).stream()\n"
            "stream.restore(open(sys.argv[1], 'rb').read()); print(stream.process([8, 0]).tolist())")  # fmt: skip
    stream = strc.compile(SMOOTH, "Smooth", keep=["weight"]).stream()
    stream.set("weight", 0.5)
    stream.process([4, 4])
    (tmp_path / "state").write_bytes(stream.save())
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "state"], env={**os.environ, "PYTHONPATH": WHEEL}, check=True,
                          capture_output=True, text=True)  # fmt: skip
    assert done.stdout.strip() == str(stream.process([8, 0]).tolist())


def test_what_is_no_state_changes_nothing():
    stream = strc.compile(WINDOW, "Window(5)").stream()
    stream.process([1, 2, 3])
    state = stream.save()
    other = strc.compile(SMOOTH, "Smooth").stream().save()
    newer = state[:8] + bytes([state[8] + 1]) + state[9:]
    for wrong, code in [(state[:-1], "truncated"), (b"", "truncated"), (state[:-1] + bytes([state[-1] ^ 1]), "damaged"), (other, "other-program"), (newer, "newer")]:
        with pytest.raises(strc.StateError) as error:
            stream.restore(wrong)
        assert error.value.code == f"state-{code}"
        assert stream.save() == state
    assert stream.process([4, 5, 6]).tolist() == [15]


def test_after_a_fault_there_is_no_state():
    stream = strc.compile("int->int filter F { work pop 1 push 1 { push(6 / pop()); } }", "F").stream()
    state = stream.save()
    with pytest.raises(strc.RunError):
        stream.process([0])
    with pytest.raises(RuntimeError, match="has failed"):
        stream.save()
    stream.restore(state)
    assert stream.process([2]).tolist() == [3]


def test_what_a_stream_says_of_itself():
    stream = strc.compile(WINDOW, "Window", n=5).stream()
    assert stream.block == (2, 1) and stream.latency == 4
    assert stream.process([1, 2, 3, 4]).tolist() == [] and stream.process([5, 6]).tolist() == [15]


def test_open_parameters():
    stream = strc.compile(SMOOTH, "Smooth", keep=["weight"]).stream()
    assert stream.process([1]).tolist() == [0.25]
    stream.set("weight", 1.0)
    assert stream.process([1]).tolist() == [1]
    with pytest.raises(ValueError, match="no open parameter 'other'"):
        stream.set("other", 1.0)


def test_structs_and_arrays_are_items():
    made = strc.compile(PAIR, "Make")([3, 4])
    assert made.dtype.names == ("count", "values") and made["count"].tolist() == [3, 4]
    assert made["values"].tolist() == [[1.5, -1], [2, -1]]
    assert strc.compile(PAIR, "Take")(made).tolist() == [4.5, 6]
    rows = strc.compile("int[3]->int filter R { work pop 1 push 1 { int[3] r = pop(); push(r[2]); } }", "R")
    assert rows(numpy.arange(6, dtype=numpy.int32).reshape(2, 3)).tolist() == [2, 5]
    with pytest.raises(ValueError, match=r"an array of shape \(n, 3\), and not \(4, 2\)"):
        rows(numpy.zeros((4, 2), numpy.int32))


def test_complex_numbers():
    program = strc.compile("complex->complex filter C { work pop 1 push 1 { push(pop() * pop()); } }".replace("pop 1", "pop 2"), "C")
    assert program(numpy.array([1 + 2j, 3 - 1j], numpy.complex64)).tolist() == [5 + 5j]


def test_items_of_another_type_are_refused():
    program = strc.compile(SMOOTH, "Smooth")
    with pytest.raises(TypeError, match=r"float32 here, and not float64: give x.astype\(numpy.float32\)"):
        program(numpy.zeros(3))
    with pytest.raises(ValueError, match=r"an array of shape \(n,\), and not \(2, 2\)"):
        program(numpy.zeros((2, 2), numpy.float32))
    with pytest.raises(TypeError, match="one array of items of type float, and not 2"):
        program([1], [2])


def test_sources_and_random_numbers():
    text = "void->float filter R { work push 1 { push(random()); } }"
    one = strc.compile(text, "R", seed=7)
    assert one(count=5).tolist() == strc.compile(text, "R", seed=7).stream().process(count=5).tolist()
    assert one(count=5).tolist() != strc.compile(text, "R", seed=8)(count=5).tolist()
    with pytest.raises(TypeError, match="say how many items you want"):
        one()


def test_what_is_printed_goes_to_pythons_output(capsys):
    program = strc.compile("int->void filter P { init { println(\"made\"); } work pop 1 { println(pop()); } }", "P")
    assert program([4, 5]) is None
    assert capsys.readouterr().out == "made\n4\n5\n"
    program.stream().process([6])
    assert capsys.readouterr().out == "6\n"


def test_not_contiguous_arrays():
    program = strc.compile(SMOOTH, "Smooth")
    items = numbers(20)
    assert numpy.array_equal(program(items[::2]), program(items[::2].copy()))


# ---- what is wrong


def test_errors_of_compilation_have_places():
    with pytest.raises(strc.CompileError) as caught:
        strc.compile("int->int filter G {\n    work pop 1 push 1 { push(y); }\n}", "G")
    fault = caught.value.diagnostics[0]
    assert (fault.code, fault.line, fault.column, fault.end_column) == ("unknown-variable", 2, 30, 31)
    assert (caught.value.code, caught.value.line, caught.value.file) == ("unknown-variable", 2, "<python>")
    assert "push(y)" in str(caught.value) and "unknown-variable" in fault.explain()


def test_faults_of_runs_have_places():
    program = strc.compile("int->int filter D {\n    work pop 1 push 1 { push(10 / pop()); }\n}", "D")
    stream = program.stream()
    for run in program, stream.process:
        with pytest.raises(strc.RunError) as caught:
            run([5, 0])
        assert (caught.value.code, caught.value.line) == ("division-by-zero", 2)
    stream.reset()
    assert stream.process([5]).tolist() == [2]


def test_warnings_are_warnings():
    with pytest.warns(strc.StrcWarning) as caught:
        strc.compile("int->int filter W { work pop 1 push 1 { int unused = 1; push(pop()); } }", "W", options={"W": "unused-variable"})
    assert caught[0].message.diagnostic.severity == "warning"


def test_options_that_there_are_not():
    with pytest.raises(ValueError, match="no option 'speed=11'"):
        strc.compile(SMOOTH, "Smooth", options={"speed": 11})


def test_shapes_that_only_the_run_knows():
    filters = """int->tensor filter Ones { work pop 1 push 1 { push(ones(pop() % 3 + 1)); } }
        tensor->int filter Size { work pop 1 push 1 { push(size(pop(), 0)); } }
        int->int pipeline Sizes { add Ones; add Size; }"""
    with pytest.warns(strc.StrcWarning, match="only the run can tell"):
        sizes = strc.compile(filters, "Sizes")
    assert sizes(numpy.arange(5, dtype="int32")).tolist() == [1, 2, 3, 1, 2]
    with pytest.raises(strc.CompileError, match="only the run can tell a shape in 'Ones'"):
        sizes.stream()
    with pytest.warns(strc.StrcWarning), pytest.raises(strc.CompileError, match="whose shape only the run knows") as caught:
        strc.compile(filters, "Ones")
    assert caught.value.code == "symbolic-shape"


def test_what_cannot_be_a_stream_can_be_called():
    text = "int->int filter S { work pop 1 push * { int n = pop(); for (int k = 0; k < n; ++k) push(k); } }"
    program = strc.compile(text, "S")
    assert program([2, 0, 3]).tolist() == [0, 1, 0, 1, 2]
    with pytest.raises(strc.CompileError, match="dynamic rates"):
        program.stream()


# ---- tensors


def test_weights_are_used_where_they_lie():
    weight, bias = numbers(2, 3), numbers(2)
    program = strc.compile(LINEAR, "Net", weights={"fc.weight": weight, "fc.bias": torch.from_numpy(bias)})
    x = numbers(4, 3)
    assert numpy.allclose(program(x), numpy.maximum(x @ weight.T + bias, 0), atol=1e-6)
    weight += 1
    assert numpy.allclose(program(x), numpy.maximum(x @ weight.T + bias, 0), atol=1e-6)


def test_weights_that_do_not_fit():
    with pytest.raises(strc.CompileError, match="weights-mismatch"):
        strc.compile(LINEAR, "Net", inputs=["1x3"], weights={"fc.weight": numbers(3, 2), "fc.bias": numbers(2)})
    with pytest.raises(strc.CompileError, match="weights-missing"):
        strc.compile(LINEAR, "Net", inputs=["1x3"], weights={"fc.weight": numbers(2, 3)})


def test_random_weights():
    one, same, other = (strc.compile(LINEAR, "Net", weights=f"random:{seed}")(numbers(1, 3)) for seed in (1, 1, 2))
    assert numpy.array_equal(one, same) and not numpy.array_equal(one, other)


@pytest.mark.parametrize("element", ["float32", "float64", "float16", "int8", "int32", "int64"])
def test_elements(element):
    program = strc.compile(SCALE, "Scale")
    x = numpy.array([[1, 2, -3]], element)
    assert program(x).dtype == x.dtype and program(x).tolist() == [[2, 4, -6]]
    assert torch.equal(program(torch.from_numpy(x)), torch.from_numpy(2 * x))


def test_bfloat16_is_pytorchs():
    program = strc.compile(SCALE, "Scale")
    assert torch.equal(program(torch.tensor([1.5, -4], dtype=torch.bfloat16)), torch.tensor([3, -8], dtype=torch.bfloat16))


def test_shapes_that_are_declared():
    program = strc.compile("tensor<float>[2, 3]->tensor filter S { work pop 1 push 1 { push(sum(pop(), 1)); } }", "S")
    assert str(program.input) == "tensor<float>[2, 3]" and str(program.output) == "tensor<float>[2]"
    x = numbers(5, 2, 3)
    assert numpy.allclose(program(x), x.sum(2), atol=1e-5) and program(x[0]).shape == (2,)
    with pytest.raises(ValueError, match=r"has shape \(3, 2\), but the program takes \(2, 3\)"):
        program(numbers(3, 2))
    with pytest.raises(TypeError, match=r"elements of type double, but the program takes tensor<float>\[2, 3\]"):
        program(numpy.zeros((2, 3)))


def test_a_program_is_compiled_for_every_shape():
    program = strc.compile(SCALE, "Scale")
    assert program(numbers(2)).shape == (2,) and program(numbers(3, 1)).shape == (3, 1)
    assert len(program.made) == 2
    with pytest.raises(strc.CompileError, match="not known"):
        program.graph  # noqa: B018


def test_several_inputs_and_outputs():
    program = strc.compile(TURNS, "Turns")
    x, count = numbers(2, 3), numpy.array([[7, -8]], numpy.int64)
    positive, same = program(x, count)
    assert numpy.array_equal(positive, numpy.maximum(x, 0)) and numpy.array_equal(same, count)
    stream = program.stream(x, count)
    assert [part.tolist() for part in stream.process(x, count)] == [positive.tolist(), same.tolist()]
    with pytest.raises(TypeError, match="takes 2 tensors in turn"):
        stream.process(x)


def test_tensors_chunk_by_chunk():
    text = "tensor<float>[2]->tensor<float>[2] filter S { tensor<float>[2] s; work pop 1 push 1 { s = s + pop(); push(s); } }"
    program = strc.compile(text, "S")
    x = numbers(7, 2)
    stream = program.stream()
    parts = [stream.process(x[:1]), stream.process(x[1:5]), stream.process(x[5]), stream.process(x[6:])]
    assert numpy.allclose(numpy.concatenate(parts), x.cumsum(0), atol=1e-5)
    assert numpy.array_equal(program(x), numpy.concatenate(parts)), "a call begins at the start"


def test_between_items_and_tensors():
    program = strc.compile("float->float pipeline P { add frame({2, 2}); add relu(); add unframe({2, 2}); }", "P")
    assert program([1, -1, 2, -2]).tolist() == [1, 0, 2, 0]
    with pytest.warns(strc.StrcWarning, match="1 item left over"):
        program([1, -1, 2, -2, 5])
    frames = strc.compile("float->tensor pipeline P { add frame({2, 2}); add relu(); }", "P")
    assert frames([1, -1, 2, -2, 5]).tolist() == [[[1, 0], [2, 0]]]


# ---- looking


def test_graph_and_schedule_are_data():
    program = strc.compile(
        "float->float pipeline P { add A(); add B(); } float->float filter A { work pop 1 push 3 { push(1); push(2); push(pop()); } }"
        "float->float filter B { work pop 2 push 1 { push(pop() + pop()); } }", "P",
    )
    assert [node["name"] for node in program.graph["nodes"]] == ["A", "B"]
    assert program.schedule.firings("P.A") == 2 and program.schedule.firings("P.B") == 3
    assert "P.A" in str(program.schedule) and "steady" in program.text("plan")
    with pytest.raises(ValueError, match="no product 'picture'"):
        program.text("picture")


def test_schedules_are_read():
    from strc.program.schedule import Firing, Loop, parse

    read = parse("init: 2 firings\n  A\n  2 B\nsteady: 9 firings\n  (3 A\n     (2 B C))\ntape  items\n  A -> B  1\n")
    assert read.init == (Firing(1, "A"), Firing(2, "B"))
    assert read.steady == (Loop(3, (Firing(1, "A"), Loop(2, (Firing(1, "B"), Firing(1, "C"))))),)
    assert read.firings("B") == 6


def test_notebooks_show_the_graph():
    shown = strc.compile(SMOOTH, "Smooth")._repr_svg_()
    assert shown is None or "<svg" in shown
    assert strc.compile(SCALE, "Scale")._repr_svg_() is None, "not yet compiled"


# ---- around it


def test_the_interpreters_lock_is_free_while_a_program_runs():
    slow = strc.compile(
        "int->int filter S { work pop 1 push 1 { int n = pop(); for (int k = 0; k < 100000000; ++k) n = n * 1103515245 + k; push(n); } }", "S",
    )
    ticks = []
    thread = threading.Thread(target=lambda: slow(list(range(8))))
    thread.start()
    while thread.is_alive():
        ticks.append(None)
        thread.join(0.001)
    assert len(ticks) > 5


def test_a_program_that_does_not_end_can_be_interrupted():
    code = """
import strc
program = strc.compile("void->int filter F { work push 1 { for (int k = 0; k >= 0; ++k) k = 1; push(1); } }", "F")
try:
    print("begun", flush=True)
    program(count=1)
except KeyboardInterrupt:
    print("interrupted")
"""
    child = subprocess.Popen(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": WHEEL}, stdout=subprocess.PIPE, text=True,
    )
    try:
        assert child.stdout.readline() == "begun\n"
        time.sleep(0.5)  # most likely the program runs then; if it does not yet, Python itself is interrupted
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=1800)[0] == "interrupted\n"
    finally:
        child.kill()


def test_without_the_extension_the_rest_works(tmp_path):
    code = "import strc, strc.ir\nprint(strc.ir.show(strc.ir.parse('var1 = relu(var0)\\nreturn (var1)')))\nstrc.compile('x;')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "python", capture_output=True, text=True, check=False)
    assert "var1 = relu(var0)" in done.stdout
    assert "ImportError: strc.compile needs the extension" in done.stderr


def test_versions():
    from strc import _core

    assert _core.version() == strc.__version__


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error", strc.StrcWarning)
        yield


# ---- several inputs and outputs of numbers

MIX = """
float->float pipeline Mix {
    add splitjoin { split roundrobin(2, 1); add Identity<float>; add Hold(2); join roundrobin(1, 1); }
    add float->float filter { work pop 2 push 3 { float a = pop(); float b = pop(); push(a + b); push(a); push(b); } };
    add splitjoin { split roundrobin(1, 2); add Identity<float>; add Identity<float>; join roundrobin(1, 2); }
}
float->float filter Hold(int n) { work pop 1 push n { for (int k = 0; k < n; k++) push(peek(0)); pop(); } }
"""


def test_an_array_for_each_input_and_output():
    mix = strc.compile(MIX, "Mix")
    fast, slow = numbers(40), numbers(20)
    sums, pairs = mix(fast, slow)
    held = numpy.repeat(slow, 2)
    assert (sums == fast + held).all() and (pairs.reshape(-1, 2) == numpy.stack([fast, held], 1)).all()
    together = numpy.concatenate([fast.reshape(20, 2), slow.reshape(20, 1)], 1).reshape(-1)
    assert (mix(together).reshape(-1, 3)[:, 0] == sums).all(), "one array has the items of all"
    assert (mix(together, apart=True)[0] == sums).all()
    assert mix(fast, slow, apart=False).shape == (120,)
    assert all(isinstance(made, torch.Tensor) for made in mix(torch.ones(4), torch.ones(2)))


def test_chunks_of_several_inputs():
    mix = strc.compile(MIX, "Mix")
    fast, slow = numbers(400), numbers(200)
    stream, sums, pairs = mix.stream(), [], []
    for at in range(0, 200, 7):
        one, other = stream.process(fast[2 * at : 2 * at + 14], slow[at : at + 7])
        sums.append(one)
        pairs.append(other)
    assert (numpy.concatenate(sums) == mix(fast, slow)[0]).all() and (numpy.concatenate(pairs) == mix(fast, slow)[1]).all()


def test_inputs_that_do_not_fit_each_other():
    mix = strc.compile(MIX, "Mix")
    with pytest.raises(ValueError, match="come 2 to 1, as many rounds of each, and not 4 to 4"):
        mix(numbers(4), numbers(4))
    with pytest.raises(TypeError, match="one array of items of type float, or 2, one for each input, and not 3"):
        mix(numbers(4), numbers(4), numbers(4))
    with pytest.raises(TypeError, match="one array of items of type float, and not 2"):
        strc.compile(SMOOTH, "Smooth")([1], [2])


# ---- many streams at once


@pytest.mark.parametrize("options", [{}, {"lanes": True}])
def test_many_streams_give_what_each_gives(options):
    program = strc.compile(SMOOTH, "Smooth", options=options)
    many, alone = [program.stream() for _ in range(19)], [program.stream() for _ in range(19)]
    chunks = numbers(19, 50)
    for stream in (many[4], alone[4]):
        stream.process(chunks[0])  # which stands elsewhere
    for count in (50, 3, 0, 17):
        made = strc.process_many(many, [chunk[:count] for chunk in chunks])
        for one, stream, chunk in zip(made, alone, chunks):
            assert (one == stream.process(chunk[:count])).all() and len(one) == count
    assert all(one.save() == other.save() for one, other in zip(many, alone))
    assert isinstance(strc.process_many(many[:1], [torch.ones(3)])[0], torch.Tensor)


def test_streams_that_do_not_go_together():
    program = strc.compile(SMOOTH, "Smooth")
    one, other = program.stream(), program.stream()
    assert strc.process_many([], []) == []
    with pytest.raises(ValueError, match="2 streams, and 1 chunks"):
        strc.process_many([one, other], [[1]])
    with pytest.raises(ValueError, match="different ones of one program"):
        strc.process_many([one, one], [[1], [2]])
    with pytest.raises(ValueError, match="different ones of one program"):
        strc.process_many([one, strc.compile(SMOOTH, "Smooth").stream()], [[1], [2]])
    with pytest.raises(ValueError, match="chunks of one length, and not of .1, 2."):
        strc.process_many([one, other], [[1], [2, 3]])
    with pytest.raises(TypeError, match="no tensors"):
        strc.process_many([strc.compile(SCALE, "Scale", inputs=["2"]).stream()], [numbers(2)])


def test_of_many_streams_one_fails():
    program = strc.compile("int->int filter F { int sum; work pop 1 push 1 { sum += 12 / pop(); push(sum); } }", "F")
    for bad in range(3):
        many = [program.stream() for _ in range(3)]
        with pytest.raises(strc.RunError):
            strc.process_many(many, [[3, 0] if k == bad else [3, 4] for k in range(3)])
        assert [stream.has_failed for stream in many] == [k == bad for k in range(3)]
        assert [stream.process([12]).tolist() for k, stream in enumerate(many) if k != bad] == [[8], [8]]
        with pytest.raises(RuntimeError, match="a check of the program has failed"):
            many[bad].save()


# ---- in other processes


def test_a_copy_of_a_program_is_the_same():
    program = strc.compile(SMOOTH, "Smooth", weight=0.5, keep=["weight"])
    copy = pickle.loads(pickle.dumps(program))
    assert (copy(numbers(50)) == program(numbers(50))).all()
    stream = program.stream()
    stream.process(numbers(7))
    copy.stream().restore(stream.save())


def test_a_copy_takes_its_weights_along():
    weights = {"fc.weight": numbers(2, 3), "fc.bias": torch.from_numpy(numbers(2))}
    program = strc.compile(LINEAR, "Net", inputs=["1x3"], weights=weights)
    given, data = numbers(1, 3), pickle.dumps(program)
    made = program(given)
    del program, weights
    assert (pickle.loads(data)(given) == made).all()


def test_errors_go_to_other_processes():
    with pytest.raises(strc.CompileError) as wrong:
        strc.compile("int->int filter F { work pop 1 push 1 { push(pop() + x); } }", "F")
    copy = pickle.loads(pickle.dumps(wrong.value))
    assert str(copy) == str(wrong.value) and copy.diagnostics == wrong.value.diagnostics and copy.line == 1
    with pytest.raises(strc.StateError) as refused:
        strc.compile(SMOOTH, "Smooth").stream().restore(b"")
    assert pickle.loads(pickle.dumps(refused.value)).code == "state-truncated"


# ---- another program

TOTAL = """
int->int pipeline Main(int more = 0) { add Sum; add Add(more); }
int->int stateful filter Sum { int total; work pop 1 push 1 { total += pop(); push(total); } }
int->int filter Add(int more) { work pop 1 push 1 { push(pop() + more); } }
"""


def replaceable(text, top, **more):
    return strc.compile(text, top, at_once=64, options={"replaceable": True}, **more)


def test_a_stream_goes_on_as_another_program():
    stream = replaceable(TOTAL, "Main").stream()
    assert stream.process([1, 2]).tolist() == [1, 3]
    stream.replace(replaceable(TOTAL, "Main", more=100))
    assert stream.replaced is None
    assert stream.process([3, 4]).tolist() == [106, 110]
    assert "kept: Main.Sum (total)\n" in stream.replaced
    stream.replace(replaceable(TOTAL + "int->int filter Twice { work pop 2 push 2 { int x = pop(); push(pop()); push(x); } }", "Twice"))
    assert stream.process([1, 2, 3]).tolist() == [2, 1]
    assert "gone: Main.Sum" in stream.replaced and stream.block == (2, 2)
    assert stream.process(numpy.arange(4001, dtype=numpy.int32)).tolist()[:3] == [0, 3, 2], "more than there is room for at once"
    stream.reset()
    assert stream.process([1, 2, 3]).tolist() == [2, 1]
    saved = stream.save()
    assert isinstance(saved, bytes)


def test_replaced_streams_go_on_together():
    twice, once = (f"int->int filter Main {{ work pop 1 push {n} {{ for (int k = 0; k < {n}; k++) push(peek(0)); pop(); }} }}" for n in (2, 1))
    program = replaceable(twice, "Main")
    many = [program.stream() for _ in range(2)]
    assert [items.tolist() for items in strc.process_many(many, [[1, 2], [3, 4]])] == [[1, 1, 2, 2], [3, 3, 4, 4]]
    for stream in many:
        stream.replace(replaceable(once, "Main"))
    assert [items.tolist() for items in strc.process_many(many, [[5, 6], [7, 8]])] == [[5, 6], [7, 8]]
    assert many[0].process([9]).tolist() == [9]


def test_what_waits_inside_comes_out():
    three = "int->int filter Main { work pop 3 push 3 { for (int k = 0; k < 3; k++) push(pop()); } }"
    stream, made = replaceable(three, "Main").stream(), []
    for k in range(20):
        stream.replace(replaceable(three.replace("3", str(k % 4 + 1)), "Main"))
        made += stream.process([2 * k, 2 * k + 1]).tolist()
    assert len(made) > 30 and made == list(range(len(made)))


def test_both_programs_are_heard_for_a_while():
    level = "float->float filter Main(float level) { work pop 1 push 1 { push(level + 0 * pop()); } }"
    stream = replaceable(level, "Main", level=1).stream()
    stream.process([0])
    stream.replace(replaceable(level, "Main", level=3), fade=3)
    first = stream.process([0, 0]).tolist()
    assert first == [1.5, 2.0] and stream.replaced is None
    with pytest.raises(RuntimeError, match="another program"):
        stream.save()
    assert stream.process([0, 0]).tolist() == [2.5, 3.0] and stream.replaced is not None


def test_programs_that_cannot_take_the_place():
    plain, stream = strc.compile(TOTAL, "Main"), replaceable(TOTAL, "Main").stream()
    assert stream.process([1]).tolist() == [1]
    with pytest.raises(strc.CompileError, match="cannot-replace"):
        stream.replace(replaceable("int->float filter Main { work pop 1 push 1 { push(pop()); } }", "Main"))
    with pytest.raises(ValueError, match="replaceable"):
        stream.replace(plain)
    with pytest.raises(ValueError, match="replaceable"):
        plain.stream().replace(replaceable(TOTAL, "Main"))
    assert stream.process([2]).tolist() == [3]
    net = strc.compile(SCALE, "Scale", inputs=["2"], options={"replaceable": True})
    with pytest.raises(TypeError, match="tensors"):
        net.stream().replace(net)
