// Items of the input and the output, prints.

#include "base/assert.h"
#include "codegen/detail/body_emitter.h"
#include "strc/demand.h"
#include "types/tensor_text.h"

namespace strc::codegen {
namespace {

std::uint64_t bytesOf(const Type* type) { return static_cast<std::uint64_t>(types::sizeOf(type)); }

}  // namespace

bool BodyEmitter::tape(const Instr& instr) {
    if (usesRings() && ringTape(instr)) return true;
    switch (instr.op) {
        case Op::Iter:
            set(instr, param(kIter));
            return true;
        case Op::Pop:
            set(instr, input(instr, nullptr));
            passInput(instr);
            return true;
        case Op::Discard:
            queued ? queuedInput(instr, nullptr) : inputIndex(instr, nullptr);
            passInput(instr);
            return true;
        case Op::PopInto:
            if (!ir::isMove(items, instr))
                b.CreateMemCpy(operand(instr, 0), llvm::MaybeAlign(1), inputItem(instr, nullptr),
                               llvm::MaybeAlign(1), bytesOf(instr.type));
            passInput(instr);
            return true;
        case Op::Peek: set(instr, input(instr, operand(instr, 0))); return true;
        case Op::PeekInto:
            b.CreateMemCpy(operand(instr, 0), llvm::MaybeAlign(1),
                           inputItem(instr, operand(instr, 1)), llvm::MaybeAlign(1),
                           bytesOf(instr.type));
            return true;
        case Op::Push:
            m.store(b, instr.type, outputItem(instr), operand(instr, 0));
            passOutput(instr);
            return true;
        case Op::PushFrom:
            if (!ir::isMove(items, instr))
                b.CreateMemCpy(outputItem(instr), llvm::MaybeAlign(1), operand(instr, 0),
                               llvm::MaybeAlign(1), bytesOf(instr.type));
            passOutput(instr);
            return true;
        case Op::Print: print(instr); return true;
        case Op::NewLine: b.CreateCall(m.runtime("strc_print_newline"), {param(kEnv)}); return true;
        default: return false;
    }
}

std::vector<std::string> BodyEmitter::rateWords() const {
    bool isPrework = body.kind == ir::BodyKind::Prework;
    std::string filter = code && !code->name.empty() ? code->name : "filter";
    return {isPrework ? "'prework'" : "'work'", filter};
}

void BodyEmitter::advance(llvm::Value* counter) {
    llvm::Value* step = predicate ? b.CreateZExt(predicate, m.i64()) : b.getInt64(1);
    b.CreateStore(b.CreateAdd(b.CreateLoad(m.i64(), counter), step), counter);
}

void BodyEmitter::passInput(const Instr& instr) {
    advance(popped);
    if (queued) moveQueueEnd(instr, queueEnd(kIn, offsetof(strc_queue, first)));
}

void BodyEmitter::passOutput(const Instr& instr) {
    advance(pushed);
    if (queued) moveQueueEnd(instr, queueEnd(kOut, offsetof(strc_queue, last)));
}

llvm::Value* BodyEmitter::input(const Instr& instr, llvm::Value* offset) {
    return m.load(b, instr.type, inputItem(instr, offset));
}

/// The next item (no offset) or one further on.
llvm::Value* BodyEmitter::inputIndex(const Instr& instr, llvm::Value* offset) {
    llvm::Value* index = b.CreateLoad(m.i64(), popped);
    if (offset && !instr.checked) {
        return b.CreateAdd(index, b.CreateZExt(offset, m.i64(), "", true));
    }
    if (offset) {
        llvm::Value* wide = b.CreateSExt(offset, m.i64());
        auto number = [&](std::int64_t n) {
            return llvm::ConstantInt::getSigned(wide->getType(), n);
        };
        const bool isSure = !isChecked(instr);
        if (!isSure)
            check(b.CreateICmpSGE(wide, number(0)), {base::Diag::NegativePeek, instr.range, {}, 1},
                  offset);
        index = b.CreateAdd(index, wide);
        if (isSure) return index;
        check(b.CreateICmpULT(index, number(rates.peek.max)),
              {base::Diag::PeekRateViolated, instr.range, rateWords(), 2}, number(rates.peek.max),
              b.CreateAdd(index, number(1)));
    } else if (checkPops) {
        llvm::Value* limit = b.getInt64(static_cast<std::uint64_t>(rates.pop.max));
        check(b.CreateICmpULT(index, limit),
              {base::Diag::PopRateViolated, instr.range, rateWords(), 2}, limit,
              b.CreateAdd(index, b.getInt64(1)));
    }
    return index;
}

llvm::Value* BodyEmitter::inputItem(const Instr& instr, llvm::Value* offset) {
    if (queued) return queuedInput(instr, offset);
    if (kernel.dealtIn) return dealtItem(kIn, inputIndex(instr, offset));
    auto bytes = static_cast<std::uint64_t>(types::sizeOf(instr.type));
    return b.CreateInBoundsGEP(llvm::ArrayType::get(m.i8(), bytes), param(kIn),
                               inputIndex(instr, offset));
}

llvm::Value* BodyEmitter::outputIndex(const Instr& instr) {
    llvm::Value* index = b.CreateLoad(m.i64(), pushed);
    if (checkPushes) {
        llvm::Value* limit = b.getInt64(static_cast<std::uint64_t>(rates.push.max));
        check(b.CreateICmpULT(index, limit),
              {base::Diag::PushRateViolated, instr.range, rateWords(), 2}, limit,
              b.CreateAdd(index, b.getInt64(1)));
    }
    return index;
}

/// KernelFunctions::dealtIn, dealtOut
llvm::Value* BodyEmitter::dealtItem(unsigned side, llvm::Value* index) {
    return b.CreateLoad(m.ptr(), b.CreateInBoundsGEP(m.ptr(), param(side), index));
}

llvm::Value* BodyEmitter::outputItem(const Instr& instr) {
    if (queued) return queuedOutput(instr);
    if (kernel.dealtOut) return dealtItem(kOut, outputIndex(instr));
    auto bytes = static_cast<std::uint64_t>(types::sizeOf(instr.type));
    llvm::Value* index = outputIndex(instr);
    return b.CreateInBoundsGEP(llvm::ArrayType::get(m.i8(), bytes),
                               predicate ? selectedOutput() : param(kOut), index);
}

/// At the end of a firing: as many as declared?
void BodyEmitter::checkCounts() {
    if (queued) return checkQueueCounts();
    if (checkPushes) checkCount(pushed, rates.push.max, base::Diag::PushRateViolated);
    if (checkPops) checkCount(popped, rates.pop.max, base::Diag::PopRateViolated);
}

void BodyEmitter::checkCount(llvm::Value* counter, std::int64_t declared, base::Diag id) {
    llvm::Value* limit = b.getInt64(static_cast<std::uint64_t>(declared));
    llvm::Value* count = b.CreateLoad(m.i64(), counter);
    check(b.CreateICmpEQ(count, limit), {id, body.header, rateWords(), 2}, limit, count);
}

void BodyEmitter::print(const Instr& instr) {
    llvm::Value* x = operand(instr, 0);
    llvm::Value* env = param(kEnv);
    if (instr.type->is(TypeKind::Tensor)) {
        const std::vector<std::int64_t> words = types::shapeOf(instr.type);
        const std::vector<std::uint64_t> list(words.begin(), words.end());
        auto* shape = m.constantData(llvm::ConstantDataArray::get(m.context, list), "shape");
        b.CreateCall(m.runtime("strc_print_tensor"), {env, shape, x});
        return;
    }
    const Type* type = typeOf(instr.operands[0]);
    switch (type->kind) {
        case TypeKind::Boolean:
            b.CreateCall(m.runtime("strc_print_boolean"), {env, b.CreateZExt(x, m.i32())});
            return;
        case TypeKind::Char:
            b.CreateCall(m.runtime("strc_print_char"), {env, b.CreateZExt(x, m.i32())});
            return;
        case TypeKind::Bit:
        case TypeKind::Int:
        case TypeKind::Portal:
            b.CreateCall(m.runtime("strc_print_int"), {env, b.CreateZExtOrTrunc(x, m.i32())});
            return;
        case TypeKind::Float: b.CreateCall(m.runtime("strc_print_float"), {env, x}); return;
        case TypeKind::Double: b.CreateCall(m.runtime("strc_print_double"), {env, x}); return;
        case TypeKind::Complex:
            b.CreateCall(m.runtime("strc_print_complex"), {env, part(x, 0), part(x, 1)});
            return;
        case TypeKind::String: b.CreateCall(m.runtime("strc_print_string"), {env, x}); return;
        default: STRC_UNREACHABLE("a value that is not printed");
    }
}

}  // namespace strc::codegen
