#pragma once
/// Shared by all parts of one LLVM module: types, constants, functions of the runtime, sites.

#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "codegen/detail/debug.h"
#include "codegen/detail/llvm.h"
#include "codegen/detail/math_functions.h"
#include "codegen/detail/message_tables.h"
#include "codegen/detail/operator_table.h"
#include "codegen/detail/product.h"
#include "codegen/detail/variants.h"
#include "codegen/lower.h"
#include "elab/initial_fields.h"
#include "ir/affine_state.h"
#include "ir/bounds.h"
#include "ir/calls.h"
#include "ir/count_items.h"
#include "ir/varying.h"
#include "plan/work.h"
#include "vector/columns.h"
#include "vector/widths.h"

namespace strc::codegen {

using types::Type;
using types::TypeKind;

/// How much optimisation the size of a module allows. All: that of the level. Quick: a few passes, fast code
/// generation. None: fast code generation alone.
enum class Effort : std::uint8_t { All, Quick, None };

/// A stored array in panels: memory of that name, which becomes part of the program.
struct PackedArray {
    std::string symbol;
    std::shared_ptr<const std::byte> bytes;
    std::int64_t size = 0;
};

struct Module::Impl {
    std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
    std::unique_ptr<llvm::Module> module;
    std::vector<Site> sites;
    std::vector<StoredSymbol> stored;
    std::vector<PackedArray> packed;
    std::vector<StartPanels> startPanels;
    std::vector<plan::TimedSteps> timedSteps;
    std::vector<plan::Handler> handlers;
    base::Passes* passes = nullptr;
    /// Floats that functions of the vector library take at once; 0: there is no such library.
    unsigned vectorFloats = 0;
    unsigned vectorDoubles = 0;  ///< the same, of those on doubles
    target::Model target;
    bool usesVectors = false;  ///< functions of that library are called
    std::size_t kernelCount = 0;  ///< operators that a library does
    bool prefersWholeVectors = false;  ///< in loops that LLVM does in vectors
    /// By place and size: where it is in `stored`.
    std::map<std::pair<const std::byte*, std::int64_t>, std::size_t> storedSymbols;
    std::unique_ptr<llvm::OptPassGate> gate;  ///< of the context
    Effort effort = Effort::All;
};

/// The LLVM functions of one kernel's bodies.
struct KernelFunctions {
    const elab::Kernel* kernel = nullptr;
    /// Is `in` (or `out`) an array of pointers, one for each item of a firing (Plan::inputsOf)? Items of the next
    /// firing follow each of them.
    bool dealtIn = false, dealtOut = false;
    llvm::Function* work = nullptr;
    llvm::Function* prework = nullptr;
    std::vector<llvm::Function*> start;  ///< in order, of a kernel that starts late
    std::vector<llvm::Function*> functions;  ///< by StreamCode::functions, made when called
    std::vector<std::vector<bool>> apart;  ///< ir::apartParameters of them, once one is called
    std::optional<ir::Varying> varying;  ///< once it is needed: of `firing`
    std::vector<ir::AffineField>
        state;  ///< which vectors of firings skip ahead (the pass `skip-ahead`)
    std::optional<ir::Body> stateInLocals;  ///< the work body then
    const ir::Body& firing() const { return stateInLocals ? *stateInLocals : *kernel->code.work; }
    std::vector<unsigned> widths;  ///< firings that may be done at once, the best number first
    std::map<unsigned, llvm::Function*> vectorWork;  ///< by width
    /// Once somebody has asked. What transposes windows does so for all kernels with these rates and items.
    std::map<VariantShape, llvm::Function*> variants;
    std::optional<ir::Proofs> proofs;  ///< once somebody has asked: checks that cannot fail
    std::map<const ir::Body*, ir::ItemCounts> counts;  ///< of work and prework, likewise
    bool firesAlone = false;  ///< also one by one, in steps that run often
};

class ModuleBuilder {
public:
    ModuleBuilder(base::Context&, types::TypeTable&, const ir::Module&, const plan::Plan&,
                  const Options&, Module::Impl&);

    // ---- types: in a register, and as it lies in memory (types/type.h)
    llvm::Type* registerType(const Type*);
    llvm::Type* memoryType(const Type*);
    llvm::Constant* constant(const types::Value&);  ///< of a scalar
    /// A value from memory at `at`, and to it.
    llvm::Value* load(llvm::IRBuilder<>&, const Type*, llvm::Value* at);
    void store(llvm::IRBuilder<>&, const Type*, llvm::Value* at, llvm::Value* value);

    /// Constant memory.
    llvm::Constant* bytes(const std::string& contents);
    const StoredSymbol& storedSymbol(const ir::StoredArray&);
    /// Where it begins.
    llvm::Value* stored(llvm::IRBuilder<>&, const ir::StoredArray&);
    /// The operand `b` of a product in panels (VectorSource::Stored), made once: now, or when the program starts if the
    /// values are not known before.
    llvm::Constant* packed(const ir::StoredArray&, const Product&);
    const target::Model& target() const { return impl.target; }
    /// A `strc_string` for ever.
    llvm::Constant* text(const std::string&);

    llvm::FunctionCallee runtime(std::string_view name);
    /// A function of libm on doubles, without side effects; never replaced by something else.
    llvm::CallInst* callLibm(llvm::IRBuilder<>&, std::string_view name,
                             llvm::ArrayRef<llvm::Value*> args);

    int site(Site);
    /// The number that strc_lap gets for these.
    int lap(const plan::TimedSteps&);
    const plan::WorkEstimate& workEstimate();

    // ---- bodies
    KernelFunctions& kernel(graph::KernelId, bool dealtIn = false, bool dealtOut = false);
    /// The pass `bounds-check-elimination`.
    const ir::Proofs& proofs(KernelFunctions&);
    /// The width in which steps of `firings` firings are done, with its function in vectorWork; 0: one by one.
    unsigned needVectorWidth(KernelFunctions&, std::int64_t firings);
    /// Can the firings of such lanes take windows that have been transposed before (transposes.cpp), and be done again?
    bool takesTransposed(const KernelFunctions&) const;
    /// Another function for several firings at once.
    llvm::Function* variant(KernelFunctions&, const VariantShape&);
    /// The function behind a callee of a body of `from`.
    llvm::Function* callee(KernelFunctions& from, const ir::Callee&);
    const ir::Body& calleeBody(const KernelFunctions& from, const ir::Callee&) const;
    /// Can a call of it lead to another call of it?
    bool isRecursive(const KernelFunctions& from, const ir::Callee&);
    /// Are its arrays on the stack, since two calls of it may be under way at a time? Else they are in the work memory
    /// (work_memory.h).
    bool isOnStack(const ir::Body&) const;
    /// Does the body, or what it calls, make strings (ir::makesString)?
    bool makesStrings(const KernelFunctions& from, const ir::Body&);
    /// Do its filters have dynamic rates? Their bodies work on queues (strc_queue), not on windows.
    bool isDynamic(graph::KernelId) const;
    /// Constant memory of the module with these contents.
    llvm::Constant* constantData(llvm::Constant* contents, const char* name);
    /// Emits the bodies of functions that were asked for and have none yet.
    void emitPending();
    /// A `strc_kernel_program`, or null, once all bodies have been emitted.
    llvm::Constant* emitKernels() {
        impl.kernelCount += operatorTable.size();
        return operatorTable.emit(*this);
    }
    /// Of code that lanes make longer: much of it stays in functions, and bodies that are left with rests
    /// are not worth the time that loops taken apart would need.
    void limitVectors();

    llvm::IntegerType* i64() { return llvm::Type::getInt64Ty(context); }
    llvm::IntegerType* i32() { return llvm::Type::getInt32Ty(context); }
    llvm::IntegerType* i8() { return llvm::Type::getInt8Ty(context); }
    llvm::PointerType* ptr() { return llvm::PointerType::getUnqual(context); }

    const base::Limits& limits;
    base::Passes& passes;
    types::TypeTable& types;
    const ir::Module& program;
    const plan::Plan& plan;
    const Options& options;
    llvm::LLVMContext& context;
    llvm::Module& module;
    std::unique_ptr<DebugInfo> debug;  ///< null: without -g
    OperatorTable operatorTable;
    MathFunctions mathFunctions;
    MessageTables messages;

private:
    struct Pending {
        llvm::Function* function;
        KernelFunctions* kernel;
        const ir::StreamCode* code;
        const ir::Body* body;
        VariantShape shape{};  ///< without a width: of one firing
    };
    void emit(const Pending&);
    llvm::Function* declareVectorised(const std::string& suffix, KernelFunctions&,
                                      const VariantShape&);
    /// The bodies that calls of `start` lead to; `start` only if it is recursive.
    std::set<const ir::Body*> calledBy(const KernelFunctions& from, const ir::Body& start) const;
    llvm::Function* declare(const std::string& name, KernelFunctions&, const ir::StreamCode*,
                            const ir::Body&);

    Module::Impl& impl;
    std::optional<elab::InitialFields> initialFields;  ///< once somebody has asked
    std::map<std::tuple<graph::KernelId, bool, bool>, KernelFunctions> kernels;
    KernelFunctions packages;
    std::map<std::string, llvm::Constant*> contents;
    /// By place and layout.
    std::map<std::pair<const std::byte*, std::string>, llvm::Constant*> packedArrays;
    std::map<const ir::Body*, bool> recursive;
    std::set<const ir::Body*> nesting;  ///< ir::bodiesThatNest of all kernels
    std::map<const ir::Body*, bool> stringMakers;
    std::vector<Pending> pending;
    std::map<plan::TimedSteps, int> laps;
    std::optional<plan::WorkEstimate> estimate;  ///< once somebody has asked
    std::deque<ir::Body> inVectors;  ///< what passes have made of bodies
};

/// Kernel::work or Kernel::prework.
bool isDynamic(const elab::Kernel&);

/// Emits a body into its function.
void emitBody(ModuleBuilder&, KernelFunctions&, const ir::StreamCode*, const ir::Body&,
              llvm::Function&);
/// Emits a function of KernelFunctions::vectorWork or variants; see VariantBody.
void emitVariant(ModuleBuilder&, KernelFunctions&, const ir::Body&, const std::vector<Param>&,
                 llvm::Function&);

/// Ends the run if its interrupt flag is set, or jumps to `leave`; the code after it continues in a new block.
void emitPoll(ModuleBuilder&, llvm::IRBuilder<>&, llvm::Value* env,
              llvm::BasicBlock* leave = nullptr);

/// Delivers what is due before the next firing of a node, if it receives messages.
void emitDelivery(ModuleBuilder&, llvm::IRBuilder<>&, llvm::Value* env, llvm::Value* state,
                  graph::NodeId);
/// Counts a firing that is over, if the node has a mailbox.
void emitFired(ModuleBuilder&, llvm::IRBuilder<>&, llvm::Value* env, graph::NodeId);

/// A phase as a function of env and state; `rare`: it is not worth much time.
llvm::Function* emitPhase(ModuleBuilder&, const plan::Phase&, const std::string& name, bool rare);
/// The same of a phase that is undone after a fault or an interrupt: then the state does not matter.
llvm::Function* emitUndonePhase(ModuleBuilder&, const plan::Phase&, const std::string& name);
/// A function for each segment, which is undone as well.
std::vector<llvm::Function*> emitSegments(ModuleBuilder&, const plan::Chunk&);

/// A `strc_demand`.
llvm::Constant* emitDemand(ModuleBuilder&);

/// Decides, by sizes alone, what is inlined and how much effort the module gets.
void limitEffort(Module::Impl&, plan::Tapes);
/// The options, with the level that code generation can afford.
Options affordable(const Module::Impl&, const Options&);

/// Other programs that a program knows; null pointers where there are none.
struct Companions {
    llvm::Constant *fallback, *lanes;
};
/// Emits a program with its phases: `strc_program`, or, with a name that is its own, one of its companions.
llvm::GlobalVariable* emitProgram(ModuleBuilder&, const std::string& name, const Companions&);

/// A `strc_device_program`, or null.
llvm::Constant* emitDevice(ModuleBuilder&);
/// The functions that compute fields again which depend on open parameters; null if there are none.
llvm::Constant* emitUpdates(ModuleBuilder&);

}  // namespace strc::codegen
