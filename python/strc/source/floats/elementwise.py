"""Filters that work element by element."""

from __future__ import annotations

from ..functions import ONE, SMOOTH, TWO, Function
from .filter import StreamFilter


def item(name: str, function: Function, pops: str) -> StreamFilter:
    """A filter that makes one number of some."""
    letters = pops.split()
    head = f"float->float filter NAME{f'({function.formals})' if function.formals else ''} {{"
    lines = [head, f"    work pop {len(letters)} push 1 {{", *(f"        float {x} = pop();" for x in letters)]
    return StreamFilter(name, function.names, "\n".join([*lines, f"        push({function.floats});", "    }", "}"]))


def _framed(name: str, function: Function) -> StreamFilter:
    """A filter that does a whole frame, as a tensor."""
    text = f"""
float->float filter NAME(int n) {{
    work pop n push n {{
        float[n] frame;
        for (int k = 0; k < n; k++) frame[k] = pop();
        tensor x = frame;
        tensor y = {function.floats};
        for (int k = 0; k < n; k++) push(y[k]);
    }}
}}"""
    return StreamFilter(name, ("n",), text)


UNARY: dict[str, StreamFilter] = {op: item(op.title().replace("_", ""), function, "x") for op, function in ONE.items()}
FRAMED: dict[str, StreamFilter] = {
    f"stream_{op}": _framed(f"{op.title().replace('_', '')}OfFrame", function) for op, function in SMOOTH.items()
}
BINARY: dict[str, StreamFilter] = {op: item(op.title(), function, "a b") for op, function in TWO.items()}


def _stored(op: str, value: str, is_first: bool) -> StreamFilter:
    """An operator whose other operand is stored."""
    terms = value.replace("a", "A").replace("b", "B") if op not in ("maximum", "minimum", "pow", "atan2") else value
    one, other = ("values[k]", "pop()") if is_first else ("pop()", "values[k]")
    if op in ("maximum", "minimum", "pow", "atan2"):
        terms = f"{value.split('(')[0]}({one}, {other})"
    else:
        terms = terms.replace("A", one).replace("B", other)
    text = f"""
float->float filter NAME(int n, String weights) {{
    tensor<float>[n] values = stored("", weights);
    work pop n push n {{
        for (int k = 0; k < n; k++) push({terms});
    }}
}}"""
    return StreamFilter(f"{'Stored' if is_first else ''}{op.title()}{'' if is_first else 'Stored'}", ("n",), text)


STORED: dict[str, StreamFilter] = {
    **{f"stream_{op}_stored": _stored(op, function.floats, False) for op, function in TWO.items()},
    **{f"stream_{op}_stored_first": _stored(op, function.floats, True) for op, function in TWO.items()},
}
