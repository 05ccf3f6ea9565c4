"""Products with one of several matrices, as mixtures of experts have them."""

from __future__ import annotations

from .floats import StreamFilter

_GROUPED_PRODUCT = """
// Each row times the matrix of its expert. Rows are in the order of their experts, and the numbers say where those of each expert end.
tensor->tensor filter NAME(int rows, int experts, int inputs, int outputs, String weights) {
    tensor<float>[experts, inputs, outputs] weight = stored(weights, "weight");
    work pop 2 push 1 {
        tensor x = pop();
        tensor ends = pop();
        float[rows][outputs] made;
        int expert = 0;
        for (int row = 0; row < rows; row++) {
            for (int next = expert; next < experts - 1; next++) if (row >= (int) ends[next]) expert = next + 1;
            tensor y = matmul(narrow(x, 0, row, 1), squeeze(narrow(weight, 0, expert, 1), 0));
            for (int k = 0; k < outputs; k++) made[row][k] = y[0, k];
        }
        push(made);
    }
}"""

EXPERTS = {"grouped_product": StreamFilter("GroupedProduct", ("rows", "experts", "inputs", "outputs"), _GROUPED_PRODUCT)}
