#include "interp/detail/channels.h"

#include <cstring>

#include "tensor/storage.h"
#include "types/tensor_text.h"

namespace strc::interp {

void Channels::setUp(std::unique_ptr<TensorHeap> tensors) {
    heap = std::move(tensors);
    for (EdgeId id = 0; id < graph.edges.size(); ++id) {
        tapes.emplace_back(itemSize(id), &budget);
        for (const Value& item : graph.edges[id].initial) addItem(id, item);
    }
}

void Channels::forEachName(const TensorHeap::Mark& mark) {
    for (EdgeId edge = 0; edge < tapes.size(); ++edge)
        if (hasNames(edge))
            for (std::uint64_t k = 0; k < tapes[edge].size(); ++k) mark(nameAt(edge, k));
}

std::uint32_t Channels::itemSize(EdgeId edge) const {
    if (hasNames(edge)) return sizeof(TensorHandle);
    return static_cast<std::uint32_t>(types::sizeOf(graph.edges[edge].type));
}

void Channels::addItem(EdgeId edge, const Value& item) {
    const auto* bytes = reinterpret_cast<const std::byte*>(item.bytes.data());
    if (!hasNames(edge)) {
        std::memcpy(tapes[edge].append(), bytes, item.bytes.size());
        return;
    }
    const TensorHandle name = heap->copyOf(item.type, bytes);
    std::memcpy(tapes[edge].append(), &name, sizeof name);
}

void Channels::takeItems(io::Supply& input, EdgeId edge, std::uint64_t items) {
    if (!hasNames(edge)) {
        input.take(tapes[edge].append(items), items);
        return;
    }
    const std::vector<const Type*>& tensors = graph.edges[edge].tensors;
    const Type* memory = graph::memoryOf(graph.edges[edge]);
    std::string item(static_cast<std::size_t>(types::sizeOf(memory)), '\0');
    for (; items > 0; --items) {
        const Type* type = tensors[input.given() % tensors.size()];
        input.take(reinterpret_cast<std::byte*>(item.data()), 1);
        addItem(edge, {type, item.substr(static_cast<std::size_t>(types::offsetIn(memory, type)))});
    }
}

base::Status Channels::writeItem(io::ItemWriter& writer, EdgeId edge) {
    if (!hasNames(edge)) return writer.write(tapes[edge].at(0), 1);
    const TensorHandle name = nameAt(edge, 0);
    const Type* type = heap->typeOf(name);
    if (base::Status fits = writer.expect(type, tensor::storageOf(type, types)); !fits) return fits;
    return writer.write(heap->elementsOf(name), 1);
}

TensorHandle Channels::nameAt(EdgeId edge, std::uint64_t item) {
    TensorHandle name = 0;
    std::memcpy(&name, tapes[edge].at(item), sizeof name);
    return name;
}

Value Channels::tensorNamed(TensorHandle name) {
    const Type* type = heap->typeOf(name);
    return {type, std::string(reinterpret_cast<const char*>(heap->elementsOf(name)),
                              static_cast<std::size_t>(types::sizeOf(type)))};
}

void Channels::keepFirst(EdgeId edge, std::uint64_t items) {
    std::vector<TensorHandle> kept;
    for (std::uint64_t k = 0; k < items; ++k) kept.push_back(nameAt(edge, k));
    eval::Tape& tape = tapes[edge];
    tape.drop(tape.size());
    for (TensorHandle name : kept) std::memcpy(tape.append(), &name, sizeof name);
}

}  // namespace strc::interp
