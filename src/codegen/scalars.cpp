// Constants, arithmetic, comparisons, conversions, strings. The rules are those of types/math.h and ir/ops.def;
// nothing here may round differently from the evaluator.

#include "codegen/detail/scalars.h"

#include "base/assert.h"
#include "codegen/detail/body_math.h"
#include "codegen/detail/short_floats.h"
#include "codegen/detail/vectors.h"
#include "strc/runtime.h"
#include "types/tensor_elements.h"

namespace strc::codegen {

namespace {

llvm::CmpInst::Predicate intPredicate(Op op) {
    switch (op) {
        case Op::Eq: return llvm::CmpInst::ICMP_EQ;
        case Op::Ne: return llvm::CmpInst::ICMP_NE;
        case Op::Lt: return llvm::CmpInst::ICMP_SLT;
        case Op::Le: return llvm::CmpInst::ICMP_SLE;
        case Op::Gt: return llvm::CmpInst::ICMP_SGT;
        default: return llvm::CmpInst::ICMP_SGE;
    }
}

llvm::CmpInst::Predicate realPredicate(Op op) {
    switch (op) {
        case Op::Eq: return llvm::CmpInst::FCMP_OEQ;
        case Op::Ne: return llvm::CmpInst::FCMP_UNE;
        case Op::Lt: return llvm::CmpInst::FCMP_OLT;
        case Op::Le: return llvm::CmpInst::FCMP_OLE;
        case Op::Gt: return llvm::CmpInst::FCMP_OGT;
        default: return llvm::CmpInst::FCMP_OGE;
    }
}

llvm::Value* concatenation(BodyContext& c, const Instr& instr) {
    auto sizeOf = [&c](llvm::Value* string) {
        llvm::Value* isEmpty = c.b.CreateIsNull(string);
        return c.b.CreateLoad(c.m.i64(), c.b.CreateSelect(isEmpty, c.m.text(""), string));
    };
    llvm::Value *first = c.operand(instr, 0), *second = c.operand(instr, 1);
    llvm::Value* size = c.b.CreateAdd(sizeOf(first), sizeOf(second));
    llvm::Value* limit = c.b.getInt64(c.m.limits.textBytes);
    c.require(c.b.CreateICmpULE(size, limit),
              {base::Diag::LimitExceeded, instr.range, {"the length of a text"}, 1}, limit);
    return newString(
        c, instr,
        c.b.CreateCall(c.m.runtime("strc_string_concat"), {c.param(kEnv), first, second}));
}

llvm::Value* intArithmetic(BodyContext& c, const Instr& instr, llvm::Value* x, llvm::Value* y) {
    switch (instr.op) {
        case Op::Add: return c.b.CreateAdd(x, y, "", false, instr.isNatural);
        case Op::Sub: return c.b.CreateSub(x, y);
        case Op::Mul: return c.b.CreateMul(x, y, "", false, instr.isNatural);
        case Op::And: return c.b.CreateAnd(x, y);
        case Op::Or: return c.b.CreateOr(x, y);
        case Op::Xor: return c.b.CreateXor(x, y);
        case Op::Shl: return c.b.CreateShl(x, c.b.CreateAnd(y, 31));
        case Op::Shr: return c.b.CreateAShr(x, c.b.CreateAnd(y, 31));
        default: break;
    }
    if (instr.isNatural) return instr.op == Op::Div ? c.b.CreateUDiv(x, y) : c.b.CreateURem(x, y);
    llvm::Value* zero = llvm::ConstantInt::get(y->getType(), 0);
    if (c.isChecked(instr))
        c.check(c.b.CreateICmpNE(y, zero), {base::Diag::DivisionByZero, instr.range, {}, 0});
    // -2147483648 / -1 wraps, which the machine's division does not.
    llvm::Value* isMinusOne = c.b.CreateICmpEQ(y, llvm::ConstantInt::getAllOnesValue(y->getType()));
    llvm::Value* divisor = c.b.CreateSelect(isMinusOne, llvm::ConstantInt::get(y->getType(), 1), y);
    if (instr.op == Op::Div)
        return c.b.CreateSelect(isMinusOne, c.b.CreateNeg(x), c.b.CreateSDiv(x, divisor));
    return c.b.CreateSelect(isMinusOne, zero, c.b.CreateSRem(x, divisor));
}

llvm::Value* realArithmetic(BodyContext& c, Op op, llvm::Value* x, llvm::Value* y) {
    switch (op) {
        case Op::Add: return c.b.CreateFAdd(x, y);
        case Op::Sub: return c.b.CreateFSub(x, y);
        case Op::Mul: return c.b.CreateFMul(x, y);
        case Op::Div: return c.b.CreateFDiv(x, y);
        default: STRC_UNREACHABLE("an operation that reals do not have");
    }
}

/// types::multiply, types::divide.
llvm::Value* complexArithmetic(BodyContext& c, Op op, llvm::Value* x, llvm::Value* y) {
    if (op == Op::Add) return c.b.CreateFAdd(x, y);
    if (op == Op::Sub) return c.b.CreateFSub(x, y);
    llvm::Value *xr = complexPart(c, x, 0), *xi = complexPart(c, x, 1), *yr = complexPart(c, y, 0),
                *yi = complexPart(c, y, 1);
    auto times = [&](llvm::Value* p, llvm::Value* q) { return c.b.CreateFMul(p, q); };
    if (op == Op::Mul)
        return joinedParts(c, c.b.CreateFSub(times(xr, yr), times(xi, yi)),
                           c.b.CreateFAdd(times(xi, yr), times(xr, yi)));
    STRC_ASSERT(op == Op::Div, "an operation that complex numbers do not have");
    llvm::Value* scale = c.b.CreateFAdd(times(yr, yr), times(yi, yi));
    return joinedParts(c, c.b.CreateFDiv(c.b.CreateFAdd(times(xr, yr), times(xi, yi)), scale),
                       c.b.CreateFDiv(c.b.CreateFSub(times(xi, yr), times(xr, yi)), scale));
}

llvm::Value* arithmetic(BodyContext& c, const Instr& instr) {
    llvm::Value* first = c.operand(instr, 0);
    if (instr.op == Op::Neg)
        return first->getType()->isIntOrIntVectorTy() ? c.b.CreateNeg(first)
                                                      : c.b.CreateFNeg(first);
    if (instr.op == Op::Not) return c.b.CreateNot(first);
    llvm::Value* second = c.operand(instr, 1);
    switch (types::laneType(instr.type)->kind) {
        case TypeKind::Boolean:
        case TypeKind::Bit:
        case TypeKind::Char:
        case TypeKind::Int:
        case TypeKind::Long: return intArithmetic(c, instr, first, second);
        case TypeKind::Complex: return complexArithmetic(c, instr.op, first, second);
        case TypeKind::Float2:
        case TypeKind::Float3:
        case TypeKind::Float4:
            if (!second->getType()->isVectorTy())
                second =
                    c.b.CreateVectorSplat(static_cast<unsigned>(instr.type->components()), second);
            return realArithmetic(c, instr.op, first, second);
        default: break;
    }
    llvm::Value* result = realArithmetic(c, instr.op, first, second);
    if (auto* add = llvm::dyn_cast<llvm::Instruction>(result);
        add && c.math.isRelaxed && !c.m.options.ordersSums && instr.op == Op::Add && instr.flag) {
        add->setHasAllowReassoc(true);
        add->setHasNoSignedZeros(true);
    }
    return result;
}

llvm::Value* withPart(BodyContext& c, const Instr& instr) {
    llvm::Value *from = c.operand(instr, 0), *stored = c.operand(instr, 1);
    if (c.lanesOf(instr.result) == 0) return c.b.CreateInsertElement(from, stored, instr.index);
    return instr.index == 0 ? joinedParts(c, stored, complexPart(c, from, 1))
                            : joinedParts(c, complexPart(c, from, 0), stored);
}

llvm::Value* comparison(BodyContext& c, const Instr& instr) {
    llvm::Value *x = c.operand(instr, 0), *y = c.operand(instr, 1);
    const unsigned lanes = c.lanesOf(instr.operands[0]);
    switch (types::laneType(c.typeOf(instr.operands[0]))->kind) {
        case TypeKind::Boolean:
        case TypeKind::Bit:
            // 0 and 1 are ordered as numbers.
            x = c.b.CreateZExt(x, inLanes(lanes, c.m.i8()));
            y = c.b.CreateZExt(y, inLanes(lanes, c.m.i8()));
            return c.b.CreateICmp(intPredicate(instr.op), x, y);
        case TypeKind::Float:
        case TypeKind::Double: return c.b.CreateFCmp(realPredicate(instr.op), x, y);
        case TypeKind::Complex:
        case TypeKind::Float2:
        case TypeKind::Float3:
        case TypeKind::Float4: {
            llvm::Value* equal = c.b.CreateFCmpOEQ(x, y);
            equal = lanes != 0 ? c.b.CreateAnd(complexPart(c, equal, 0), complexPart(c, equal, 1))
                               : c.b.CreateAndReduce(equal);
            return instr.op == Op::Eq ? equal : c.b.CreateNot(equal);
        }
        case TypeKind::String: {
            llvm::Value* equal = c.b.CreateCall(c.m.runtime("strc_string_equal"), {x, y});
            return c.b.CreateICmp(intPredicate(instr.op == Op::Eq ? Op::Ne : Op::Eq), equal,
                                  c.b.getInt32(0));
        }
        default: return c.b.CreateICmp(intPredicate(instr.op), x, y);
    }
}

/// types::toInt in code that goes in vectors; LLVM does its intrinsic one by one.
llvm::Value* toInts(BodyContext& c, llvm::Value* real) {
    llvm::Type* ints = real->getType()->getWithNewType(c.m.i32());
    auto bound = [&](double number) { return llvm::ConstantFP::get(real->getType(), number); };
    auto number = [&](std::int64_t n) { return llvm::ConstantInt::getSigned(ints, n); };
    llvm::Value* isLarge = c.b.CreateFCmpOGE(real, bound(2147483648.0));
    llvm::Value* isSmall = c.b.CreateFCmpOLT(real, bound(-2147483648.0));
    llvm::Value* isOutside =
        c.b.CreateOr(c.b.CreateOr(isLarge, isSmall), c.b.CreateFCmpUNO(real, real));
    llvm::Value* inside = c.b.CreateFPToSI(c.b.CreateSelect(isOutside, bound(0), real), ints);
    return c.b.CreateSelect(isLarge, number(INT32_MAX),
                            c.b.CreateSelect(isSmall, number(INT32_MIN), inside));
}

/// The lower bits of an int. Elements of tensors become int8, so if the int was a float, it is done in a loop that should go in vectors.
llvm::Value* toByte(BodyContext& c, llvm::Value* number) {
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(number);
        call && call->getIntrinsicID() == llvm::Intrinsic::fptosi_sat &&
        call->getType()->getScalarSizeInBits() == 32)
        number = toInts(c, call->getArgOperand(0));
    return c.b.CreateTrunc(number, number->getType()->getWithNewType(c.m.i8()));
}

llvm::Value* toText(BodyContext& c, const Type* from, llvm::Value* x) {
    llvm::Value* env = c.param(kEnv);
    auto call = [&](const char* name, std::initializer_list<llvm::Value*> args) {
        std::vector<llvm::Value*> all{env};
        all.insert(all.end(), args);
        return c.b.CreateCall(c.m.runtime(name), all);
    };
    switch (from->kind) {
        case TypeKind::Boolean:
            return call("strc_string_of_boolean", {c.b.CreateZExt(x, c.m.i32())});
        case TypeKind::Char: return call("strc_string_of_char", {c.b.CreateZExt(x, c.m.i32())});
        case TypeKind::Bit:
        case TypeKind::Int:
        case TypeKind::Portal:
            return call("strc_string_of_int", {c.b.CreateZExtOrTrunc(x, c.m.i32())});
        case TypeKind::Float: return call("strc_string_of_float", {x});
        case TypeKind::Double: return call("strc_string_of_double", {x});
        case TypeKind::Complex:
            return call("strc_string_of_complex", {complexPart(c, x, 0), complexPart(c, x, 1)});
        default: STRC_UNREACHABLE("a value without a text");
    }
}

llvm::Value* conversion(BodyContext& c, const Instr& instr) {
    if (llvm::Value* rounded = sigmoidInLoop(c, instr)) return rounded;
    const Type* from = types::laneType(c.typeOf(instr.operands[0]));
    const Type* to = types::laneType(instr.type);
    const unsigned lanes = c.lanesOf(instr.result);
    llvm::Value* x = c.operand(instr, 0);
    if (from == to) return x;
    if (types::isNarrow(from->kind)) return widenElements(c.b, x, from->kind);
    if (to->is(TypeKind::Int8)) return toByte(c, x);
    if (types::isNarrow(to->kind)) return toShortFloat(c.b, x, to->kind);
    if (to->is(TypeKind::String)) return newString(c, instr, toText(c, from, x));
    bool isReal = from->is(TypeKind::Float) || from->is(TypeKind::Double);
    llvm::Type* intType = inLanes(lanes, c.m.i32());
    auto toInt = [&]() -> llvm::Value* {
        if (isReal && lanes != 0) return toInts(c, x);
        if (isReal)
            return c.b.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {intType, x->getType()}, {x});
        return c.b.CreateZExtOrTrunc(x, intType);
    };
    llvm::Type* longType = inLanes(lanes, c.m.i64());
    auto toLong = [&]() -> llvm::Value* {
        if (!isReal) return c.b.CreateSExt(toInt(), longType);
        return c.b.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {longType, x->getType()}, {x});
    };
    llvm::Type* floatType = inLanes(lanes, c.b.getFloatTy());
    auto toReal = [&](llvm::Type* type) -> llvm::Value* {
        if (auto* wide = llvm::dyn_cast<llvm::FPExtInst>(x); wide && wide->getSrcTy() == type)
            return wide->getOperand(0);
        if (isReal)
            return x->getType()->getScalarSizeInBits() < type->getScalarSizeInBits()
                       ? c.b.CreateFPExt(x, type)
                       : c.b.CreateFPTrunc(x, type);
        if (from->is(TypeKind::Long)) return c.b.CreateSIToFP(x, type);
        return c.b.CreateSIToFP(c.b.CreateZExtOrTrunc(x, intType), type);
    };
    auto toFloat = [&] { return from->is(TypeKind::Float) ? x : toReal(floatType); };
    switch (to->kind) {
        case TypeKind::Boolean:
            return c.b.CreateICmpNE(toInt(), llvm::ConstantInt::get(intType, 0));
        case TypeKind::Bit: return c.b.CreateTrunc(toInt(), inLanes(lanes, c.b.getInt1Ty()));
        case TypeKind::Int:
        case TypeKind::Portal: return toInt();
        case TypeKind::Long: return toLong();
        case TypeKind::Char: return c.b.CreateTrunc(toInt(), inLanes(lanes, c.m.i8()));
        case TypeKind::Float: return toReal(floatType);
        case TypeKind::Double: return toReal(inLanes(lanes, c.b.getDoubleTy()));
        case TypeKind::Complex:
            return joinedParts(c, toFloat(), llvm::ConstantFP::get(floatType, 0));
        case TypeKind::Float2:
        case TypeKind::Float3:
        case TypeKind::Float4:
            return c.b.CreateVectorSplat(static_cast<unsigned>(to->components()), toFloat());
        default: STRC_UNREACHABLE("a conversion that the language does not have");
    }
}

}  // namespace

llvm::Value* complexPart(BodyContext& c, llvm::Value* from, std::uint64_t k) {
    const unsigned lanes = llvm::cast<llvm::FixedVectorType>(from->getType())->getNumElements() / 2;
    if (lanes == 1) return c.b.CreateExtractElement(from, k);
    std::vector<int> order(lanes);
    for (unsigned lane = 0; lane < lanes; ++lane) order[lane] = static_cast<int>(k * lanes + lane);
    return c.b.CreateShuffleVector(from, order);
}

bool emitScalar(BodyContext& c, const Instr& instr) {
    switch (instr.op) {
        case Op::Const:
            c.set(instr, instr.type->isAggregate() ? c.m.bytes(instr.value.bytes)
                                                   : c.m.constant(instr.value));
            return true;
        case Op::Add:
        case Op::Sub:
        case Op::Mul:
        case Op::Div:
        case Op::Rem:
        case Op::And:
        case Op::Or:
        case Op::Xor:
        case Op::Shl:
        case Op::Shr:
        case Op::Neg:
        case Op::Not: c.set(instr, arithmetic(c, instr)); return true;
        case Op::Eq:
        case Op::Ne:
        case Op::Lt:
        case Op::Le:
        case Op::Gt:
        case Op::Ge: c.set(instr, comparison(c, instr)); return true;
        case Op::Convert: c.set(instr, conversion(c, instr)); return true;
        case Op::Math: c.set(instr, builtinFunction(c, instr)); return true;
        case Op::Make: {
            if (types::laneType(instr.type)->is(TypeKind::Complex)) {
                c.set(instr, joinedParts(c, c.operand(instr, 0), c.operand(instr, 1)));
                return true;
            }
            llvm::Value* made = llvm::PoisonValue::get(c.m.registerType(instr.type));
            for (std::size_t k = 0; k < instr.operands.size(); ++k)
                made = c.b.CreateInsertElement(made, c.operand(instr, k), k);
            c.set(instr, made);
            return true;
        }
        case Op::Part: {
            const bool isFloatN = c.typeOf(instr.operands[0])->isFloatN();
            c.set(instr, isFloatN ? c.b.CreateExtractElement(c.operand(instr, 0), instr.index)
                                  : complexPart(c, c.operand(instr, 0), instr.index));
            return true;
        }
        case Op::WithPart: c.set(instr, withPart(c, instr)); return true;
        case Op::Concat: c.set(instr, concatenation(c, instr)); return true;
        case Op::Random:
            c.set(instr, c.b.CreateCall(c.m.runtime("strc_random"), {c.param(kEnv)}));
            return true;
        default: return false;
    }
}

llvm::Value* newString(BodyContext& c, const Instr& instr, llvm::Value* string) {
    c.require(c.b.CreateIsNotNull(string),
              {base::Diag::OutOfMemory, instr.range, {"the text of one firing"}, 1},
              c.b.getInt64(STRC_STRING_BYTES));
    return string;
}

}  // namespace strc::codegen
