"""The three ways to compute a forest, as text.

All of them go through the rows of the input in blocks, so that what is in work stays in the cache; the last block may begin with rows of
the one before it. They give batch x (groups * width) sums of doubles, in the order of the trees: tree t counts for group t % groups.
`$float` is the type in which features are compared with thresholds.
"""

from __future__ import annotations

from textwrap import indent


def _text(comment: str, parameters: str, fields: str, before: str, body: str) -> str:
    head = "\n".join(f"// {line}" for line in comment.split("\n"))
    return f"""
{head}
tensor->tensor filter $name(int trees, {parameters}, int width, int groups = 1,
                            int rows = 64, String weights = "") {{
{indent(fields.strip(), "    ")}
    work pop 1 push 1 {{
        tensor all = ($float) pop();
        int batch = size(all, 0);
        int block = (int) min(rows, batch);
{indent(before.strip() + chr(10) if before else "", "        ")}        tensor y = (double) zeros(batch, groups * width);
        for (int k = 0; k * block < batch; k++) {{
            int from = (int) min(k * block, batch - block);
            tensor x = narrow(all, 0, from, block);
{indent(body.strip(), "            ")}
            tensor values = reshape(value_of_each, block, trees / groups, groups * width);
            y = update(y, sum(values, 1), 0, from);
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
tensor<$float>[trees * nodes] threshold = stored(weights, "threshold");
tensor<float>[trees, nodes, leaves] below = stored(weights, "below");
tensor<float>[trees, 1, leaves] needed = stored(weights, "needed");
tensor<double>[trees, leaves, width] value = stored(weights, "value");
""",
    "",
    """
tensor holds = where(take(x, feature, 1) > threshold, 0.0, 1.0);
holds = transpose(reshape(holds, block, trees, nodes), 0, 1);
tensor reached = (double) (matmul(holds, below) == needed);
tensor value_of_each = transpose(matmul(reached, value), 0, 1);
""",
)

PERFECT = _text(
    "A forest of trees that are filled up to one depth. The children of node n of a tree are 2n + 1 and 2n + 2,\n"
    "so the way to a leaf is arithmetic.",
    "int depth",
    """
tensor<int>[trees * ((1 << depth) - 1)] feature = stored(weights, "feature");
tensor<$float>[trees * ((1 << depth) - 1)] threshold = stored(weights, "threshold");
tensor<double>[trees << depth, width] value = stored(weights, "value");
""",
    """
tensor root = (int) arange(trees) * ((1 << depth) - 1);
tensor first = (int) arange(trees) * (1 << depth) - ((1 << depth) - 1);
""",
    """
tensor row = unsqueeze((int) arange(block) * size(x, 1), 1);
tensor items = reshape(x, -1);
tensor at = (int) zeros(block, trees);
for (int level = 0; level < depth; level++)
    at = 2 * at + where(take(items, row + take(feature, root + at, 0), 0) > take(threshold, root + at, 0), 2, 1);
tensor value_of_each = take(value, first + at, 0);
""",
)

TRAVERSAL = _text(
    "A forest of trees as they are: one step down from every node, as often as the deepest tree needs. The children\n"
    "of a node are `left` and the one behind it; a leaf leads to itself.",
    "int depth, int nodes",
    """
tensor<int>[trees] root = stored(weights, "root");
tensor<int>[nodes] feature = stored(weights, "feature");
tensor<$float>[nodes] threshold = stored(weights, "threshold");
tensor<int>[nodes] left = stored(weights, "left");
tensor<double>[nodes, width] value = stored(weights, "value");
""",
    "",
    """
tensor row = unsqueeze((int) arange(block) * size(x, 1), 1);
tensor items = reshape(x, -1);
tensor at = broadcast(root, block, trees);
for (int step = 0; step < depth; step++)
    at = take(left, at, 0) + where(take(items, row + take(feature, at, 0), 0) > take(threshold, at, 0), 1, 0);
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
