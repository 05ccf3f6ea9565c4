"""Passes over the model IR."""

from strc import passes
from strc.ir import parse, show

COMMON = """var1 = sin(var0)
var2 = sin(var0)
var3 = add(var1, var2)
var4 = f<1>(var3)
var5 = f<1.0>(var3)
return (var4, var5)
"""


def test_dead_code():
    program = parse("var1 = f(var0)\nvar2 = g(var0)\nvar3 = g(var2)\nreturn (var1)")
    assert passes.live_after(program) == [{1}, {1}, {1}]
    assert show(passes.eliminate_dead(program)) == "var1 = f(var0)\nreturn (var1)\n"


def test_liveness():
    program = parse("var2 = f(var0)\nvar3 = add(var2, var1)\nvar4 = add(var2, var3)\nreturn (var4)")
    assert passes.live_after(program) == [{1, 2}, {2, 3}, {4}]


def test_common_subexpressions():
    found = passes.eliminate_common(parse(COMMON))
    assert show(found) == COMMON.replace("var2 = sin(var0)\n", "").replace("var1, var2", "var1, var1")


def test_identities():
    text = "var1 = dropout<0.5>(var0)\nvar2 = mul_scalar<1>(var1)\nvar3 = cat<1, 0>(var2)\nvar4 = permute<[0, 1]>(var3)\nreturn (var4)"
    assert show(passes.drop_identities(parse(text))) == "return (var0)\n"


def test_what_looks_like_an_identity():
    # 1.0 makes real numbers of integers.
    text = "var1 = mul_scalar<1.0>(var0)\nvar2 = permute<[1, 0]>(var1)\nvar3 = cat<2, 0>(var2, var2)\nreturn (var3)\n"
    assert show(passes.drop_identities(parse(text))) == text
