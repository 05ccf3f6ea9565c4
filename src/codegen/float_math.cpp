// Built-in functions on floats, for Options::fastMath.

#include <algorithm>
#include <array>

#include "codegen/detail/module_builder.h"

namespace strc::codegen {
namespace {

/// Of libmvec: at most 4 units in the last place away.
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

}  // namespace strc::codegen
