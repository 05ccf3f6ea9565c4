#include "tensor/shape.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/assert.h"

namespace strc::tensor {
namespace {

using types::MathFn;
using types::TensorFn;
using types::TypeKind;

/// boolean 0, integers 1, reals 2.
int category(const Type* element) {
    switch (element->kind) {
        case TypeKind::Boolean: return 0;
        case TypeKind::Int8:
        case TypeKind::Int:
        case TypeKind::Long: return 1;
        default: return 2;
    }
}

/// Within a category, the wider one.
int width(const Type* element) {
    switch (element->kind) {
        case TypeKind::Int8: return 1;
        case TypeKind::Int: return 2;
        case TypeKind::Long: return 3;
        case TypeKind::Half:
        case TypeKind::BFloat16: return 1;
        case TypeKind::Float: return 2;
        case TypeKind::Double: return 3;
        default: return 0;
    }
}

const Type* wider(const Type* a, const Type* b, types::TypeTable& types) {
    if (category(a) != category(b)) return category(a) > category(b) ? a : b;
    if (width(a) != width(b)) return width(a) > width(b) ? a : b;
    return a == b ? a : types.floatType();  // half and bfloat16
}

class Rule {
public:
    Rule(const ir::Instr& instr, std::span<const Operand> operands, types::TypeTable& types)
        : instr(instr), operands(operands), types(types) {}

    Shaped find() {
        const Type* type = dispatch();
        if (type && countElements(type) > INT32_MAX) {
            fail("the result has more than 2147483647 elements");
            type = nullptr;
        }
        return {why.empty() ? type : nullptr, why, isOfRun};
    }

private:
    const Type* dispatch() {
        switch (instr.tensor) {
#define FN(Id, name, signature, form, kind, shape, dimensions) \
    case TensorFn::Id: return shape();
#include "types/tensor_functions.def"
            case TensorFn::Count: break;
        }
        STRC_UNREACHABLE("operation on tensors");
    }

    // ---- operands

    const Type* fail(std::string sentence) {
        if (why.empty()) why = std::move(sentence);
        return nullptr;
    }
    const Type* input(std::size_t k) const { return operands[k].type; }
    const Dims& dims(std::size_t k) const { return operands[k].type->dims; }
    const Type* element(std::size_t k) const { return operands[k].type->element; }
    const Type* elementOf(const Type* scalar) const {
        return scalar->is(TypeKind::Bit) ? types.intType() : scalar;
    }

    /// The element type, or float for integers and booleans.
    const Type* real(std::size_t k) const {
        return category(element(k)) == 2 ? element(k) : types.floatType();
    }
    const Type* common(std::size_t a, std::size_t b) const {
        return promoted(input(a), input(b), types);
    }

    /// An int that the shape depends on.
    std::int64_t known(std::size_t k) {
        if (operands[k].constant) return operands[k].constant->toInt();
        isOfRun = isOfRun || why.empty();
        fail(fmt::format(
            "operand {} decides on the shape and is not known when the program is compiled",
            k + 1));
        return 0;
    }

    std::size_t dimensionAt(std::size_t k, std::size_t rank) {
        const std::int64_t value = known(k);
        if (auto found = dimension(value, rank)) return *found;
        fail(fmt::format("there is no dimension {} in {}", value,
                         rank == 0 ? "a tensor without dimensions"
                                   : fmt::format("{} dimension{}", rank, rank == 1 ? "" : "s")));
        return 0;
    }

    /// Operands from `first` on as extents.
    Dims extents(std::size_t first) {
        Dims result;
        for (std::size_t k = first; k < operands.size(); ++k) {
            result.push_back(known(k));
            if (why.empty() && result.back() < 0)
                fail(fmt::format("{} is no extent", result.back()));
        }
        return result;
    }

    // ---- element by element

    const Type* arithmetic() { return elementwise(common(0, 1)); }
    const Type* comparison() { return elementwise(types.boolean()); }
    const Type* math() { return elementwise(mathElement()); }
    const Type* function() { return elementwise(real(0)); }
    const Type* choice() { return elementwise(common(1, 2)); }
    const Type* cast() { return types.tensor(instr.type->element, dims(0)); }
    const Type* likeFirst() { return input(0); }

    const Type* elementwise(const Type* result) {
        Dims shape;
        for (const Operand& operand : operands) {
            auto both = broadcast(shape, operand.type->dims);
            if (!both)
                return fail(fmt::format("the shapes {} and {} do not fit each other",
                                        toString(shape), toString(operand.type->dims)));
            shape = std::move(*both);
        }
        return types.tensor(result, std::move(shape));
    }

    const Type* mathElement() {
        const Type* type = operands.size() == 2 ? common(0, 1) : element(0);
        switch (instr.math) {
            case MathFn::Abs:
            case MathFn::Min:
            case MathFn::Max:
            case MathFn::Floor:
            case MathFn::Ceil:
            case MathFn::Round:
            case MathFn::Rint: return type->is(TypeKind::Boolean) ? types.intType() : type;
            default: return category(type) == 2 ? type : types.floatType();
        }
    }

    // ---- over dimensions

    const Type* sum() { return reduced(summed()); }
    const Type* mean() { return reduced(real(0)); }
    const Type* extreme() { return reduced(element(0)); }
    const Type* indexOfGreatest() { return reduced(types.scalar(TypeKind::Long)); }

    const Type* summed() const {
        return category(element(0)) == 2 ? element(0) : types.scalar(TypeKind::Long);
    }

    const Type* reduced(const Type* result) {
        Dims shape = dims(0);
        if (operands.size() == 1) return types.tensor(result, Dims{});
        const std::size_t at = dimensionAt(1, shape.size());
        const bool keeps = operands.size() == 3 && known(2) != 0;
        if (!why.empty()) return nullptr;
        if (shape[at] == 0 && needsOne()) return fail(fmt::format("dimension {} has no items", at));
        if (keeps)
            shape[at] = 1;
        else
            shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at));
        return types.tensor(result, std::move(shape));
    }

    bool needsOne() const {
        return instr.tensor == TensorFn::Amax || instr.tensor == TensorFn::Amin ||
               instr.tensor == TensorFn::Argmax;
    }

    const Type* softmax() {
        if (dims(0).empty()) return fail("a tensor without dimensions has none to go over");
        if (operands.size() == 2) dimensionAt(1, dims(0).size());
        return types.tensor(real(0), dims(0));
    }

    const Type* cumSum() {
        dimensionAt(1, dims(0).size());
        return types.tensor(summed(), dims(0));
    }

    const Type* matmul() {
        Dims a = dims(0);
        Dims b = dims(1);
        if (a.empty() || b.empty()) return fail("both sides need at least one dimension");
        const bool isRow = a.size() == 1;
        const bool isColumn = b.size() == 1;
        if (isRow) a.insert(a.begin(), 1);
        if (isColumn) b.push_back(1);
        const std::int64_t inner = a.back();
        if (inner != b[b.size() - 2])
            return fail(fmt::format("the last dimension of {} has {} items, the {} of {} has {}",
                                    toString(dims(0)), inner,
                                    isColumn ? "only dimension" : "last but one", toString(dims(1)),
                                    b[b.size() - 2]));
        auto outer = broadcast(Dims(a.begin(), a.end() - 2), Dims(b.begin(), b.end() - 2));
        if (!outer)
            return fail(fmt::format("the shapes {} and {} do not fit each other", toString(dims(0)),
                                    toString(dims(1))));
        if (!isRow) outer->push_back(a[a.size() - 2]);
        if (!isColumn) outer->push_back(b.back());
        return types.tensor(common(0, 1), std::move(*outer));
    }

    /// One spatial dimension of a convolution.
    std::int64_t swept(std::int64_t extent, std::int64_t kernel, std::int64_t stride,
                       std::int64_t dilation) {
        if (stride < 1 || dilation < 1) {
            fail("strides and dilations are at least 1");
            return 0;
        }
        const std::int64_t reach = dilation * (kernel - 1) + 1;
        if (kernel < 1 || reach > extent) {
            fail(fmt::format("a window of {} does not fit into {}", reach, extent));
            return 0;
        }
        return (extent - reach) / stride + 1;
    }

    const Type* conv() {
        const Dims& x = dims(0);
        const Dims& weight = dims(1);
        if (weight.size() < 3)
            return fail("weights have the dimensions out, in / groups and those of the kernel");
        const std::size_t n = weight.size() - 2;
        if (operands.size() != 2 + 2 * n + 1)
            return fail(fmt::format("{} strides, {} dilations and the groups are {} operands", n, n,
                                    2 * n + 1));
        if (x.size() != n + 1 && x.size() != n + 2)
            return fail(
                fmt::format("{} has neither {} nor {} dimensions", toString(x), n + 1, n + 2));
        const std::size_t channel = x.size() - n - 1;
        const std::int64_t groups = known(operands.size() - 1);
        if (!why.empty()) return nullptr;
        if (groups < 1 || weight[0] % groups != 0)
            return fail(fmt::format("{} output channels do not make {} groups", weight[0], groups));
        if (x[channel] != weight[1] * groups)
            return fail(fmt::format("{} has {} channels, the weights take {}", toString(x),
                                    x[channel], weight[1] * groups));
        Dims shape = x;
        shape[channel] = weight[0];
        for (std::size_t k = 0; k < n; ++k)
            shape[channel + 1 + k] =
                swept(x[channel + 1 + k], weight[2 + k], known(2 + k), known(2 + n + k));
        return types.tensor(common(0, 1), std::move(shape));
    }

    const Type* attention() {
        const Dims& q = dims(0);
        const Dims& k = dims(1);
        const Dims& v = dims(2);
        if (q.size() < 2 || k.size() < 2 || v.size() < 2)
            return fail("queries, keys and values have two or more dimensions");
        const std::int64_t keys = k[k.size() - 2];
        auto shape = broadcast(Dims(q.begin(), q.end() - 2), Dims(k.begin(), k.end() - 2));
        if (shape) shape = broadcast(*shape, Dims(v.begin(), v.end() - 2));
        if (!shape || q.back() != k.back() || keys != v[v.size() - 2])
            return fail(fmt::format("the shapes {}, {} and {} do not fit each other", toString(q),
                                    toString(k), toString(v)));
        if (keys == 0) return fail("there are no keys");
        if (operands.size() > 3) known(3);
        shape->push_back(q[q.size() - 2]);
        shape->push_back(v.back());
        return types.tensor(real(0), std::move(*shape));
    }

    // ---- shapes

    const Type* reshape() {
        Dims shape;
        std::int64_t product = 1;
        std::optional<std::size_t> open;
        for (std::size_t k = 1; k < operands.size(); ++k) {
            shape.push_back(known(k));
            if (shape.back() == -1 && !open)
                open = k - 1;
            else if (shape.back() < 0)
                fail(fmt::format("{} is no extent", shape.back()));
            else
                product *= shape.back();
        }
        if (!why.empty()) return nullptr;
        const std::int64_t count = countElements(input(0));
        if (open && product > 0 && count % product == 0)
            shape[*open] = count / product;
        else if (open || product != count)
            return fail(fmt::format("{} elements of {} cannot stand as {}", count,
                                    toString(dims(0)), toString(shape)));
        return types.tensor(element(0), std::move(shape));
    }

    const Type* flatten() {
        const std::size_t rank = dims(0).size();
        if (rank == 0) return types.tensor(element(0), Dims{1});
        const std::size_t from = operands.size() > 1 ? dimensionAt(1, rank) : 0;
        const std::size_t to = operands.size() > 2 ? dimensionAt(2, rank) : rank - 1;
        if (!why.empty()) return nullptr;
        if (from > to) return fail(fmt::format("dimension {} stands behind {}", from, to));
        Dims shape(dims(0).begin(), dims(0).begin() + static_cast<std::ptrdiff_t>(from));
        std::int64_t product = 1;
        for (std::size_t k = from; k <= to; ++k) product *= dims(0)[k];
        shape.push_back(product);
        shape.insert(shape.end(), dims(0).begin() + static_cast<std::ptrdiff_t>(to) + 1,
                     dims(0).end());
        return types.tensor(element(0), std::move(shape));
    }

    const Type* transpose() {
        Dims shape = dims(0);
        const std::size_t a = dimensionAt(1, shape.size());
        const std::size_t b = dimensionAt(2, shape.size());
        if (!why.empty()) return nullptr;
        std::swap(shape[a], shape[b]);
        return types.tensor(element(0), std::move(shape));
    }

    const Type* permute() {
        const std::size_t rank = dims(0).size();
        if (operands.size() - 1 != rank)
            return fail(fmt::format("{} has {} dimensions, {} are named", toString(dims(0)), rank,
                                    operands.size() - 1));
        Dims shape;
        std::vector<bool> used(rank);
        for (std::size_t k = 0; k < rank; ++k) {
            const std::size_t from = dimensionAt(k + 1, rank);
            if (!why.empty()) return nullptr;
            if (used[from]) return fail(fmt::format("dimension {} is named twice", from));
            used[from] = true;
            shape.push_back(dims(0)[from]);
        }
        return types.tensor(element(0), std::move(shape));
    }

    const Type* squeeze() {
        Dims shape = dims(0);
        const std::size_t at = dimensionAt(1, shape.size());
        if (!why.empty()) return nullptr;
        if (shape[at] != 1) return input(0);
        shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at));
        return types.tensor(element(0), std::move(shape));
    }

    const Type* unsqueeze() {
        Dims shape = dims(0);
        const std::size_t at = dimensionAt(1, shape.size() + 1);
        if (!why.empty()) return nullptr;
        shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), 1);
        return types.tensor(element(0), std::move(shape));
    }

    const Type* slice() {
        Dims shape = dims(0);
        const std::size_t at = dimensionAt(1, shape.size());
        const std::int64_t from = known(2);
        const std::int64_t to = known(3);
        const std::int64_t step = operands.size() > 4 ? known(4) : 1;
        if (!why.empty()) return nullptr;
        if (step < 1) return fail(fmt::format("a step of {} leads nowhere", step));
        if (from < 0 || to < from || to > shape[at])
            return fail(fmt::format("{} to {} does not lie in the {} items of dimension {}", from,
                                    to, shape[at], at));
        shape[at] = (to - from + step - 1) / step;
        return types.tensor(element(0), std::move(shape));
    }

    const Type* narrow() {
        Dims shape = dims(0);
        const std::size_t at = dimensionAt(1, shape.size());
        const std::int64_t count = known(3);
        if (!why.empty()) return nullptr;
        checkPart(count, shape[at], at, 2);
        shape[at] = count;
        return types.tensor(element(0), std::move(shape));
    }

    /// `count` items from the one that operand `first` names, if that is known already.
    void checkPart(std::int64_t count, std::int64_t extent, std::size_t at, std::size_t first) {
        const std::int64_t from = operands[first].constant ? operands[first].constant->toInt() : 0;
        if (count < 0 || from < 0 || from + count > extent)
            fail(fmt::format("{} items from {} on do not lie in the {} items of dimension {}",
                             count, from, extent, at));
    }

    const Type* flip() {
        dimensionAt(1, dims(0).size());
        return input(0);
    }

    const Type* windows() {
        Dims shape = dims(0);
        const std::size_t at = dimensionAt(1, shape.size());
        const std::int64_t size = known(2);
        const std::int64_t step = known(3);
        const std::int64_t dilation = operands.size() > 4 ? known(4) : 1;
        if (!why.empty()) return nullptr;
        shape[at] = swept(shape[at], size, step, dilation);
        shape.push_back(size);
        return types.tensor(element(0), std::move(shape));
    }

    const Type* pad() {
        Dims shape = dims(0);
        const std::size_t at = dimensionAt(1, shape.size());
        const std::int64_t before = known(2);
        const std::int64_t after = known(3);
        if (!why.empty()) return nullptr;
        if (before < 0 || after < 0) return fail("no less than 0 items can be added");
        shape[at] += before + after;
        return types.tensor(element(0), std::move(shape));
    }

    const Type* spread() {
        Dims shape = dims(0);
        const std::size_t at = dimensionAt(1, shape.size());
        const std::int64_t step = known(2);
        if (!why.empty()) return nullptr;
        if (step < 1) return fail(fmt::format("a step of {} leads nowhere", step));
        if (shape[at] > 0) shape[at] = (shape[at] - 1) * step + 1;
        return types.tensor(element(0), std::move(shape));
    }

    const Type* update() {
        const std::size_t at = dimensionAt(2, dims(0).size());
        if (!why.empty()) return nullptr;
        Dims part = dims(1);
        if (part.size() != dims(0).size())
            return fail(fmt::format("{} and {} have different numbers of dimensions",
                                    toString(dims(0)), toString(part)));
        checkPart(part[at], dims(0)[at], at, 3);
        part[at] = dims(0)[at];
        if (part != dims(0))
            return fail(fmt::format("{} and {} differ in another dimension than {}",
                                    toString(dims(0)), toString(dims(1)), at));
        return input(0);
    }

    const Type* take() {
        const std::size_t at = dimensionAt(2, dims(0).size());
        if (category(element(1)) != 1) return fail("items are named by integers");
        if (!why.empty()) return nullptr;
        Dims shape(dims(0).begin(), dims(0).begin() + static_cast<std::ptrdiff_t>(at));
        shape.insert(shape.end(), dims(1).begin(), dims(1).end());
        shape.insert(shape.end(), dims(0).begin() + static_cast<std::ptrdiff_t>(at) + 1,
                     dims(0).end());
        return types.tensor(element(0), std::move(shape));
    }

    const Type* broadcastTo() {
        Dims shape = extents(1);
        if (!why.empty()) return nullptr;
        auto both = broadcast(shape, dims(0));
        if (!both || *both != shape)
            return fail(fmt::format("{} does not become {}", toString(dims(0)), toString(shape)));
        return types.tensor(element(0), std::move(shape));
    }

    const Type* concat() {
        const std::size_t count = operands.size() - 1;
        Dims shape = dims(0);
        const std::size_t at = dimensionAt(count, shape.size());
        if (!why.empty()) return nullptr;
        const Type* result = element(0);
        for (std::size_t k = 1; k < count; ++k) {
            Dims other = dims(k);
            if (other.size() != shape.size())
                return fail(fmt::format("{} and {} have different numbers of dimensions",
                                        toString(dims(0)), toString(other)));
            const std::int64_t more = other[at];
            other[at] = shape[at];
            if (other != shape)
                return fail(fmt::format("{} and {} differ in another dimension than {}",
                                        toString(dims(0)), toString(dims(k)), at));
            shape[at] += more;
            result = wider(result, element(k), types);
        }
        return types.tensor(result, std::move(shape));
    }

    // ---- made of numbers

    const Type* made() { return types.tensor(types.floatType(), extents(0)); }
    const Type* full() { return types.tensor(elementOf(operands[0].type), extents(1)); }
    const Type* arange() { return types.tensor(types.scalar(TypeKind::Long), extents(0)); }

    /// As far as it is said: all of it, or nothing.
    const Type* stored() {
        if (operands.size() == 2) return types.tensor();
        return types.tensor(types.floatType(), extents(2));
    }

    // ---- scalars

    const Type* fromScalar() { return types.tensor(elementOf(operands[0].type), Dims{}); }
    const Type* rank() { return types.intType(); }

    const Type* fromArray() {
        const Type* type = input(0);
        if (!isConcrete(type))
            return fail("the length of the array is not known when the program is compiled");
        Dims shape;
        for (; type->is(TypeKind::Array); type = type->element) shape.push_back(type->extent);
        return types.tensor(elementOf(type), std::move(shape));
    }

    const Type* negation() {
        if (element(0)->is(TypeKind::Boolean)) return input(0);
        return fail("the elements have to be booleans: compare them with 0");
    }

    /// Is the element what the program takes it for?
    const Type* scalar() {
        const Type* wanted = instr.type;
        const Type* have = element(0);
        if (have->is(TypeKind::Int8) || have->is(TypeKind::Long)) have = types.intType();
        if (have->is(TypeKind::Half) || have->is(TypeKind::BFloat16)) have = types.floatType();
        if (have == wanted) return wanted;
        return fail(fmt::format(
            "an element is {} here and is read as {}; declare the tensor with its "
            "element type, 'tensor<{}>'",
            types::toString(have), types::toString(wanted), types::toString(element(0))));
    }

    const Type* read() {
        const std::size_t rank = dims(0).size();
        if (operands.size() - 1 != rank)
            return fail(fmt::format(
                "{} index{} for a tensor of shape {}{}", operands.size() - 1,
                operands.size() == 2 ? "" : "es", toString(dims(0)),
                operands.size() - 1 < rank ? "; 'narrow' and 'squeeze' give a part of it" : ""));
        for (std::size_t k = 0; k < rank; ++k) {
            if (!operands[k + 1].constant) continue;
            const std::int64_t at = operands[k + 1].constant->toInt();
            if (at < 0 || at >= dims(0)[k])
                return fail(fmt::format("index {} does not lie in the {} items of dimension {}", at,
                                        dims(0)[k], k));
        }
        return scalar();
    }

    const Type* item() {
        if (countElements(input(0)) != 1)
            return fail(fmt::format("{} is not one element", toString(dims(0))));
        return scalar();
    }

    const Type* size() {
        dimensionAt(1, dims(0).size());
        return types.intType();
    }

    const ir::Instr& instr;
    std::span<const Operand> operands;
    types::TypeTable& types;
    std::string why;
    bool isOfRun = false;
};

}  // namespace

const Type* promoted(const Type* a, const Type* b, types::TypeTable& types) {
    const bool isWeakA = a->dims.empty() && !b->dims.empty();
    const bool isWeakB = b->dims.empty() && !a->dims.empty();
    if (isWeakA && category(a->element) <= category(b->element)) return b->element;
    if (isWeakB && category(b->element) <= category(a->element)) return a->element;
    return wider(a->element, b->element, types);
}

std::optional<Dims> broadcast(const Dims& a, const Dims& b) {
    const Dims& longer = a.size() >= b.size() ? a : b;
    const Dims& shorter = a.size() >= b.size() ? b : a;
    Dims result = longer;
    const std::size_t shift = longer.size() - shorter.size();
    for (std::size_t k = 0; k < shorter.size(); ++k) {
        std::int64_t& extent = result[k + shift];
        if (extent == shorter[k] || shorter[k] == 1) continue;
        if (extent != 1) return std::nullopt;
        extent = shorter[k];
    }
    return result;
}

std::optional<std::size_t> dimension(std::int64_t value, std::size_t rank) {
    const auto count = static_cast<std::int64_t>(rank);
    if (value < 0) value += count;
    if (value < 0 || value >= count) return std::nullopt;
    return static_cast<std::size_t>(value);
}

std::string toString(const Dims& dims) {
    if (dims.empty()) return "no dimensions";
    std::string text;
    for (std::int64_t extent : dims) text += (text.empty() ? "" : "x") + std::to_string(extent);
    return text;
}

Shaped resultOf(const ir::Instr& instr, std::span<const Operand> operands,
                types::TypeTable& types) {
    return Rule(instr, operands, types).find();
}

}  // namespace strc::tensor
