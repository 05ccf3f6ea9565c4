#pragma once
/// From a plan to machine code. In: a plan, the IR it names. Out: a Module, opaque, which leaves through
/// jit.h or object.h. It defines the symbol `strc_program` (strc/runtime.h). No diagnostics: what
/// cannot be compiled is said by `whyNot`, everything else is a fault of the compiler.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "device/offload.h"
#include "ir/ir.h"
#include "operators/choice.h"
#include "plan/handler.h"
#include "plan/lanes.h"
#include "plan/plan.h"
#include "plan/timed.h"
#include "strc/panels.h"

namespace strc::codegen {

/// Where a native function lies (language.md 15.3): in this process, or at its symbol.
struct NativeAddress {
    bool exists = false;  ///< else every call of it fails
    void* address = nullptr;  ///< null: the linker resolves the symbol
};

struct DevicePart;

/// Operators on tensors that a library does instead of generated code.
struct OperatorLibrary {
    operators::Choice choice;
    std::string path;  ///< strc_kernel_program::library
};

/// The same program for several instances at once (strc/lanes.h).
struct LanesPart {
    const plan::Plan* plan = nullptr;
    std::int64_t lanes = 0;
    std::vector<plan::LanePiece> pieces;
};

/// Processes that share the parts of products (strc/mesh.h).
struct Mesh {
    std::uint32_t rank = 0;
    std::uint32_t count = 0;  ///< 0: both are known when the program runs

    bool operator==(const Mesh&) const = default;
};

struct Options {
    int level = 2;  ///< -O0 … -O3
    bool checks = true;  ///< array bounds, division by zero, rates
    bool debug = false;  ///< -g
    bool fastMath =
        false;  ///< floats may be contracted, reassociated, and given to float functions
    std::string processor;  ///< as LLVM calls it; empty: the one at hand, or any of the target
    std::string target;  ///< "aarch64-linux-gnu"; empty: this machine
    /// For a library: single steady states matter as much as many at once, and the stack is small.
    bool inPieces = false;
    /// Of a library: items that a queue holds, and messages that wait for a filter. Sites say that it has been reached.
    std::optional<std::int64_t> bound = {};
    std::function<NativeAddress(const ir::Native&)> native = {};  ///< empty: there are none
    bool shares = true;  ///< with code for the plan's chunk, if it has one
    bool onDevice = false;  ///< code for device kernels, which cannot be interrupted
    std::shared_ptr<const DevicePart> device = {};  ///< null: there is none
    std::optional<OperatorLibrary> kernels = {};
    std::optional<Mesh> mesh = {};  ///< none: there is one process
    std::shared_ptr<const LanesPart> lanes = {};  ///< null: there is none
    /// Sums that may be in any order are in that of the program: with lanes, whose sums have to be those of the one program.
    bool ordersSums = false;
    /// Arrays that stand in a weights file are found when the program starts (Module::stored).
    bool mapsWeights = false;
    bool profile = false;  ///< with calls of strc_lap between steps (Module::timedSteps)
    /// Asked again and again while code is made. Once it holds, what is under way comes to an end at
    /// once: Jit::load then fails, and the other products are of no use.
    std::function<bool()> interrupted = {};

    bool isInterrupted() const { return interrupted && interrupted(); }
};

/// A check that can fail. Its diagnostic's arguments are the words, then `numbers` of those that the
/// fault brings (strc_fault).
struct Site {
    base::Diag id = base::Diag::Count;
    base::SourceRange range;
    std::vector<std::string> words;
    int numbers = 0;
    std::uint32_t above = 0;  ///< so many composites above the filter is what it is about
};

/// A stored array that the code uses: memory of that name, which the products bring with them; or a pointer of
/// that name, which is null until somebody sets it (Options::mapsWeights).
struct StoredSymbol {
    std::string symbol;
    ir::StoredArray array;
    bool isPointer = false;
};

/// How an array becomes panels.
struct PanelsOf {
    strc_panels how;
    std::vector<strc_panel_loop> loops;
};

/// Panels that are made when the program starts, in memory of that name, of the stored array that a pointer is for.
struct StartPanels {
    std::string symbol;
    std::string array;  ///< StoredSymbol::symbol
    PanelsOf panels;
};

/// The part of the program that runs on a device (codegen/device.h), which Module contains.
struct DevicePart {
    std::shared_ptr<const device::Offloaded> parts;
    std::string code;  ///< PTX
    std::string_view linked;  ///< kernels of stdlib/native/cuda
    std::vector<Site> sites;
    int ordinal = 0;
    const plan::Plan* fallback =
        nullptr;  ///< for machines without a device; null: they cannot run it
};

class Module {
public:
    struct Impl;
    explicit Module(std::unique_ptr<Impl>);
    Module(Module&&) noexcept;
    Module& operator=(Module&&) noexcept;
    ~Module();

    const std::vector<Site>& sites() const;
    const std::vector<StoredSymbol>& stored() const;
    const std::vector<StartPanels>& startPanels() const;
    const std::vector<plan::TimedSteps>& timedSteps() const;  ///< by the number that strc_lap gets
    const std::vector<plan::Handler>& handlers() const;  ///< by row of strc_program::handlers
    std::size_t kernelCount() const;  ///< operators that a library does
    std::unique_ptr<Impl> impl;
};

/// Something in the bodies that code generation has no answer for yet, as a sentence; or empty.
std::string whyNot(const ir::Module&, const plan::Plan&);

/// "Package_name".
std::string symbolOf(const ir::Native&);

/// The context, whose passes these are (base/passes.h), outlives the module.
Module lower(base::Context&, types::TypeTable&, const ir::Module&, const plan::Plan&,
             const Options&);

/// The pass `llvm`, and then the places of large arrays: without this a module is not complete.
void optimize(Module&, const Options&);

/// The module as LLVM's text, assembly of this machine.
std::string printLlvm(const Module&);
std::string printAssembly(const Module&, const Options&);

}  // namespace strc::codegen
