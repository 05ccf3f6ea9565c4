#pragma once
/// The fields of the one filter: what the state of the program becomes.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "elab/elaborate.h"
#include "lowered/detail/port_items.h"
#include "plan/plan.h"

namespace strc::lowered {

using graph::EdgeId;
using graph::KernelId;
using graph::NodeId;
using types::Type;

/// The struct that holds the fields of a kernel's instances.
struct Record {
    const Type* type = nullptr;  ///< null: there are none
    std::vector<std::uint32_t> members;  ///< by field of the kernel; ir::kNone: it takes no memory
    std::uint32_t iterations = ir::kNone;  ///< member that counts firings for iter(), or ir::kNone
};

class State {
public:
    State(base::Context&, types::TypeTable&, const plan::Plan&);

    const Record& record(KernelId kernel) const { return records[kernel]; }
    const Record& recordOf(NodeId node) const {
        return records[plan.program->graph.nodes[node].kernel];
    }
    /// Fields of the filter: ir::kNone where a node has no fields.
    std::uint32_t fieldOf(NodeId node) const { return nodeFields[node]; }
    /// The field of the tape on which the edge's items lie, and its type, an array.
    std::uint32_t tapeOf(EdgeId edge) const { return edgeFields[plan.channels[edge].tape]; }
    const Type* tapeType(EdgeId edge) const { return fields[tapeOf(edge)].type; }

    const PortItems& ports() const { return portItems; }
    /// The field with the items of a port of a side that has several, an array.
    std::uint32_t portOf(EdgeId edge) const { return portFields.at(edge); }
    const Type* portType(EdgeId edge) const { return fields[portOf(edge)].type; }

    /// The field with the numbers of firings that are left, by place (strc_draining_places); ir::kNone: there is none.
    std::uint32_t left() const { return leftField; }
    const Type* leftType() const { return fields[leftField].type; }

    /// The number of those that counts what is left at an open end or file.
    std::uint32_t placeOf(EdgeId edge, bool isInput) const;

    /// Puts fields, their types and offsets into the kernel, and which are ports. What its instance begins with.
    std::string describe(elab::Kernel&) const;

private:
    void addRecord(const elab::Kernel&);
    void addPorts(const std::vector<Port>& side);
    std::vector<std::uint32_t> fieldsOf(const std::vector<Port>& side) const;
    std::uint32_t add(std::string name, const Type*);
    std::vector<elab::FieldBytes> keptIn(const elab::Kernel& whole) const;
    void putRecord(NodeId, const elab::Kernel& whole, std::string& bytes) const;
    void putTape(const plan::Channel&, const elab::Kernel& whole, std::string& bytes) const;

    base::Context& context;
    types::TypeTable& types;
    const plan::Plan& plan;
    const PortItems portItems;
    std::vector<Record> records;  ///< by kernel
    std::map<std::string, int> recordNames;  ///< how often each was used
    std::vector<std::uint32_t> nodeFields, edgeFields;
    std::map<EdgeId, std::uint32_t> portFields;  ///< by their edges
    std::uint32_t leftField = ir::kNone;
    std::vector<ir::Variable> fields;
};

}  // namespace strc::lowered
