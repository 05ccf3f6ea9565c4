// Built-in functions on floats and vectors of them. With Options::fastMath they are float functions; else (the pass `vector-math`)
// functions of vectors of doubles, whose results are rounded. These are off by some units in the last place of the double, so
// the float is the right one unless the double lies that near to where rounding changes its mind: some of 2^29 do. Such lanes
// are done again, one by one.

#include <algorithm>
#include <array>

#include "base/pass.h"
#include "codegen/detail/body_emitter.h"
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

/// "_ZGVdN4v_sin", on doubles.
std::string doublesName(MathFn fn, unsigned doubles) {
    const char* variant = doubles == 8 ? "_ZGVeN8" : doubles == 4 ? "_ZGVdN4" : "_ZGVbN2";
    return variant + std::string(static_cast<std::size_t>(types::arguments(fn)), 'v') + "_" +
           std::string(types::name(fn));
}

}  // namespace

llvm::Value* ModuleBuilder::callFloat(llvm::IRBuilder<>& b, std::string_view name,
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
    llvm::FunctionCallee callee = declarePure(module, symbol, type, args.size());
    llvm::Value* whole = rows ? llvm::PoisonValue::get(rows) : nullptr;
    for (unsigned from = 0; from < lanes; from += width) {
        std::vector<llvm::Value*> own;
        for (llvm::Value* arg : args)
            own.push_back(!rows       ? arg
                          : width > 1 ? piece(b, arg, from, width)
                                      : b.CreateExtractElement(arg, from));
        llvm::CallInst* call = b.CreateCall(callee, own);
        call->addFnAttr(llvm::Attribute::NoBuiltin);
        if (!rows) return call;
        for (unsigned k = 0; k < width; ++k)
            whole = b.CreateInsertElement(whole, width > 1 ? b.CreateExtractElement(call, k) : call,
                                          from + k);
    }
    return whole;
}

// ---------------------------------------------------------------- in double, rounded

namespace {

/// Units in the last place of a double: far more than the library is off, and still seldom.
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

/// The function behind ModuleBuilder::vectorMath.
class RoundedMath {
public:
    RoundedMath(ModuleBuilder& builder, MathFn wanted, unsigned lanes,
                llvm::FunctionCallee inDoubles, unsigned atOnce)
        : m(builder),
          fn(wanted),
          width(lanes),
          doubles(inDoubles),
          step(atOnce),
          floats(llvm::FixedVectorType::get(llvm::Type::getFloatTy(m.context), lanes)),
          b(m.context) {}

    llvm::Function* emit() {
        const auto count = static_cast<std::size_t>(types::arguments(fn));
        auto* type =
            llvm::FunctionType::get(floats, std::vector<llvm::Type*>(count, floats), false);
        made = llvm::Function::Create(
            type, llvm::Function::InternalLinkage,
            "rounded." + std::string(types::name(fn)) + "." + std::to_string(width), m.module);
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
            llvm::Value* part = b.CreateCall(doubles, own);
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
        if (isOdd(fn)) {
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
        llvm::Value* result = m.callLibm(b, types::name(fn), own);
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

llvm::Function* ModuleBuilder::vectorMath(MathFn fn, unsigned width) {
    auto [found, fresh] = vectorFunctions.try_emplace({fn, width});
    if (!fresh || !isInDoubles(fn)) return found->second;
    for (unsigned step = impl.vectorDoubles; step >= 2; step /= 2) {
        const std::string symbol = doublesName(fn, step);
        if (width % step != 0 || !hasVectorFunction(symbol)) continue;
        auto* vector = llvm::FixedVectorType::get(llvm::Type::getDoubleTy(context), step);
        llvm::FunctionCallee doubles =
            declarePure(module, symbol, vector, static_cast<std::size_t>(types::arguments(fn)));
        impl.usesVectors = true;
        found->second = RoundedMath(*this, fn, width, doubles, step).emit();
        break;
    }
    return found->second;
}

// ---------------------------------------------------------------- in bodies

/// The pass `vector-math`.
void BodyEmitter::chooseVectorMath() {
    if (m.options.fastMath || lanes || !loopsInLanes.empty())
        floatResults = ir::findFloatMath(body);
    if (m.options.fastMath || m.options.level < 2) return;
    std::string names;
    for (const ir::Block& block : body.blocks)
        for (const Instr& i : block.instrs)
            if (isVectorMath(i)) names += " " + std::string(types::name(i.math));
    if (names.empty()) return;
    base::PassRun run(m.passes, base::Pass::VectorMath, function.getName().str());
    vectorMath = static_cast<bool>(run);
    run.show([&] { return "in vectors:" + names + "\n"; });
}

bool BodyEmitter::isFloatMath(const Instr& instr) const {
    return !floatResults.empty() && floatResults[instr.result];
}

bool BodyEmitter::isVectorMath(const Instr& instr) const {
    if (instr.op != Op::Math || !isFloatMath(instr)) return false;
    if (instr.math != MathFn::Arg && !isInDoubles(instr.math)) return false;
    if (lanes) return lanes->regs[instr.result];
    return std::any_of(loopsInLanes.begin(), loopsInLanes.end(),
                       [&](const ir::LoopLanes& loop) { return loop.facts.regs[instr.result]; });
}

/// Null: there is nothing faster than one by one.
llvm::Value* BodyEmitter::roundedMath(MathFn fn, std::vector<llvm::Value*> floats) {
    llvm::Function* inVectors = m.vectorMath(fn, width);
    if (!inVectors) return nullptr;
    // Lanes that do not run are not to be done again: of 0.5 every function has an ordinary value.
    for (llvm::Value*& x : floats) {
        x = widen(x);
        if (mask) x = b.CreateSelect(mask, x, llvm::ConstantFP::get(x->getType(), 0.5));
    }
    return b.CreateCall(inVectors, floats);
}

}  // namespace strc::codegen
