#pragma once
/// A linear filter as a matrix: each item that a firing pushes is a sum of multiples of the items that it peeks
/// at, plus a constant (Lamb, Thies, Amarasinghe, "Linear analysis and optimization of stream programs",
/// PLDI 2003, section 3.1). Rows are sparse.

#include <cstdint>
#include <string>
#include <vector>

#include "types/type.h"

namespace strc::linear {

using types::Type;

/// A factor. Of ints `re` is the value, which wraps; real numbers are kept in double precision.
struct Number {
    double re = 0;
    double im = 0;
    bool isZero() const { return re == 0 && im == 0; }
    bool operator==(const Number&) const = default;
};

enum class Domain : std::uint8_t { Int, Real, Complex };
/// The domain of items of that type, which is int, float, double or complex.
Domain domainOf(const Type*);

Number add(Domain, Number, Number);
Number multiply(Domain, Number, Number);

struct Term {
    std::int64_t item = 0;  ///< counted from the one that is popped first
    Number factor;
    bool operator==(const Term&) const = default;
};

/// Terms by ascending item, without zeros.
struct Affine {
    std::vector<Term> terms;
    Number constant;
    bool operator==(const Affine&) const = default;
};

/// Leaves out the smallest terms that together are less than what items of that type round away.
void dropNoise(const Type*, Affine&);

/// `to += factor * what`, the items of `what` moved on by `shift`.
void addTo(Domain, Affine& to, const Affine& what, Number factor, std::int64_t shift = 0);

struct Form {
    const Type* type = nullptr;  ///< of the items, on both sides
    std::int64_t pop = 0;
    std::int64_t peek = 0;  ///< items that have to be there, whether looked at or not; at least pop
    std::vector<Affine> rows;  ///< one an item that is pushed, in order
    /// By row: items that have to be there before its item can come, in what the form stands for. Empty: all
    /// of peek. A form of several filters may be further with part of its rows.
    std::vector<std::int64_t> needs = {};

    std::int64_t push() const { return static_cast<std::int64_t>(rows.size()); }
    /// Items of input that have to be there before `items` > 0 items can come, over any number of firings.
    std::int64_t need(std::int64_t items) const;
    /// Multiplications of a firing.
    std::int64_t terms() const;
};

/// "pop 2 peek 4 push 1, 3 terms", then a line a row: "  0.5*x0 + x1 - 2*x3 + 7"; of many, the first.
std::string print(const Form&);

}  // namespace strc::linear
