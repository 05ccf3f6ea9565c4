#include "elab/elaborate.h"

#include "elab/detail/check_rates.h"
#include "elab/detail/tree.h"

namespace strc::elab {

Elaboration elaborate(base::Context& context, const ir::Module& module, types::TypeTable& types,
                      const Entry& entry, const Environment& environment, types::Random random) {
    Elaboration result;
    Tree tree;
    tree.random = random;
    std::size_t errors = context.diags.errorCount();
    if (!growTree(context, module, types, entry, environment, tree)) return result;
    checkTypes(context, types, tree);
    if (context.diags.errorCount() > errors) return result;
    result.graph = buildGraph(context, module, types, tree);
    result.states.resize(result.graph.nodes.size());
    for (Instance& instance : tree.instances)
        if (instance.isFilter()) result.states[instance.node] = std::move(instance.state);
    if (context.keepsStages) result.stages = stagesOf(context.sources, tree, result.graph);
    linkMessages(context, tree, result);
    noteSounds(context.sources, tree, result.graph);
    requireSounds(types, tree);
    result.kernels = std::move(tree.kernels);
    bool hasShapes = inferShapes(context, module, types, entry, result);
    if (hasShapes) checkWriters(context, result);
    result.random = tree.random;
    for (const ir::OpenParameter& each : module.open) {
        result.openValues.push_back(tree.instances[0].constants[each.constant]);
        result.openSounds.push_back(soundOf(tree.instances[0], each.constant));
    }
    result.mainRate = rateOf(tree.instances[0]);
    result.complete = context.diags.errorCount() == errors;
    if (hasShapes) checkRates(context, module, result);
    return result;
}

bool isIdentity(const Elaboration& program, graph::NodeId id) {
    const graph::Node& node = program.graph.nodes[id];
    if (node.kind != graph::NodeKind::Filter || node.kernel == graph::kNone) return false;
    const types::BuiltinStream builtin = program.kernels[node.kernel].builtin;
    return builtin != types::BuiltinStream::None &&
           types::info(builtin).role == types::BuiltinRole::Identity;
}

namespace {

/// One scalar item, and nothing else.
bool copiesItem(const ir::Body& work) {
    const std::vector<ir::Instr>& instrs = work.blocks[work.entry].instrs;
    return instrs.size() == 2 && instrs[0].op == ir::Op::Pop && instrs[1].op == ir::Op::Push &&
           instrs[1].operands[0] == instrs[0].result;
}

}  // namespace

bool forwardsItems(const Elaboration& program, graph::NodeId id) {
    if (isIdentity(program, id)) return true;
    const graph::Node& node = program.graph.nodes[id];
    if (node.kind != graph::NodeKind::Filter || node.kernel == graph::kNone) return false;
    const Kernel& kernel = program.kernels[node.kernel];
    return kernel.builtin == types::BuiltinStream::None && node.effects == graph::kNoEffect &&
           kernel.code.functions.empty() && kernel.code.work && copiesItem(*kernel.code.work);
}

}  // namespace strc::elab
