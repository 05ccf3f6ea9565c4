#include "ir/attention.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace strc::ir {
namespace {

constexpr std::int32_t kIsCausal = 1, kHasMask = 2;
constexpr std::size_t kColumns = 6, kInner = 6;  ///< rows before those of the loops around
constexpr std::size_t kFirst = 0, kScale = 1, kQueries = 2, kKeys = 3, kWidth = 4, kValues = 5;

using Row = std::array<std::int32_t, kColumns>;

Row rowOf(const AttentionLoop& loop) {
    return {loop.trips, loop.out, loop.query, loop.key, loop.value, loop.mask};
}

AttentionLoop loopOf(const Row& row) { return {row[0], row[1], row[2], row[3], row[4], row[5]}; }

/// As long as it says, of rows as wide as they are.
bool isTable(const Type* type) {
    return type && type->is(types::TypeKind::Array) && type->element->is(types::TypeKind::Array) &&
           type->element->element->is(types::TypeKind::Int) &&
           type->element->extent == static_cast<std::int64_t>(kColumns) &&
           type->extent >= static_cast<std::int64_t>(kInner);
}

}  // namespace

std::optional<Attention> attentionOf(const Instr& instr) {
    if (instr.op != Op::If || !isTable(instr.value.type)) return std::nullopt;
    std::vector<Row> rows(static_cast<std::size_t>(instr.value.type->extent));
    std::memcpy(rows.data(), instr.value.bytes.data(), rows.size() * sizeof(Row));
    Attention how;
    how.isCausal = (rows[kFirst][0] & kIsCausal) != 0;
    how.hasMask = (rows[kFirst][0] & kHasMask) != 0;
    how.first = loopOf(rows[kFirst]);
    how.first.trips = 1;
    how.scale = std::bit_cast<float>(rows[kScale][0]);
    how.queries = loopOf(rows[kQueries]);
    how.keys = loopOf(rows[kKeys]);
    how.width = loopOf(rows[kWidth]);
    how.values = loopOf(rows[kValues]);
    for (std::size_t k = kInner; k < rows.size(); ++k) how.outer.push_back(loopOf(rows[k]));
    return how;
}

bool tellsAttention(const Body& body) {
    return std::any_of(body.blocks.begin(), body.blocks.end(), [](const Block& block) {
        return std::any_of(block.instrs.begin(), block.instrs.end(),
                           [](const Instr& instr) { return attentionOf(instr).has_value(); });
    });
}

Value toValue(const Attention& how, types::TypeTable& types) {
    std::vector<Row> rows{rowOf(how.first),   {std::bit_cast<std::int32_t>(how.scale)},
                          rowOf(how.queries), rowOf(how.keys),
                          rowOf(how.width),   rowOf(how.values)};
    rows[kFirst][0] = (how.isCausal ? kIsCausal : 0) + (how.hasMask ? kHasMask : 0);
    for (const AttentionLoop& loop : how.outer) rows.push_back(rowOf(loop));
    const Type* row = types.array(types.intType(), static_cast<std::int64_t>(kColumns));
    Value value = Value::zero(types.array(row, static_cast<std::int64_t>(rows.size())));
    std::memcpy(value.bytes.data(), rows.data(), rows.size() * sizeof(Row));
    return value;
}

bool fits(const Attention& how, const std::vector<std::int64_t>& lengths) {
    using Step = std::int32_t AttentionLoop::*;
    constexpr Step kSteps[] = {&AttentionLoop::out, &AttentionLoop::query, &AttentionLoop::key,
                               &AttentionLoop::value, &AttentionLoop::mask};
    std::vector<AttentionLoop> loops{how.queries, how.keys, how.width, how.values};
    loops.insert(loops.end(), how.outer.begin(), how.outer.end());
    if (lengths.size() != (how.hasMask ? 5 : 4)) return false;
    for (std::size_t k = 0; k < lengths.size(); ++k) {
        std::int64_t low = how.first.*kSteps[k], high = low;
        for (const AttentionLoop& loop : loops) {
            if (loop.trips < 1) return false;
            const std::int64_t way = std::int64_t{loop.*kSteps[k]} * (loop.trips - 1);
            (way < 0 ? low : high) += way;
        }
        if (low < 0 || high >= lengths[k]) return false;
    }
    return true;
}

}  // namespace strc::ir
