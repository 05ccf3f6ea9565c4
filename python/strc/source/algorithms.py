"""Filters of tensors that loop over elements: they are written into the program where the importer needs them."""

from __future__ import annotations

from .floats import StreamFilter


def _order(count: str, made: str) -> str:
    """`count` elements are in a row, of which there are n at most; `made` of the places is pushed."""
    return f"""
// Of each row the places of its elements in order, of equal ones the first first; NaN counts as the greatest.
tensor->tensor filter NAME(int rows, int n, boolean descending) {{
    boolean isBefore(double one, double other) {{
        if (descending) return one > other || (one != one && other == other);
        return one < other || (other != other && one == one);
    }}
    work pop 1 push 1 {{
        tensor<double> keys = (double) pop();
        int[rows][n] order;
        int[n] places;
        int[n] merged;
        double[n] key;
        for (int row = 0; row < rows; row++) {{
            for (int k = 0; k < {count}; k++) {{
                places[k] = k;
                key[k] = (double) keys[row, k];
            }}
            for (int width = 1; width < {count}; width *= 2) {{
                for (int low = 0; low < {count}; low += 2 * width) {{
                    int middle = (int) min(low + width, {count});
                    int high = (int) min(low + 2 * width, {count});
                    int left = low;
                    int right = middle;
                    for (int k = low; k < high; k++) {{
                        boolean takesRight = left >= middle;
                        if (left < middle && right < high)
                            takesRight = isBefore(key[places[right]], key[places[left]]);
                        if (takesRight) merged[k] = places[right++];
                        else merged[k] = places[left++];
                    }}
                }}
                for (int k = 0; k < {count}; k++) places[k] = merged[k];
            }}
            for (int k = 0; k < {count}; k++) order[row][k] = places[k];
        }}
        tensor made = order;
        push(long({made}));
    }}
}}"""

_LAST_PLACE = """
// Of each of n numbers the place where it stands last among those that arrive; -1 if it does not.
tensor->tensor filter NAME(int count, int n) {
    work pop 1 push 1 {
        tensor at = pop();
        int[n] places;
        for (int k = 0; k < n; k++) places[k] = -1;
        for (int k = 0; k < count; k++) places[(int) at[k]] = k;
        tensor made = places;
        push(long(made));
    }
}"""


def _reduce_at(kind: str, element: str) -> StreamFilter:
    text = {
        "sum": "made[place] + value", "prod": "made[place] * value",
        "amax": "value > made[place] || value != value ? value : made[place]",
        "amin": "value < made[place] || value != value ? value : made[place]",
    }[kind]
    return StreamFilter(f"{kind.title()}At", ("n", "count"), f"""
// A row, numbers that say places in it, and what becomes a part of the elements there.
tensor->tensor filter NAME(int n, int count) {{
    work pop 3 push 1 {{
        tensor x = pop();
        tensor at = pop();
        tensor values = pop();
        {element}[n] made;
        for (int k = 0; k < n; k++) made[k] = ({element}) x[k];
        for (int k = 0; k < count; k++) {{
            int place = (int) at[k];
            {element} value = ({element}) values[k];
            made[place] = {text};
        }}
        push(made);
    }}
}}""")


_LU = """
// Gaussian elimination with the greatest elements of columns as pivots: both factors in one matrix, the rows that were exchanged, and
// the sign of all exchanges. LAPACK's getrf.
tensor->tensor filter NAME(int batch, int rows, int columns, int least) {
    double length(double x) { return x < 0 ? -x : x; }
    work pop 1 push 3 {
        tensor x = pop();
        double[batch][rows][columns] a;
        int[batch][least] exchanged;
        double[batch] signs;
        for (int b = 0; b < batch; b++) {
            for (int i = 0; i < rows; i++) for (int j = 0; j < columns; j++) a[b][i][j] = (double) x[b, i, j];
            signs[b] = 1;
            for (int k = 0; k < least; k++) {
                int pivot = k;
                for (int i = k + 1; i < rows; i++) if (length(a[b][i][k]) > length(a[b][pivot][k])) pivot = i;
                exchanged[b][k] = pivot;
                if (pivot != k) signs[b] = -signs[b];
                for (int j = 0; j < columns; j++) {
                    double kept = a[b][k][j];
                    a[b][k][j] = a[b][pivot][j];
                    a[b][pivot][j] = kept;
                }
                if (a[b][k][k] != 0)
                    for (int i = k + 1; i < rows; i++) {
                        a[b][i][k] = a[b][i][k] / a[b][k][k];
                        for (int j = k + 1; j < columns; j++) a[b][i][j] = a[b][i][j] - a[b][i][k] * a[b][k][j];
                    }
            }
        }
        push(a);
        tensor places = exchanged;
        push(long(places));
        push(signs);
    }
}"""

_ROOT = """
    // By Newton's method from the float: functions of the language give floats.
    double root(double x) {
        if (x <= 0) return 0;
        double y = sqrt(x);
        if (y == 0) return 0;
        y = (y + x / y) / 2;
        return (y + x / y) / 2;
    }"""

_CHOLESKY = f"""
// Cholesky's lower factor of the lower half, and the order of the first minor that is not positive, or 0.
tensor->tensor filter NAME(int batch, int n) {{{_ROOT}
    work pop 1 push 2 {{
        tensor x = pop();
        double[batch][n][n] a;
        int[batch] failed;
        for (int b = 0; b < batch; b++) {{
            failed[b] = 0;
            for (int i = 0; i < n; i++)
                for (int j = 0; j <= i; j++) {{
                    double sum = (double) x[b, i, j];
                    for (int k = 0; k < j; k++) sum = sum - a[b][i][k] * a[b][j][k];
                    if (i == j) {{
                        if (!(sum > 0) && failed[b] == 0) failed[b] = i + 1;
                        a[b][i][i] = root(sum);
                    }} else a[b][i][j] = sum / a[b][j][j];
                }}
        }}
        push(a);
        tensor info = failed;
        push(long(info));
    }}
}}"""

_TRIANGULAR = """
// x of a x = b, where one half of a counts, and, with `unit`, not even its diagonal.
tensor->tensor filter NAME(int batch, int n, int columns, boolean upper, boolean unit) {
    work pop 2 push 1 {
        tensor a = pop();
        tensor given = pop();
        double[batch][n][columns] x;
        for (int b = 0; b < batch; b++)
            for (int step = 0; step < n; step++) {
                int i = upper ? n - 1 - step : step;
                for (int j = 0; j < columns; j++) {
                    double sum = (double) given[b, i, j];
                    int first = upper ? i + 1 : 0;
                    int end = upper ? n : i;
                    for (int k = first; k < end; k++) sum = sum - (double) a[b, i, k] * x[b][k][j];
                    if (!unit) sum = sum / (double) a[b, i, i];
                    x[b][i][j] = sum;
                }
            }
        push(x);
    }
}"""

_REFLECTIONS = f"""
// Householder's reflections, which make a matrix triangular: LAPACK's geqrf.
tensor->tensor filter NAME(int batch, int rows, int columns, int least) {{{_ROOT}
    work pop 1 push 2 {{
        tensor x = pop();
        double[batch][rows][columns] a;
        double[batch][least] tau;
        for (int b = 0; b < batch; b++) {{
            for (int i = 0; i < rows; i++) for (int j = 0; j < columns; j++) a[b][i][j] = (double) x[b, i, j];
            for (int k = 0; k < least; k++) {{
                double below = 0;
                for (int i = k + 1; i < rows; i++) below = below + a[b][i][k] * a[b][i][k];
                tau[b][k] = 0;
                if (below > 0) {{
                    double first = a[b][k][k];
                    double length = root(first * first + below);
                    double made = first > 0 ? -length : length;
                    tau[b][k] = (made - first) / made;
                    for (int i = k + 1; i < rows; i++) a[b][i][k] = a[b][i][k] / (first - made);
                    a[b][k][k] = made;
                    for (int j = k + 1; j < columns; j++) {{
                        double sum = a[b][k][j];
                        for (int i = k + 1; i < rows; i++) sum = sum + a[b][i][k] * a[b][i][j];
                        sum = sum * tau[b][k];
                        a[b][k][j] = a[b][k][j] - sum;
                        for (int i = k + 1; i < rows; i++) a[b][i][j] = a[b][i][j] - sum * a[b][i][k];
                    }}
                }}
            }}
        }}
        push(a);
        push(tau);
    }}
}}"""

_REFLECTED = """
// The product of reflections with a matrix.
tensor->tensor filter NAME(int batch, int rows, int columns, int least) {
    work pop 3 push 1 {
        tensor a = pop();
        tensor tau = pop();
        tensor given = pop();
        double[batch][rows][columns] x;
        for (int b = 0; b < batch; b++) {
            for (int i = 0; i < rows; i++) for (int j = 0; j < columns; j++) x[b][i][j] = (double) given[b, i, j];
            for (int step = 0; step < least; step++) {
                int k = least - 1 - step;
                for (int j = 0; j < columns; j++) {
                    double sum = x[b][k][j];
                    for (int i = k + 1; i < rows; i++) sum = sum + (double) a[b, i, k] * x[b][i][j];
                    sum = sum * (double) tau[b, k];
                    x[b][k][j] = x[b][k][j] - sum;
                    for (int i = k + 1; i < rows; i++) x[b][i][j] = x[b][i][j] - sum * (double) a[b, i, k];
                }
            }
        }
        push(x);
    }
}"""

_EIGH = f"""
// Eigenvalues of symmetric matrices, the least first, and vectors: Jacobi's rotations, row by row (Golub and Van Loan, 8.5).
tensor->tensor filter NAME(int batch, int n) {{{_ROOT}
    work pop 1 push 2 {{
        tensor x = pop();
        double[n][n] a;
        double[n][n] v;
        double[batch][n] values;
        double[batch][n][n] vectors;
        for (int b = 0; b < batch; b++) {{
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {{
                    a[i][j] = (double) x[b, i, j];
                    v[i][j] = i == j ? 1 : 0;
                }}
            for (int sweep = 0; sweep < 40; sweep++)
                for (int p = 0; p < n - 1; p++)
                    for (int q = p + 1; q < n; q++)
                        if (a[p][q] != 0) {{
                            double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                            double size = theta < 0 ? -theta : theta;
                            // There 1 does not count beside the square, which may overflow.
                            double t = size > 1e9 ? 0.5 / size : 1 / (size + root(theta * theta + 1));
                            if (theta < 0) t = -t;
                            double c = 1 / root(t * t + 1);
                            double s = t * c;
                            for (int k = 0; k < n; k++) {{
                                double one = a[k][p];
                                double other = a[k][q];
                                a[k][p] = c * one - s * other;
                                a[k][q] = s * one + c * other;
                            }}
                            for (int k = 0; k < n; k++) {{
                                double one = a[p][k];
                                double other = a[q][k];
                                a[p][k] = c * one - s * other;
                                a[q][k] = s * one + c * other;
                                one = v[k][p];
                                other = v[k][q];
                                v[k][p] = c * one - s * other;
                                v[k][q] = s * one + c * other;
                            }}
                            a[p][q] = 0;
                            a[q][p] = 0;
                        }}
            for (int place = 0; place < n; place++) {{
                int least = place;
                for (int i = place + 1; i < n; i++) if (a[i][i] < a[least][least]) least = i;
                values[b][place] = a[least][least];
                a[least][least] = a[place][place];
                for (int k = 0; k < n; k++) {{
                    vectors[b][k][place] = v[k][least];
                    v[k][least] = v[k][place];
                }}
            }}
        }}
        push(values);
        push(vectors);
    }}
}}"""


def _bits(name: str, sign: str) -> StreamFilter:
    return StreamFilter(f"Bits{name.title()}", ("n",), f"""
tensor->tensor filter NAME(int n) {{
    work pop 2 push 1 {{
        tensor a = pop();
        tensor b = pop();
        int[n] made;
        for (int k = 0; k < n; k++) made[k] = (int) a[k] {sign} (int) b[k];
        push(made);
    }}
}}""")


_COMMON_DIVISOR = """
// The greatest common divisor of longs by Euclid's algorithm, which takes 92 steps at most.
tensor->tensor filter NAME {
    work pop 2 push 1 {
        tensor a = pop();
        tensor b = pop();
        for (int k = 0; k < 92; k++) {
            tensor divisor = where(b == 0, 1, b);
            tensor rest = where(b == 0, 0, a - (a / divisor) * divisor);
            a = where(b == 0, a, b);
            b = rest;
        }
        push(where(a < 0, -a, a));
    }
}"""


def _polynomial(name: str, first: str, following: str) -> StreamFilter:
    return StreamFilter(name, ("count",), f"""
// A polynomial for each number x and each degree n, by its recurrence: p and q are those of the degrees k - 1 and k.
tensor->tensor filter NAME(int count) {{
    work pop 2 push 1 {{
        tensor points = pop();
        tensor degrees = pop();
        double[count] made;
        for (int i = 0; i < count; i++) {{
            double x = (double) points[i];
            int n = (int) degrees[i];
            double p = 1;
            double q = {first};
            for (int k = 1; k < n; k++) {{
                double next = {following};
                p = q;
                q = next;
            }}
            made[i] = n < 0 ? 0 : n == 0 ? 1 : q;
        }}
        push(made);
    }}
}}""")



# ---- as many elements as the run finds

_CHOSEN = """
        int[n] places;
        int count = 0;
        for (int k = 0; k < size(mask, 0); k++) if (mask[k]) places[count++] = k;
        tensor all = places;
        tensor<long> at = long(narrow(all, 0, 0, count));"""

_MASKED_SELECT = f"""
// The items that a mask of as many chooses; there are n at most.
tensor->tensor filter NAME(int n) {{
    work pop 2 push 1 {{
        tensor x = pop();
        tensor<boolean> mask = pop();{_CHOSEN}
        push(take(x, at, 0));
    }}
}}"""

_NONZERO = f"""
// Where the elements of a tensor stand that are not zero: a row for each, with its place in every dimension.
tensor->tensor filter NAME(int n, int rank, int[_] sizes) {{
    work pop 1 push 1 {{
        tensor<boolean> mask = reshape(pop() != 0, n);{_CHOSEN}
        int step = n / sizes[0];
        tensor made = unsqueeze(at / step, 1);
        for (int dim = 1; dim < rank; dim++) {{
            tensor rest = at - (at / step) * step;
            step = step / sizes[dim];
            made = concat(made, unsqueeze(rest / step, 1), 1);
        }}
        push(made);
    }}
}}"""

_PLACES = f"""
// Where the elements of a row stand that are not zero, in rows of one; there are n at most.
tensor->tensor filter NAME(int n) {{
    work pop 1 push 1 {{
        tensor<boolean> mask = pop() != 0;{_CHOSEN}
        push(unsqueeze(at, 1));
    }}
}}"""

_FRONT = """
// The first `most` of a dimension, or all of them if there are fewer.
tensor->tensor filter NAME(int dim, int most) {
    work pop 1 push 1 {
        tensor x = pop();
        push(narrow(x, dim, 0, (int) min(size(x, dim), most)));
    }
}"""

_FROM_FRONT = """
// Places in a dimension of what comes first, of which negative ones count from the end.
tensor->tensor filter NAME(int dim) {
    work pop 2 push 1 {
        int count = size(pop(), dim);
        tensor places = pop();
        push(where(places < 0, places + count, places));
    }
}"""

_FULL = """
// As many numbers as there are.
tensor->tensor filter NAME(KIND value) {
    work pop 1 push 1 {
        push(MADE(full(value, size(pop(), 0))));
    }
}"""


def _full(name: str, kind: str, made: str = "") -> StreamFilter:
    return StreamFilter(name, ("value",), _FULL.replace("KIND", kind).replace("MADE", made))


_RUN_LENGTHS = """
// Of where runs begin, and of how many elements there are: how long each run is.
tensor->tensor filter NAME(int n) {
    work pop 1 push 1 {
        tensor starts = pop();
        push(concat(narrow(starts, 0, 1, size(starts, 0) - 1), long(full(n, 1)), 0) - starts);
    }
}"""

ALGORITHMS: dict[str, StreamFilter] = {
    "order": StreamFilter("Order", ("rows", "n", "descending"), _order("n", "made")),
    "order_counted": StreamFilter("OrderCounted", ("rows", "n", "descending"), _order("size(keys, 1)", "narrow(made, 1, 0, size(keys, 1))")),
    "last_place": StreamFilter("LastPlace", ("count", "n"), _LAST_PLACE),
    **{
        f"reduce_at_{kind}_{element}": _reduce_at(kind, element)
        for kind in ("sum", "prod", "amax", "amin")
        for element in ("float", "double", "int")
    },
    **{f"bits_{name}": _bits(name, sign) for name, sign in (("and", "&"), ("or", "|"), ("xor", "^"))},
    "common_divisor": StreamFilter("CommonDivisor", (), _COMMON_DIVISOR),
    "chebyshev_t": _polynomial("ChebyshevT", "x", "2 * x * q - p"),
    "chebyshev_u": _polynomial("ChebyshevU", "2 * x", "2 * x * q - p"),
    "chebyshev_v": _polynomial("ChebyshevV", "2 * x - 1", "2 * x * q - p"),
    "chebyshev_w": _polynomial("ChebyshevW", "2 * x + 1", "2 * x * q - p"),
    "hermite_h": _polynomial("HermiteH", "2 * x", "2 * x * q - 2 * k * p"),
    "hermite_he": _polynomial("HermiteHe", "x", "x * q - k * p"),
    "laguerre": _polynomial("Laguerre", "1 - x", "((2 * k + 1 - x) * q - k * p) / (k + 1)"),
    "legendre": _polynomial("Legendre", "x", "((2 * k + 1) * x * q - k * p) / (k + 1)"),
    "masked_select": StreamFilter("MaskedSelect", ("n",), _MASKED_SELECT),
    "nonzero": StreamFilter("Nonzero", ("n", "rank", "sizes"), _NONZERO),
    "places_counted": StreamFilter("PlacesCounted", ("n",), _PLACES),
    "front": StreamFilter("Front", ("dim", "most"), _FRONT),
    "from_front_counted": StreamFilter("FromFrontCounted", ("dim",), _FROM_FRONT),
    "full_float": _full("FullFloat", "double", "(float) "),
    "full_long": _full("FullLong", "int", "long"),
    "run_lengths": StreamFilter("RunLengths", ("n",), _RUN_LENGTHS),
    "lu": StreamFilter("Lu", ("batch", "rows", "columns", "least"), _LU),
    "cholesky": StreamFilter("Cholesky", ("batch", "n"), _CHOLESKY),
    "triangular": StreamFilter("Triangular", ("batch", "n", "columns", "upper", "unit"), _TRIANGULAR),
    "reflections": StreamFilter("Reflections", ("batch", "rows", "columns", "least"), _REFLECTIONS),
    "reflected": StreamFilter("Reflected", ("batch", "rows", "columns", "least"), _REFLECTED),
    "eigh": StreamFilter("Eigh", ("batch", "n"), _EIGH),
}
