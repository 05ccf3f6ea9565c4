// Windows of several firings at once whose items lie apart, transposed in blocks, and what lanes push, transposed back.

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

struct BodyEmitter::Matrix {
    const Type* type;
    llvm::Value* items;  ///< row after row
    std::uint64_t columns;
    llvm::Value* transposed;  ///< column after column
    std::uint64_t columnLength;
};

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

/// Of complex items that are taken apart there are twice as many.
void BodyEmitter::peekColumns(const Instr& instr) {
    const Type* array = typeOf(instr.operands[0]);
    const Type* type = array->element;
    const bool inParts = type != instr.type;
    const std::uint64_t parts = inParts ? 2 : 1;
    const auto* known = llvm::cast<llvm::ConstantInt>(operand(instr, 1));
    const std::uint64_t pop = instr.index * parts, end = known->getZExtValue() * parts;
    llvm::Value* first = itemAt(param(kIn), instr.type, b.CreateLoad(m.i64(), popped));
    const Matrix matrix{type, first, pop, operand(instr, 0),
                        static_cast<std::uint64_t>(array->extent) / pop};
    const std::uint64_t rowsInside = end / pop, length = matrix.columnLength;
    const unsigned block = std::min(pop, rowsInside) >= blockOf(type) ? blockOf(type) : kShort;
    forBlocks(rowsInside, block, [&](llvm::Value* row) {
        if (pop < block) return transposeShort(matrix, row);
        llvm::Value* from = itemAt(first, type, b.CreateMul(row, b.getInt64(pop)));
        forBlocks(pop, block, [&](llvm::Value* column) {
            llvm::Value* place = b.CreateAdd(b.CreateMul(column, b.getInt64(length)), row);
            transposeBlock(type, itemAt(from, type, column), pop,
                           itemAt(matrix.transposed, type, place), length, block);
        });
    });
    for (std::uint64_t item = rowsInside * pop; item < end; ++item) {
        llvm::Value* to =
            itemAt(matrix.transposed, type, b.getInt64((item % pop) * length + item / pop));
        m.store(b, type, to, m.load(b, type, itemAt(first, type, b.getInt64(item))));
    }
}

/// A block of rows with few items each.
void BodyEmitter::transposeShort(const Matrix& matrix, llvm::Value* row) {
    const Type* type = matrix.type;
    llvm::Type* item = itemType(type);
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    const auto pop = static_cast<unsigned>(matrix.columns);
    llvm::Value* from = itemAt(matrix.items, type, b.CreateMul(row, b.getInt64(pop)));
    llvm::Value* all =
        b.CreateAlignedLoad(llvm::FixedVectorType::get(item, kShort * pop), from, align);
    for (unsigned column = 0; column < pop; ++column) {
        std::vector<int> chosen;
        for (unsigned k = 0; k < kShort; ++k) chosen.push_back(static_cast<int>(k * pop + column));
        llvm::Value* to = itemAt(matrix.transposed, type,
                                 b.CreateAdd(b.getInt64(column * matrix.columnLength), row));
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

void BodyEmitter::pushRows(const Instr& instr) {
    const Type* array = typeOf(instr.operands[0]);
    const Type* type = array->element;
    const std::uint64_t lanes = instr.index, parts = type != instr.type ? 2 : 1;
    const std::uint64_t count = static_cast<std::uint64_t>(array->extent) / lanes;
    if (count == 0) return;
    if (kernel.dealtOut) return pushDealt(instr);
    llvm::Value* before = b.CreateLoad(m.i64(), pushed);
    llvm::Value *rows = operand(instr, 0), *out = itemAt(param(kOut), instr.type, before);
    b.CreateStore(b.CreateAdd(before, b.getInt64(count * lanes / parts)), pushed);
    const unsigned block = std::min(count, lanes) >= blockOf(type) ? blockOf(type) : kShort;
    if (lanes == 1 || count == 1) {
        const auto bytes = static_cast<std::uint64_t>(types::sizeOf(array));
        const auto align = llvm::MaybeAlign(static_cast<std::uint64_t>(types::alignOf(type)));
        b.CreateMemCpy(out, align, rows, align, bytes);
        return;
    }
    forBlocks(lanes, block, [&](llvm::Value* lane) {
        llvm::Value* from = itemAt(rows, type, lane);
        llvm::Value* to = itemAt(out, type, b.CreateMul(lane, b.getInt64(count)));
        if (count < block) return writeShort(type, from, to, static_cast<unsigned>(count), lanes);
        forBlocks(count, block, [&](llvm::Value* row) {
            transposeBlock(type, itemAt(from, type, b.CreateMul(row, b.getInt64(lanes))), lanes,
                           itemAt(to, type, row), count, block);
        });
    });
}

/// A row to each branch (KernelFunctions::dealtOut).
void BodyEmitter::pushDealt(const Instr& instr) {
    const Type* array = typeOf(instr.operands[0]);
    const Type* type = array->element;
    STRC_ASSERT(type == instr.type, "items of branches are not taken apart");
    const auto count = static_cast<std::uint64_t>(array->extent) / instr.index;
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    llvm::Type* row = llvm::FixedVectorType::get(itemType(type), instr.index);
    for (std::uint64_t k = 0; k < count; ++k) {
        llvm::Value* from = itemAt(operand(instr, 0), type, b.getInt64(k * instr.index));
        b.CreateAlignedStore(b.CreateAlignedLoad(row, from, align), dealtItem(kOut, b.getInt64(k)),
                             align);
    }
}

/// Lanes with few items each.
void BodyEmitter::writeShort(const Type* type, llvm::Value* from, llvm::Value* to, unsigned count,
                             std::uint64_t rowLength) {
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
