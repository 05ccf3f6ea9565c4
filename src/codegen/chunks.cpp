// What the runtime needs to know when threads share a program, as constants.

#include "codegen/detail/chunks.h"

#include <algorithm>
#include <numeric>

#include "strc/chunks.h"

namespace strc::codegen {
namespace {

constexpr std::uint64_t kAlignment = 16;  ///< of what is handed over

strc_carry_kind kindOf(plan::CarryKind kind) {
    switch (kind) {
        case plan::CarryKind::Affine: return STRC_CARRY_AFFINE;
        case plan::CarryKind::Counter: return STRC_CARRY_COUNTER;
        case plan::CarryKind::Random: return STRC_CARRY_RANDOM;
        case plan::CarryKind::Mail: return STRC_CARRY_MAIL;
        case plan::CarryKind::State:
        case plan::CarryKind::Items:
        case plan::CarryKind::Order: break;
    }
    return STRC_CARRY_BYTES;
}

/// In the order in which they are taken, with places in what is handed over.
std::vector<strc_carry> rowsOf(const plan::Chunk& chunk, std::uint64_t& handed) {
    std::vector<strc_carry> rows;
    for (const plan::Carry& carry : chunk.carries) {
        strc_carry row{};
        row.from = static_cast<std::uint64_t>(carry.from);
        row.per_slice = static_cast<std::uint64_t>(carry.perSlice);
        row.to = static_cast<std::uint64_t>(carry.to);
        row.size = static_cast<std::uint64_t>(carry.size);
        row.at = handed;
        row.taken = static_cast<std::uint32_t>(carry.taken);
        row.given = static_cast<std::uint32_t>(carry.given);
        row.kind = kindOf(carry.kind);
        row.factor = carry.factor;
        row.summand = carry.summand;
        row.mask = carry.mask;
        rows.push_back(row);
        handed += (row.size + kAlignment - 1) / kAlignment * kAlignment;
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const strc_carry& a, const strc_carry& b) { return a.taken < b.taken; });
    return rows;
}

/// What is computed is given where it is taken.
std::vector<std::uint32_t> givenInOrder(const std::vector<strc_carry>& rows) {
    std::vector<std::uint32_t> numbers(rows.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    std::stable_sort(numbers.begin(), numbers.end(), [&](std::uint32_t a, std::uint32_t b) {
        return rows[a].given < rows[b].given;
    });
    return numbers;
}

llvm::Constant* global(ModuleBuilder& m, llvm::Constant* contents, const char* name) {
    return new llvm::GlobalVariable(m.module, contents->getType(), true,
                                    llvm::GlobalValue::PrivateLinkage, contents, name);
}

llvm::Constant* carriesOf(ModuleBuilder& m, const std::vector<strc_carry>& rows) {
    std::vector<llvm::Constant*> all;
    auto wide = [&](std::uint64_t value) { return llvm::ConstantInt::get(m.i64(), value); };
    auto narrow = [&](std::uint32_t value) { return llvm::ConstantInt::get(m.i32(), value); };
    for (const strc_carry& row : rows)
        all.push_back(llvm::ConstantStruct::getAnon(
            {wide(row.from), wide(row.per_slice), wide(row.to), wide(row.size), wide(row.at),
             narrow(row.taken), narrow(row.given), narrow(row.kind), narrow(row.factor),
             narrow(row.summand), narrow(row.mask)}));
    if (all.empty()) return llvm::ConstantPointerNull::get(m.ptr());
    auto* type = llvm::ArrayType::get(all.front()->getType(), all.size());
    return global(m, llvm::ConstantArray::get(type, all), "carries");
}

/// strc_hand_overs; `handed`: bytes of what is handed over.
llvm::Constant* handOversOf(ModuleBuilder& m, const plan::Chunk& chunk, std::uint64_t& handed) {
    handed = 0;
    const std::vector<strc_carry> rows = rowsOf(chunk, handed);
    const std::vector<std::uint32_t> given = givenInOrder(rows);
    return llvm::ConstantStruct::getAnon(
        {carriesOf(m, rows), global(m, llvm::ConstantDataArray::get(m.context, given), "given")});
}

llvm::Constant* coarseOf(ModuleBuilder& m, const plan::Chunk& chunk) {
    std::uint64_t handed = 0;
    if (!chunk.coarse.empty()) return handOversOf(m, plan::coarser(chunk), handed);
    llvm::Constant* none = llvm::ConstantPointerNull::get(m.ptr());
    return llvm::ConstantStruct::getAnon({none, none});
}

}  // namespace

llvm::Constant* emitChunks(ModuleBuilder& m, const plan::Chunk& chunk) {
    const std::vector<llvm::Function*> segments = emitSegments(m, chunk);
    std::uint64_t handed = 0;
    llvm::Constant* fine = handOversOf(m, chunk, handed);
    const std::vector<std::uint64_t> reads(chunk.reads.begin(), chunk.reads.end());
    const std::vector<llvm::Constant*> functions(segments.begin(), segments.end());
    auto* table = llvm::ArrayType::get(m.ptr(), functions.size());
    auto wide = [&](std::uint64_t value) { return llvm::ConstantInt::get(m.i64(), value); };
    auto narrow = [&](std::size_t value) { return llvm::ConstantInt::get(m.i32(), value); };
    return global(m,
                  llvm::ConstantStruct::getAnon(
                      {global(m, llvm::ConstantDataArray::get(m.context, reads), "chunk.reads"),
                       wide(static_cast<std::uint64_t>(chunk.iterations)), wide(handed),
                       global(m, llvm::ConstantArray::get(table, functions), "segments"), fine,
                       coarseOf(m, chunk), narrow(segments.size()), narrow(chunk.carries.size()),
                       narrow(static_cast<std::size_t>(chunk.slices)),
                       narrow(static_cast<std::size_t>(chunk.usual))}),
                  "chunks");
}

}  // namespace strc::codegen
