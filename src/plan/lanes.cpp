#include "plan/lanes.h"

namespace strc::plan {
namespace {

using types::TypeKind;

/// Bytes of what stands beside that of other lanes; complex numbers lie in parts.
std::int64_t partOf(const types::Type* type) {
    while (type->is(TypeKind::Array)) type = type->element;
    return types::sizeOf(type) / (type->is(TypeKind::Complex) ? 2 : 1);
}

class Finder {
public:
    Finder(const Plan& one, const Plan& all, std::int64_t lanes)
        : one(one), all(all), lanes(lanes) {}

    void addFields(NodeId id, const elab::LaneFields& made) {
        for (std::uint32_t k = 0; k < made.fields.size(); ++k) {
            if (made.fields[k] == graph::kNone) continue;
            const elab::Kernel &from = kernelOf(one, id), &to = kernelOf(all, id);
            const types::Type* type = from.fieldTypes[k];
            const std::int64_t bytes = types::sizeOf(type);
            const std::int64_t part = made.areWhole ? bytes : partOf(type);
            add({one.fields[id] + from.fieldOffsets[k],
                 all.fields[id] + to.fieldOffsets[made.fields[k]], part, bytes / part});
        }
    }

    /// Do as many items stay there?
    bool addChannel(EdgeId id) {
        const Channel &from = one.channels[id], &to = all.channels[id];
        if (from.retained == 0 && to.retained == 0) return true;
        if ((from.tape == id) != (to.tape == id)) return false;
        if (from.tape != id) return true;
        if (from.itemSize != to.itemSize || from.retained * lanes != to.retained) return false;
        add({from.offset, to.offset, from.itemSize, from.retained});
        return true;
    }

    std::vector<LanePiece> take() { return std::move(pieces); }

private:
    static const elab::Kernel& kernelOf(const Plan& plan, NodeId id) {
        return plan.program->kernels[plan.program->graph.nodes[id].kernel];
    }
    void add(const LanePiece& piece) {
        if (piece.count > 0) pieces.push_back(piece);
    }

    const Plan &one, &all;
    const std::int64_t lanes;
    std::vector<LanePiece> pieces;
};

bool areOfOneKind(const Plan& one, const Plan& all) {
    if (one.demand || all.demand || one.tapes != Tapes::Linear || all.tapes != Tapes::Linear)
        return false;
    for (const std::int64_t counter : one.counters)
        if (counter >= 0) return false;
    return one.channels.size() == all.channels.size();
}

}  // namespace

std::optional<std::vector<LanePiece>> lanePieces(const Plan& one, const Plan& all,
                                                 const std::vector<elab::LaneFields>& fields,
                                                 std::int64_t lanes) {
    if (!areOfOneKind(one, all)) return std::nullopt;
    Finder finder(one, all, lanes);
    for (NodeId id = 0; id < fields.size(); ++id) finder.addFields(id, fields[id]);
    for (EdgeId id = 0; id < one.channels.size(); ++id)
        if (!finder.addChannel(id)) return std::nullopt;
    return finder.take();
}

}  // namespace strc::plan
