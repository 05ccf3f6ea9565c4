// Shapes that come from outside of the program: from the command line and from files.

#include "elab/detail/shapes.h"
#include "io/tensors.h"

namespace strc::elab {
namespace {

using base::Diag;
using tensor::Sequence;

const Type* itemOf(const graph::Edge& edge, const GivenInput& given, types::TypeTable& types,
                   ShapeFaults& faults) {
    if (!given.file.empty()) {
        const Type* item = io::itemIn(given.type, edge.type, types);
        if (item) return item;
        faults.add(Diag::ItemShape, edge.range) << given.file << types::toString(given.type)
                                                << "the program" << types::toString(edge.type);
        return given.type;
    }
    if (!types::compatible(given.type, edge.type))
        faults.add(Diag::TensorShape, edge.range)
            << "the program's input"
            << types::toString(given.type) + " arrives where " + types::toString(edge.type) +
                   " is declared";
    return given.type;
}

void checkSize(const graph::Edge& edge, const Type* item, ShapeFaults& faults) {
    const std::int64_t count = types::countElements(item);
    if (count > 0 && count <= INT32_MAX) return;
    faults.add(Diag::TensorShape, edge.range)
        << "the program's input"
        << types::toString(item) +
               (count == 0 ? " has no elements" : " has more than 2147483647 elements");
}

}  // namespace

Sequence arrivingItems(const graph::Edge& input, const Entry& entry, types::TypeTable& types,
                       ShapeFaults& faults) {
    Sequence items;
    for (const GivenInput& given : entry.inputs)
        items.push_back(itemOf(input, given, types, faults));
    if (faults.areAny()) return {};
    if (items.empty() && isConcrete(input.type)) items.push_back(input.type);
    for (const Type* item : items)
        if (isConcrete(item)) checkSize(input, item, faults);
    if (items.empty())
        (faults.add(Diag::TensorUnknown, input.range) << "the shape of the program's input")
                .note(Diag::Hint)
            << "'--input 1x3x224x224' says it, as do the files of '--in' that have shapes and are "
               "no pipes: .npy, .safetensors and pictures";
    return shortest(std::move(items));
}

std::optional<Sequence> itemsOfReader(const graph::Graph& graph, graph::NodeId id,
                                      const Kernel& kernel, types::TypeTable& types,
                                      ShapeFaults& faults) {
    if (isConcrete(kernel.output)) return Sequence{kernel.output};
    const graph::Node& node = graph.nodes[id];
    auto found =
        io::typesIn({node.file, io::formatOf(kernel.builtin, node.file)}, kernel.output, types);
    if (!found) {
        faults.add(found.failure(), node.range, id);
        return std::nullopt;
    }
    Sequence items;
    for (const Type* whole : *found) {
        const Type* item = io::itemIn(whole, kernel.output, types);
        if (!item) {
            faults.add(Diag::ItemShape, node.range, id)
                << node.file << types::toString(whole) << "'" + node.name + "'"
                << types::toString(kernel.output);
            return std::nullopt;
        }
        items.push_back(item);
    }
    return shortest(std::move(items));
}

}  // namespace strc::elab
