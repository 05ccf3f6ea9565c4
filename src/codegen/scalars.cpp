// Constants, arithmetic, comparisons, conversions, built-in functions, strings. The rules are those of
// types/math.h and ir/ops.def; nothing here may round differently from the evaluator.

#include "base/assert.h"
#include "codegen/detail/body_emitter.h"
#include "strc/runtime.h"

namespace strc::codegen {

using types::MathFn;

bool BodyEmitter::scalar(const Instr& instr) {
    switch (instr.op) {
        case Op::Const:
            set(instr,
                instr.type->isAggregate() ? m.bytes(instr.value.bytes) : m.constant(instr.value));
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
        case Op::Not: set(instr, arithmetic(instr)); return true;
        case Op::Eq:
        case Op::Ne:
        case Op::Lt:
        case Op::Le:
        case Op::Gt:
        case Op::Ge: set(instr, compare(instr)); return true;
        case Op::Convert: set(instr, convert(instr)); return true;
        case Op::Math: set(instr, math(instr)); return true;
        case Op::Make: {
            if (types::laneType(instr.type)->is(TypeKind::Complex)) {
                set(instr, joined(operand(instr, 0), operand(instr, 1)));
                return true;
            }
            llvm::Value* made = llvm::PoisonValue::get(m.registerType(instr.type));
            for (std::size_t k = 0; k < instr.operands.size(); ++k)
                made = b.CreateInsertElement(made, operand(instr, k), k);
            set(instr, made);
            return true;
        }
        case Op::Part: {
            const bool isFloatN = typeOf(instr.operands[0])->isFloatN();
            set(instr, isFloatN ? b.CreateExtractElement(operand(instr, 0), instr.index)
                                : part(operand(instr, 0), instr.index));
            return true;
        }
        case Op::WithPart: set(instr, withPart(instr)); return true;
        case Op::Concat: set(instr, concat(instr)); return true;
        case Op::Random:
            set(instr, b.CreateCall(m.runtime("strc_random"), {param(kEnv)}));
            return true;
        default: return false;
    }
}

llvm::Value* BodyEmitter::concat(const Instr& instr) {
    auto sizeOf = [this](llvm::Value* string) {
        llvm::Value* isEmpty = b.CreateIsNull(string);
        return b.CreateLoad(m.i64(), b.CreateSelect(isEmpty, m.text(""), string));
    };
    llvm::Value *first = operand(instr, 0), *second = operand(instr, 1);
    llvm::Value* size = b.CreateAdd(sizeOf(first), sizeOf(second));
    llvm::Value* limit = b.getInt64(m.limits.textBytes);
    require(b.CreateICmpULE(size, limit),
            {base::Diag::LimitExceeded, instr.range, {"the length of a text"}, 1}, limit);
    return newString(instr,
                     b.CreateCall(m.runtime("strc_string_concat"), {param(kEnv), first, second}));
}

/// Strings live until the end of their firing, or of an iteration of a loop: together they may be too many.
llvm::Value* BodyEmitter::newString(const Instr& instr, llvm::Value* string) {
    require(b.CreateIsNotNull(string),
            {base::Diag::OutOfMemory, instr.range, {"the text of one firing"}, 1},
            b.getInt64(STRC_STRING_BYTES));
    return string;
}

// ---- arithmetic

llvm::Value* BodyEmitter::arithmetic(const Instr& instr) {
    llvm::Value* first = operand(instr, 0);
    if (instr.op == Op::Neg)
        return first->getType()->isIntOrIntVectorTy() ? b.CreateNeg(first) : b.CreateFNeg(first);
    if (instr.op == Op::Not) return b.CreateNot(first);
    llvm::Value* second = operand(instr, 1);
    switch (types::laneType(instr.type)->kind) {
        case TypeKind::Boolean:
        case TypeKind::Bit:
        case TypeKind::Char:
        case TypeKind::Int:
        case TypeKind::Long: return intArithmetic(instr, first, second);
        case TypeKind::Complex: return complexArithmetic(instr.op, first, second);
        case TypeKind::Float2:
        case TypeKind::Float3:
        case TypeKind::Float4:
            if (!second->getType()->isVectorTy())
                second =
                    b.CreateVectorSplat(static_cast<unsigned>(instr.type->components()), second);
            return realArithmetic(instr.op, first, second);
        default: break;
    }
    llvm::Value* result = realArithmetic(instr.op, first, second);
    if (auto* add = llvm::dyn_cast<llvm::Instruction>(result);
        add && loopMath.isRelaxed && instr.op == Op::Add && instr.flag) {
        add->setHasAllowReassoc(true);
        add->setHasNoSignedZeros(true);
    }
    return result;
}

llvm::Value* BodyEmitter::intArithmetic(const Instr& instr, llvm::Value* x, llvm::Value* y) {
    switch (instr.op) {
        case Op::Add: return b.CreateAdd(x, y);
        case Op::Sub: return b.CreateSub(x, y);
        case Op::Mul: return b.CreateMul(x, y);
        case Op::And: return b.CreateAnd(x, y);
        case Op::Or: return b.CreateOr(x, y);
        case Op::Xor: return b.CreateXor(x, y);
        case Op::Shl: return b.CreateShl(x, b.CreateAnd(y, 31));
        case Op::Shr: return b.CreateAShr(x, b.CreateAnd(y, 31));
        default: break;
    }
    if (instr.isNatural) return instr.op == Op::Div ? b.CreateUDiv(x, y) : b.CreateURem(x, y);
    llvm::Value* zero = llvm::ConstantInt::get(y->getType(), 0);
    if (isChecked(instr))
        check(b.CreateICmpNE(y, zero), {base::Diag::DivisionByZero, instr.range, {}, 0});
    // -2147483648 / -1 wraps, which the machine's division does not.
    llvm::Value* isMinusOne = b.CreateICmpEQ(y, llvm::ConstantInt::getAllOnesValue(y->getType()));
    llvm::Value* divisor = b.CreateSelect(isMinusOne, llvm::ConstantInt::get(y->getType(), 1), y);
    if (instr.op == Op::Div)
        return b.CreateSelect(isMinusOne, b.CreateNeg(x), b.CreateSDiv(x, divisor));
    return b.CreateSelect(isMinusOne, zero, b.CreateSRem(x, divisor));
}

llvm::Value* BodyEmitter::realArithmetic(Op op, llvm::Value* x, llvm::Value* y) {
    switch (op) {
        case Op::Add: return b.CreateFAdd(x, y);
        case Op::Sub: return b.CreateFSub(x, y);
        case Op::Mul: return b.CreateFMul(x, y);
        case Op::Div: return b.CreateFDiv(x, y);
        default: STRC_UNREACHABLE("an operation that reals do not have");
    }
}

/// A complex number's, or those of a vector of them, which has at least two lanes.
llvm::Value* BodyEmitter::part(llvm::Value* from, std::uint64_t k) {
    const unsigned lanes =
        llvm::cast<llvm::FixedVectorType>(from->getType())->getNumElements() / 2;
    if (lanes == 1) return b.CreateExtractElement(from, k);
    std::vector<int> order(lanes);
    for (unsigned lane = 0; lane < lanes; ++lane) order[lane] = static_cast<int>(k * lanes + lane);
    return b.CreateShuffleVector(from, order);
}

llvm::Value* BodyEmitter::withPart(const Instr& instr) {
    llvm::Value *from = operand(instr, 0), *stored = operand(instr, 1);
    if (lanesOf(instr.result) == 0) return b.CreateInsertElement(from, stored, instr.index);
    return instr.index == 0 ? joined(stored, part(from, 1)) : joined(part(from, 0), stored);
}

/// types::multiply, types::divide.
llvm::Value* BodyEmitter::complexArithmetic(Op op, llvm::Value* x, llvm::Value* y) {
    if (op == Op::Add) return b.CreateFAdd(x, y);
    if (op == Op::Sub) return b.CreateFSub(x, y);
    llvm::Value *xr = part(x, 0), *xi = part(x, 1), *yr = part(y, 0), *yi = part(y, 1);
    auto times = [&](llvm::Value* p, llvm::Value* q) { return b.CreateFMul(p, q); };
    if (op == Op::Mul)
        return joined(b.CreateFSub(times(xr, yr), times(xi, yi)),
                      b.CreateFAdd(times(xi, yr), times(xr, yi)));
    STRC_ASSERT(op == Op::Div, "an operation that complex numbers do not have");
    llvm::Value* scale = b.CreateFAdd(times(yr, yr), times(yi, yi));
    return joined(b.CreateFDiv(b.CreateFAdd(times(xr, yr), times(xi, yi)), scale),
                  b.CreateFDiv(b.CreateFSub(times(xi, yr), times(xr, yi)), scale));
}

// ---- comparisons

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

}  // namespace

llvm::Value* BodyEmitter::compare(const Instr& instr) {
    llvm::Value *x = operand(instr, 0), *y = operand(instr, 1);
    const unsigned lanes = lanesOf(instr.operands[0]);
    switch (types::laneType(typeOf(instr.operands[0]))->kind) {
        case TypeKind::Boolean:
        case TypeKind::Bit:
            // 0 and 1 are ordered as numbers.
            x = b.CreateZExt(x, inLanes(lanes, m.i8()));
            y = b.CreateZExt(y, inLanes(lanes, m.i8()));
            return b.CreateICmp(intPredicate(instr.op), x, y);
        case TypeKind::Float:
        case TypeKind::Double: return b.CreateFCmp(realPredicate(instr.op), x, y);
        case TypeKind::Complex:
        case TypeKind::Float2:
        case TypeKind::Float3:
        case TypeKind::Float4: {
            llvm::Value* equal = b.CreateFCmpOEQ(x, y);
            equal = lanes != 0 ? b.CreateAnd(part(equal, 0), part(equal, 1))
                               : b.CreateAndReduce(equal);
            return instr.op == Op::Eq ? equal : b.CreateNot(equal);
        }
        case TypeKind::String: {
            llvm::Value* equal = b.CreateCall(m.runtime("strc_string_equal"), {x, y});
            return b.CreateICmp(intPredicate(instr.op == Op::Eq ? Op::Ne : Op::Eq), equal,
                                b.getInt32(0));
        }
        default: return b.CreateICmp(intPredicate(instr.op), x, y);
    }
}

// ---- conversions

llvm::Value* BodyEmitter::convert(const Instr& instr) {
    if (llvm::Value* rounded = sigmoidInLoop(instr)) return rounded;
    const Type* from = types::laneType(typeOf(instr.operands[0]));
    const Type* to = types::laneType(instr.type);
    const unsigned lanes = lanesOf(instr.result);
    llvm::Value* x = operand(instr, 0);
    if (from == to) return x;
    if (to->is(TypeKind::String)) return newString(instr, toText(from, x));
    bool isReal = from->is(TypeKind::Float) || from->is(TypeKind::Double);
    llvm::Type* intType = inLanes(lanes, m.i32());
    auto toInt = [&]() -> llvm::Value* {
        if (isReal && lanes != 0) return toInts(x);
        if (isReal)
            return b.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {intType, x->getType()}, {x});
        return b.CreateZExtOrTrunc(x, intType);
    };
    llvm::Type* longType = inLanes(lanes, m.i64());
    auto toLong = [&]() -> llvm::Value* {
        if (!isReal) return b.CreateSExt(toInt(), longType);
        return b.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {longType, x->getType()}, {x});
    };
    llvm::Type* floatType = inLanes(lanes, b.getFloatTy());
    auto toReal = [&](llvm::Type* type) -> llvm::Value* {
        if (auto* wide = llvm::dyn_cast<llvm::FPExtInst>(x); wide && wide->getSrcTy() == type)
            return wide->getOperand(0);
        if (isReal)
            return x->getType()->getScalarSizeInBits() < type->getScalarSizeInBits()
                       ? b.CreateFPExt(x, type)
                       : b.CreateFPTrunc(x, type);
        if (from->is(TypeKind::Long)) return b.CreateSIToFP(x, type);
        return b.CreateSIToFP(b.CreateZExtOrTrunc(x, intType), type);
    };
    auto toFloat = [&] { return from->is(TypeKind::Float) ? x : toReal(floatType); };
    switch (to->kind) {
        case TypeKind::Boolean: return b.CreateICmpNE(toInt(), llvm::ConstantInt::get(intType, 0));
        case TypeKind::Bit: return b.CreateTrunc(toInt(), inLanes(lanes, b.getInt1Ty()));
        case TypeKind::Int:
        case TypeKind::Portal: return toInt();
        case TypeKind::Long: return toLong();
        case TypeKind::Char: return b.CreateTrunc(toInt(), inLanes(lanes, m.i8()));
        case TypeKind::Float: return toReal(floatType);
        case TypeKind::Double: return toReal(inLanes(lanes, b.getDoubleTy()));
        case TypeKind::Complex: return joined(toFloat(), llvm::ConstantFP::get(floatType, 0));
        case TypeKind::Float2:
        case TypeKind::Float3:
        case TypeKind::Float4:
            return b.CreateVectorSplat(static_cast<unsigned>(to->components()), toFloat());
        default: STRC_UNREACHABLE("a conversion that the language does not have");
    }
}

/// types::toInt in vectors; LLVM does its intrinsic one by one.
llvm::Value* BodyEmitter::toInts(llvm::Value* vector) {
    llvm::Type* ints = vector->getType()->getWithNewType(m.i32());
    auto bound = [&](double number) { return llvm::ConstantFP::get(vector->getType(), number); };
    auto number = [&](std::int64_t n) { return llvm::ConstantInt::getSigned(ints, n); };
    llvm::Value* isLarge = b.CreateFCmpOGE(vector, bound(2147483648.0));
    llvm::Value* isSmall = b.CreateFCmpOLT(vector, bound(-2147483648.0));
    llvm::Value* isOutside = b.CreateOr(b.CreateOr(isLarge, isSmall), b.CreateFCmpUNO(vector, vector));
    llvm::Value* inside = b.CreateFPToSI(b.CreateSelect(isOutside, bound(0), vector), ints);
    return b.CreateSelect(isLarge, number(INT32_MAX),
                          b.CreateSelect(isSmall, number(INT32_MIN), inside));
}

llvm::Value* BodyEmitter::toText(const Type* from, llvm::Value* x) {
    llvm::Value* env = param(kEnv);
    auto call = [&](const char* name, std::initializer_list<llvm::Value*> args) {
        std::vector<llvm::Value*> all{env};
        all.insert(all.end(), args);
        return b.CreateCall(m.runtime(name), all);
    };
    switch (from->kind) {
        case TypeKind::Boolean: return call("strc_string_of_boolean", {b.CreateZExt(x, m.i32())});
        case TypeKind::Char: return call("strc_string_of_char", {b.CreateZExt(x, m.i32())});
        case TypeKind::Bit:
        case TypeKind::Int:
        case TypeKind::Portal: return call("strc_string_of_int", {b.CreateZExtOrTrunc(x, m.i32())});
        case TypeKind::Float: return call("strc_string_of_float", {x});
        case TypeKind::Double: return call("strc_string_of_double", {x});
        case TypeKind::Complex: return call("strc_string_of_complex", {part(x, 0), part(x, 1)});
        default: STRC_UNREACHABLE("a value without a text");
    }
}

// ---- built-in functions

namespace {

/// minimum or maximum; of two doubles that are floats, the float.
llvm::Value* extreme(llvm::IRBuilder<>& b, llvm::Intrinsic::ID id, llvm::Value* x, llvm::Value* y) {
    auto* first = llvm::dyn_cast<llvm::FPExtInst>(x);
    auto* second = llvm::dyn_cast<llvm::FPExtInst>(y);
    if (!first || !second) return b.CreateBinaryIntrinsic(id, x, y);
    llvm::Value* found = b.CreateBinaryIntrinsic(id, first->getOperand(0), second->getOperand(0));
    return b.CreateFPExt(found, x->getType());
}

}  // namespace

llvm::Value* BodyEmitter::math(const Instr& instr) {
    if (!types::laneType(instr.type)->is(TypeKind::Double)) return complexMath(instr);
    llvm::Value* x = operand(instr, 0);
    llvm::Value* y = instr.operands.size() > 1 ? operand(instr, 1) : nullptr;
    switch (instr.math) {
        case MathFn::Sqrt: return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
        case MathFn::Abs: return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
        case MathFn::Floor: return b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, x);
        case MathFn::Ceil: return b.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, x);
        case MathFn::Rint: return b.CreateUnaryIntrinsic(llvm::Intrinsic::nearbyint, x);
        case MathFn::Round:
            return b.CreateUnaryIntrinsic(
                llvm::Intrinsic::floor, b.CreateFAdd(x, llvm::ConstantFP::get(x->getType(), 0.5)));
        case MathFn::Min: return extreme(b, llvm::Intrinsic::minimum, x, y);
        case MathFn::Max: return extreme(b, llvm::Intrinsic::maximum, x, y);
        default: break;
    }
    std::vector<llvm::Value*> args{x};
    if (y) args.push_back(y);
    if (llvm::Value* small = mathInLoop(instr, x)) return b.CreateFPExt(small, x->getType());
    if (isFloatMath(instr))
        if (llvm::Value* small = floatMath(instr, args))
            return b.CreateFPExt(small, small->getType()->getWithNewType(b.getDoubleTy()));
    auto call = [&](llvm::ArrayRef<llvm::Value*> with) -> llvm::Value* {
        return m.callLibm(b, types::name(instr.math), with);
    };
    const unsigned lanes = lanesOf(instr.result);
    return lanes != 0 ? eachLane(args, lanes, call) : call(args);
}

/// The same as a float, if there is something faster; else null.
llvm::Value* BodyEmitter::floatMath(const Instr& instr, llvm::ArrayRef<llvm::Value*> args) {
    const bool inVectors = vectorMath && lanesOf(instr.result) != 0;
    if (!m.options.fastMath && !inVectors) return nullptr;
    std::vector<llvm::Value*> floats;
    for (llvm::Value* arg : args) floats.push_back(narrowed(arg));
    return m.options.fastMath ? m.callFloat(b, types::name(instr.math), floats)
                              : roundedMath(instr.math, std::move(floats));
}

/// A double that was made of a float, also where it was chosen among such.
llvm::Value* BodyEmitter::narrowed(llvm::Value* x) {
    if (auto* chosen = llvm::dyn_cast<llvm::SelectInst>(x))
        return b.CreateSelect(chosen->getCondition(), narrowed(chosen->getTrueValue()),
                              narrowed(chosen->getFalseValue()));
    return b.CreateFPTrunc(x, x->getType()->getWithNewType(b.getFloatTy()));
}

namespace {

const char* complexFunction(MathFn fn) {
    switch (fn) {
        case MathFn::Exp: return "strc_complex_exp";
        case MathFn::Sin: return "strc_complex_sin";
        case MathFn::Cos: return "strc_complex_cos";
        case MathFn::Log: return "strc_complex_log";
        case MathFn::Sqrt:
        case MathFn::Csqrt: return "strc_complex_sqrt";
        case MathFn::Pow: return "strc_complex_pow";
        default: STRC_UNREACHABLE("not a complex function");
    }
}

}  // namespace

llvm::Value* BodyEmitter::complexMath(const Instr& instr) {
    std::vector<llvm::Value*> args;
    for (std::size_t k = 0; k < instr.operands.size(); ++k)
        for (std::uint64_t side : {0, 1}) args.push_back(part(operand(instr, k), side));
    const unsigned lanes = lanesOf(instr.result);
    if (instr.math == MathFn::Abs) return modulus(args[0], args[1]);
    if (instr.math == MathFn::Arg) {
        if (vectorMath && lanes != 0)
            if (llvm::Value* made = roundedMath(MathFn::Atan2, {args[1], args[0]})) return made;
        auto call = [&](llvm::ArrayRef<llvm::Value*> z) -> llvm::Value* {
            return b.CreateCall(m.runtime("strc_complex_arg"), z);
        };
        return lanes != 0 ? eachLane(args, lanes, call) : call(args);
    }
    llvm::Value* result = entry.CreateAlloca(llvm::ArrayType::get(b.getFloatTy(), 2));
    auto call = [&](llvm::ArrayRef<llvm::Value*> z) {
        std::vector<llvm::Value*> all{result};
        all.insert(all.end(), z.begin(), z.end());
        b.CreateCall(m.runtime(complexFunction(instr.math)), all);
        return m.load(b, types::laneType(instr.type), result);
    };
    if (lanes == 0) return call(args);
    auto bits = [&](llvm::ArrayRef<llvm::Value*> z) {
        return b.CreateBitCast(call(z), itemType(instr.type->element));
    };
    return ofItems(instr.type, eachLane(args, lanes, bits));
}

/// strc_complex_abs.
llvm::Value* BodyEmitter::modulus(llvm::Value* re, llvm::Value* im) {
    llvm::Type* wide = re->getType()->getWithNewType(b.getDoubleTy());
    auto square = [&](llvm::Value* x) {
        llvm::Value* large = b.CreateFPExt(x, wide);
        return b.CreateFMul(large, large);
    };
    llvm::Value* sum = b.CreateFAdd(square(re), square(im));
    return b.CreateFPTrunc(b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, sum), re->getType());
}

}  // namespace strc::codegen
