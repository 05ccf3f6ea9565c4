// Built-in functions on floats and vectors of them. With Options::fastMath they are float functions; else (the pass `vector-math`)
// functions of vectors of doubles, whose results are rounded. These are off by some units in the last place of the double, so
// the float is the right one unless the double lies that near to where rounding changes its mind: some of 2^29 do. Such lanes
// are done again, one by one.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/pass.h"
#include "codegen/detail/body_math.h"
#include "codegen/detail/llvm_backend.h"
#include "codegen/detail/target.h"

namespace strc::codegen {

using types::MathFn;

namespace {

/// Of libmvec: at most 4 units in the last place away. On doubles it has `erf` as well.
constexpr std::array kInVectors{"sin",  "cos",   "tan", "asin", "acos", "atan",  "sinh", "cosh",
                                "tanh", "atan2", "exp", "log",  "log2", "log10", "pow"};

bool isInVectors(std::string_view name) {
    return std::find(kInVectors.begin(), kInVectors.end(), name) != kInVectors.end();
}

llvm::FunctionCallee declarePure(llvm::Module& module, const std::string& name, llvm::Type* type,
                                 std::size_t arguments) {
    const std::vector<llvm::Type*> parameters(arguments, type);
    auto callee =
        module.getOrInsertFunction(name, llvm::FunctionType::get(type, parameters, false));
    auto* function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setDoesNotThrow();
    function->setDoesNotAccessMemory();
    function->setWillReturn();
    return callee;
}

/// Lanes [from, from + count) of a vector.
llvm::Value* piece(llvm::IRBuilder<>& b, llvm::Value* vector, unsigned from, unsigned count) {
    std::vector<int> lanes(count);
    for (unsigned k = 0; k < count; ++k) lanes[k] = static_cast<int>(from + k);
    return b.CreateShuffleVector(vector, lanes);
}

/// "_ZGVdN8v_sinf": the vector ABI of x86-64.
std::string vectorName(std::string_view name, unsigned floats, std::size_t arguments) {
    return std::string(floats == 8 ? "_ZGVdN8" : "_ZGVbN4") + std::string(arguments, 'v') + "_" +
           std::string(name) + "f";
}

constexpr const char* kVariants = "vector-function-abi-variant";

/// Says what takes several such calls of a function of floats at once, for LLVM's vectorisers.
void offerVectors(llvm::CallInst& call, std::string_view name, unsigned most) {
    if (!isInVectors(name)) return;
    std::string variants;
    const std::size_t arguments = call.arg_size();
    for (unsigned width = 4; width <= most; width *= 2) {
        const std::string symbol = vectorName(name, width, arguments);
        auto* type = llvm::FixedVectorType::get(call.getType(), width);
        auto callee = declarePure(*call.getModule(), symbol, type, arguments);
        // Nobody calls it until then.
        llvm::appendToCompilerUsed(*call.getModule(),
                                   {llvm::cast<llvm::Function>(callee.getCallee())});
        variants += fmt::format("{}_ZGV_LLVM_N{}{}_{}({})", variants.empty() ? "" : ",", width,
                                std::string(arguments, 'v'),
                                call.getCalledFunction()->getName().str(), symbol);
    }
    if (!variants.empty())
        call.addFnAttr(llvm::Attribute::get(call.getContext(), kVariants, variants));
}

/// "_ZGVdN4v_sin", on doubles.
std::string doublesName(MathFn fn, unsigned doubles) {
    const char* variant = doubles == 8 ? "_ZGVeN8" : doubles == 4 ? "_ZGVdN4" : "_ZGVbN2";
    return variant + std::string(static_cast<std::size_t>(types::arguments(fn)), 'v') + "_" +
           std::string(types::name(fn));
}

}  // namespace

llvm::Value* MathFunctions::callFloat(llvm::IRBuilder<>& b, std::string_view name,
                                      llvm::ArrayRef<llvm::Value*> args) {
    auto* rows = llvm::dyn_cast<llvm::FixedVectorType>(args[0]->getType());
    const unsigned lanes = rows ? rows->getNumElements() : 1;
    const unsigned width =
        rows && impl.vectorFloats > 0 && lanes % impl.vectorFloats == 0 && isInVectors(name)
            ? impl.vectorFloats
            : 1;
    llvm::Type* type = b.getFloatTy();
    if (width > 1) type = llvm::FixedVectorType::get(type, width);
    const std::string symbol =
        width > 1 ? vectorName(name, width, args.size()) : std::string(name) + "f";
    if (width > 1) impl.usesVectors = true;
    llvm::FunctionCallee callee = declarePure(m.module, symbol, type, args.size());
    llvm::Value* whole = rows ? llvm::PoisonValue::get(rows) : nullptr;
    for (unsigned from = 0; from < lanes; from += width) {
        std::vector<llvm::Value*> own;
        for (llvm::Value* arg : args)
            own.push_back(!rows       ? arg
                          : width > 1 ? piece(b, arg, from, width)
                                      : b.CreateExtractElement(arg, from));
        llvm::CallInst* call = b.CreateCall(callee, own);
        call->addFnAttr(llvm::Attribute::NoBuiltin);
        if (!rows) {
            offerVectors(*call, name, impl.vectorFloats);
            impl.usesVectors |= call->hasFnAttr(kVariants);
            return call;
        }
        for (unsigned k = 0; k < width; ++k)
            whole = b.CreateInsertElement(whole, width > 1 ? b.CreateExtractElement(call, k) : call,
                                          from + k);
    }
    return whole;
}

// ---------------------------------------------------------------- in double, rounded

namespace {

/// Units in the last place of a double: far more than the library is off, and still seldom.
constexpr unsigned kMostVariant = 16;  ///< floats of a vector that LLVM may choose for a loop
constexpr std::uint64_t kUnsure = 64;
constexpr std::uint64_t kBelowFloat = 29;  ///< bits of a double that a float does not have
constexpr std::uint64_t kLeastNormal = 0x00800000, kInfinity = 0x7f800000;  ///< floats, as bits

/// f(-x) = -f(x), and f(x) comes near x where x is small: what is too small to be sure of is right if it is x.
bool isOdd(MathFn fn) {
    switch (fn) {
        case MathFn::Sin:
        case MathFn::Tan:
        case MathFn::Asin:
        case MathFn::Atan:
        case MathFn::Sinh:
        case MathFn::Tanh: return true;
        default: return false;
    }
}

/// What is made of a built-in function. Around the exponential nothing makes the error greater: sums are of what is
/// positive.
llvm::Value* argumentOf(llvm::IRBuilder<>& b, Around around, llvm::Value* x) {
    return around == Around::Nothing ? x : b.CreateFNeg(x);
}

llvm::Value* resultOf(llvm::IRBuilder<>& b, Around around, llvm::Value* x, llvm::Value* made) {
    if (around == Around::Nothing) return made;
    llvm::Value* one = llvm::ConstantFP::get(made->getType(), 1);
    llvm::Value* share = b.CreateFDiv(one, b.CreateFAdd(one, made));
    return around == Around::Silu ? b.CreateFMul(x, share) : share;
}

std::string roundedName(MathFn fn, Around around, unsigned width) {
    const std::string name = around == Around::Nothing   ? std::string(types::name(fn))
                             : around == Around::Sigmoid ? "sigmoid"
                                                         : "silu";
    return "rounded." + name + "." + std::to_string(width);
}

/// The function behind MathFunctions::rounded.
class RoundedMath {
public:
    RoundedMath(ModuleBuilder& builder, MathFn wanted, Around what, unsigned lanes,
                llvm::FunctionCallee inDoubles, unsigned atOnce)
        : m(builder),
          fn(wanted),
          around(what),
          width(lanes),
          doubles(inDoubles),
          step(atOnce),
          floats(llvm::FixedVectorType::get(llvm::Type::getFloatTy(m.context), lanes)),
          b(m.context) {}

    llvm::Function* emit() {
        const auto count = static_cast<std::size_t>(types::arguments(fn));
        auto* type =
            llvm::FunctionType::get(floats, std::vector<llvm::Type*>(count, floats), false);
        made = llvm::Function::Create(type, llvm::Function::InternalLinkage,
                                      roundedName(fn, around, width), m.module);
        made->setDoesNotThrow();
        b.SetInsertPoint(llvm::BasicBlock::Create(m.context, "entry", made));
        llvm::Value* wide = inDouble();
        llvm::Value* rounded = b.CreateFPTrunc(wide, floats);
        llvm::Value* again = unsure(wide, rounded);
        auto* sure = llvm::BasicBlock::Create(m.context, "sure", made);
        auto* slow = llvm::BasicBlock::Create(m.context, "unsure", made);
        b.CreateCondBr(b.CreateOrReduce(again), slow, sure,
                       llvm::MDBuilder(m.context).createUnlikelyBranchWeights());
        b.SetInsertPoint(sure);
        b.CreateRet(rounded);
        b.SetInsertPoint(slow);
        b.CreateRet(oneByOne(rounded, again));
        return made;
    }

private:
    llvm::Type* vectorOf(llvm::Type* type) const { return llvm::FixedVectorType::get(type, width); }
    llvm::Value* splat(llvm::Type* type, std::uint64_t bits) {
        return llvm::ConstantInt::get(vectorOf(type), bits);
    }

    llvm::Value* inDouble() {
        llvm::Value* whole = nullptr;
        for (unsigned from = 0; from < width; from += step) {
            std::vector<llvm::Value*> own;
            for (llvm::Argument& argument : made->args())
                own.push_back(
                    piece(b, b.CreateFPExt(&argument, vectorOf(b.getDoubleTy())), from, step));
            llvm::Value* x = own[0];
            own[0] = argumentOf(b, around, x);
            llvm::Value* part = resultOf(b, around, x, b.CreateCall(doubles, own));
            if (!whole) {
                whole = part;
                continue;
            }
            // What is there, and as much behind it as is new.
            std::vector<int> order(from + step);
            for (unsigned k = 0; k < from + step; ++k) order[k] = static_cast<int>(k);
            std::vector<int> longer(from, -1);
            for (unsigned k = 0; k < step; ++k) longer[k] = static_cast<int>(k);
            whole = b.CreateShuffleVector(
                whole, from == step ? part : b.CreateShuffleVector(part, longer), order);
        }
        return whole;
    }

    /// Lanes whose float may be another one than that of the exact double: near the middle between two floats, smaller or
    /// larger than ordinary floats, no number.
    llvm::Value* unsure(llvm::Value* wide, llvm::Value* rounded) {
        llvm::Value* low = b.CreateTrunc(b.CreateBitCast(wide, vectorOf(b.getInt64Ty())),
                                         vectorOf(b.getInt32Ty()));
        const std::uint64_t middle = std::uint64_t{1} << (kBelowFloat - 1);
        llvm::Value* distance =
            b.CreateAnd(b.CreateSub(low, splat(b.getInt32Ty(), middle - kUnsure)),
                        splat(b.getInt32Ty(), (std::uint64_t{1} << kBelowFloat) - 1));
        llvm::Value* isNear = b.CreateICmpULE(distance, splat(b.getInt32Ty(), 2 * kUnsure));
        llvm::Value* bits = b.CreateBitCast(rounded, vectorOf(b.getInt32Ty()));
        llvm::Value* size = b.CreateAnd(bits, splat(b.getInt32Ty(), INT32_MAX));
        llvm::Value* isSpecial =
            b.CreateICmpUGE(b.CreateSub(size, splat(b.getInt32Ty(), kLeastNormal + 1)),
                            splat(b.getInt32Ty(), kInfinity - kLeastNormal - 1));
        if (around == Around::Nothing && isOdd(fn)) {
            llvm::Value* x = b.CreateBitCast(made->getArg(0), vectorOf(b.getInt32Ty()));
            isSpecial = b.CreateAnd(isSpecial, b.CreateICmpNE(bits, x));
        }
        return b.CreateOr(isNear, isSpecial);
    }

    /// The lanes of `again` as callLibm does them.
    llvm::Value* oneByOne(llvm::Value* rounded, llvm::Value* again) {
        llvm::Value* results = kept(rounded);
        std::vector<llvm::Value*> arguments;
        for (llvm::Argument& argument : made->args()) arguments.push_back(kept(&argument));
        llvm::Type* set = b.getIntNTy(width);
        llvm::Value* first = b.CreateBitCast(again, set);
        llvm::BasicBlock* before = b.GetInsertBlock();
        auto* inside = llvm::BasicBlock::Create(m.context, "again", made);
        auto* done = llvm::BasicBlock::Create(m.context, "done", made);
        b.CreateBr(inside);
        b.SetInsertPoint(inside);
        llvm::PHINode* left = b.CreatePHI(set, 2);
        left->addIncoming(first, before);
        llvm::Value* lane = b.CreateZExt(
            b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, b.getTrue()), m.i64());
        auto place = [&](llvm::Value* row) {
            return b.CreateInBoundsGEP(b.getFloatTy(), row, lane);
        };
        std::vector<llvm::Value*> own;
        for (llvm::Value* row : arguments)
            own.push_back(b.CreateFPExt(b.CreateLoad(b.getFloatTy(), place(row)), b.getDoubleTy()));
        llvm::Value* x = own[0];
        own[0] = argumentOf(b, around, x);
        llvm::Value* result = resultOf(b, around, x, m.callLibm(b, types::name(fn), own));
        b.CreateStore(b.CreateFPTrunc(result, b.getFloatTy()), place(results));
        llvm::Value* others = b.CreateAnd(left, b.CreateSub(left, llvm::ConstantInt::get(set, 1)));
        left->addIncoming(others, inside);
        b.CreateCondBr(b.CreateIsNotNull(others), inside, done);
        b.SetInsertPoint(done);
        return b.CreateLoad(floats, results);
    }

    llvm::Value* kept(llvm::Value* row) {
        llvm::IRBuilder<> entry(&made->getEntryBlock(), made->getEntryBlock().begin());
        llvm::Value* slot = entry.CreateAlloca(floats);
        b.CreateStore(row, slot);
        return slot;
    }

    ModuleBuilder& m;
    MathFn fn;
    Around around;
    unsigned width;
    llvm::FunctionCallee doubles;
    unsigned step;  ///< doubles of a call
    llvm::FixedVectorType* floats;
    llvm::Function* made = nullptr;
    llvm::IRBuilder<> b;
};

bool isInDoubles(MathFn fn) {
    return fn == MathFn::Erf || (types::arguments(fn) <= 2 && isInVectors(types::name(fn)));
}

}  // namespace

llvm::Function* MathFunctions::rounded(MathFn fn, unsigned width, Around around) {
    auto [found, fresh] = roundedFunctions.try_emplace({fn, around, width});
    if (!fresh || !isInDoubles(fn)) return found->second;
    for (unsigned step = impl.vectorDoubles; step >= 2; step /= 2) {
        const std::string symbol = doublesName(fn, step);
        if (width % step != 0 || !hasVectorFunction(symbol)) continue;
        auto* vector = llvm::FixedVectorType::get(llvm::Type::getDoubleTy(m.context), step);
        llvm::FunctionCallee doubles =
            declarePure(m.module, symbol, vector, static_cast<std::size_t>(types::arguments(fn)));
        impl.usesVectors = true;
        found->second = RoundedMath(m, fn, around, width, doubles, step).emit();
        break;
    }
    return found->second;
}

llvm::Function* MathFunctions::inLoop(MathFn fn, Around around) {
    const std::string name = roundedName(fn, around, 1);
    if (llvm::Function* made = m.module.getFunction(name)) return made;
    if (types::arguments(fn) != 1 || !isInDoubles(fn)) return nullptr;
    std::string variants;
    for (unsigned width = 4; width <= kMostVariant; width *= 2) {
        llvm::Function* vector = rounded(fn, width, around);
        if (!vector) continue;
        // LLVM knows it by this name alone, and would take it for dead until it puts in a call.
        vector->setLinkage(llvm::GlobalValue::WeakODRLinkage);
        vector->setVisibility(llvm::GlobalValue::HiddenVisibility);
        variants += (variants.empty() ? "" : ",") + ("_ZGV_LLVM_N" + std::to_string(width)) + "v_" +
                    name + "(" + vector->getName().str() + ")";
    }
    if (variants.empty()) return nullptr;
    llvm::Type* real = llvm::Type::getFloatTy(m.context);
    auto* made = llvm::Function::Create(llvm::FunctionType::get(real, {real}, false),
                                        llvm::Function::InternalLinkage, name, m.module);
    made->setDoesNotThrow();
    made->setDoesNotAccessMemory();
    made->setWillReturn();
    made->addFnAttr(llvm::Attribute::NoInline);
    made->addFnAttr(kVariants, variants);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(m.context, "entry", made));
    llvm::Value* x = b.CreateFPExt(made->getArg(0), b.getDoubleTy());
    llvm::Value* value = m.callLibm(b, types::name(fn), {argumentOf(b, around, x)});
    b.CreateRet(b.CreateFPTrunc(resultOf(b, around, x, value), real));
    return made;
}

// ---------------------------------------------------------------- in bodies

namespace {

bool isVectorMath(const BodyContext& c, const Instr& instr) {
    if (instr.op != Op::Math || !isFloatMath(c, instr)) return false;
    if (instr.math != MathFn::Arg && !isInDoubles(instr.math)) return false;
    return c.lanesOf(instr.result) != 0;
}

}  // namespace

void chooseVectorMath(BodyContext& c) {
    std::set<const Instr*> inLoops;
    if (!c.variant && c.m.options.level >= 2) inLoops = ir::findLoopMath(c.body);
    c.math.isRelaxed = chooseRelaxed(c.m, c.body, c.function->getName().str());
    const bool isWanted = c.math.isRelaxed || c.hasVectors || !inLoops.empty();
    if (c.m.options.fastMath || isWanted) c.math.floatResults = ir::findFloatMath(c.body);
    if (c.math.isRelaxed) c.math.sigmoids = ir::findSigmoids(c.body);
    if (c.m.options.fastMath || c.m.options.level < 2) return;
    std::string names;
    for (const ir::Block& block : c.body.blocks)
        for (const Instr& i : block.instrs)
            if (isVectorMath(c, i) || inLoops.contains(&i))
                names += " " + std::string(types::name(i.math));
    if (names.empty()) return;
    base::PassRun run(c.m.passes, base::Pass::VectorMath, c.function->getName().str());
    c.math.inVectors = static_cast<bool>(run);
    if (c.math.inVectors && !inLoops.empty()) {
        c.math.inLoops = std::move(inLoops);
        c.math.sigmoids = ir::findSigmoids(c.body);
    }
    run.show([&] { return "in vectors:" + names + "\n"; });
}

bool isFloatMath(const BodyContext& c, const Instr& instr) {
    return !c.math.floatResults.empty() && c.math.floatResults[instr.result];
}

llvm::Value* mathInLoop(BodyContext& c, const Instr& instr, llvm::Value* x) {
    if (!isFloatMath(c, instr)) return nullptr;
    if (c.math.isRelaxed && instr.flag) {
        x = c.b.CreateFPTrunc(x, x->getType()->getWithNewType(c.b.getFloatTy()));
        return relaxedMath(c.m, c.b, instr.math, x);
    }
    if (!c.math.inLoops.contains(&instr) || c.lanesOf(instr.result) != 0) return nullptr;
    llvm::Function* called = c.m.mathFunctions.inLoop(instr.math, Around::Nothing);
    return called ? c.b.CreateCall(called, {c.b.CreateFPTrunc(x, c.b.getFloatTy())}) : nullptr;
}

llvm::Value* sigmoidInLoop(BodyContext& c, const Instr& conversion) {
    auto found = c.math.sigmoids.find(conversion.result);
    if (found == c.math.sigmoids.end()) return nullptr;
    const ir::Sigmoid& sigmoid = found->second;
    if (c.math.isRelaxed && sigmoid.isRelaxed)
        return relaxedSigmoid(c.m, c.b, sigmoid, c.value(sigmoid.x));
    if (c.math.inLoops.empty() || c.lanesOf(conversion.result) != 0) return nullptr;
    llvm::Function* called =
        c.m.mathFunctions.inLoop(MathFn::Exp, sigmoid.isTimesX ? Around::Silu : Around::Sigmoid);
    return called ? c.b.CreateCall(called, {c.value(sigmoid.x)}) : nullptr;
}

llvm::Value* roundedMath(BodyContext& c, MathFn fn, std::vector<llvm::Value*> floats) {
    const unsigned lanes =
        llvm::cast<llvm::FixedVectorType>(floats[0]->getType())->getNumElements();
    llvm::Function* inVectors = c.m.mathFunctions.rounded(fn, lanes);
    if (!inVectors) return nullptr;
    return c.b.CreateCall(inVectors, floats);
}

}  // namespace strc::codegen
