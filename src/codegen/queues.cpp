// Items of filters with dynamic rates: in queues that the firing itself asks for more (language.md 13).

#include "codegen/detail/queues.h"

#include "codegen/detail/tapes.h"
#include "strc/demand.h"

namespace strc::codegen {
namespace {

std::string boundsOf(const graph::Rate& rate) {
    const std::string max = rate.max == graph::kUnbounded ? "*" : std::to_string(rate.max);
    return '[' + std::to_string(rate.min) + ", " + max + ']';
}

bool isBounded(const graph::Rate& rate) { return rate.max != graph::kUnbounded; }

/// Of a count that is not what was declared.
void checkRate(BodyContext& c, llvm::Value* holds, const RateBreach& breach, llvm::Value* count) {
    if (breach.rate.dynamic)
        return c.check(holds,
                       {base::Diag::DynamicRateViolated,
                        breach.range,
                        {rateWords(c)[1], breach.word, boundsOf(breach.rate), breach.verb},
                        1},
                       count);
    c.check(holds, {breach.id, breach.range, rateWords(c), 2},
            c.b.getInt64(static_cast<std::uint64_t>(breach.rate.max)), count);
}

/// Too many firings in a row that do nothing are a fault.
void countEmpty(BodyContext& c) {
    llvm::Value* passed =
        c.b.CreateOr(c.b.CreateLoad(c.m.i64(), c.popped), c.b.CreateLoad(c.m.i64(), c.pushed));
    llvm::BasicBlock *empty = c.newBlock("empty"), *done = c.newBlock("done");
    c.b.CreateCondBr(c.b.CreateICmpEQ(passed, c.b.getInt64(0)), empty, done);
    c.b.SetInsertPoint(empty);
    const int site = c.m.site({base::Diag::EmptyFirings, c.body.header, {rateWords(c)[1]}, 1});
    c.b.CreateCall(c.m.runtime("strc_fired_empty"),
                   {c.param(kEnv), c.b.getInt32(static_cast<std::uint32_t>(site)), c.param(kNode),
                    c.b.getInt64(c.m.limits.emptyFirings)});
    c.b.CreateBr(done);
    c.b.SetInsertPoint(done);
}

}  // namespace

llvm::Value* queueEnd(BodyContext& c, unsigned queue, std::size_t which) {
    return c.b.CreateConstInBoundsGEP1_64(c.m.i8(), c.param(queue), which);
}

llvm::Value* queuedInput(BodyContext& c, const Instr& instr, llvm::Value* offset) {
    llvm::Value* further = c.b.getInt64(0);
    if (offset) {
        c.check(c.b.CreateICmpSGE(offset, c.b.getInt32(0)),
                {base::Diag::NegativePeek, instr.range, {}, 1}, offset);
        further = c.b.CreateSExt(offset, c.m.i64());
    }
    const graph::Rate& rate = offset ? c.rates.peek : c.rates.pop;
    if (isBounded(rate)) {
        llvm::Value* count = c.b.CreateAdd(
            c.b.CreateAdd(c.b.CreateLoad(c.m.i64(), c.popped), further), c.b.getInt64(1));
        checkRate(c, c.b.CreateICmpSLE(count, c.b.getInt64(static_cast<std::uint64_t>(rate.max))),
                  {rate, offset ? base::Diag::PeekRateViolated : base::Diag::PopRateViolated,
                   offset ? "peek" : "pop", offset ? "looks at item" : "pops", instr.range},
                  count);
    }
    auto size = static_cast<std::uint64_t>(types::sizeOf(instr.type));
    llvm::Value* first = queueEnd(c, kIn, offsetof(strc_queue, first));
    llvm::Value* items = c.b.CreateAdd(further, c.b.getInt64(1));
    llvm::Value* there = c.b.CreateSub(
        c.b.CreatePtrToInt(c.b.CreateLoad(c.m.ptr(), queueEnd(c, kIn, offsetof(strc_queue, last))),
                           c.m.i64()),
        c.b.CreatePtrToInt(c.b.CreateLoad(c.m.ptr(), first), c.m.i64()));
    llvm::BasicBlock *want = c.newBlock("want"), *fine = c.newBlock("there");
    c.b.CreateCondBr(c.b.CreateICmpSGE(there, c.b.CreateMul(items, c.b.getInt64(size))), fine, want,
                     llvm::MDBuilder(c.m.context).createLikelyBranchWeights());
    c.b.SetInsertPoint(want);
    c.b.CreateCall(c.m.runtime("strc_want"), {c.param(kEnv), c.param(kIn), items});
    c.b.CreateBr(fine);
    c.b.SetInsertPoint(fine);
    return c.b.CreateInBoundsGEP(llvm::ArrayType::get(c.m.i8(), size),
                                 c.b.CreateLoad(c.m.ptr(), first), further);
}

llvm::Value* queuedOutput(BodyContext& c, const Instr& instr) {
    if (isBounded(c.rates.push)) {
        llvm::Value* count = c.b.CreateAdd(c.b.CreateLoad(c.m.i64(), c.pushed), c.b.getInt64(1));
        checkRate(
            c, c.b.CreateICmpSLE(count, c.b.getInt64(static_cast<std::uint64_t>(c.rates.push.max))),
            {c.rates.push, base::Diag::PushRateViolated, "push", "pushes", instr.range}, count);
    }
    auto size = static_cast<std::uint64_t>(types::sizeOf(instr.type));
    llvm::Value* last = queueEnd(c, kOut, offsetof(strc_queue, last));
    llvm::Value* capacity = c.b.CreateSub(
        c.b.CreatePtrToInt(c.b.CreateLoad(c.m.ptr(), queueEnd(c, kOut, offsetof(strc_queue, end))),
                           c.m.i64()),
        c.b.CreatePtrToInt(c.b.CreateLoad(c.m.ptr(), last), c.m.i64()));
    llvm::BasicBlock *make = c.newBlock("make"), *fine = c.newBlock("room");
    c.b.CreateCondBr(c.b.CreateICmpUGE(capacity, c.b.getInt64(size)), fine, make,
                     llvm::MDBuilder(c.m.context).createLikelyBranchWeights());
    c.b.SetInsertPoint(make);
    llvm::Value* lacking =
        c.b.CreateCall(c.m.runtime("strc_make_room"), {c.param(kEnv), c.param(kOut)});
    c.require(c.b.CreateICmpEQ(lacking, c.b.getInt64(0)),
              {base::Diag::OutOfMemory, instr.range, {"the tape that is pushed to"}, 1}, lacking);
    c.b.CreateBr(fine);
    c.b.SetInsertPoint(fine);
    return c.b.CreateLoad(c.m.ptr(), last);
}

void moveQueueEnd(BodyContext& c, const Instr& instr, llvm::Value* end) {
    auto size = static_cast<std::uint64_t>(types::sizeOf(instr.type));
    c.b.CreateStore(c.b.CreateConstInBoundsGEP1_64(c.m.i8(), c.b.CreateLoad(c.m.ptr(), end), size),
                    end);
}

void checkQueueCounts(BodyContext& c) {
    auto look = [&c](const RateBreach& breach, llvm::Value* counter) {
        llvm::Value* count = c.b.CreateLoad(c.m.i64(), counter);
        const graph::Rate& rate = breach.rate;
        const bool isRange = rate.dynamic;
        if (isRange && rate.min <= 0) return;  // the most has been checked on the way
        auto least = c.b.getInt64(static_cast<std::uint64_t>(isRange ? rate.min : rate.max));
        checkRate(c, isRange ? c.b.CreateICmpSGE(count, least) : c.b.CreateICmpEQ(count, least),
                  breach, count);
    };
    look({c.rates.push, base::Diag::PushRateViolated, "push", "pushes", c.body.header}, c.pushed);
    look({c.rates.pop, base::Diag::PopRateViolated, "pop", "pops", c.body.header}, c.popped);
    if (c.rates.isDynamic()) countEmpty(c);
}

}  // namespace strc::codegen
