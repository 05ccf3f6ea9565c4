#include "opt/detail/compose.h"

#include <algorithm>
#include <map>

namespace strc::opt {
namespace {

using elab::Kernel;
using graph::EdgeId;
using graph::NodeId;
using graph::NodeKind;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using types::Type;

constexpr std::int64_t kFieldAlignment = 16;

const Kernel& kernelOf(const elab::Elaboration& program, NodeId id) {
    return program.kernels[program.graph.nodes[id].kernel];
}

bool hasTensors(const elab::Elaboration& program, EdgeId id) {
    return !program.graph.edges[id].tensors.empty();
}

bool isTape(Op op) {
    switch (op) {
        case Op::Pop:
        case Op::Peek:
        case Op::Discard:
        case Op::Push: return true;
        default: return false;
    }
}

/// Leaves the body, or is seen or heard outside of it.
bool isPrivate(Op op) {
    return op != Op::Return && op != Op::Iter && ir::info(op).effects != ir::Effects::Ordered &&
           ir::info(op).effects != ir::Effects::Build;
}

/// With one item it does not matter where it is taken; several have to come in an order that can be read off.
bool isInOrder(const ir::Body& body, std::int64_t pops, std::int64_t pushes) {
    for (ir::BlockId id = 0; id < body.blocks.size(); ++id)
        for (const Instr& instr : body.blocks[id].instrs) {
            if (!isPrivate(instr.op)) return false;
            if (!isTape(instr.op)) continue;
            const std::int64_t items = instr.op == Op::Push ? pushes : pops;
            if (items > 1 && (id != body.entry || instr.op == Op::Peek)) return false;
        }
    return true;
}

class Composer {
public:
    Composer(const elab::Elaboration& whole, const OriginalKernels& known, const Region& what)
        : program(whole), originals(known), graph(whole.graph), region(what) {}

    Composed run(const std::string& name) {
        ir::StreamCode& code = made.code;
        code.name = name;
        code.input = graph.edges[region.input].type;
        code.output = graph.edges[region.output].type;
        made.input = code.input;
        made.output = code.output;
        const NodeId last = region.nodes.back();
        const graph::Node& first = graph.nodes[region.nodes.front()];
        made.work.pop = made.work.peek = fixed(popRate(graph, region.input));
        made.work.push = fixed(pushRate(graph, region.output));
        body.name = "work";
        body.kind = ir::BodyKind::Work;
        body.blocks.emplace_back();
        body.range = body.header = first.range;
        code.range = code.header = first.range;
        code.setup.blocks.emplace_back();
        if (hasTensors(program, region.input)) takeInput();
        for (NodeId id : region.nodes) node(id);
        if (hasTensors(program, region.output)) giveOutput(graph.nodes[last].range);
        code.work = std::move(body);
        made.stateSize = static_cast<std::int64_t>(state.size());
        return {std::move(made), std::make_shared<const std::string>(std::move(state))};
    }

private:
    using Variables = std::vector<std::uint32_t>;  ///< locals of the body

    static graph::Rate fixed(std::int64_t items) { return {items, items, false, -1}; }

    const Type* typeOf(EdgeId edge, std::size_t item) const {
        const std::vector<const Type*>& types = graph.edges[edge].tensors;
        return types[item % types.size()];
    }

    // ---- variables instead of items

    Variables variablesFor(EdgeId edge, std::int64_t count) {
        Variables variables;
        for (std::int64_t k = 0; k < count; ++k) {
            variables.push_back(static_cast<std::uint32_t>(body.locals.size()));
            body.locals.push_back({"", typeOf(edge, static_cast<std::size_t>(k)), {}});
        }
        return variables;
    }

    Instr& add(Op op, const Type* type, base::SourceRange range) {
        Instr& instr = body.blocks[body.entry].instrs.emplace_back();
        instr.op = op;
        instr.type = type;
        instr.range = range;
        return instr;
    }

    Reg result(Instr& instr) {
        instr.result = static_cast<Reg>(body.regs.size());
        body.regs.push_back({instr.type, false});
        return instr.result;
    }

    void takeInput() {
        const base::SourceRange range = graph.nodes[region.nodes.front()].range;
        Variables& variables = items[region.input];
        variables = variablesFor(region.input, popRate(graph, region.input));
        for (std::uint32_t local : variables) {
            const Type* type = body.locals[local].type;
            const Reg item = result(add(Op::Pop, type, range));
            Instr& store = add(Op::Store, type, range);
            store.var = {Space::Local, local};
            store.operands = {item};
        }
    }

    void giveOutput(base::SourceRange range) {
        for (std::uint32_t local : items.at(region.output)) {
            const Type* type = body.locals[local].type;
            Instr& load = add(Op::Load, type, range);
            load.var = {Space::Local, local};
            const Reg item = result(load);
            add(Op::Push, type, range).operands = {item};
        }
    }

    // ---- nodes

    void node(NodeId id) {
        const graph::Node& node = graph.nodes[id];
        switch (node.kind) {
            case NodeKind::Filter:
                if (elab::isIdentity(program, id))
                    items[node.outputs[0]] = items.at(node.inputs[0]);
                else
                    filter(id);
                return;
            case NodeKind::Duplicate:
                for (EdgeId output : node.outputs) items[output] = items.at(node.inputs[0]);
                return;
            case NodeKind::RoundRobinSplitter: {
                auto next = items.at(node.inputs[0]).begin();
                for (std::size_t port = 0; port < node.outputs.size(); ++port)
                    for (std::int64_t k = 0; k < node.weights[port]; ++k)
                        items[node.outputs[port]].push_back(*next++);
                return;
            }
            case NodeKind::RoundRobinJoiner:
                for (EdgeId input : node.inputs) {
                    const Variables& branch = items[input];
                    Variables& all = items[node.outputs[0]];
                    all.insert(all.end(), branch.begin(), branch.end());
                }
                return;
        }
    }

    void filter(NodeId id) {
        const graph::Node& node = graph.nodes[id];
        const Kernel& own = kernelOf(program, id);
        const ir::StreamCode& code = originals.of(node.kernel)->code;
        const EdgeId in = node.inputs[0], out = node.outputs[0];
        if (hasTensors(program, out)) items[out] = variablesFor(out, pushRate(graph, out));
        bases = {static_cast<Reg>(body.regs.size()),
                 static_cast<std::uint32_t>(body.locals.size()),
                 static_cast<ir::BlockId>(body.blocks.size()),
                 static_cast<std::uint32_t>(made.code.fields.size()),
                 static_cast<std::uint32_t>(made.code.constants.size()),
                 static_cast<std::uint32_t>(made.code.stored.size())};
        arriving = hasTensors(program, in) ? &items.at(in) : nullptr;
        leaving = hasTensors(program, out) ? &items.at(out) : nullptr;
        popped = pushed = 0;
        fields(own, code, id);
        append(*code.work);
    }

    template <typename Item>
    static void extend(std::vector<Item>& list, const std::vector<Item>& more) {
        list.insert(list.end(), more.begin(), more.end());
    }

    void fields(const Kernel& own, const ir::StreamCode& code, NodeId id) {
        extend(made.code.fields, code.fields);
        extend(made.code.constants, code.constants);
        extend(made.code.stored, code.stored);
        extend(made.constants, own.constants);
        extend(made.fieldTypes, own.fieldTypes);
        state.resize((state.size() + kFieldAlignment - 1) / kFieldAlignment * kFieldAlignment);
        for (std::int64_t offset : own.fieldOffsets)
            made.fieldOffsets.push_back(static_cast<std::int64_t>(state.size()) + offset);
        state += *program.states[id];
        for (std::size_t k = 0; k < code.fields.size(); ++k) {
            const bool isKnown = k < own.tensors.size();
            made.tensors.push_back(isKnown ? own.tensors[k] : nullptr);
            const std::uint32_t stored = isKnown ? own.storedTensors[k] : ir::kNone;
            made.storedTensors.push_back(stored == ir::kNone ? stored : stored + bases.stored);
        }
    }

    /// The blocks of the body behind those that are there, what its first one does at the end of ours.
    void append(const ir::Body& from) {
        extend(body.regs, from.regs);
        extend(body.locals, from.locals);
        body.blocks.resize(body.blocks.size() + from.blocks.size());
        for (ir::BlockId id = 0; id < from.blocks.size(); ++id) {
            const ir::BlockId to = id == from.entry ? body.entry : bases.block + id;
            for (const Instr& instr : from.blocks[id].instrs)
                body.blocks[to].instrs.push_back(moved(instr));
        }
    }

    Instr moved(Instr instr) {
        if (instr.result != ir::kNone) instr.result += bases.reg;
        for (Reg& operand : instr.operands) operand += bases.reg;
        for (ir::BlockId& block : instr.blocks)
            if (block != ir::kNone) block += bases.block;
        switch (instr.var.space) {
            case Space::Local:
                if (instr.var.index != ir::kNone) instr.var.index += bases.local;
                break;
            case Space::Field: instr.var.index += bases.field; break;
            case Space::Constant: instr.var.index += bases.constant; break;
            case Space::Stored: instr.var.index += bases.stored; break;
            default: break;
        }
        if (instr.op == Op::Push ? leaving != nullptr : isTape(instr.op) && arriving) access(instr);
        return instr;
    }

    /// A variable in the place of an item.
    void access(Instr& instr) {
        const bool isPush = instr.op == Op::Push;
        std::size_t& at = isPush ? pushed : popped;
        const Variables& variables = isPush ? *leaving : *arriving;
        instr.var = {Space::Local, variables[variables.size() == 1 ? 0 : at]};
        instr.type = body.locals[instr.var.index].type;
        if (instr.op != Op::Peek) ++at;
        instr.op = isPush ? Op::Store : Op::Load;
        if (isPush) return;
        instr.operands.clear();
        if (instr.result == ir::kNone) {  // an item that nobody looks at
            result(instr);
            return;
        }
        body.regs[instr.result].type = instr.type;
    }

    struct Bases {
        Reg reg = 0;
        std::uint32_t local = 0;
        ir::BlockId block = 0;
        std::uint32_t field = 0, constant = 0, stored = 0;
    };

    const elab::Elaboration& program;
    const OriginalKernels& originals;
    const graph::Graph& graph;
    const Region& region;
    ir::Body body;
    Kernel made;
    std::string state;
    std::map<EdgeId, Variables> items;  ///< of a firing
    // ---- of the filter at hand
    Bases bases;
    const Variables* arriving = nullptr;  ///< null: they are no tensors
    const Variables* leaving = nullptr;
    std::size_t popped = 0, pushed = 0;
};

}  // namespace

bool isComposable(const elab::Elaboration& program, const OriginalKernels& originals, NodeId id) {
    const graph::Node& node = program.graph.nodes[id];
    auto areTensors = [&](const std::vector<EdgeId>& edges) {
        return std::all_of(edges.begin(), edges.end(),
                           [&](EdgeId edge) { return hasTensors(program, edge); });
    };
    if (node.kind != NodeKind::Filter) return areTensors(node.inputs) && areTensors(node.outputs);
    if (node.inputs.size() != 1 || node.outputs.size() != 1) return false;
    if (elab::isIdentity(program, id)) return areTensors(node.inputs);
    const Kernel* kernel = originals.of(node.kernel);
    if (!kernel || node.prework || node.effects != graph::kNoEffect || node.work.isDynamic() ||
        node.work.peek.max > node.work.pop.max)
        return false;
    const ir::StreamCode& code = kernel->code;
    const bool isOpen = std::any_of(code.open.begin(), code.open.end(),
                                    [](std::uint32_t slot) { return slot != ir::kNone; });
    const bool isPlain = code.work && code.functions.empty() && !code.startsLate && !isOpen;
    return isPlain && isInOrder(*code.work, areTensors(node.inputs) ? node.work.pop.max : 1,
                                areTensors(node.outputs) ? node.work.push.max : 1);
}

bool isDirect(const elab::Elaboration& program, EdgeId id) {
    const graph::Edge& edge = program.graph.edges[id];
    const std::int64_t items = pushRate(program.graph, id);
    return edge.initial.empty() && !edge.tensors.empty() && items == popRate(program.graph, id) &&
           items % static_cast<std::int64_t>(edge.tensors.size()) == 0;
}

Composed compose(const elab::Elaboration& program, const OriginalKernels& originals,
                 const Region& region, const std::string& name) {
    return Composer(program, originals, region).run(name);
}

}  // namespace strc::opt
