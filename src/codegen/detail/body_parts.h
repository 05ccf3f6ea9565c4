#pragma once
/// Records of a BodyContext about the parts of a body.

#include <map>
#include <set>
#include <vector>

#include "base/diagnostics.h"
#include "codegen/detail/llvm.h"
#include "codegen/detail/product.h"
#include "codegen/detail/shared_loops.h"
#include "graph/graph.h"
#include "ir/float_math.h"
#include "ir/item_aliases.h"

namespace strc::codegen {

/// The diagnostic if a rate of a queue is violated.
struct RateBreach {
    const graph::Rate& rate;
    base::Diag id;  ///< of a static rate
    const char *word, *verb;
    base::SourceRange range;
};

/// Where `break` and `continue` lead.
struct LoopTargets {
    llvm::BasicBlock* exit;
    llvm::BasicBlock* next;
};

struct LocalStorage {
    llvm::Value* memory = nullptr;  ///< of a scalar; of an aggregate: what Addr gives
    llvm::Value* address = nullptr;  ///< of dynamic extents: where the address is kept
    std::vector<llvm::Value*> extents;  ///< where dynamic extents are kept, by dimension
};

/// How a contraction is done, and the array of its vectors if that is known.
struct ChosenProduct {
    Product product;
    const ir::StoredArray* stored = nullptr;
};

struct Products {
    std::map<const ir::Instr*, ChosenProduct> chosen;
    std::map<const ir::Instr*, std::uint32_t> kernels;  ///< by OperatorTable
    std::int64_t scratchBytes = 0;  ///< for packed blocks, of all in turn
    llvm::Value* scratch = nullptr;
};

/// How built-in functions are done (body_math.h).
struct MathChoices {
    std::vector<bool> floatResults;  ///< ir::findFloatMath; empty: nobody asks
    bool inVectors = false;  ///< such functions are done in vectors, where they vary
    std::set<const ir::Instr*> inLoops;  ///< in loops that LLVM may do in vectors
    std::map<ir::Reg, ir::Sigmoid> sigmoids;
    bool isRelaxed = false;  ///< where it may be (ir/float_math.h): tensor_math.cpp
};

/// Is it checked while a firing runs, and at its end, that it keeps to these rates?
struct RateChecks {
    bool pops = true, pushes = true;
};

struct Sharing {
    SharedLoops loops;
    std::set<std::uint32_t> own;  ///< locals that iterations of these have for themselves
    llvm::BasicBlock* leave = nullptr;  ///< of some iterations of such a loop; null: elsewhere
};

class ModuleBuilder;
/// The pass `tensor-math`: whether it is done in the body.
bool chooseRelaxed(ModuleBuilder&, const ir::Body&, const std::string& subject);
/// exp or tanh of a float, or of a vector of them.
llvm::Value* relaxedMath(ModuleBuilder&, llvm::IRBuilder<>&, types::MathFn, llvm::Value* x);
llvm::Value* relaxedSigmoid(ModuleBuilder&, llvm::IRBuilder<>&, const ir::Sigmoid&, llvm::Value* x);

}  // namespace strc::codegen
