// Programs whose shapes only the run knows: items and fields that are tensors are names of them.

#include <cstring>

#include "dynamic_shapes/fields.h"
#include "graph/hierarchy.h"
#include "interp/engine.h"
#include "types/tensor_text.h"

namespace strc::interp {

std::uint32_t Engine::itemSize(EdgeId edge) const {
    if (hasNames(edge)) return sizeof(TensorHandle);
    return static_cast<std::uint32_t>(types::sizeOf(graph.edges[edge].type));
}

void Engine::setUpTensors() {
    if (!elaboration.dynamicShape) return;
    heap =
        std::make_unique<TensorHeap>(module, types, machine, context.limits.totalBytes,
                                     [this](const TensorHeap::Mark& mark) { forEachName(mark); });
}

void Engine::forEachName(const TensorHeap::Mark& mark) {
    for (EdgeId edge = 0; edge < tapes.size(); ++edge)
        if (hasNames(edge))
            for (std::uint64_t k = 0; k < tapes[edge].size(); ++k) mark(nameAt(edge, k));
    for (const Actor& actor : actors) {
        if (!actor.kernel || actor.kernel->initialOffsets.empty()) continue;
        dynamic_shapes::markFields(dynamic_shapes::fieldsOf(*actor.kernel), actor.instance.state,
                                   mark);
    }
    machine.forEachSlot([&](std::uint64_t bits) { mark(static_cast<TensorHandle>(bits)); });
    if (otherNames) otherNames(mark);
}

Value Engine::tensorNamed(TensorHandle name) {
    const Type* type = heap->typeOf(name);
    return {type, std::string(reinterpret_cast<const char*>(heap->elementsOf(name)),
                              static_cast<std::size_t>(types::bytesInMemory(type)))};
}

/// Are the items behind those on the actor's outputs what all streams around these declare?
bool Engine::areTensorsFit(const Actor& actor, const std::vector<std::uint64_t>& before) {
    for (std::size_t port = 0; port < before.size(); ++port) {
        const EdgeId edge = actor.node->outputs[port];
        const Type* declared = graph.edges[edge].type;
        const std::vector<const Type*>& known = graph.edges[edge].tensors;
        const bool isOpen = !declared->element && !declared->isRanked && known.empty();
        if (!hasNames(edge) || isOpen) continue;
        for (std::uint64_t k = before[port]; k < tapes[edge].size(); ++k) {
            const std::string why =
                dynamic_shapes::whyUnfit(declared, known, heap->typeOf(nameAt(edge, k)));
            if (why.empty()) continue;
            const graph::Added added = graph::addedBy(context.sources, graph, actor.id);
            report(actor, Diag::TensorShape, added.range) << "'" + added.name + "'" << why;
            keepFirst(edge, k);
            stop(End::Failed);
            return false;
        }
    }
    return true;
}

/// Of what lies on the tape: the others are not what whoever takes them has room for.
void Engine::keepFirst(EdgeId edge, std::uint64_t items) {
    std::vector<TensorHandle> kept;
    for (std::uint64_t k = 0; k < items; ++k) kept.push_back(nameAt(edge, k));
    eval::Tape& tape = tapes[edge];
    tape.drop(tape.size());
    for (TensorHandle name : kept) std::memcpy(tape.append(), &name, sizeof name);
}

void Engine::addItem(EdgeId edge, const Value& item) {
    const auto* bytes = reinterpret_cast<const std::byte*>(item.bytes.data());
    if (!hasNames(edge)) {
        std::memcpy(tapes[edge].append(), bytes, item.bytes.size());
        return;
    }
    const TensorHandle name = heap->copyOf(item.type, bytes);
    std::memcpy(tapes[edge].append(), &name, sizeof name);
}

TensorHandle Engine::nameAt(EdgeId edge, std::uint64_t item) {
    TensorHandle name = 0;
    std::memcpy(&name, tapes[edge].at(item), sizeof name);
    return name;
}

}  // namespace strc::interp
