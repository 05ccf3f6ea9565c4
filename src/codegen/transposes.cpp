// Items of several firings at once whose windows move by more than one item: transposed in blocks, so that
// what the lanes read together lies together.

#include <algorithm>

#include "base/assert.h"
#include "codegen/detail/body_emitter.h"

namespace strc::codegen {
namespace {

using Rows = std::vector<llvm::Value*>;

constexpr unsigned kShort = 8;  ///< rows of few items that are transposed together

/// Rows that are transposed together: a register of bytes, else half a cache line of larger items.
unsigned blockOf(const Type* type) { return types::sizeOf(type) == 1 ? 16 : 8; }

unsigned lanesOf(llvm::Value* row) {
    return llvm::cast<llvm::FixedVectorType>(row->getType())->getNumElements();
}

/// Of a's elements and b's in turn, the first half of them or the second.
llvm::Value* alternate(llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value* y, bool second) {
    const unsigned lanes = lanesOf(x);
    std::vector<int> order;
    for (unsigned k = second ? lanes / 2 : 0; order.size() < lanes; ++k) {
        order.push_back(static_cast<int>(k));
        order.push_back(static_cast<int>(k + lanes));
    }
    return b.CreateShuffleVector(x, y, order);
}

/// As many rows as lanes, a power of two: what was column k is row k. Each iteration moves one bit of the
/// position of an element in all rows.
Rows transposed(llvm::IRBuilder<>& b, Rows rows) {
    for (std::size_t iteration = 1; iteration < rows.size(); iteration *= 2) {
        Rows next;
        for (std::size_t k = 0; k < rows.size() / 2; ++k)
            for (bool second : {false, true})
                next.push_back(alternate(b, rows[k], rows[k + rows.size() / 2], second));
        rows = std::move(next);
    }
    return rows;
}

/// All elements of the rows behind each other.
llvm::Value* joined(llvm::IRBuilder<>& b, Rows rows) {
    while (rows.size() > 1) {
        Rows next;
        for (std::size_t k = 0; k < rows.size(); k += 2) {
            const bool isPair = k + 1 < rows.size();
            llvm::Value* second = isPair ? rows[k + 1] : llvm::PoisonValue::get(rows[k]->getType());
            std::vector<int> order(2 * std::size_t{lanesOf(rows[k])});
            for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
            next.push_back(b.CreateShuffleVector(rows[k], second, order));
        }
        rows = std::move(next);
    }
    return rows[0];
}

/// Element 0 of every row, then element 1 of every row, …
llvm::Value* interleaved(llvm::IRBuilder<>& b, const Rows& rows) {
    const unsigned lanes = lanesOf(rows[0]);
    std::vector<int> order;
    for (unsigned lane = 0; lane < lanes; ++lane)
        for (unsigned row = 0; row < rows.size(); ++row)
            order.push_back(static_cast<int>(row * lanes + lane));
    return b.CreateShuffleVector(joined(b, rows), order);
}

}  // namespace

bool usesSoa(const graph::Rates& rates) {
    return rates.pop.max > kShuffled || (rates.pop.max > 1 && rates.peek.max > rates.pop.max);
}

std::int64_t soaItems(const graph::Rates& rates, std::int64_t width) {
    return rates.pop.max * (width + (std::max(rates.peek.max, rates.pop.max) - 1) / rates.pop.max);
}

/// `body` for blocks that begin at 0, `block`, … of `count` items; the last of them may begin earlier.
void BodyEmitter::forBlocks(std::uint64_t count, std::uint64_t block,
                            llvm::function_ref<void(llvm::Value*)> blockBody) {
    STRC_ASSERT(count >= block, "less than a block");
    const std::uint64_t blocks = (count + block - 1) / block;
    if (blocks == 1) return blockBody(b.getInt64(0));
    llvm::BasicBlock *before = b.GetInsertBlock(), *inside = newBlock("block"),
                     *after = newBlock("blocks.end");
    b.CreateBr(inside);
    b.SetInsertPoint(inside);
    llvm::PHINode* number = b.CreatePHI(m.i64(), 2);
    number->addIncoming(b.getInt64(0), before);
    llvm::Value* at = b.CreateMul(number, b.getInt64(block));
    if (count % block != 0)
        at = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, at, b.getInt64(count - block));
    blockBody(at);
    llvm::Value* next = b.CreateNUWAdd(number, b.getInt64(1));
    number->addIncoming(next, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpULT(next, b.getInt64(blocks)), inside, after);
    b.SetInsertPoint(after);
}

const Type* ItemParts::typeOf(const Type* item) const {
    static const Type real = [] {
        Type made;
        made.kind = TypeKind::Float;
        return made;
    }();
    return countOf(item) == 2 ? &real : item;
}

/// In which items move.
llvm::Type* BodyEmitter::itemType(const Type* type) {
    return type->is(TypeKind::Complex) ? m.i64() : m.memoryType(type);
}

llvm::Value* BodyEmitter::itemAt(llvm::Value* from, const Type* type, llvm::Value* index) {
    return b.CreateInBoundsGEP(itemType(type), from, index);
}

/// Items that all lanes look at.
std::uint64_t BodyEmitter::windowOfVector() const {
    return static_cast<std::uint64_t>((width - 1) * rates.pop.max +
                                      std::max(rates.peek.max, rates.pop.max));
}

/// columns[r][m] is item m * pop + r of the window of all lanes: lane l finds its item q * pop + r in
/// columns[r][q + l].
void BodyEmitter::makeSoa() {
    llvm::Type* item = itemType(kernel.kernel->input);
    const auto items = static_cast<std::uint64_t>(soaItems(rates, width));
    soa = entry.CreateAlloca(llvm::ArrayType::get(item, items), nullptr, "columns");
    llvm::cast<llvm::AllocaInst>(soa)->setAlignment(llvm::Align(64));
    transposeWindow(static_cast<std::uint64_t>(rates.pop.max), windowOfVector());
}

void BodyEmitter::takeSoa() {
    const auto pop = static_cast<std::uint64_t>(rates.pop.max);
    soa = param(kIn);
    if (soaLength == 0) soaLength = (windowOfVector() + pop - 1) / pop;
}

void BodyEmitter::emitTranspose(const VariantShape& shape) {
    b.SetInsertPoint(newBlock("start"));
    width = shape.width;
    itemParts.partsComplex = shape.partsComplex;
    const unsigned repeat = shape.repeat;
    rates = kernel.kernel->work;
    STRC_ASSERT(repeat == 1 || rates.peek.max <= rates.pop.max, "windows that overlap in a lane");
    rates.pop.max *= repeat;
    soa = param(kOut);
    transposeWindow(static_cast<std::uint64_t>(rates.pop.max), windowOfVector());
    b.CreateRetVoid();
}

void BodyEmitter::emitTransposeBack(const VariantShape& shape) {
    b.SetInsertPoint(newBlock("start"));
    width = shape.width;
    itemParts.partsComplex = shape.partsComplex;
    rowLength = width;
    rates = kernel.kernel->work;
    rates.push.max *= shape.repeat;
    pushedItems = param(kIn);
    writeRows();
    b.CreateRetVoid();
}

/// The first `end` items, in `pop` columns; of complex items that are parted in twice as many.
void BodyEmitter::transposeWindow(std::uint64_t pop, std::uint64_t end) {
    const Type* type = itemParts.typeOf(kernel.kernel->input);
    pop *= itemParts.countOf(kernel.kernel->input);
    end *= itemParts.countOf(kernel.kernel->input);
    const std::uint64_t rowsInside = end / pop;
    soaLength = (end + pop - 1) / pop;
    const unsigned block = pop >= blockOf(type) ? blockOf(type) : kShort;
    forBlocks(rowsInside, block, [&](llvm::Value* row) {
        llvm::Value* from = itemAt(param(kIn), type, b.CreateMul(row, b.getInt64(pop)));
        if (pop < block) return transposeShort(type, from, row, static_cast<unsigned>(pop));
        forBlocks(pop, block, [&](llvm::Value* column) {
            transposeBlock(
                type, itemAt(from, type, column), pop,
                itemAt(soa, type, b.CreateAdd(b.CreateMul(column, b.getInt64(soaLength)), row)),
                soaLength, block);
        });
    });
    for (std::uint64_t item = rowsInside * pop; item < end; ++item) {
        llvm::Value* to = itemAt(soa, type, b.getInt64((item % pop) * soaLength + item / pop));
        m.store(b, type, to, m.load(b, type, itemAt(param(kIn), type, b.getInt64(item))));
    }
}

/// A block of rows with few items each.
void BodyEmitter::transposeShort(const Type* type, llvm::Value* from, llvm::Value* row,
                                 unsigned pop) {
    llvm::Type* item = itemType(type);
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    llvm::Value* all =
        b.CreateAlignedLoad(llvm::FixedVectorType::get(item, kShort * pop), from, align);
    for (unsigned column = 0; column < pop; ++column) {
        std::vector<int> chosen;
        for (unsigned k = 0; k < kShort; ++k) chosen.push_back(static_cast<int>(k * pop + column));
        llvm::Value* to = itemAt(soa, type, b.CreateAdd(b.getInt64(column * soaLength), row));
        b.CreateAlignedStore(b.CreateShuffleVector(all, chosen), to, align);
    }
}

/// `block` rows of as many items, `stride` items apart, with rows and columns exchanged.
void BodyEmitter::transposeBlock(const Type* type, llvm::Value* from, std::uint64_t stride,
                                 llvm::Value* to, std::uint64_t toStride, unsigned block) {
    llvm::Type* item = itemType(type);
    llvm::Type* row = llvm::FixedVectorType::get(item, block);
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    Rows rows;
    for (std::uint64_t k = 0; k < block; ++k)
        rows.push_back(
            b.CreateAlignedLoad(row, b.CreateConstInBoundsGEP1_64(item, from, k * stride), align));
    rows = transposed(b, std::move(rows));
    for (std::uint64_t k = 0; k < block; ++k)
        b.CreateAlignedStore(rows[k], b.CreateConstInBoundsGEP1_64(item, to, k * toStride), align);
}

llvm::Value* BodyEmitter::loadSoa(const Type* type, llvm::Value* index, std::uint64_t columnCount) {
    const Type* part = itemParts.typeOf(type);
    const auto parts = static_cast<std::uint32_t>(itemParts.countOf(type));
    llvm::Value* narrow = b.CreateTrunc(index, m.i32());
    llvm::Value* pop = b.getInt32(static_cast<std::uint32_t>(columnCount));
    auto column = [&](std::uint32_t k) {
        llvm::Value* number =
            b.CreateAdd(b.CreateMul(b.CreateURem(narrow, pop), b.getInt32(parts)), b.getInt32(k));
        llvm::Value* place =
            b.CreateAdd(b.CreateMul(number, b.getInt32(static_cast<std::uint32_t>(soaLength))),
                        b.CreateUDiv(narrow, pop));
        return loadItems(part, itemAt(soa, part, b.CreateZExt(place, m.i64())));
    };
    return parts == 1 ? column(0) : joined(column(0), column(1));
}

void BodyEmitter::writeOut() {
    if (!leavesRows) writeRows();
    b.CreateRet(b.getTrue());
}

/// Row k of what was pushed, as it lies in memory.
llvm::Value* BodyEmitter::pushedRow(std::uint64_t k) {
    const Type* type = kernel.kernel->output;
    const Type* part = itemParts.typeOf(type);
    const std::uint64_t parts = itemParts.countOf(type);
    auto row = [&](std::uint64_t number) {
        return b.CreateLoad(vectorOf(itemType(part)),
                            itemAt(pushedItems, part, b.getInt64(number * rowLength)));
    };
    return parts == 1 ? row(k) : toItems(type, joined(row(2 * k), row(2 * k + 1)));
}

/// The rows of what was pushed, to the output, where the items of one lane lie together.
void BodyEmitter::writeRows() {
    const Type* type = itemParts.typeOf(kernel.kernel->output);
    const auto items = pushedItems ? static_cast<std::uint64_t>(rates.push.max) : 0;
    const std::uint64_t count = items * itemParts.countOf(kernel.kernel->output);
    const unsigned block = count >= blockOf(type) ? blockOf(type) : kShort;
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    if (kernel.dealtOut) {  // a row to each branch
        for (std::uint64_t k = 0; k < items; ++k)
            b.CreateAlignedStore(pushedRow(k), dealtItem(kOut, b.getInt64(k)), align);
    } else if (items == 1) {
        b.CreateAlignedStore(pushedRow(0), param(kOut), align);
    } else if (count != 0) {
        forBlocks(width, block, [&](llvm::Value* lane) {
            llvm::Value* from = itemAt(pushedItems, type, lane);
            llvm::Value* to = itemAt(param(kOut), type, b.CreateMul(lane, b.getInt64(count)));
            if (count < block) return writeShort(type, from, to, static_cast<unsigned>(count));
            forBlocks(count, block, [&](llvm::Value* row) {
                transposeBlock(type, itemAt(from, type, b.CreateMul(row, b.getInt64(rowLength))),
                               rowLength, itemAt(to, type, row), count, block);
            });
        });
    }
}

/// Lanes with few items each.
void BodyEmitter::writeShort(const Type* type, llvm::Value* from, llvm::Value* to, unsigned count) {
    llvm::Type* item = itemType(type);
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    Rows rows;
    for (std::uint64_t k = 0; k < count; ++k)
        rows.push_back(b.CreateAlignedLoad(llvm::FixedVectorType::get(item, kShort),
                                           b.CreateConstInBoundsGEP1_64(item, from, k * rowLength),
                                           align));
    b.CreateAlignedStore(interleaved(b, rows), to, align);
}

}  // namespace strc::codegen
