// Rules for operations that change shapes, and for tensors that are put together.

#include <fmt/format.h>

#include "tensor/detail/shape_rules.h"

namespace strc::tensor {

const Type* ReshapingRules::reshape() {
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
        return fail(fmt::format("{} elements of {} cannot stand as {}", count, toString(dims(0)),
                                toString(shape)));
    return types.tensor(element(0), std::move(shape));
}

const Type* ReshapingRules::flatten() {
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
    shape.insert(shape.end(), dims(0).begin() + static_cast<std::ptrdiff_t>(to) + 1, dims(0).end());
    return types.tensor(element(0), std::move(shape));
}

const Type* ReshapingRules::squeeze() {
    Dims shape = dims(0);
    const std::size_t at = dimensionAt(1, shape.size());
    if (!why.empty()) return nullptr;
    if (shape[at] != 1) return input(0);
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at));
    return types.tensor(element(0), std::move(shape));
}

const Type* ReshapingRules::unsqueeze() {
    Dims shape = dims(0);
    const std::size_t at = dimensionAt(1, shape.size() + 1);
    if (!why.empty()) return nullptr;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), 1);
    return types.tensor(element(0), std::move(shape));
}

const Type* ViewRules::transpose() {
    Dims shape = dims(0);
    const std::size_t a = dimensionAt(1, shape.size());
    const std::size_t b = dimensionAt(2, shape.size());
    if (!why.empty()) return nullptr;
    std::swap(shape[a], shape[b]);
    return types.tensor(element(0), std::move(shape));
}

const Type* ViewRules::permute() {
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

const Type* ViewRules::slice() {
    Dims shape = dims(0);
    const std::size_t at = dimensionAt(1, shape.size());
    const std::int64_t from = known(2);
    const std::int64_t to = known(3);
    const std::int64_t step = operands.size() > 4 ? known(4) : 1;
    if (!why.empty()) return nullptr;
    if (step < 1) return fail(fmt::format("a step of {} leads nowhere", step));
    if (from < 0 || to < from || to > shape[at])
        return fail(fmt::format("{} to {} does not lie in the {} items of dimension {}", from, to,
                                shape[at], at));
    shape[at] = (to - from + step - 1) / step;
    return types.tensor(element(0), std::move(shape));
}

const Type* ViewRules::narrow() {
    Dims shape = dims(0);
    const std::size_t at = dimensionAt(1, shape.size());
    const std::int64_t count = known(3);
    if (!why.empty()) return nullptr;
    checkPart(count, shape[at], at, 2);
    shape[at] = count;
    return types.tensor(element(0), std::move(shape));
}

const Type* ViewRules::flip() {
    dimensionAt(1, dims(0).size());
    return input(0);
}

const Type* ViewRules::windows() {
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

const Type* ViewRules::broadcastTo() {
    Dims shape = extents(1);
    if (!why.empty()) return nullptr;
    auto both = broadcast(shape, dims(0));
    if (!both || *both != shape)
        return fail(fmt::format("{} does not become {}", toString(dims(0)), toString(shape)));
    return types.tensor(element(0), std::move(shape));
}

const Type* GatherRules::take() {
    const std::size_t at = dimensionAt(2, dims(0).size());
    if (category(element(1)) != 1) return fail("items are named by integers");
    if (!why.empty()) return nullptr;
    Dims shape(dims(0).begin(), dims(0).begin() + static_cast<std::ptrdiff_t>(at));
    shape.insert(shape.end(), dims(1).begin(), dims(1).end());
    shape.insert(shape.end(), dims(0).begin() + static_cast<std::ptrdiff_t>(at) + 1, dims(0).end());
    return types.tensor(element(0), std::move(shape));
}

const Type* AssembledRules::cumSum() {
    dimensionAt(1, dims(0).size());
    return types.tensor(summed(), dims(0));
}

const Type* AssembledRules::attention() {
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

const Type* AssembledRules::pad() {
    Dims shape = dims(0);
    const std::size_t at = dimensionAt(1, shape.size());
    const std::int64_t before = known(2);
    const std::int64_t after = known(3);
    if (!why.empty()) return nullptr;
    if (before < 0 || after < 0) return fail("no less than 0 items can be added");
    shape[at] += before + after;
    return types.tensor(element(0), std::move(shape));
}

const Type* AssembledRules::spread() {
    Dims shape = dims(0);
    const std::size_t at = dimensionAt(1, shape.size());
    const std::int64_t step = known(2);
    if (!why.empty()) return nullptr;
    if (step < 1) return fail(fmt::format("a step of {} leads nowhere", step));
    if (shape[at] > 0) shape[at] = (shape[at] - 1) * step + 1;
    return types.tensor(element(0), std::move(shape));
}

const Type* AssembledRules::update() {
    const std::size_t at = dimensionAt(2, dims(0).size());
    if (!why.empty()) return nullptr;
    Dims part = dims(1);
    if (part.size() != dims(0).size())
        return fail(fmt::format("{} and {} have different numbers of dimensions", toString(dims(0)),
                                toString(part)));
    checkPart(part[at], dims(0)[at], at, 3);
    part[at] = dims(0)[at];
    if (part != dims(0))
        return fail(fmt::format("{} and {} differ in another dimension than {}", toString(dims(0)),
                                toString(dims(1)), at));
    return input(0);
}

const Type* AssembledRules::concat() {
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

}  // namespace strc::tensor
