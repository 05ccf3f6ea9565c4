#pragma once
/// The operators of a program that a library does, as the constants of strc/kernels.h.

#include <map>
#include <string>
#include <vector>

#include "codegen/detail/llvm.h"
#include "ir/ir.h"
#include "operators/operator.h"
#include "strc/kernels.h"

namespace strc::codegen {

class ModuleBuilder;

class OperatorTable {
public:
    /// The number of an operator; equal ones, with the same weights, have the same. Null: weights that change.
    std::uint32_t add(ModuleBuilder&, const operators::Operator&, const ir::StoredArray* weights);
    std::size_t size() const { return rows.size(); }
    /// A `strc_kernel_program`, or null if there are none.
    llvm::Constant* emit(ModuleBuilder&) const;

private:
    std::vector<strc_kernel> rows;
    std::vector<llvm::Constant*> weights;
    std::map<std::pair<std::string, llvm::Constant*>, std::uint32_t> numbers;
};

}  // namespace strc::codegen
