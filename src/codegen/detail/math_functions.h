#pragma once
/// Built-in functions on floats and vectors of them as functions of a module, each made once.

#include <map>
#include <string_view>
#include <tuple>

#include "codegen/detail/llvm.h"
#include "codegen/lower.h"
#include "types/math.h"

namespace strc::codegen {

class ModuleBuilder;

/// An expression around exp(-x) that is computed in double: 1 / (1 + exp(-x)), or x times that.
enum class Around : std::uint8_t { Nothing, Sigmoid, Silu };

class MathFunctions {
public:
    MathFunctions(ModuleBuilder& builder, Module::Impl& module) : m(builder), impl(module) {}

    /// Calls the function on floats, or vectors of them, which differs from the double's rounded value in the last places
    /// (Options::fastMath).
    llvm::Value* callFloat(llvm::IRBuilder<>&, std::string_view name,
                           llvm::ArrayRef<llvm::Value*> args);
    /// From vectors of `width` floats to one: the function in double, rounded, the same bits in each lane as
    /// ModuleBuilder::callLibm gives (vector_math.cpp). Null: there is none that is faster.
    llvm::Function* rounded(types::MathFn, unsigned width, Around = Around::Nothing);
    /// From one float to one, with such functions for LLVM to take where it does a loop in vectors. Null: there are none.
    llvm::Function* inLoop(types::MathFn, Around);
    /// From a float, or a vector of them (the type), to one: exp or tanh, at most 2 units in the last place off
    /// (tensor_math.cpp).
    llvm::Function* relaxed(types::MathFn, llvm::Type*);

private:
    ModuleBuilder& m;
    Module::Impl& impl;
    std::map<std::tuple<types::MathFn, Around, unsigned>, llvm::Function*> roundedFunctions;
};

}  // namespace strc::codegen
