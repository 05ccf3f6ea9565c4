#include "codegen/detail/parts.h"

#include <algorithm>
#include <cstddef>

#include "codegen/detail/ports.h"
#include "strc/ending.h"

namespace strc::codegen {
namespace {

using plan::Position;
using plan::Step;
using plan::StepKind;

const elab::Kernel& oneFilter(const plan::Plan& plan) {
    return plan.program->kernels[plan.program->graph.nodes[0].kernel];
}

/// Numbers of strc_env.left that the table of the ending speaks about.
std::uint64_t placesOf(const graph::Ending& ending) {
    std::uint64_t places = 0;
    for (const strc_ending_node& node : ending.nodes)
        if (node.place != STRC_NOBODY) places = std::max<std::uint64_t>(places, node.place + 1);
    return places;
}

/// The file, or the open input, that is this input of the program.
const strc_ending_node& sourceOf(const graph::Ending& ending, std::uint32_t input) {
    return *std::find_if(ending.nodes.begin(), ending.nodes.end(),
                         [&](const strc_ending_node& node) { return node.input == input; });
}

/// The function counts down numbers in a field. Those of the run are copied there and back, so that they are right if the state
/// is saved between two phases.
class DrainEmitter {
public:
    DrainEmitter(ModuleBuilder& builder, const plan::Phase& of, const std::string& name)
        : m(builder), c(builder), b(c.b), phase(of) {
        c.function = declarePhase(m, name, 0, true);
        b.SetInsertPoint(llvm::BasicBlock::Create(m.context, "", c.function));
        if (m.debug) b.SetCurrentDebugLocation(m.debug->phase(*c.function));
    }

    llvm::Function* run() {
        numbers = b.CreateLoad(
            m.ptr(), b.CreateConstInBoundsGEP1_64(m.i8(), c.env(), offsetof(strc_env, left)));
        const elab::Kernel& kernel = oneFilter(m.plan);
        const std::int64_t offset = kernel.fieldOffsets[kernel.drain->left];
        llvm::Value* field =
            b.CreateConstInBoundsGEP1_64(m.i8(), c.fieldsOf(0), static_cast<std::uint64_t>(offset));
        const std::uint64_t bytes = sizeof(std::int64_t) * placesOf(kernel.drain->ending);
        const auto align = llvm::MaybeAlign(alignof(std::int64_t));
        b.CreateMemCpy(field, align, numbers, align, bytes);
        for (const Step& step : phase.steps) emit(step);
        b.CreateMemCpy(numbers, align, field, align, bytes);
        b.CreateRetVoid();
        return c.function;
    }

private:
    void emit(const Step& step) {
        const graph::Node& filter = m.plan.program->graph.nodes[0];
        if (step.kind == StepKind::Part) given = emitPart(c, step);
        if (step.kind == StepKind::Read) {
            const bool hasFields = !filter.inputRates.empty();
            call("strc_read", step,
                 hasFields ? portField(c, 0, step.port, true)
                           : c.item(step.channel, step.outputs[0]),
                 itemsLeft(step));
        }
        if (step.kind == StepKind::Write) {
            if (filter.outputRates.empty())
                call("strc_write", step, c.item(step.channel, step.inputs[0]),
                     b.CreateLoad(m.i64(), given));
            else
                call("strc_write", step, portField(c, 0, step.port, false), givenAt(step.port));
        }
    }

    /// At one of several ports: by how much the function has counted down.
    llvm::Value* givenAt(std::uint32_t port) {
        const elab::Kernel& kernel = oneFilter(m.plan);
        const std::uint32_t place = kernel.drain->outputPlaces[port];
        llvm::Value* field = b.CreateConstInBoundsGEP1_64(
            m.i8(), c.fieldsOf(0),
            static_cast<std::uint64_t>(kernel.fieldOffsets[kernel.drain->left]));
        auto number = [&](llvm::Value* all) {
            return b.CreateLoad(m.i64(), b.CreateConstInBoundsGEP1_64(m.i64(), all, place));
        };
        return b.CreateSub(number(numbers), number(field));
    }

    void call(const char* name, const Step& step, llvm::Value* items, llvm::Value* count) {
        b.CreateCall(m.runtime(name), {c.env(), b.getInt32(step.port), items, count});
    }

    /// Those that come before any that lacks: the function takes no more.
    llvm::Value* itemsLeft(const Step& read) {
        llvm::Value* left = b.CreateLoad(
            m.i64(), b.CreateConstInBoundsGEP1_64(m.i64(), numbers,
                                                  sourceOf(m.plan.drain->ending, read.port).place));
        return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left,
                                       b.getInt64(static_cast<std::uint64_t>(read.count)));
    }

    ModuleBuilder& m;
    PhaseContext c;
    llvm::IRBuilder<>& b;
    const plan::Phase& phase;
    llvm::Value* numbers = nullptr;
    llvm::Value* given = nullptr;
};

}  // namespace

bool drainsItself(const plan::Plan& plan) { return plan.drain && plan.drain->counts.empty(); }

/// It counts what it takes and gives, as any function of its filter.
llvm::Value* emitPart(PhaseContext& c, const Step& step) {
    ModuleBuilder& m = c.m;
    const graph::Node& node = m.plan.program->graph.nodes[step.node];
    KernelFunctions& functions = m.kernel(node.kernel, false, false);
    llvm::Value* none = llvm::PoisonValue::get(m.ptr());
    auto place = [&](const std::vector<graph::EdgeId>& edges, const std::vector<Position>& at,
                     bool hasFields) {
        return at.empty() || hasFields ? none : c.item(edges[0], at[0]);
    };
    std::vector<llvm::Value*> args{c.env(),
                                   c.fieldsOf(step.node),
                                   place(node.inputs, step.inputs, !node.inputRates.empty()),
                                   place(node.outputs, step.outputs, !node.outputRates.empty()),
                                   c.b.getInt32(step.node),
                                   c.b.getInt32(0)};
    for (int side = 0; side < 2; ++side) {
        llvm::Value* count = c.variable(sizeof(std::int64_t));
        c.b.CreateStore(c.b.getInt64(0), count);
        args.push_back(count);
    }
    llvm::Value* given = args.back();
    const ir::Body& body = functions.kernel->code.functions[step.port];
    for (std::uint32_t d = 0; d < body.params; ++d)
        args.push_back(c.b.CreateTrunc(c.trips[d], m.i32()));
    c.b.CreateCall(m.callee(functions, {ir::CalleeKind::Stream, step.port}), args);
    return given;
}

llvm::Function* emitOwnDrain(ModuleBuilder& m, const plan::Phase& phase, const std::string& name) {
    return DrainEmitter(m, phase, name).run();
}

}  // namespace strc::codegen
