#include "horizontal/detail/each_lane.h"

#include <utility>

#include "horizontal/detail/merged_kernel.h"
#include "ir/stored_fields.h"
#include "vector/each_lane.h"

namespace strc::horizontal {
namespace {

using elab::Kernel;
using ir::Op;

class TurnMerger {
public:
    TurnMerger(types::TypeTable& table, const elab::Elaboration& whole, graph::NodeId filter,
               std::int64_t count)
        : types(table), program(whole), id(filter), lanes(count) {}

    Merged run(ir::Body body) {
        const Kernel& one = program.kernels[program.graph.nodes[id].kernel];
        made.whyNot = vector::whyNotEachLane(body);
        if (!made.whyNot.empty()) return std::move(made);
        made.kernel = kernelForAll(one, lanes, false);
        made.fields.assign(one.fieldTypes.size(), ir::kNone);
        const std::vector<bool> written = ir::storedFields(body, one.fieldTypes.size());
        for (ir::Block& block : body.blocks)
            for (ir::Instr& i : block.instrs)
                if (i.var.space == ir::Space::Field) field(one, i, written[i.var.index]);
        made.kernel.code.work = vector::fireEachLane(
            types, body, {one.input, one.output, one.work, lanes, made.fields, one.fieldTypes});
        made.state = std::make_shared<const std::string>(std::move(image));
        return std::move(made);
    }

private:
    /// What changes, or is set when the program starts, is each lane's own; all else is a constant.
    void field(const Kernel& one, ir::Instr& i, bool isWritten) {
        const std::uint32_t index = i.var.index;
        if (!isWritten && !isDerived(one, index))
            return becomeConstant(i, fieldOf(program, id, index));
        if (made.fields[index] != ir::kNone) return;
        made.fields[index] = static_cast<std::uint32_t>(made.kernel.fieldTypes.size());
        addField(made.kernel, one.code.fields[index], types.array(one.fieldTypes[index], lanes));
        const std::string value = fieldOf(program, id, index).bytes;
        image.resize(static_cast<std::size_t>(made.kernel.fieldOffsets.back()));
        for (std::int64_t lane = 0; lane < lanes; ++lane) image += value;
        image.resize(static_cast<std::size_t>(made.kernel.stateSize));
    }

    types::TypeTable& types;
    const elab::Elaboration& program;
    const graph::NodeId id;
    const std::int64_t lanes;
    std::string image;
    Merged made;
};

Merged refused(std::string why) {
    Merged none;
    none.whyNot = std::move(why);
    return none;
}

/// In lanes that would be an item of a firing before or behind it.
bool mightLookOutside(const ir::Body& work) {
    for (const ir::Block& block : work.blocks)
        for (const ir::Instr& i : block.instrs)
            if ((i.op == Op::Peek || i.op == Op::PeekInto) && i.checked) return true;
    return false;
}

}  // namespace

Merged mergeInTurn(types::TypeTable& types, const ir::Module& module,
                   const elab::Elaboration& program, graph::NodeId id, std::int64_t lanes,
                   bool mayProve) {
    if (!keepsRates(module, program, id)) return refused("its rates are not proved");
    ir::Body work = withoutProvedChecks(program, id, mayProve);
    if (mightLookOutside(work)) return refused("it might look outside of its window");
    return TurnMerger(types, program, id, lanes).run(std::move(work));
}

}  // namespace strc::horizontal
