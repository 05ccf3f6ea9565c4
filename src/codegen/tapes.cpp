// Items of the input and the output, prints.

#include "codegen/detail/tapes.h"

#include "base/assert.h"
#include "codegen/detail/if_conversion.h"
#include "codegen/detail/queues.h"
#include "codegen/detail/scalars.h"
#include "strc/demand.h"
#include "types/tensor_text.h"

namespace strc::codegen {
namespace {

std::uint64_t bytesOf(const Type* type) { return static_cast<std::uint64_t>(types::sizeOf(type)); }

void passInput(BodyContext& c, const Instr& instr) {
    advanceCounter(c, c.popped);
    if (c.queued) moveQueueEnd(c, instr, queueEnd(c, kIn, offsetof(strc_queue, first)));
}

void passOutput(BodyContext& c, const Instr& instr) {
    advanceCounter(c, c.pushed);
    if (c.queued) moveQueueEnd(c, instr, queueEnd(c, kOut, offsetof(strc_queue, last)));
}

llvm::Value* inputItem(BodyContext& c, const Instr& instr, llvm::Value* offset) {
    if (c.queued) return queuedInput(c, instr, offset);
    if (c.kernel.dealtIn) return dealtItem(c, kIn, inputIndex(c, instr, offset));
    auto bytes = static_cast<std::uint64_t>(types::sizeOf(instr.type));
    return c.b.CreateInBoundsGEP(llvm::ArrayType::get(c.m.i8(), bytes), c.param(kIn),
                                 inputIndex(c, instr, offset));
}

llvm::Value* loadInput(BodyContext& c, const Instr& instr, llvm::Value* offset) {
    return c.m.load(c.b, instr.type, inputItem(c, instr, offset));
}

llvm::Value* outputItem(BodyContext& c, const Instr& instr) {
    if (c.queued) return queuedOutput(c, instr);
    if (c.kernel.dealtOut) return dealtItem(c, kOut, outputIndex(c, instr));
    auto bytes = static_cast<std::uint64_t>(types::sizeOf(instr.type));
    llvm::Value* index = outputIndex(c, instr);
    return c.b.CreateInBoundsGEP(llvm::ArrayType::get(c.m.i8(), bytes),
                                 c.predicate ? selectedOutput(c) : c.param(kOut), index);
}

void checkCount(BodyContext& c, llvm::Value* counter, std::int64_t declared, base::Diag id) {
    llvm::Value* limit = c.b.getInt64(static_cast<std::uint64_t>(declared));
    llvm::Value* count = c.b.CreateLoad(c.m.i64(), counter);
    c.check(c.b.CreateICmpEQ(count, limit), {id, c.body.header, rateWords(c), 2}, limit, count);
}

/// Their number is looked at when the firing ends.
void advanceBy(BodyContext& c, llvm::Value* counter, std::uint64_t items) {
    c.b.CreateStore(c.b.CreateAdd(c.b.CreateLoad(c.m.i64(), counter), c.b.getInt64(items)),
                    counter);
}

void emitPrint(BodyContext& c, const Instr& instr) {
    llvm::Value* x = c.operand(instr, 0);
    llvm::Value* env = c.param(kEnv);
    if (instr.type->is(TypeKind::Tensor)) {
        const std::vector<std::int64_t> words = types::shapeOf(instr.type);
        const std::vector<std::uint64_t> list(words.begin(), words.end());
        auto* shape = c.m.constantData(llvm::ConstantDataArray::get(c.m.context, list), "shape");
        c.b.CreateCall(c.m.runtime("strc_print_tensor"), {env, shape, x});
        return;
    }
    const Type* type = c.typeOf(instr.operands[0]);
    switch (type->kind) {
        case TypeKind::Boolean:
            c.b.CreateCall(c.m.runtime("strc_print_boolean"), {env, c.b.CreateZExt(x, c.m.i32())});
            return;
        case TypeKind::Char:
            c.b.CreateCall(c.m.runtime("strc_print_char"), {env, c.b.CreateZExt(x, c.m.i32())});
            return;
        case TypeKind::Bit:
        case TypeKind::Int:
        case TypeKind::Portal:
            c.b.CreateCall(c.m.runtime("strc_print_int"),
                           {env, c.b.CreateZExtOrTrunc(x, c.m.i32())});
            return;
        case TypeKind::Float: c.b.CreateCall(c.m.runtime("strc_print_float"), {env, x}); return;
        case TypeKind::Double: c.b.CreateCall(c.m.runtime("strc_print_double"), {env, x}); return;
        case TypeKind::Complex:
            c.b.CreateCall(c.m.runtime("strc_print_complex"),
                           {env, complexPart(c, x, 0), complexPart(c, x, 1)});
            return;
        case TypeKind::String: c.b.CreateCall(c.m.runtime("strc_print_string"), {env, x}); return;
        default: STRC_UNREACHABLE("a value that is not printed");
    }
}

}  // namespace

std::vector<std::string> rateWords(const BodyContext& c) {
    bool isPrework = c.body.kind == ir::BodyKind::Prework;
    std::string filter = c.code && !c.code->name.empty() ? c.code->name : "filter";
    return {isPrework ? "'prework'" : "'work'", filter};
}

llvm::Value* inputIndex(BodyContext& c, const Instr& instr, llvm::Value* offset) {
    llvm::Value* index = c.b.CreateLoad(c.m.i64(), c.popped);
    if (offset && !instr.checked) {
        return c.b.CreateAdd(index, c.b.CreateZExt(offset, c.m.i64(), "", true));
    }
    if (offset) {
        llvm::Value* wide = c.b.CreateSExt(offset, c.m.i64());
        auto number = [&](std::int64_t n) {
            return llvm::ConstantInt::getSigned(wide->getType(), n);
        };
        const bool isSure = !c.isChecked(instr);
        if (!isSure)
            c.check(c.b.CreateICmpSGE(wide, number(0)),
                    {base::Diag::NegativePeek, instr.range, {}, 1}, offset);
        index = c.b.CreateAdd(index, wide);
        if (isSure) return index;
        c.check(c.b.CreateICmpULT(index, number(c.rates.peek.max)),
                {base::Diag::PeekRateViolated, instr.range, rateWords(c), 2},
                number(c.rates.peek.max), c.b.CreateAdd(index, number(1)));
    } else if (c.rateChecks.pops) {
        llvm::Value* limit = c.b.getInt64(static_cast<std::uint64_t>(c.rates.pop.max));
        c.check(c.b.CreateICmpULT(index, limit),
                {base::Diag::PopRateViolated, instr.range, rateWords(c), 2}, limit,
                c.b.CreateAdd(index, c.b.getInt64(1)));
    }
    return index;
}

bool emitTape(BodyContext& c, const Instr& instr) {
    if (c.usesRings() && emitRingTape(c, instr)) return true;
    switch (instr.op) {
        case Op::Iter: c.set(instr, c.param(kIter)); return true;
        case Op::Pop:
            c.set(instr, loadInput(c, instr, nullptr));
            passInput(c, instr);
            return true;
        case Op::Discard:
            c.queued ? queuedInput(c, instr, nullptr) : inputIndex(c, instr, nullptr);
            passInput(c, instr);
            return true;
        case Op::PopInto:
            if (!ir::isMove(c.items, instr))
                c.b.CreateMemCpy(c.operand(instr, 0), llvm::MaybeAlign(1),
                                 inputItem(c, instr, nullptr), llvm::MaybeAlign(1),
                                 bytesOf(instr.type));
            passInput(c, instr);
            return true;
        case Op::Peek: c.set(instr, loadInput(c, instr, c.operand(instr, 0))); return true;
        case Op::PeekInto:
            c.b.CreateMemCpy(c.operand(instr, 0), llvm::MaybeAlign(1),
                             inputItem(c, instr, c.operand(instr, 1)), llvm::MaybeAlign(1),
                             bytesOf(instr.type));
            return true;
        case Op::Push:
            c.m.store(c.b, instr.type, outputItem(c, instr), c.operand(instr, 0));
            passOutput(c, instr);
            return true;
        case Op::PushFrom:
            if (!ir::isMove(c.items, instr))
                c.b.CreateMemCpy(outputItem(c, instr), llvm::MaybeAlign(1), c.operand(instr, 0),
                                 llvm::MaybeAlign(1), bytesOf(instr.type));
            passOutput(c, instr);
            return true;
        case Op::DiscardMany: advanceBy(c, c.popped, instr.index); return true;
        case Op::PushMany: advanceBy(c, c.pushed, instr.index); return true;
        case Op::Print: emitPrint(c, instr); return true;
        case Op::NewLine:
            c.b.CreateCall(c.m.runtime("strc_print_newline"), {c.param(kEnv)});
            return true;
        default: return false;
    }
}

void advanceCounter(BodyContext& c, llvm::Value* counter) {
    llvm::Value* step = c.predicate ? c.b.CreateZExt(c.predicate, c.m.i64()) : c.b.getInt64(1);
    c.b.CreateStore(c.b.CreateAdd(c.b.CreateLoad(c.m.i64(), counter), step), counter);
}

llvm::Value* outputIndex(BodyContext& c, const Instr& instr) {
    llvm::Value* index = c.b.CreateLoad(c.m.i64(), c.pushed);
    if (c.rateChecks.pushes) {
        llvm::Value* limit = c.b.getInt64(static_cast<std::uint64_t>(c.rates.push.max));
        c.check(c.b.CreateICmpULT(index, limit),
                {base::Diag::PushRateViolated, instr.range, rateWords(c), 2}, limit,
                c.b.CreateAdd(index, c.b.getInt64(1)));
    }
    return index;
}

llvm::Value* dealtItem(BodyContext& c, unsigned side, llvm::Value* index) {
    return c.b.CreateLoad(c.m.ptr(), c.b.CreateInBoundsGEP(c.m.ptr(), c.param(side), index));
}

void checkCounts(BodyContext& c) {
    if (c.queued) return checkQueueCounts(c);
    if (c.rateChecks.pushes)
        checkCount(c, c.pushed, c.rates.push.max, base::Diag::PushRateViolated);
    if (c.rateChecks.pops) checkCount(c, c.popped, c.rates.pop.max, base::Diag::PopRateViolated);
}

}  // namespace strc::codegen
