"""The text of the model IR."""

import random

import pytest

from strc.ir import Instruction, IrSyntaxError, Named, Program, Slice, parse, show

EXAMPLE = r"""var1 = conv2d<3, 32, 3, 3, 1, 1, 0, 0, bias=False, weights="a \"b\"\\\n">(var0)
var4 = getitem<[slice(None, -3, 2), [1.5, -2e-05, 1e999]], None, True>(var1, var2)
var5 = const<[]>()
return (var4, var1)
"""


def test_example():
    program = parse(EXAMPLE)
    assert program.inputs == (0, 2)
    assert program.instructions[0].named("weights") == 'a "b"\\\n'
    assert program.instructions[0].positional == (3, 32, 3, 3, 1, 1, 0, 0)
    assert program.instructions[1].params == ((Slice(None, -3, 2), (1.5, -2e-05, float("inf"))), None, True)
    assert program.instructions[2].params == ((),)
    assert program.results == (4, 1)
    assert show(program) == EXAMPLE


def test_white_space_means_nothing():
    spread = EXAMPLE.replace(", ", " ,\n\t").replace("=", " = ").replace('" b" ', "")
    assert show(parse(spread)) == EXAMPLE


def random_param(source, depth=0):
    kinds = [
        lambda: source.randint(-(10**12), 10**12),
        lambda: source.choice([0.0, -0.0, 1e-300, 1.0, source.gauss(0, 1e6), float("-inf")]),
        lambda: source.choice([True, False, None]),
        lambda: "".join(source.choice('ab"\\\n\t ,<>()=') for _ in range(source.randint(0, 8))),
        lambda: Slice(*(source.choice([None, source.randint(-9, 9)]) for _ in range(3))),
        lambda: tuple(random_param(source, depth + 1) for _ in range(source.randint(0, 3))),
        lambda: Named(source.choice(["a", "_b2", "slice", "None_", "var1"]), random_param(source, 3)),
    ]
    return source.choice(kinds[: 5 if depth > 2 else None])()


def test_random_programs_round_trip():
    source = random.Random(7)
    for _ in range(300):
        known, instructions = [0, 1], []
        for number in range(2, 2 + source.randint(1, 8)):
            params = tuple(random_param(source) for _ in range(source.randint(0, 4)))
            args = tuple(source.choices(known, k=source.randint(0, 3)))
            instructions.append(Instruction(number, source.choice(["f", "g_2"]), params, args))
            known.append(number)
        program = Program((0, 1), instructions, (known[-1], 0, 1))
        assert repr(parse(show(program))) == repr(program)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("return ()", "line 1: expected at least one result"),
        ("var1 = f(var0)\n", "line 2: expected a variable (var0), found the end of the text"),
        ("var1 = f<1(var0)\nreturn (var1)", "line 1: expected ','"),
        ("var1 = f<1.5.2>(var0)\nreturn (var1)", "line 1: unexpected '.'"),
        ("var1 = f(var2)\nvar2 = f(var0)\nreturn (var2)", "var2 is used by var1 before it is made"),
        ("var1 = f(var0)\nvar1 = f(var0)\nreturn (var1)", "var1 is made twice"),
        ("return (var0) var1", "line 1: expected the end of the text, found var1"),
        ("x = f(var0)\nreturn (x)", "expected a variable (var0), found x"),
        ('var1 = f<"a>(var0)\nreturn (var1)', "line 1: unexpected '\"'"),
        ("var1 = f<slice(1, 2)>(var0)\nreturn (var1)", "line 1: expected ','"),
    ],
)
def test_faults(text, message):
    with pytest.raises(IrSyntaxError) as fault:
        parse(text)
    assert message in str(fault.value)
