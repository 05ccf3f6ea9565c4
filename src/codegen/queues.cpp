// Items of filters with dynamic rates: in queues that the firing itself asks for more (language.md 13).

#include "codegen/detail/body_emitter.h"
#include "strc/demand.h"

namespace strc::codegen {
namespace {

std::string boundsOf(const graph::Rate& rate) {
    const std::string max = rate.max == graph::kUnbounded ? "*" : std::to_string(rate.max);
    return '[' + std::to_string(rate.min) + ", " + max + ']';
}

bool isBounded(const graph::Rate& rate) { return rate.max != graph::kUnbounded; }

}  // namespace

llvm::Value* BodyEmitter::queueEnd(unsigned queue, std::size_t which) {
    return b.CreateConstInBoundsGEP1_64(m.i8(), param(queue), which);
}

/// Of a count that is not what was declared.
void BodyEmitter::checkRate(llvm::Value* holds, const RateBreach& breach, llvm::Value* count) {
    if (breach.rate.dynamic)
        return check(holds,
                     {base::Diag::DynamicRateViolated,
                      breach.range,
                      {rateWords()[1], breach.word, boundsOf(breach.rate), breach.verb},
                      1},
                     count);
    check(holds, {breach.id, breach.range, rateWords(), 2},
          b.getInt64(static_cast<std::uint64_t>(breach.rate.max)), count);
}

/// Where the next item lies, or one further on, once it is there.
llvm::Value* BodyEmitter::queuedInput(const Instr& instr, llvm::Value* offset) {
    llvm::Value* further = b.getInt64(0);
    if (offset) {
        check(b.CreateICmpSGE(offset, b.getInt32(0)),
              {base::Diag::NegativePeek, instr.range, {}, 1}, offset);
        further = b.CreateSExt(offset, m.i64());
    }
    const graph::Rate& rate = offset ? rates.peek : rates.pop;
    if (isBounded(rate)) {
        llvm::Value* count =
            b.CreateAdd(b.CreateAdd(b.CreateLoad(m.i64(), popped), further), b.getInt64(1));
        checkRate(b.CreateICmpSLE(count, b.getInt64(static_cast<std::uint64_t>(rate.max))),
                  {rate, offset ? base::Diag::PeekRateViolated : base::Diag::PopRateViolated,
                   offset ? "peek" : "pop", offset ? "looks at item" : "pops", instr.range},
                  count);
    }
    auto size = static_cast<std::uint64_t>(types::sizeOf(instr.type));
    llvm::Value* first = queueEnd(kIn, offsetof(strc_queue, first));
    llvm::Value* items = b.CreateAdd(further, b.getInt64(1));
    llvm::Value* there = b.CreateSub(
        b.CreatePtrToInt(b.CreateLoad(m.ptr(), queueEnd(kIn, offsetof(strc_queue, last))), m.i64()),
        b.CreatePtrToInt(b.CreateLoad(m.ptr(), first), m.i64()));
    llvm::BasicBlock *want = newBlock("want"), *fine = newBlock("there");
    b.CreateCondBr(b.CreateICmpSGE(there, b.CreateMul(items, b.getInt64(size))), fine, want,
                   llvm::MDBuilder(m.context).createLikelyBranchWeights());
    b.SetInsertPoint(want);
    b.CreateCall(m.runtime("strc_want"), {param(kEnv), param(kIn), items});
    b.CreateBr(fine);
    b.SetInsertPoint(fine);
    return b.CreateInBoundsGEP(llvm::ArrayType::get(m.i8(), size), b.CreateLoad(m.ptr(), first),
                               further);
}

/// Where the next item is to be written.
llvm::Value* BodyEmitter::queuedOutput(const Instr& instr) {
    if (isBounded(rates.push)) {
        llvm::Value* count = b.CreateAdd(b.CreateLoad(m.i64(), pushed), b.getInt64(1));
        checkRate(b.CreateICmpSLE(count, b.getInt64(static_cast<std::uint64_t>(rates.push.max))),
                  {rates.push, base::Diag::PushRateViolated, "push", "pushes", instr.range}, count);
    }
    auto size = static_cast<std::uint64_t>(types::sizeOf(instr.type));
    llvm::Value* last = queueEnd(kOut, offsetof(strc_queue, last));
    llvm::Value* capacity = b.CreateSub(
        b.CreatePtrToInt(b.CreateLoad(m.ptr(), queueEnd(kOut, offsetof(strc_queue, end))), m.i64()),
        b.CreatePtrToInt(b.CreateLoad(m.ptr(), last), m.i64()));
    llvm::BasicBlock *make = newBlock("make"), *fine = newBlock("room");
    b.CreateCondBr(b.CreateICmpUGE(capacity, b.getInt64(size)), fine, make,
                   llvm::MDBuilder(m.context).createLikelyBranchWeights());
    b.SetInsertPoint(make);
    llvm::Value* lacking = b.CreateCall(m.runtime("strc_make_room"), {param(kEnv), param(kOut)});
    require(b.CreateICmpEQ(lacking, b.getInt64(0)),
            {base::Diag::OutOfMemory, instr.range, {"the tape that is pushed to"}, 1}, lacking);
    b.CreateBr(fine);
    b.SetInsertPoint(fine);
    return b.CreateLoad(m.ptr(), last);
}

/// One item further on.
void BodyEmitter::moveQueueEnd(const Instr& instr, llvm::Value* end) {
    auto size = static_cast<std::uint64_t>(types::sizeOf(instr.type));
    b.CreateStore(b.CreateConstInBoundsGEP1_64(m.i8(), b.CreateLoad(m.ptr(), end), size), end);
}

/// At the end of a firing.
void BodyEmitter::checkQueueCounts() {
    auto look = [this](const RateBreach& breach, llvm::Value* counter) {
        llvm::Value* count = b.CreateLoad(m.i64(), counter);
        const graph::Rate& rate = breach.rate;
        const bool isRange = rate.dynamic;
        if (isRange && rate.min <= 0) return;  // the most has been checked on the way
        auto least = b.getInt64(static_cast<std::uint64_t>(isRange ? rate.min : rate.max));
        checkRate(isRange ? b.CreateICmpSGE(count, least) : b.CreateICmpEQ(count, least), breach,
                  count);
    };
    look({rates.push, base::Diag::PushRateViolated, "push", "pushes", body.header}, pushed);
    look({rates.pop, base::Diag::PopRateViolated, "pop", "pops", body.header}, popped);
    if (rates.isDynamic()) countEmpty();
}

/// Too many firings in a row that do nothing are a fault.
void BodyEmitter::countEmpty() {
    llvm::Value* passed = b.CreateOr(b.CreateLoad(m.i64(), popped), b.CreateLoad(m.i64(), pushed));
    llvm::BasicBlock *empty = newBlock("empty"), *done = newBlock("done");
    b.CreateCondBr(b.CreateICmpEQ(passed, b.getInt64(0)), empty, done);
    b.SetInsertPoint(empty);
    const int site = m.site({base::Diag::EmptyFirings, body.header, {rateWords()[1]}, 1});
    b.CreateCall(m.runtime("strc_fired_empty"),
                 {param(kEnv), b.getInt32(static_cast<std::uint32_t>(site)), param(kNode),
                  b.getInt64(m.limits.emptyFirings)});
    b.CreateBr(done);
    b.SetInsertPoint(done);
}

}  // namespace strc::codegen
