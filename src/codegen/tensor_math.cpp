// Functions of floats inside of operators on tensors (the pass `tensor-math`), computed in floats: at most 2 units in the last
// place off, in code that LLVM can do in vectors. The polynomials are those of Cephes' expf and tanhf (Moshier 1992).
// Sums in any order are marked as such for LLVM.

#include <array>

#include "base/pass.h"
#include "codegen/detail/body_emitter.h"

namespace strc::codegen {

using types::MathFn;

namespace {

/// Straight code for floats, or vectors of them.
class FloatMath {
public:
    FloatMath(llvm::Function* function, bool fusesProducts)
        : b(llvm::BasicBlock::Create(function->getContext(), "entry", function)),
          type(function->getReturnType()),
          ints(type->getWithNewType(b.getInt32Ty())),
          fusesProducts(fusesProducts) {}

    void emit(MathFn fn, llvm::Value* x) { b.CreateRet(fn == MathFn::Tanh ? tanh(x) : exp(x)); }

private:
    llvm::Value* number(double value) { return llvm::ConstantFP::get(type, value); }
    llvm::Value* whole(std::int64_t value) { return llvm::ConstantInt::getSigned(ints, value); }
    /// x * y + z, rounded once if the processor can.
    llvm::Value* plusProduct(llvm::Value* x, llvm::Value* y, llvm::Value* z) {
        if (!fusesProducts) return b.CreateFAdd(b.CreateFMul(x, y), z);
        return b.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {x, y, z});
    }
    template <std::size_t n>
    llvm::Value* polynomial(const std::array<double, n>& coefficients, llvm::Value* x) {
        llvm::Value* sum = number(coefficients[0]);
        for (std::size_t k = 1; k < n; ++k) sum = plusProduct(sum, x, number(coefficients[k]));
        return sum;
    }
    /// One that is no number stays.
    llvm::Value* bounded(llvm::Value* x, double least, double most) {
        x = b.CreateSelect(b.CreateFCmpOLT(x, number(least)), number(least), x);
        return b.CreateSelect(b.CreateFCmpOGT(x, number(most)), number(most), x);
    }
    llvm::Value* powerOfTwo(llvm::Value* exponent) {
        return b.CreateBitCast(b.CreateShl(b.CreateAdd(exponent, whole(127)), whole(23)), type);
    }

    /// 2^n exp(r), with the r of smallest size. Beyond the bounds everything is 0 or infinite; twice half of the exponent is in
    /// range everywhere.
    llvm::Value* exp(llvm::Value* argument) {
        llvm::Value* x = bounded(argument, -105, 89);
        llvm::Value* shift = number(12582912);  // 1.5 * 2^23: the sum has n in its last digits
        llvm::Value* shifted = plusProduct(x, number(1.44269504088896341), shift);
        llvm::Value* n = b.CreateFSub(shifted, shift);
        llvm::Value* r = plusProduct(n, number(-0.693359375), x);
        r = plusProduct(n, number(2.12194440e-4), r);
        static constexpr std::array kPowers{1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                                            4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1};
        llvm::Value* power = plusProduct(polynomial(kPowers, r), b.CreateFMul(r, r), r);
        power = b.CreateFAdd(power, number(1));
        llvm::Value* exponent =
            b.CreateSub(b.CreateBitCast(shifted, ints), b.CreateBitCast(shift, ints));
        llvm::Value* half = b.CreateAShr(exponent, whole(1));
        power = b.CreateFMul(power, powerOfTwo(half));
        return b.CreateFMul(power, powerOfTwo(b.CreateSub(exponent, half)));
    }

    /// x + x^3 p(x^2) near 0, elsewhere 1 - 2 / (exp(2|x|) + 1) with the sign of x.
    llvm::Value* tanh(llvm::Value* x) {
        llvm::Value* size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
        llvm::Value* square = b.CreateFMul(x, x);
        static constexpr std::array kNear{-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2,
                                          1.33314422036e-1, -3.33332819422e-1};
        llvm::Value* near = plusProduct(b.CreateFMul(polynomial(kNear, square), square), x, x);
        llvm::Value* power = exp(b.CreateFAdd(size, size));
        llvm::Value* far =
            b.CreateFSub(number(1), b.CreateFDiv(number(2), b.CreateFAdd(power, number(1))));
        llvm::Value* value = b.CreateSelect(b.CreateFCmpOLT(size, number(0.625)), near, far);
        return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, value, x);  // -0, too
    }

    llvm::IRBuilder<> b;
    llvm::Type* type;
    llvm::Type* ints;
    const bool fusesProducts;
};

bool isRelaxed(const Instr& instr) {
    return instr.flag && (instr.op == Op::Add || instr.op == Op::Math);
}

}  // namespace

/// `type`: float, or a vector of them.
llvm::Function* MathFunctions::relaxed(MathFn fn, llvm::Type* type) {
    auto* rows = llvm::dyn_cast<llvm::FixedVectorType>(type);
    const std::string name = "relaxed." + std::string(types::name(fn)) + "." +
                             std::to_string(rows ? rows->getNumElements() : 1);
    if (llvm::Function* made = m.module.getFunction(name)) return made;
    impl.prefersWholeVectors = true;
    auto* made = llvm::Function::Create(llvm::FunctionType::get(type, {type}, false),
                                        llvm::Function::InternalLinkage, name, m.module);
    made->setDoesNotThrow();
    made->setDoesNotAccessMemory();
    made->setWillReturn();
    made->addFnAttr(llvm::Attribute::AlwaysInline);
    FloatMath(made, m.target().fusesProducts).emit(fn, made->getArg(0));
    return made;
}

bool chooseRelaxed(ModuleBuilder& m, const ir::Body& body, const std::string& subject) {
    std::string found;
    for (const ir::Block& block : body.blocks)
        for (const Instr& i : block.instrs)
            if (isRelaxed(i))
                found += " " + std::string(i.op == Op::Add ? "sum" : types::name(i.math));
    if (found.empty() || m.options.level < 2) return false;
    base::PassRun run(m.passes, base::Pass::TensorMath, subject);
    run.show([&] { return "relaxed:" + found + "\n"; });
    return static_cast<bool>(run);
}

llvm::Value* relaxedMath(ModuleBuilder& m, llvm::IRBuilder<>& b, MathFn fn, llvm::Value* x) {
    return b.CreateCall(m.mathFunctions.relaxed(fn, x->getType()), {x});
}

llvm::Value* relaxedSigmoid(ModuleBuilder& m, llvm::IRBuilder<>& b, const ir::Sigmoid& sigmoid,
                            llvm::Value* x) {
    // Of x below 0 it is exp(x) / (1 + exp(x)): no power overflows.
    llvm::Value* size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    llvm::Value* power = relaxedMath(m, b, MathFn::Exp, b.CreateFNeg(size));
    llvm::Value* one = llvm::ConstantFP::get(x->getType(), 1);
    llvm::Value* isNegative = b.CreateFCmpOLT(x, llvm::ConstantFP::get(x->getType(), 0));
    llvm::Value* above = b.CreateSelect(isNegative, power, one);
    if (sigmoid.isTimesX) above = b.CreateFMul(x, above);
    return b.CreateFDiv(above, b.CreateFAdd(one, power));
}

}  // namespace strc::codegen
