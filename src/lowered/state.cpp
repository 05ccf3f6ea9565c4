#include "lowered/detail/state.h"

#include <algorithm>
#include <cstring>

#include "graph/graph.h"

namespace strc::lowered {
namespace {

/// Bytes of a line of a cache. Large fields begin at one, with another one before them, since tapes are often as long as powers of
/// two: a load waits for a store that is a multiple of 4096 bytes away.
constexpr std::int64_t kLine = 64;

bool asksIter(const ir::Body& body) {
    return std::any_of(body.blocks.begin(), body.blocks.end(), [](const ir::Block& block) {
        return std::any_of(block.instrs.begin(), block.instrs.end(),
                           [](const ir::Instr& instr) { return instr.op == ir::Op::Iter; });
    });
}

bool asksIter(const ir::StreamCode& code) {
    return (code.work && asksIter(*code.work)) || (code.prework && asksIter(*code.prework)) ||
           std::any_of(code.functions.begin(), code.functions.end(),
                       [](const ir::Body& body) { return asksIter(body); });
}

}  // namespace

State::State(base::Context& context, types::TypeTable& types, const plan::Plan& plan)
    : context(context), types(types), plan(plan), portItems(plan) {
    const elab::Elaboration& program = *plan.program;
    for (const elab::Kernel& kernel : program.kernels) addRecord(kernel);
    for (const graph::Node& node : program.graph.nodes) {
        const Type* type = node.kernel == graph::kNone ? nullptr : records[node.kernel].type;
        nodeFields.push_back(type ? add(node.name, type) : ir::kNone);
    }
    edgeFields.assign(plan.channels.size(), ir::kNone);
    for (const plan::Channel& channel : plan.channels) {
        if (channel.tape != channel.edge || channel.capacity == 0) continue;
        const Type* item = graph::memoryOf(program.graph.edges[channel.edge]);
        edgeFields[channel.edge] = add("tape", types.array(item, channel.capacity));
    }
    addPorts(portItems.ports().inputs);
    addPorts(portItems.ports().outputs);
    const auto places = static_cast<std::int64_t>(program.graph.nodes.size()) + 2;
    if (plan.drain)
        leftField = add("left", types.array(types.scalar(types::TypeKind::Long), places));
}

/// As many items as a phase has at most.
void State::addPorts(const std::vector<Port>& side) {
    if (side.size() < 2) return;
    for (const Port& port : side) {
        const Type* item = graph::memoryOf(plan.program->graph.edges[port.edge]);
        portFields[port.edge] = add("port", types.array(item, portItems.mostOf(port.edge)));
    }
}

std::vector<std::uint32_t> State::fieldsOf(const std::vector<Port>& side) const {
    std::vector<std::uint32_t> made;
    if (side.size() > 1)
        for (const Port& port : side) made.push_back(portOf(port.edge));
    return made;
}

std::uint32_t State::placeOf(EdgeId edge, bool isInput) const {
    const NodeId file = portItems.ports().fileOf(edge);
    const auto nodes = static_cast<std::uint32_t>(plan.program->graph.nodes.size());
    return file != graph::kNone ? file : isInput ? nodes : nodes + 1;
}

std::uint32_t State::add(std::string name, const Type* type) {
    const auto id = static_cast<std::uint32_t>(fields.size());
    fields.push_back({name + '_' + std::to_string(id), type, {}});
    return id;
}

/// Members stand in the order of the kernel's fields.
void State::addRecord(const elab::Kernel& kernel) {
    Record& record = records.emplace_back();
    const bool counts = asksIter(kernel.code);
    std::vector<types::StructField> members;
    for (std::size_t k = 0; k < kernel.fieldTypes.size(); ++k) {
        const Type* type = kernel.fieldTypes[k];
        const bool hasMemory = types::isConcrete(type) && types::sizeOf(type) > 0;
        record.members.push_back(hasMemory ? static_cast<std::uint32_t>(members.size())
                                           : ir::kNone);
        if (hasMemory)
            members.push_back({context.names.intern(kernel.code.fields[k].name), type, 0, {}});
    }
    if (counts) {
        record.iterations = static_cast<std::uint32_t>(members.size());
        members.push_back({context.names.intern("iterations"), types.intType(), 0, {}});
    }
    if (members.empty()) return;
    std::string name = (kernel.code.name.empty() ? "filter" : kernel.code.name) + "_fields";
    const int same = ++recordNames[name];
    if (same > 1) name += std::to_string(same);
    record.type = types.structure(context.names.intern(name), kernel.code.range);
    record.type->structure->fields = std::move(members);
    types.complete(*record.type->structure);
}

std::string State::describe(elab::Kernel& whole) const {
    std::int64_t size = 0;
    for (const ir::Variable& field : fields) {
        const bool isLarge = types::sizeOf(field.type) >= kLine;
        const std::int64_t align = isLarge ? kLine : types::alignOf(field.type);
        size = (size + align - 1) / align * align;
        if (isLarge) size += kLine;
        whole.code.fields.push_back(field);
        whole.fieldTypes.push_back(field.type);
        whole.fieldOffsets.push_back(size);
        size += types::sizeOf(field.type);
    }
    whole.stateSize = size;
    whole.code.inputFields = fieldsOf(portItems.ports().inputs);
    whole.code.outputFields = fieldsOf(portItems.ports().outputs);
    whole.kept = keptIn(whole);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    for (NodeId id = 0; id < nodeFields.size(); ++id)
        if (nodeFields[id] != ir::kNone) putRecord(id, whole, bytes);
    for (const plan::Channel& channel : plan.channels) putTape(channel, whole, bytes);
    return bytes;
}

/// Tapes keep their items at the beginning; what firings find at ports, and numbers of what is left, others put there.
std::vector<elab::FieldBytes> State::keptIn(const elab::Kernel& whole) const {
    std::vector<elab::FieldBytes> all;
    for (const std::uint32_t field : nodeFields)
        if (field != ir::kNone)
            all.push_back({whole.fieldOffsets[field], types::sizeOf(fields[field].type)});
    for (const plan::Channel& channel : plan.channels)
        if (edgeFields[channel.edge] != ir::kNone && channel.retained > 0)
            all.push_back({whole.fieldOffsets[edgeFields[channel.edge]],
                           channel.retained * channel.itemSize});
    return all;
}

void State::putRecord(NodeId id, const elab::Kernel& whole, std::string& bytes) const {
    const elab::Elaboration& program = *plan.program;
    const KernelId kernel = program.graph.nodes[id].kernel;
    const elab::Kernel& own = program.kernels[kernel];
    const auto begin = static_cast<std::size_t>(whole.fieldOffsets[nodeFields[id]]);
    for (std::size_t k = 0; k < own.fieldTypes.size(); ++k) {
        const std::uint32_t member = records[kernel].members[k];
        if (member == ir::kNone) continue;
        const auto to =
            static_cast<std::size_t>(records[kernel].type->structure->fields[member].offset);
        const auto size = static_cast<std::size_t>(types::sizeOf(own.fieldTypes[k]));
        const auto from = static_cast<std::size_t>(own.fieldOffsets[k]);
        std::memcpy(bytes.data() + begin + to, program.states[id]->data() + from, size);
    }
}

void State::putTape(const plan::Channel& channel, const elab::Kernel& whole,
                    std::string& bytes) const {
    const graph::Edge& edge = plan.program->graph.edges[channel.edge];
    if (edge.initial.empty()) return;
    std::int64_t at = whole.fieldOffsets[tapeOf(channel.edge)] + channel.start * channel.itemSize;
    for (const types::Value& item : edge.initial) {
        std::memcpy(bytes.data() + at, item.bytes.data(), item.bytes.size());
        at += channel.itemSize;
    }
}

}  // namespace strc::lowered
