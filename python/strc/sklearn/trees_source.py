"""The three ways to compute a forest, as text.

All of them go through the rows of the input in blocks, so that what is in work stays in the cache; the last block may begin with rows of
the one before it. They give batch x (groups * width) sums of doubles, in the order of the trees: tree t counts for group t % groups.
`$float` is the type in which features are compared with thresholds.
"""

from __future__ import annotations

from textwrap import indent

from ..source.printer import INDENT, wrapped


def _text(comment: str, parameters: str, fields: str, body: str) -> str:
    head = "\n".join(f"// {line}" for line in comment.split("\n"))
    formals = f"int trees, {parameters}, int width, int groups = 1, int rows = 64, String weights = \"\""
    heading = "\n".join(wrapped(f"tensor->tensor filter $name({formals}) {{", "", INDENT * 2))
    return f"""
{head}
{heading}
{indent(fields.strip(), "    ")}
    work pop 1 push 1 {{
        tensor all = ($float)pop();
        int batch = size(all, 0);
        int block = (int)min(rows, batch);
        tensor y = (double)zeros(batch, groups * width);
        for (int k = 0; k * block < batch; k++) {{
            int from = (int)min(k * block, batch - block);
            tensor x = narrow(all, 0, from, block);
{indent(body.strip(), "            ")}
            tensor sums = sum(reshape(value_of_each, trees / groups, groups, block, width), 0);
            y = update(y, reshape(transpose(sums, 0, 1), block, groups * width), 0, from);
        }}
        push(y);
    }}
}}"""


PRODUCTS = _text(
    "A forest as products of matrices: which conditions hold, which leaf has all that it needs, and its value.\n"
    "`below` is 1 for a leaf left of a node, -1 right of it, and 0 elsewhere.",
    "int nodes, int leaves",
    """
tensor<int>[trees * nodes] feature = stored(weights, "feature");
tensor<$float>[trees * nodes, 1] threshold = stored(weights, "threshold");
tensor<float>[trees, leaves, nodes] below = stored(weights, "below");
tensor<float>[trees, leaves, 1] needed = stored(weights, "needed");
tensor<double>[trees, width, leaves] value = stored(weights, "value");
""",
    """
tensor holds = where(take(transpose(x, 0, 1), feature, 0) > threshold, 0.0, 1.0);
tensor reached = (double)(matmul(below, reshape(holds, trees, nodes, block)) == needed);
tensor value_of_each = transpose(matmul(value, reached), 1, 2);
""",
)

PERFECT = _text(
    "A forest of trees that are filled up to one depth, stored level by level: in each, the children of a node are\n"
    "twice as far from the beginning as the node was, so the way to a leaf is arithmetic.",
    "int depth",
    """
tensor<int>[trees * ((1 << depth) - 1)] feature = stored(weights, "feature");
tensor<$float>[trees * ((1 << depth) - 1)] threshold = stored(weights, "threshold");
tensor<double>[trees << depth, width] value = stored(weights, "value");
""",
    """
tensor row = (int)arange(block) * size(x, 1);
tensor items = reshape(x, -1);
tensor at = broadcast(unsqueeze((int)arange(trees), 1), trees, block);
for (int level = 0; level < depth; level++) {
    int begin = trees * ((1 << level) - 1);
    tensor item = take(items, row + take(feature, begin + at, 0), 0);
    at = 2 * at + where(item > take(threshold, begin + at, 0), 1, 0);
}
tensor value_of_each = take(value, at, 0);
""",
)

TRAVERSAL = _text(
    "A forest of trees as they are: one step down from every node, as often as the deepest tree needs. The children\n"
    "of a node are `left` and the one behind it; a leaf leads to itself.",
    "int depth, int nodes",
    """
tensor<int>[trees, 1] root = stored(weights, "root");
tensor<int>[nodes] feature = stored(weights, "feature");
tensor<$float>[nodes] threshold = stored(weights, "threshold");
tensor<int>[nodes] left = stored(weights, "left");
tensor<double>[nodes, width] value = stored(weights, "value");
""",
    """
tensor row = (int)arange(block) * size(x, 1);
tensor items = reshape(x, -1);
tensor at = broadcast(root, trees, block);
for (int step = 0; step < depth; step++) {
    tensor item = take(items, row + take(feature, at, 0), 0);
    at = take(left, at, 0) + where(item > take(threshold, at, 0), 1, 0);
}
tensor value_of_each = take(value, at, 0);
""",
)


def _with_missing(text: str) -> str:
    """The same with further columns, in which NaN is infinite and nothing else: where a node looks at these, NaN goes right."""
    fields, line, work = text.partition("    work pop 1 push 1 {\n")
    first, _, rest = work.partition("\n")
    return (
        fields + '    tensor<$float>[1] greatest = stored(weights, "greatest");\n' + line + first
        + "\n        // Columns in which NaN is beyond every threshold stand behind the features."
        + "\n        all = concat(all, where(all == all, min(all, greatest), 1.0 / 0.0), 1);\n" + rest
    )


_PLAIN = {"GemmTrees": PRODUCTS, "PerfectTrees": PERFECT, "TraversedTrees": TRAVERSAL}
TREES = {**_PLAIN, **{f"{name}_missing": _with_missing(text) for name, text in _PLAIN.items()}}
