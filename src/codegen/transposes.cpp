// Windows of several firings at once whose items lie apart, transposed in blocks, and what lanes push, transposed back.

#include "codegen/detail/transposes.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "codegen/detail/tapes.h"
#include "codegen/detail/vectors.h"

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

/// A matrix of items, and where its columns go.
struct Matrix {
    const Type* type;
    llvm::Value* items;  ///< row after row
    std::uint64_t columns;  ///< items in a row
    std::uint64_t count;  ///< of all items; the last row may end early
    llvm::Value* transposed;  ///< column after column
    std::uint64_t columnLength;  ///< from one to the next
};

/// Rows in memory, `stride` items apart.
struct MemoryRows {
    llvm::Value* first;
    std::uint64_t stride;
};

/// `blockBody` for blocks that begin at 0, `block`, … of `count` items; the last of them may begin earlier.
void forBlocks(BodyContext& c, std::uint64_t count, std::uint64_t block,
               llvm::function_ref<void(llvm::Value*)> blockBody) {
    STRC_ASSERT(count >= block, "less than a block");
    const std::uint64_t blocks = (count + block - 1) / block;
    if (blocks == 1) return blockBody(c.b.getInt64(0));
    llvm::BasicBlock *before = c.b.GetInsertBlock(), *inside = c.newBlock("block"),
                     *after = c.newBlock("blocks.end");
    c.b.CreateBr(inside);
    c.b.SetInsertPoint(inside);
    llvm::PHINode* number = c.b.CreatePHI(c.m.i64(), 2);
    number->addIncoming(c.b.getInt64(0), before);
    llvm::Value* at = c.b.CreateMul(number, c.b.getInt64(block));
    if (count % block != 0)
        at = c.b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, at, c.b.getInt64(count - block));
    blockBody(at);
    llvm::Value* next = c.b.CreateNUWAdd(number, c.b.getInt64(1));
    number->addIncoming(next, c.b.GetInsertBlock());
    c.b.CreateCondBr(c.b.CreateICmpULT(next, c.b.getInt64(blocks)), inside, after);
    c.b.SetInsertPoint(after);
}

/// A block of rows with few items each.
void transposeShort(BodyContext& c, const Matrix& matrix, llvm::Value* row) {
    const Type* type = matrix.type;
    llvm::Type* item = itemType(c, type);
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    const auto pop = static_cast<unsigned>(matrix.columns);
    llvm::Value* from = itemAt(c, matrix.items, type, c.b.CreateMul(row, c.b.getInt64(pop)));
    llvm::Value* all =
        c.b.CreateAlignedLoad(llvm::FixedVectorType::get(item, kShort * pop), from, align);
    for (unsigned column = 0; column < pop; ++column) {
        std::vector<int> chosen;
        for (unsigned k = 0; k < kShort; ++k) chosen.push_back(static_cast<int>(k * pop + column));
        llvm::Value* to = itemAt(c, matrix.transposed, type,
                                 c.b.CreateAdd(c.b.getInt64(column * matrix.columnLength), row));
        c.b.CreateAlignedStore(c.b.CreateShuffleVector(all, chosen), to, align);
    }
}

/// `block` rows of as many items, with rows and columns exchanged.
void transposeBlock(BodyContext& c, const Type* type, const MemoryRows& from, const MemoryRows& to,
                    unsigned block) {
    llvm::Type* item = itemType(c, type);
    llvm::Type* row = llvm::FixedVectorType::get(item, block);
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    auto place = [&](const MemoryRows& rows, std::uint64_t k) {
        return c.b.CreateConstInBoundsGEP1_64(item, rows.first, k * rows.stride);
    };
    Rows rows;
    for (std::uint64_t k = 0; k < block; ++k)
        rows.push_back(c.b.CreateAlignedLoad(row, place(from, k), align));
    rows = transposed(c.b, std::move(rows));
    for (std::uint64_t k = 0; k < block; ++k) c.b.CreateAlignedStore(rows[k], place(to, k), align);
}

/// A row to each branch (KernelFunctions::dealtOut).
void pushDealt(BodyContext& c, const Instr& instr) {
    const Type* array = c.typeOf(instr.operands[0]);
    const Type* type = array->element;
    STRC_ASSERT(type == instr.type, "items of branches are not taken apart");
    const auto count = static_cast<std::uint64_t>(array->extent) / instr.index;
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    llvm::Type* row = llvm::FixedVectorType::get(itemType(c, type), instr.index);
    for (std::uint64_t k = 0; k < count; ++k) {
        llvm::Value* from = itemAt(c, c.operand(instr, 0), type, c.b.getInt64(k * instr.index));
        c.b.CreateAlignedStore(c.b.CreateAlignedLoad(row, from, align),
                               dealtItem(c, kOut, c.b.getInt64(k)), align);
    }
}

/// A few rows, whose columns lie one right behind the other.
void interleaveRows(BodyContext& c, const Matrix& matrix, llvm::Value* column) {
    const std::uint64_t rows = matrix.columnLength;
    llvm::Type* item = itemType(c, matrix.type);
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(matrix.type)));
    llvm::Value* from = itemAt(c, matrix.items, matrix.type, column);
    llvm::Value* to =
        itemAt(c, matrix.transposed, matrix.type, c.b.CreateMul(column, c.b.getInt64(rows)));
    Rows loaded;
    for (std::uint64_t k = 0; k < rows; ++k)
        loaded.push_back(c.b.CreateAlignedLoad(
            llvm::FixedVectorType::get(item, kShort),
            c.b.CreateConstInBoundsGEP1_64(item, from, k * matrix.columns), align));
    c.b.CreateAlignedStore(interleaved(c.b, loaded), to, align);
}

llvm::Value* columnPlace(BodyContext& c, const Matrix& matrix, llvm::Value* column,
                         llvm::Value* row) {
    llvm::Value* begin = c.b.CreateMul(column, c.b.getInt64(matrix.columnLength));
    return itemAt(c, matrix.transposed, matrix.type, c.b.CreateAdd(begin, row));
}

void moveItem(BodyContext& c, const Matrix& matrix, llvm::Value* column, llvm::Value* row) {
    llvm::Value* number = c.b.CreateAdd(c.b.CreateMul(row, c.b.getInt64(matrix.columns)), column);
    c.m.store(c.b, matrix.type, columnPlace(c, matrix, column, row),
              c.m.load(c.b, matrix.type, itemAt(c, matrix.items, matrix.type, number)));
}

/// Enough rows and columns.
void transposeBlocks(BodyContext& c, const Matrix& matrix, std::uint64_t rows, unsigned block) {
    auto one = [&](llvm::Value* row, llvm::Value* column) {
        llvm::Value* from = c.b.CreateAdd(c.b.CreateMul(row, c.b.getInt64(matrix.columns)), column);
        transposeBlock(c, matrix.type, {itemAt(c, matrix.items, matrix.type, from), matrix.columns},
                       {columnPlace(c, matrix, column, row), matrix.columnLength}, block);
    };
    forBlocks(c, rows, block, [&](llvm::Value* row) {
        forBlocks(c, matrix.columns, block, [&](llvm::Value* column) { one(row, column); });
    });
}

void transposeMatrix(BodyContext& c, const Matrix& matrix) {
    const std::uint64_t columns = matrix.columns, rows = matrix.count / columns;
    const bool isDense = matrix.columnLength == rows;
    const unsigned widest = blockOf(matrix.type);
    const unsigned block = std::min(columns, rows) >= widest ? widest : kShort;
    if (columns == 1 || (rows == 1 && isDense)) {
        const auto align =
            llvm::MaybeAlign(static_cast<std::uint64_t>(types::alignOf(matrix.type)));
        const auto bytes = rows * columns * static_cast<std::uint64_t>(types::sizeOf(matrix.type));
        c.b.CreateMemCpy(matrix.transposed, align, matrix.items, align, bytes);
    } else if (rows >= block && columns >= block) {
        transposeBlocks(c, matrix, rows, block);
    } else if (rows >= kShort) {
        forBlocks(c, rows, kShort, [&](llvm::Value* row) { transposeShort(c, matrix, row); });
    } else if (columns >= kShort && isDense && rows > 0) {
        forBlocks(c, columns, kShort,
                  [&](llvm::Value* column) { interleaveRows(c, matrix, column); });
    } else if (rows > 0) {
        forBlocks(c, rows, 1, [&](llvm::Value* row) {
            forBlocks(c, columns, 1,
                      [&](llvm::Value* column) { moveItem(c, matrix, column, row); });
        });
    }
    for (std::uint64_t item = rows * columns; item < matrix.count; ++item)
        moveItem(c, matrix, c.b.getInt64(item % columns), c.b.getInt64(item / columns));
}

/// A function for all such matrices, which lie apart from their columns. LLVM puts it in the place of its calls where it is small
/// or called once.
llvm::Function* transposition(BodyContext& c, const Matrix& matrix) {
    const std::string name = std::string(kTransposition) + types::toString(matrix.type) + "." +
                             std::to_string(matrix.columns) + "." + std::to_string(matrix.count) +
                             "." + std::to_string(matrix.columnLength);
    if (llvm::Function* known = c.m.module.getFunction(name)) return known;
    auto* type =
        llvm::FunctionType::get(llvm::Type::getVoidTy(c.m.context), {c.m.ptr(), c.m.ptr()}, false);
    auto* made = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, c.m.module);
    made->setDoesNotThrow();
    made->setOnlyAccessesArgMemory();
    for (unsigned k : {0U, 1U})
        for (const auto what : {llvm::Attribute::NoAlias, llvm::Attribute::NoCapture})
            made->addParamAttr(k, what);
    const llvm::IRBuilder<>::InsertPointGuard guard(c.b);
    llvm::Function* outside = std::exchange(c.function, made);
    c.b.SetInsertPoint(c.newBlock("entry"));
    c.b.SetCurrentDebugLocation({});
    transposeMatrix(c, {matrix.type, made->getArg(1), matrix.columns, matrix.count, made->getArg(0),
                        matrix.columnLength});
    c.b.CreateRetVoid();
    c.function = outside;
    return made;
}

std::uint64_t constantOf(const BodyContext& c, const Instr& instr, std::size_t k) {
    return llvm::cast<llvm::ConstantInt>(c.operand(instr, k))->getZExtValue();
}

}  // namespace

void emitPeekColumns(BodyContext& c, const Instr& instr) {
    const Type* array = c.typeOf(instr.operands[0]);
    const Type* type = array->element;
    const std::uint64_t parts = type != instr.type ? 2 : 1;
    const std::uint64_t pop = instr.index * parts, count = constantOf(c, instr, 1) * parts;
    llvm::Value* first = itemAt(c, c.param(kIn), instr.type, c.b.CreateLoad(c.m.i64(), c.popped));
    transposeMatrix(c, {type, first, pop, count, c.operand(instr, 0),
                        static_cast<std::uint64_t>(array->extent) / pop});
}

void emitPushRows(BodyContext& c, const Instr& instr) {
    const Type* array = c.typeOf(instr.operands[0]);
    const Type* type = array->element;
    const std::uint64_t lanes = instr.index, parts = type != instr.type ? 2 : 1;
    const std::uint64_t rows = static_cast<std::uint64_t>(array->extent) / lanes;
    if (rows == 0) return;
    if (c.kernel.dealtOut) return pushDealt(c, instr);
    llvm::Value* before = c.b.CreateLoad(c.m.i64(), c.pushed);
    c.b.CreateStore(c.b.CreateAdd(before, c.b.getInt64(rows * lanes / parts)), c.pushed);
    transposeMatrix(c, {type, c.operand(instr, 0), lanes, rows * lanes,
                        itemAt(c, c.param(kOut), instr.type, before), rows});
}

void emitTranspose(BodyContext& c, const Instr& instr) {
    const Type *to = c.typeOf(instr.operands[0]), *from = c.typeOf(instr.operands[1]);
    const Matrix matrix{to == from || from->is(TypeKind::Float) ? from : to,
                        c.operand(instr, 1),
                        instr.index,
                        constantOf(c, instr, 2),
                        c.operand(instr, 0),
                        constantOf(c, instr, 3)};
    if (matrix.columns == 1 || c.m.debug) return transposeMatrix(c, matrix);
    c.b.CreateCall(transposition(c, matrix), {matrix.transposed, matrix.items});
}

}  // namespace strc::codegen
