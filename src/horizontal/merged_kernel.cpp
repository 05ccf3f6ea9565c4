#include "horizontal/detail/merged_kernel.h"

#include <utility>

#include "graph/rates.h"

namespace strc::horizontal {

using elab::Kernel;

Kernel kernelForAll(const Kernel& one, std::int64_t count, bool isShared) {
    Kernel all;
    all.input = one.input;
    all.output = one.output;
    all.work = one.work;
    all.constants = one.constants;
    all.code.name = one.code.name;
    all.code.input = one.code.input;
    all.code.output = one.code.output;
    all.code.range = one.code.range;
    all.code.header = one.code.header;
    all.code.constants = one.code.constants;
    all.code.open = one.code.open;
    all.code.stored = one.code.stored;
    all.code.setup = one.code.setup;
    all.code.setup.blocks.assign(1, {});
    all.code.setup.entry = 0;
    const graph::Rates rates = graph::times(all.work, count);
    if (!isShared) all.work = rates;
    all.work.push = rates.push;
    return all;
}

void addField(Kernel& kernel, const ir::Variable& variable, const types::Type* type) {
    constexpr std::int64_t kAlignment = 64;
    kernel.code.fields.push_back({variable.name, type, variable.range});
    kernel.fieldTypes.push_back(type);
    kernel.fieldOffsets.push_back(kernel.stateSize);
    const std::int64_t bytes = types::sizeOf(type);
    kernel.stateSize += (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

bool isDerived(const Kernel& kernel, std::uint32_t field) {
    return !kernel.derived.empty() && kernel.derived[field] != 0;
}

types::Value fieldOf(const elab::Elaboration& program, graph::NodeId id, std::uint32_t field) {
    const Kernel& kernel = program.kernels[program.graph.nodes[id].kernel];
    const types::Type* type = kernel.fieldTypes[field];
    return {type, program.states[id]->substr(static_cast<std::size_t>(kernel.fieldOffsets[field]),
                                             static_cast<std::size_t>(types::sizeOf(type)))};
}

void becomeConstant(ir::Instr& i, types::Value value) {
    i.op = ir::Op::Const;
    i.var = {};
    i.type = value.type;
    i.value = std::move(value);
}

}  // namespace strc::horizontal
