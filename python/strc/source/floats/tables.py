"""Rows of a table by their numbers, and the number of the largest or least."""

from __future__ import annotations

from .filter import StreamFilter

TABLES = {
    "stream_embedding": StreamFilter("Embedding", ("rows", "columns"), """
// The row of a table for each number.
float->float filter NAME(int rows, int columns, String weights) {
    tensor<float>[rows, columns] table = stored(weights, "weight");
    work pop 1 push columns {
        int row = (int) pop();
        for (int k = 0; k < columns; k++) push(table[row, k]);
    }
}"""),
    "stream_argmax": StreamFilter("Argmax", ("n",), """
// Which of n numbers is the largest, of equal ones the first.
float->float filter NAME(int n) {
    work pop n push 1 {
        int best = 0;
        float most = peek(0);
        for (int k = 1; k < n; k++)
            if (peek(k) > most) {
                most = peek(k);
                best = k;
            }
        push((float) best);
        for (int k = 0; k < n; k++) pop();
    }
}"""),
    "stream_stored": StreamFilter("Stored", ("n",), """
// Stored numbers instead of those that come.
float->float filter NAME(int n, String weights) {
    tensor<float>[n] values = stored("", weights);
    work pop n push n {
        for (int k = 0; k < n; k++) {
            pop();
            push(values[k]);
        }
    }
}"""),
}
