#include "ir/contraction.h"

#include <algorithm>
#include <cstring>

namespace strc::ir {

static_assert(sizeof(ContractionLoop) == 4 * sizeof(std::int32_t));

Contraction contractionOf(const Instr& instr) {
    std::vector<ContractionLoop> rows(instr.value.bytes.size() / sizeof(ContractionLoop));
    std::memcpy(rows.data(), instr.value.bytes.data(), rows.size() * sizeof(ContractionLoop));
    Contraction result;
    result.out = rows[0].out;
    result.a = rows[0].a;
    result.b = rows[0].b;
    result.loops.assign(rows.begin() + 1, rows.end());
    return result;
}

Value toValue(const Contraction& contraction, types::TypeTable& types) {
    std::vector<ContractionLoop> rows{{0, contraction.out, contraction.a, contraction.b}};
    rows.insert(rows.end(), contraction.loops.begin(), contraction.loops.end());
    const Type* type =
        types.array(types.array(types.intType(), 4), static_cast<std::int64_t>(rows.size()));
    return {type, std::string(reinterpret_cast<const char*>(rows.data()),
                              rows.size() * sizeof(ContractionLoop))};
}

std::int64_t countProducts(const Contraction& contraction) {
    std::int64_t count = 1;
    for (const ContractionLoop& loop : contraction.loops) count *= loop.rounds;
    return count;
}

bool fits(const Contraction& contraction, std::int64_t out, std::int64_t a, std::int64_t b) {
    auto reaches = [&](std::int64_t first, std::int32_t ContractionLoop::* step,
                       std::int64_t length) {
        std::int64_t least = first, most = first;
        for (const ContractionLoop& loop : contraction.loops) {
            const std::int64_t way = static_cast<std::int64_t>(loop.rounds - 1) * loop.*step;
            (way < 0 ? least : most) += way;
        }
        return least >= 0 && most < length;
    };
    const bool isEmpty = std::any_of(contraction.loops.begin(), contraction.loops.end(),
                                     [](const ContractionLoop& loop) { return loop.rounds < 1; });
    return !isEmpty && reaches(contraction.out, &ContractionLoop::out, out) &&
           reaches(contraction.a, &ContractionLoop::a, a) &&
           reaches(contraction.b, &ContractionLoop::b, b);
}

}  // namespace strc::ir
