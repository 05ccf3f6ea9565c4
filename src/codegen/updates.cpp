// What is computed again when open parameters are set while the program runs.

#include <algorithm>
#include <map>

#include "codegen/detail/module_builder.h"
#include "codegen/detail/variants.h"
#include "strc/flow.h"
#include "strc/runtime.h"

namespace strc::codegen {
namespace {

static_assert(STRC_PARAMETER_MARK(ir::kLastMark) == STRC_PARAMETER_MARK(ir::kLastMark + 1) &&
              STRC_PARAMETER_MARK(ir::kLastMark) == ir::Marks{1} << ir::kLastMark);

ir::Marks marksOf(const elab::Kernel& kernel) {
    ir::Marks marks = 0;
    for (const ir::Marks each : kernel.derived) marks |= each;
    return marks & ~ir::kDrawn;
}

/// Has the program become one filter with functions for that?
bool updatesItself(const plan::Plan& plan) {
    const graph::Graph& graph = plan.program->graph;
    if (graph.nodes[0].kernel == graph::kNone) return false;
    const std::vector<std::uint32_t>& updates =
        plan.program->kernels[graph.nodes[0].kernel].updates;
    return std::any_of(updates.begin(), updates.end(),
                       [](std::uint32_t update) { return update != ir::kNone; });
}

/// Setup and init begin with zeros, in memory beside the filter's own; fields that they make of parameters come from there,
/// unless it was only asked whether they can (STRC_FLOW_CHECK).
class UpdateEmitter {
public:
    UpdateEmitter(ModuleBuilder& m, llvm::Function* function)
        : m(m), b(llvm::BasicBlock::Create(m.context, "", function)), function(function) {}

    void emit() {
        if (m.debug) b.SetCurrentDebugLocation(m.debug->phase(*function));
        const graph::Graph& graph = m.plan.program->graph;
        if (updatesItself(m.plan)) callUpdates();
        for (graph::NodeId id = 0; id < graph.nodes.size(); ++id) {
            const graph::KernelId kernel = graph.nodes[id].kernel;
            if (kernel == graph::kNone) continue;
            const ir::Marks marks = marksOf(m.plan.program->kernels[kernel]);
            if (marks != 0) update(id, m.kernel(kernel), marks);
        }
        b.CreateRetVoid();
    }

private:
    /// The functions of the one filter, each for what it is about.
    void callUpdates() {
        KernelFunctions& made = m.kernel(m.plan.program->graph.nodes[0].kernel);
        const std::vector<std::uint32_t>& updates = made.kernel->updates;
        llvm::Value* checks = b.CreateAnd(function->getArg(2), b.getInt64(STRC_FLOW_CHECK));
        llvm::Value* keeps = b.CreateICmpEQ(checks, b.getInt64(0));
        for (std::uint32_t slot = 0; slot < updates.size(); ++slot)
            if (updates[slot] != ir::kNone)
                ifSet(ir::markOf(slot), 0, [&] {
                    callUpdate(m.callee(made, {ir::CalleeKind::Stream, updates[slot]}), keeps);
                });
    }

    void callUpdate(llvm::Function* update, llvm::Value* keeps) {
        llvm::Value* fields =
            m.plan.fields[0] < 0 ? llvm::PoisonValue::get(m.ptr()) : at(m.plan.fields[0]);
        llvm::Value* none = llvm::PoisonValue::get(m.ptr());
        llvm::Value* counted = b.CreateAlloca(m.i64());  // no items
        std::vector<llvm::Value*> args{function->getArg(0), fields,        none,    none,
                                       b.getInt32(0),       b.getInt32(0), counted, counted};
        args.push_back(b.CreateZExt(keeps, update->getArg(kFirstArgument)->getType()));
        b.CreateCall(update, args);
    }

    void update(graph::NodeId id, const KernelFunctions& made, ir::Marks marks) {
        const elab::Kernel& kernel = *made.kernel;
        auto* again = llvm::BasicBlock::Create(m.context, "again", function);
        auto* after = llvm::BasicBlock::Create(m.context, "after", function);
        llvm::Value* touched = b.CreateAnd(function->getArg(2), b.getInt64(marks));
        b.CreateCondBr(b.CreateICmpNE(touched, b.getInt64(0)), again, after);
        b.SetInsertPoint(again);
        llvm::Value* scratch = at(m.plan.scratchOffset);
        b.CreateMemSet(scratch, b.getInt8(0), static_cast<std::uint64_t>(kernel.stateSize),
                       llvm::MaybeAlign(1));
        llvm::Value* none = llvm::PoisonValue::get(m.ptr());
        if (m.debug) b.SetCurrentDebugLocation(m.debug->firing(*function, node(id)));
        for (llvm::Function* part : made.start)
            b.CreateCall(part,
                         {function->getArg(0), scratch, none, none, b.getInt32(id), b.getInt32(0)});
        if (kernel.fieldTypes.empty()) {
            b.CreateBr(after);
            b.SetInsertPoint(after);
            return;
        }
        auto* keep = llvm::BasicBlock::Create(m.context, "keep", function);
        llvm::Value* checks = b.CreateAnd(function->getArg(2), b.getInt64(STRC_FLOW_CHECK));
        b.CreateCondBr(b.CreateICmpNE(checks, b.getInt64(0)), after, keep);
        b.SetInsertPoint(keep);
        llvm::Value* fields = at(m.plan.fields[id]);
        for (const auto& [of, derived] : byMarks(kernel))
            ifSet(of, marks, [&] {
                for (const std::size_t k : derived) copy(fields, scratch, kernel, k);
            });
        b.CreateBr(after);
        b.SetInsertPoint(after);
    }

    /// The fields that depend on the same parameters.
    static std::map<ir::Marks, std::vector<std::size_t>> byMarks(const elab::Kernel& kernel) {
        std::map<ir::Marks, std::vector<std::size_t>> fields;
        for (std::size_t k = 0; k < kernel.fieldTypes.size(); ++k)
            if (kernel.derived[k] != 0) fields[kernel.derived[k] & ~ir::kDrawn].push_back(k);
        return fields;
    }

    /// Messages may have changed the others. One of `all` is set.
    template <typename Inside>
    void ifSet(ir::Marks marks, ir::Marks all, Inside inside) {
        if (marks == all) return inside();
        auto* then = llvm::BasicBlock::Create(m.context, "set", function);
        auto* next = llvm::BasicBlock::Create(m.context, "next", function);
        llvm::Value* set = b.CreateAnd(function->getArg(2), b.getInt64(marks));
        b.CreateCondBr(b.CreateICmpNE(set, b.getInt64(0)), then, next);
        b.SetInsertPoint(then);
        inside();
        b.CreateBr(next);
        b.SetInsertPoint(next);
    }

    void copy(llvm::Value* to, llvm::Value* from, const elab::Kernel& kernel, std::size_t field) {
        auto place = [&](llvm::Value* fields) {
            return b.CreateInBoundsGEP(
                m.i8(), fields, b.getInt64(static_cast<std::uint64_t>(kernel.fieldOffsets[field])));
        };
        b.CreateMemCpy(place(to), llvm::MaybeAlign(1), place(from), llvm::MaybeAlign(1),
                       static_cast<std::uint64_t>(types::sizeOf(kernel.fieldTypes[field])));
    }

    const graph::Node& node(graph::NodeId id) const { return m.plan.program->graph.nodes[id]; }

    llvm::Value* at(std::int64_t offset) {
        return b.CreateInBoundsGEP(m.i8(), function->getArg(1),
                                   b.getInt64(static_cast<std::uint64_t>(offset)));
    }

    ModuleBuilder& m;
    llvm::IRBuilder<> b;
    llvm::Function* function;
};

}  // namespace

llvm::Constant* emitUpdates(ModuleBuilder& m) {
    if (m.plan.scratchOffset < 0 && !updatesItself(m.plan))
        return llvm::ConstantPointerNull::get(m.ptr());
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(m.context),
                                         {m.ptr(), m.ptr(), m.i64()}, false);
    auto* function =
        llvm::Function::Create(type, llvm::Function::InternalLinkage, "update", m.module);
    function->setDoesNotThrow();
    function->addFnAttr(llvm::Attribute::NoInline);
    UpdateEmitter(m, function).emit();
    return function;
}

}  // namespace strc::codegen
