// Several iterations of a loop inside of a firing at once (ir/vector_loops.h). As many groups of iterations as there are go first;
// what is left, and everything from a group on in which a check fails, is done as written.

#include <algorithm>

#include "base/pass.h"
#include "codegen/detail/body_emitter.h"

namespace strc::codegen {
namespace {

constexpr std::int64_t kLaneBytes = 64;  ///< that a value takes in all lanes
constexpr std::int64_t kFewestRows = 16;  ///< of that window

/// Those that leave the least for one by one; among those that leave nothing the most lanes.
unsigned widthOf(const ir::Body& body, const ir::VectorLoop& loop) {
    const std::int64_t least = kLaneBytes / ir::widestVarying(body, loop.facts);
    for (std::int64_t width = 4 * least; width >= least; width /= 2)
        if (loop.end % width == 0) return static_cast<unsigned>(width);
    return static_cast<unsigned>(loop.end >= 2 * least ? least : 0);
}

}  // namespace

void BodyEmitter::chooseVectorLoops() {
    const bool isWork = code && kernel.kernel && body.kind == ir::BodyKind::Work;
    const bool isDealt = kernel.dealtIn || kernel.dealtOut;
    if (!isWork || queued || isDealt || debug || varying || m.options.level < 2 || usesRings() ||
        !kernel.widths.empty())
        return;
    const std::string name = function->getName().str();
    for (ir::VectorLoop& loop : ir::findVectorLoops(body)) {
        m.passes.show(base::Pass::VectoriseLoops, name,
                      [&] { return ir::print(body, loop) + "\n"; });
        if (widthOf(body, loop) == 0 || !readsFit(loop)) continue;
        if (!base::PassRun(m.passes, base::Pass::VectoriseLoops, name)) continue;
        for (std::int64_t stride : loop.peekStrides)
            if (stride > kShuffled) soaStride = static_cast<std::uint64_t>(stride);
        vectorLoops.push_back(std::move(loop));
    }
}

/// Far strides need a window transposed, which pays if the loop is in another one.
bool BodyEmitter::readsFit(const ir::VectorLoop& loop) const {
    std::uint64_t far = soaStride;
    // More than half of the fastest memory, as it is read often.
    const std::int64_t mostOfWindow = m.target().firstCacheBytes;
    for (std::int64_t stride : loop.peekStrides) {
        if (stride <= kShuffled) continue;
        const auto wanted = static_cast<std::uint64_t>(stride);
        if (far != 0 && far != wanted) return false;
        far = wanted;
        const std::int64_t items = rates.peek.max;
        if (!loop.isNested || items / stride < kFewestRows ||
            items * types::sizeOf(kernel.kernel->input) > mostOfWindow)
            return false;
    }
    return true;
}

/// The whole window, for strides of loops.
void BodyEmitter::makeLoopSoa() {
    if (soaStride == 0) return;
    const Type* type = kernel.kernel->input;
    const auto end = static_cast<std::uint64_t>(rates.peek.max);
    const std::uint64_t items = (end + soaStride - 1) / soaStride * soaStride;
    llvm::Type* made = llvm::ArrayType::get(itemType(type), items);
    if (m.isOnStack(body))
        askForStack({base::Diag::OutOfMemory, body.range, {"'" + body.name + "'"}, 1},
                    b.getInt64(items * static_cast<std::uint64_t>(types::sizeOf(type))));
    auto* slot = b.CreateAlloca(made, nullptr, "columns");
    slot->setAlignment(llvm::Align(64));
    soa = slot;
    transposeWindow(soaStride, end);
}

const ir::VectorLoop* BodyEmitter::vectorLoopOf(const Instr& loop) const {
    for (const ir::VectorLoop& each : vectorLoops)
        if (each.body == loop.blocks[1]) return &each;
    return nullptr;
}

void BodyEmitter::emitVectorLoop(const Instr& loop, const ir::VectorLoop& found) {
    const unsigned lanesAtOnce = widthOf(body, found);
    llvm::BasicBlock *group = newBlock("group"), *inside = newBlock("rounds"),
                     *rest = newBlock("rest");
    b.CreateBr(group);
    b.SetInsertPoint(group);
    llvm::Value* counter = locals[found.counter].memory;
    llvm::Value* first = b.CreateLoad(m.i32(), counter);
    llvm::Value* last =
        b.getInt32(static_cast<std::uint32_t>(found.end - static_cast<std::int32_t>(lanesAtOnce)));
    b.CreateCondBr(b.CreateICmpSLE(first, last), inside, rest);
    b.SetInsertPoint(inside);
    emitPoll(m, b, param(kEnv));
    emitIterations(loop, found, lanesAtOnce, rest);
    b.CreateStore(b.CreateAdd(first, b.getInt32(lanesAtOnce)), counter);
    b.CreateStore(b.CreateAdd(b.CreateLoad(m.i64(), pushed), b.getInt64(lanesAtOnce)), pushed);
    b.CreateBr(group);
    b.SetInsertPoint(rest);
}

/// The body of the loop, with the locals that vary in rows.
void BodyEmitter::emitIterations(const Instr& loop, const ir::VectorLoop& found,
                                 unsigned lanesAtOnce, llvm::BasicBlock* rest) {
    llvm::Value* first = b.CreateLoad(m.i32(), locals[found.counter].memory);
    std::vector<LocalStorage> before = locals;
    varying = &found.facts;
    vectorLoop = &found;
    width = lanesAtOnce;
    giveUp = rest;
    for (std::size_t k = 0; k < locals.size(); ++k) {
        const Type* type = body.locals[k].type;
        if (!found.facts.locals[k]) continue;
        auto* slot = entry.CreateAlloca(rowOf(type), nullptr, body.locals[k].name);
        slot->setAlignment(llvm::Align(static_cast<std::uint64_t>(types::alignOf(type))));
        locals[k].memory = slot;
    }
    b.CreateStore(b.CreateAdd(widen(first), laneNumbers()), locals[found.counter].memory);
    block(loop.blocks[1]);
    locals = std::move(before);
    varying = nullptr;
    vectorLoop = nullptr;
    giveUp = nullptr;
    width = 0;
}

/// Lane 0's of a row of ints of which each has as much more than the one before.
llvm::Value* BodyEmitter::firstOf(llvm::Value* row) {
    return b.CreateSExt(b.CreateExtractElement(row, std::uint64_t{0}), m.i64());
}

llvm::Value* BodyEmitter::peekInLoop(const Instr& instr) {
    if (!isVarying(instr.result)) return m.load(b, instr.type, inputItem(instr, operand(instr, 0)));
    const std::int64_t stride = *vectorLoop->strides[instr.operands[0]];
    llvm::Value* offset = firstOf(operand(instr, 0));
    checkRange(offset, stride * (width - 1) + 1, nullptr);
    llvm::Value* index = b.CreateAdd(b.CreateLoad(m.i64(), popped), offset);
    checkRange(index, stride * (width - 1) + 1,
               b.getInt64(static_cast<std::uint64_t>(rates.peek.max)));
    if (stride > kShuffled) return loadSoa(instr.type, index, soaStride);
    return loadStrided(instr.type, itemAt(param(kIn), instr.type, index), stride);
}

/// Are `count` places from `first` on at least 0, or below the limit? Left out where checks are.
void BodyEmitter::checkRange(llvm::Value* first, std::int64_t count, llvm::Value* limit) {
    if (!m.options.checks) return;
    if (!limit) return checkLanes(b.CreateICmpSGE(first, b.getInt64(0)));
    checkLanes(
        b.CreateICmpSLE(first, b.CreateSub(limit, b.getInt64(static_cast<std::uint64_t>(count)))));
}

llvm::Value* BodyEmitter::elementInLoop(const Instr& instr) {
    llvm::Value* first = firstOf(operand(instr, 1));
    if (instr.checked) {
        checkRange(first, width, nullptr);
        checkRange(first, width, b.CreateZExt(operand(instr, 2), m.i64()));
    }
    auto bytes = static_cast<std::uint64_t>(types::sizeOf(instr.type));
    return b.CreateInBoundsGEP(llvm::ArrayType::get(m.i8(), bytes), operand(instr, 0), first);
}

void BodyEmitter::pushInLoop(const Instr& instr) {
    llvm::Value* index = b.CreateLoad(m.i64(), pushed);
    checkRange(index, width, b.getInt64(static_cast<std::uint64_t>(rates.push.max)));
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(instr.type)));
    b.CreateAlignedStore(toItems(instr.type, operand(instr, 0)),
                         itemAt(param(kOut), instr.type, index), align);
}

}  // namespace strc::codegen
