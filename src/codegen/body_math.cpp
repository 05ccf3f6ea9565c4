// Built-in functions of one value, of parts of complex numbers, and of lanes.

#include "codegen/detail/body_math.h"

#include "base/assert.h"
#include "codegen/detail/scalars.h"
#include "codegen/detail/vectors.h"

namespace strc::codegen {

using types::MathFn;

namespace {

/// The float that a double was made of, or a constant that is one; else null.
llvm::Value* asFloat(llvm::IRBuilder<>& b, llvm::Value* x) {
    llvm::Type* type = x->getType()->getWithNewType(b.getFloatTy());
    if (auto* wide = llvm::dyn_cast<llvm::FPExtInst>(x))
        return wide->getSrcTy() == type ? wide->getOperand(0) : nullptr;
    auto* constant = llvm::dyn_cast<llvm::ConstantFP>(x);
    if (!constant) return nullptr;
    llvm::APFloat number = constant->getValueAPF();
    bool isRounded = false;
    number.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &isRounded);
    return isRounded ? nullptr : llvm::ConstantFP::get(type, number);
}

/// minimum or maximum; of two doubles that are floats, the float.
llvm::Value* extreme(llvm::IRBuilder<>& b, llvm::Intrinsic::ID id, llvm::Value* x, llvm::Value* y) {
    llvm::Value* first = asFloat(b, x);
    llvm::Value* second = first ? asFloat(b, y) : nullptr;
    if (!second) return b.CreateBinaryIntrinsic(id, x, y);
    return b.CreateFPExt(b.CreateBinaryIntrinsic(id, first, second), x->getType());
}

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

/// A double that was made of a float, also where it was chosen among such.
llvm::Value* narrowed(BodyContext& c, llvm::Value* x) {
    if (auto* chosen = llvm::dyn_cast<llvm::SelectInst>(x))
        return c.b.CreateSelect(chosen->getCondition(), narrowed(c, chosen->getTrueValue()),
                                narrowed(c, chosen->getFalseValue()));
    return c.b.CreateFPTrunc(x, x->getType()->getWithNewType(c.b.getFloatTy()));
}

/// The same as a float, if there is something faster; else null.
llvm::Value* floatMath(BodyContext& c, const Instr& instr, llvm::ArrayRef<llvm::Value*> args) {
    const bool inVectors = c.math.inVectors && c.lanesOf(instr.result) != 0;
    if (!c.m.options.fastMath && !inVectors) return nullptr;
    std::vector<llvm::Value*> floats;
    for (llvm::Value* arg : args) floats.push_back(narrowed(c, arg));
    return c.m.options.fastMath ? c.m.mathFunctions.callFloat(c.b, types::name(instr.math), floats)
                                : roundedMath(c, instr.math, std::move(floats));
}

/// strc_complex_abs.
llvm::Value* modulus(BodyContext& c, llvm::Value* re, llvm::Value* im) {
    llvm::Type* wide = re->getType()->getWithNewType(c.b.getDoubleTy());
    auto square = [&](llvm::Value* x) {
        llvm::Value* large = c.b.CreateFPExt(x, wide);
        return c.b.CreateFMul(large, large);
    };
    llvm::Value* sum = c.b.CreateFAdd(square(re), square(im));
    return c.b.CreateFPTrunc(c.b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, sum), re->getType());
}

llvm::Value* complexMath(BodyContext& c, const Instr& instr) {
    std::vector<llvm::Value*> args;
    for (std::size_t k = 0; k < instr.operands.size(); ++k)
        for (std::uint64_t side : {0, 1}) args.push_back(complexPart(c, c.operand(instr, k), side));
    const unsigned lanes = c.lanesOf(instr.result);
    if (instr.math == MathFn::Abs) return modulus(c, args[0], args[1]);
    if (instr.math == MathFn::Arg) {
        if (c.math.inVectors && lanes != 0)
            if (llvm::Value* made = roundedMath(c, MathFn::Atan2, {args[1], args[0]})) return made;
        auto call = [&](llvm::ArrayRef<llvm::Value*> z) -> llvm::Value* {
            return c.b.CreateCall(c.m.runtime("strc_complex_arg"), z);
        };
        return lanes != 0 ? eachLane(c, args, lanes, call) : call(args);
    }
    llvm::Value* result = c.entry.CreateAlloca(llvm::ArrayType::get(c.b.getFloatTy(), 2));
    auto call = [&](llvm::ArrayRef<llvm::Value*> z) {
        std::vector<llvm::Value*> all{result};
        all.insert(all.end(), z.begin(), z.end());
        c.b.CreateCall(c.m.runtime(complexFunction(instr.math)), all);
        return c.m.load(c.b, types::laneType(instr.type), result);
    };
    if (lanes == 0) return call(args);
    auto bits = [&](llvm::ArrayRef<llvm::Value*> z) {
        return c.b.CreateBitCast(call(z), itemType(c, instr.type->element));
    };
    return ofItems(c, instr.type, eachLane(c, args, lanes, bits));
}

}  // namespace

llvm::Value* builtinFunction(BodyContext& c, const Instr& instr) {
    if (!types::laneType(instr.type)->is(TypeKind::Double)) return complexMath(c, instr);
    llvm::Value* x = c.operand(instr, 0);
    llvm::Value* y = instr.operands.size() > 1 ? c.operand(instr, 1) : nullptr;
    switch (instr.math) {
        case MathFn::Sqrt: return c.b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
        case MathFn::Abs: return c.b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
        case MathFn::Floor: return c.b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, x);
        case MathFn::Ceil: return c.b.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, x);
        case MathFn::Rint: return c.b.CreateUnaryIntrinsic(llvm::Intrinsic::nearbyint, x);
        case MathFn::Round:
            return c.b.CreateUnaryIntrinsic(
                llvm::Intrinsic::floor,
                c.b.CreateFAdd(x, llvm::ConstantFP::get(x->getType(), 0.5)));
        case MathFn::Min: return extreme(c.b, llvm::Intrinsic::minimum, x, y);
        case MathFn::Max: return extreme(c.b, llvm::Intrinsic::maximum, x, y);
        default: break;
    }
    std::vector<llvm::Value*> args{x};
    if (y) args.push_back(y);
    if (llvm::Value* small = mathInLoop(c, instr, x)) return c.b.CreateFPExt(small, x->getType());
    if (isFloatMath(c, instr))
        if (llvm::Value* small = floatMath(c, instr, args))
            return c.b.CreateFPExt(small, small->getType()->getWithNewType(c.b.getDoubleTy()));
    auto call = [&](llvm::ArrayRef<llvm::Value*> with) -> llvm::Value* {
        return c.m.callLibm(c.b, types::name(instr.math), with);
    };
    const unsigned lanes = c.lanesOf(instr.result);
    return lanes != 0 ? eachLane(c, args, lanes, call) : call(args);
}

}  // namespace strc::codegen
