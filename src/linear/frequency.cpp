#include "linear/detail/frequency.h"

#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

#include "linear/detail/writer.h"

namespace strc::linear {
namespace {

using ir::Op;
using ir::Reg;

/// Firings at once: two transforms' worth, one of which is the real part and one the imaginary part.
constexpr std::int64_t kHalf = 512;
/// Fewer terms are as fast one by one in lanes.
constexpr std::int64_t kFewestTerms = 256;
constexpr std::int64_t kMostPoints = 4096;

using Complex = std::complex<double>;

std::uint64_t reversed(std::uint64_t number, std::int64_t count) {
    std::uint64_t result = 0;
    for (std::int64_t bit = 1; bit < count; bit *= 2) {
        result = 2 * result + (number & 1);
        number /= 2;
    }
    return result;
}

Complex root(std::int64_t power, std::int64_t of) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(power % of) / static_cast<double>(of);
    return {std::cos(angle), std::sin(angle)};
}

/// Sizes: `points` items as `rows` rows of `columns`.
struct Grid {
    std::int64_t points, rows, columns;
};

/// A local with the real parts and one with the imaginary ones: arrays of arrays.
struct Field {
    Reg re, im;
};

/// A matrix of constants.
struct Table {
    Reg re, im;
};

class SpectrumSynthesis {
public:
    SpectrumSynthesis(const Form& wanted, Grid size, std::int64_t firstItem, std::int64_t items,
                      base::SourceRange range, types::TypeTable& table)
        : form(wanted),
          type(wanted.type),
          grid(size),
          first(firstItem),
          length(items),
          types(table),
          w(table, range) {}

    ir::Body run() {
        const Field a = field("a", grid.rows, grid.columns),
                    b = field("b", grid.rows, grid.columns);
        const Field c = field("c", grid.columns, grid.rows),
                    d = field("d", grid.columns, grid.rows);
        read(a);
        Field end = transform(a, b, grid.rows, grid.columns, false);
        turn(end, c, grid.rows, grid.columns, false);
        end = transform(c, d, grid.columns, grid.rows, false);
        const Field other = end.re == c.re ? d : c;
        multiply(end, other);
        end = transform(other, end, grid.columns, grid.rows, true);
        turn(end, a, grid.columns, grid.rows, true);
        end = transform(a, b, grid.rows, grid.columns, true);
        write(end.re);
        write(end.im);
        w.finishWith(w.truth());
        return w.finish();
    }

private:
    const Type* matrix(std::int64_t rows, std::int64_t columns) {
        return types.array(types.array(type, columns), rows);
    }

    Field field(const std::string& name, std::int64_t rows, std::int64_t columns) {
        const std::uint32_t re = w.local(name + "_re", matrix(rows, columns));
        const std::uint32_t im = w.local(name + "_im", matrix(rows, columns));
        return {w.address(re), w.address(im)};
    }

    Table table(const Type* of, const std::vector<Complex>& numbers) {
        std::vector<Number> re, im;
        for (Complex number : numbers) {
            re.push_back({number.real(), 0});
            im.push_back({number.imag(), 0});
        }
        return {w.table(of, re), w.table(of, im)};
    }

    Reg sum(Reg a, Reg b) { return w.operation(Op::Add, type, {a, b}); }
    Reg difference(Reg a, Reg b) { return w.operation(Op::Sub, type, {a, b}); }
    Reg product(Reg a, Reg b) { return w.operation(Op::Mul, type, {a, b}); }
    Reg plus(Reg index, std::int64_t more) {
        return more == 0 ? index : w.operation(Op::Add, types.intType(), {index, w.integer(more)});
    }
    Reg times(Reg index, std::int64_t factor) {
        return w.operation(Op::Mul, types.intType(), {index, w.integer(factor)});
    }
    Reg added(Reg a, Reg b) { return w.operation(Op::Add, types.intType(), {a, b}); }

    // ---- in and out

    /// Reads the window of all firings of the block, and fills the transform up with zeros.
    void read(Field to) {
        const std::int64_t items = kHalf + length - 1;
        for (const auto& [part, from] :
             {std::pair{to.re, first}, std::pair{to.im, first + kHalf}}) {
            const std::int64_t full = items / grid.columns;
            if (full > 0)
                w.loop(full, [&](Reg row) {
                    readRow(part, row, grid.columns, plus(times(row, grid.columns), from));
                });
            if (full == grid.rows) continue;
            const Reg row = w.integer(full);
            const std::int64_t rest = items % grid.columns;
            if (rest > 0) readRow(part, row, rest, w.integer(full * grid.columns + from));
            const Reg zero = w.constant(type, {});
            const Reg end = w.reference(part, row);
            w.loop(grid.columns - rest, [&](Reg c) { w.setElement(end, plus(c, rest), zero); });
            if (full + 1 < grid.rows)
                w.loop(grid.rows - full - 1, [&](Reg r) {
                    const Reg empty = w.reference(part, plus(r, full + 1));
                    w.loop(grid.columns, [&](Reg c) { w.setElement(empty, c, zero); });
                });
        }
    }

    void readRow(Reg part, Reg row, std::int64_t count, Reg offset) {
        const Reg to = w.reference(part, row);
        w.loop(count, [&](Reg c) { w.setElement(to, c, w.peek(type, added(offset, c))); });
    }

    void write(Reg part) {
        w.loop(kHalf / grid.columns, [&](Reg row) {
            const Reg from = w.reference(part, row);
            w.loop(grid.columns, [&](Reg c) { w.push(type, w.element(from, c)); });
        });
    }

    // ---- transforms of all columns at once

    /// Forwards the order of the rows is reversed by bits, backwards it becomes the natural one again. Where the
    /// result lies: in one of the two.
    Field transform(Field from, Field to, std::int64_t rows, std::int64_t columns, bool isInverse) {
        std::vector<Complex> roots;
        for (std::int64_t k = 0; k < rows / 2; ++k)
            roots.push_back(isInverse ? root(k, rows) : std::conj(root(k, rows)));
        const Table factors = table(types.array(type, rows / 2), roots);
        for (std::int64_t k = 1; k < rows; k *= 2) {
            stage(from, to, {rows, columns, isInverse ? k : rows / 2 / k, isInverse}, factors);
            std::swap(from, to);
        }
        return from;
    }

    struct Stage {
        std::int64_t rows, columns, half;
        bool isInverse;
    };

    void stage(Field from, Field to, const Stage& how, Table factors) {
        w.loop(how.rows / (2 * how.half), [&](Reg group) {
            w.loop(how.half, [&](Reg j) {
                const Reg top = added(times(group, 2 * how.half), j);
                const Reg bottom = plus(top, how.half);
                const Reg power = times(j, how.rows / (2 * how.half));
                const Field factor{w.element(factors.re, power), w.element(factors.im, power)};
                butterflies(rowsOf(from, top, bottom), rowsOf(to, top, bottom), factor, how);
            });
        });
    }

    struct Rows {
        Field top, bottom;
    };
    Rows rowsOf(Field of, Reg top, Reg bottom) {
        return {{w.reference(of.re, top), w.reference(of.im, top)},
                {w.reference(of.re, bottom), w.reference(of.im, bottom)}};
    }

    void butterflies(Rows from, Rows to, Field factor, const Stage& how) {
        w.loop(how.columns, [&](Reg c) {
            const Field a{w.element(from.top.re, c), w.element(from.top.im, c)};
            Field b{w.element(from.bottom.re, c), w.element(from.bottom.im, c)};
            if (how.isInverse && how.half > 1) b = multiplied(b, factor);
            w.setElement(to.top.re, c, sum(a.re, b.re));
            w.setElement(to.top.im, c, sum(a.im, b.im));
            Field rest{difference(a.re, b.re), difference(a.im, b.im)};
            if (!how.isInverse && how.half > 1) rest = multiplied(rest, factor);
            w.setElement(to.bottom.re, c, rest.re);
            w.setElement(to.bottom.im, c, rest.im);
        });
    }

    Field multiplied(Field a, Field b) {
        return {difference(product(a.re, b.re), product(a.im, b.im)),
                sum(product(a.re, b.im), product(a.im, b.re))};
    }

    // ---- between them

    /// Rows become columns, each item times its root of unity.
    void turn(Field from, Field to, std::int64_t rows, std::int64_t columns, bool isInverse) {
        std::vector<Complex> roots;
        for (std::int64_t c = 0; c < columns; ++c)
            for (std::int64_t r = 0; r < rows; ++r) {
                const std::int64_t time = isInverse ? r : c, band = isInverse ? c : r;
                const auto power = static_cast<std::int64_t>(
                    static_cast<std::uint64_t>(time) *
                    reversed(static_cast<std::uint64_t>(band), grid.rows));
                roots.push_back(isInverse ? root(power, grid.points)
                                          : std::conj(root(power, grid.points)));
            }
        const Table factors = table(matrix(columns, rows), roots);
        w.loop(columns, [&](Reg c) {
            const Field row{w.reference(to.re, c), w.reference(to.im, c)};
            const Field factorRow{w.reference(factors.re, c), w.reference(factors.im, c)};
            w.loop(rows, [&](Reg r) {
                const Field x{w.element(w.reference(from.re, r), c),
                              w.element(w.reference(from.im, r), c)};
                const Field y =
                    multiplied(x, {w.element(factorRow.re, r), w.element(factorRow.im, r)});
                w.setElement(row.re, r, y.re);
                w.setElement(row.im, r, y.im);
            });
        });
    }

    /// The filter's spectrum, divided by the number of points, so that the transform back needs no scaling.
    std::vector<Complex> spectrum() const {
        std::vector<Complex> roots, bands;
        for (std::int64_t k = 0; k < grid.points; ++k) roots.push_back(root(k, grid.points));
        for (std::int64_t c = 0; c < grid.columns; ++c)
            for (std::int64_t r = 0; r < grid.rows; ++r) {
                const auto band = static_cast<std::int64_t>(
                    reversed(static_cast<std::uint64_t>(r), grid.rows) +
                    static_cast<std::uint64_t>(grid.rows) *
                        reversed(static_cast<std::uint64_t>(c), grid.columns));
                Complex total = 0;
                for (const Term& term : form.rows[0].terms)
                    total +=
                        term.factor.re *
                        roots[static_cast<std::size_t>((term.item - first) * band % grid.points)];
                bands.push_back(total / static_cast<double>(grid.points));
            }
        return bands;
    }

    void multiply(Field from, Field to) {
        const Table bands = table(matrix(grid.columns, grid.rows), spectrum());
        w.loop(grid.columns, [&](Reg c) {
            const Field x{w.reference(from.re, c), w.reference(from.im, c)};
            const Field h{w.reference(bands.re, c), w.reference(bands.im, c)};
            const Field y{w.reference(to.re, c), w.reference(to.im, c)};
            w.loop(grid.rows, [&](Reg r) {
                const Field z = multiplied({w.element(x.re, r), w.element(x.im, r)},
                                           {w.element(h.re, r), w.element(h.im, r)});
                w.setElement(y.re, r, z.re);
                w.setElement(y.im, r, z.im);
            });
        });
    }

    const Form& form;
    const Type* type;
    Grid grid;
    std::int64_t first, length;
    types::TypeTable& types;
    Writer w;
};

/// Where its terms begin, and how far they reach.
struct Extent {
    std::int64_t first, length, points;
};
Extent extentOf(const Form& form) {
    const std::vector<Term>& terms = form.rows[0].terms;
    const std::int64_t first = terms.front().item, length = terms.back().item - first + 1;
    return {
        first, length,
        static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(kHalf + length - 1)))};
}

}  // namespace

bool paysInFrequency(const Form& form) {
    const bool isFir = form.type->is(types::TypeKind::Float) && form.pop == 1 && form.push() == 1;
    if (!isFir || form.terms() < kFewestTerms || !form.rows[0].constant.isZero()) return false;
    // A long filter with gaps may have too few terms for its length.
    const Extent extent = extentOf(form);
    return extent.points <= kMostPoints && 2 * form.terms() >= extent.length;
}

elab::Blocks inFrequency(const Form& form, base::SourceRange range, types::TypeTable& types) {
    const Extent extent = extentOf(form);
    Grid grid{extent.points, 1, 0};
    while (grid.rows * grid.rows * 4 <= grid.points) grid.rows *= 2;
    grid.columns = grid.points / grid.rows;
    return {2 * kHalf,
            {graph::fixedRate(0), graph::fixedRate(2 * kHalf - 1 + form.peek),
             graph::fixedRate(2 * kHalf)},
            SpectrumSynthesis(form, grid, extent.first, extent.length, range, types).run()};
}

}  // namespace strc::linear
