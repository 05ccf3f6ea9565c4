#include "lowered/detail/phases.h"

#include "base/assert.h"
#include "ir/writer.h"

namespace strc::lowered {
namespace {

using ir::Op;
using ir::Reg;
using plan::Position;
using plan::Step;
using plan::StepKind;

class PhaseWriter {
public:
    PhaseWriter(Functions& all, const plan::Plan& plan)
        : functions(all), state(all.state), plan(plan), graph(plan.program->graph), w(all.types) {}

    ir::Body run(const plan::Phase& phase, ir::BodyKind kind, const std::string& name,
                 base::SourceRange header) {
        drains = kind == ir::BodyKind::Function;
        w.body.name = name;
        w.body.kind = kind;
        w.body.range = w.body.header = w.range = header;
        const bool isInit = &phase == &plan.init || (drains && &phase == &plan.drain->init);
        if (isInit)
            for (NodeId id = 0; id < graph.nodes.size(); ++id)
                if (startsLate(id)) start(id, fieldsOf(id));
        steps(phase.steps);
        return std::move(w.body);
    }

    std::optional<ir::Body> update(std::uint32_t slot, const std::string& name,
                                   base::SourceRange header) {
        w.body.name = name;
        w.body.range = w.body.header = w.range = header;
        w.body.locals.push_back({"keeps", w.types.boolean(), {}});
        w.body.params = 1;
        bool any = false;
        for (NodeId id = 0; id < graph.nodes.size(); ++id) {
            if (!startsLate(id) || (marksOf(id) & ir::markOf(slot)) == 0) continue;
            startAgain(id);
            any = true;
        }
        if (!any) return std::nullopt;
        return std::move(w.body);
    }

private:
    // ---- what parameters are known for late

    bool startsLate(NodeId id) const {
        const KernelId kernel = graph.nodes[id].kernel;
        return kernel != graph::kNone && plan.program->kernels[kernel].code.startsLate;
    }

    ir::Marks marksOf(NodeId id) const {
        ir::Marks marks = 0;
        for (ir::Marks each : plan.program->kernels[graph.nodes[id].kernel].derived) marks |= each;
        return marks;
    }

    /// Setup and init, with fields that are zeros before.
    void start(NodeId id, Reg fields) {
        const graph::Node& node = graph.nodes[id];
        std::vector<Reg> passed;
        if (fields != ir::kNone) passed.push_back(fields);
        call(functions.of({node.kernel, kSetup, nullptr, nullptr}), passed, id);
        if (plan.program->kernels[node.kernel].code.init)
            call(functions.of({node.kernel, kInit, nullptr, nullptr}), passed, id);
    }

    void startAgain(NodeId id) {
        const Record& record = state.record(graph.nodes[id].kernel);
        if (!record.type) return start(id, ir::kNone);
        const std::uint32_t scratch = w.local("scratch_" + std::to_string(id), record.type);
        w.body.blocks[w.block].instrs.back().flag = false;  // zeros
        start(id, w.address(scratch));
        const ir::BlockId keeps = w.inBlock([&] { keepDerived(id, scratch); });
        w.emit(Op::If, nullptr, {w.load(0)}).blocks = {keeps, ir::kNone, ir::kNone};
    }

    void keepDerived(NodeId id, std::uint32_t scratch) {
        const KernelId kernel = graph.nodes[id].kernel;
        const Record& record = state.record(kernel);
        const std::vector<ir::Marks>& derived = plan.program->kernels[kernel].derived;
        for (std::size_t k = 0; k < record.members.size(); ++k) {
            if (derived[k] == 0 || record.members[k] == ir::kNone) continue;
            const Reg to = member(fieldsOf(id), record, record.members[k]);
            copy(to, member(w.address(scratch), record, record.members[k]));
        }
    }

    Reg member(Reg fields, const Record& record, std::uint32_t k) {
        const Type* type = record.type->structure->fields[k].type;
        w.emit(Op::Member, type, {fields}).index = k;
        return w.result(type, true);
    }

    /// An index into a tape: `base`, and counters of loops times factors.
    struct Index {
        std::int64_t base = 0;
        std::vector<std::pair<Reg, std::int64_t>> terms;

        Index plus(Reg counter, std::int64_t factor = 1) const {
            Index sum = *this;
            if (counter != ir::kNone && factor != 0) sum.terms.emplace_back(counter, factor);
            return sum;
        }
        Index plus(std::int64_t items) const {
            Index sum = *this;
            sum.base += items;
            return sum;
        }
    };

    void steps(const std::vector<Step>& list) {
        for (const Step& each : list) drains ? stepIfLeft(each) : step(each);
    }

    // ---- draining

    /// A step that is a single firing or item, unless it is done in every phase.
    void stepIfLeft(const Step& each) {
        const auto nodes = static_cast<std::int64_t>(graph.nodes.size());
        switch (each.kind) {
            case StepKind::Fire:
                if (!plan.drain->counts[each.node]) return step(each);
                return ifLeft(each.node, [&] { step(each); }, [&] { giveZeros(each); });
            case StepKind::Read:
                return ifLeft(
                    nodes, [&] { step(each); },
                    [&] { zeroItems(each.channel, index(each.outputs[0]), 1); });
            case StepKind::Write: return ifLeft(nodes + 1, [&] { step(each); }, [] {});
            default: return step(each);
        }
    }

    /// `done` if the number at this place is not 0 yet, which it then counts down; else `without`.
    template <typename Done, typename Without>
    void ifLeft(std::int64_t place, Done done, Without without) {
        const Type* number = w.types.scalar(types::TypeKind::Long);
        const Reg numbers = fieldRef(state.left(), state.leftType());
        const Reg at = w.reference(numbers, w.integer(place));
        const Reg left = w.operation(Op::LoadAt, number, {at});
        const auto constant = [&](std::int64_t value) {
            return w.constant(types::Value::of(number, value));
        };
        const Reg isLeft = w.operation(Op::Ne, number, {left, constant(0)});
        const ir::BlockId then = w.inBlock([&] {
            const Reg fewer = w.operation(Op::Sub, number, {left, constant(1)});
            w.emit(Op::StoreAt, number, {at, fewer});
            done();
        });
        const ir::BlockId otherwise = w.inBlock(without);
        w.emit(Op::If, nullptr, {isLeft}).blocks = {then, otherwise, ir::kNone};
    }

    /// What a firing that is left out would have given.
    void giveZeros(const Step& step) {
        const std::vector<EdgeId>& edges = graph.nodes[step.node].outputs;
        for (std::size_t port = 0; port < edges.size(); ++port)
            zeroItems(edges[port], index(step.outputs[port]),
                      graph::pushRate(graph, edges[port], step.first));
    }

    void zeroItems(EdgeId edge, const Index& first, std::int64_t count) {
        loop(count, [&](Reg k) {
            const Reg to = item(edge, first.plus(k));
            const Type* type = w.body.regs[to].type;
            if (type->isAggregate()) {
                w.emit(Op::Zero, type, {to});
                return;
            }
            w.emit(Op::StoreAt, type, {to, w.constant(types::Value::zero(type))});
        });
    }

    void step(const Step& step) {
        switch (step.kind) {
            case StepKind::Fire: return fire(step);
            case StepKind::Loop:
                return loop(step.count, [&](Reg counter) {
                    counters.push_back(counter);
                    steps(step.body);
                    counters.pop_back();
                });
            case StepKind::Move: return move(step);
            case StepKind::Read: return read(step);
            case StepKind::Write: return write(step);
            case StepKind::Device: break;
        }
        STRC_UNREACHABLE("a step without a lower form");
    }

    /// `inside` gets the counter; ir::kNone, which counts as 0, if there is one iteration.
    template <typename Inside>
    void loop(std::int64_t count, Inside inside) {
        if (count == 1) return inside(ir::kNone);
        w.loop(count, inside);
    }

    // ---- places

    Index index(const Position& position) const {
        Index at{position.base, {}};
        for (std::size_t d = 0; d < position.perIteration.size(); ++d)
            at = at.plus(counters[d], position.perIteration[d]);
        return at;
    }

    Reg valueOf(const Index& at) {
        const Type* integer = w.types.intType();
        Reg sum = ir::kNone;
        auto add = [&](Reg term) {
            sum = sum == ir::kNone ? term : w.operation(Op::Add, integer, {sum, term});
        };
        for (const auto& [counter, factor] : at.terms)
            add(factor == 1 ? counter
                            : w.operation(Op::Mul, integer, {counter, w.integer(factor)}));
        if (at.base != 0 || sum == ir::kNone) add(w.integer(at.base));
        return sum;
    }

    Reg item(EdgeId edge, const Index& at) { return w.reference(tape(edge), valueOf(at)); }

    Reg tape(EdgeId edge) { return fieldRef(state.tapeOf(edge), state.tapeType(edge)); }
    Reg fieldRef(std::uint32_t field, const Type* type) {
        return w.address({ir::Space::Field, field}, type);
    }

    // ---- items

    void copy(Reg to, Reg from) {
        const Type* type = w.body.regs[to].type;
        if (type->isAggregate()) {
            w.emit(Op::Copy, type, {to, from});
            return;
        }
        w.emit(Op::StoreAt, type, {to, w.operation(Op::LoadAt, type, {from})});
    }

    /// `count` items that lie one behind the other on both sides.
    void copyItems(EdgeId toEdge, const Index& to, EdgeId fromEdge, const Index& from,
                   std::int64_t count) {
        loop(count, [&](Reg k) {
            const Reg target = item(toEdge, to.plus(k));
            copy(target, item(fromEdge, from.plus(k)));
        });
    }

    /// The two ranges may overlap, so items go in the order in which none is written over before it is read.
    void move(const Step& step) {
        const Index from = index(step.inputs[0]), to = index(step.outputs[0]);
        const bool isDown = to.base <= from.base;
        const std::int64_t first = isDown ? 0 : step.count - 1, by = isDown ? 1 : -1;
        loop(step.count, [&](Reg k) {
            const Reg target = item(step.channel, to.plus(first).plus(k, by));
            copy(target, item(step.channel, from.plus(first).plus(k, by)));
        });
    }

    void read(const Step& step) {
        loop(step.count, [&](Reg k) {
            const Reg to = item(step.channel, index(step.outputs[0]).plus(k));
            const Type* type = w.body.regs[to].type;
            if (type->isAggregate()) {
                w.emit(Op::PopInto, type, {to});
                return;
            }
            w.emit(Op::StoreAt, type, {to, w.operation(Op::Pop, type, {})});
        });
    }

    void write(const Step& step) {
        loop(step.count, [&](Reg k) {
            const Reg from = item(step.channel, index(step.inputs[0]).plus(k));
            const Type* type = w.body.regs[from].type;
            if (type->isAggregate()) {
                w.emit(Op::PushFrom, type, {from});
                return;
            }
            w.emit(Op::Push, type, {w.operation(Op::LoadAt, type, {from})});
        });
    }

    // ---- firings

    void fire(const Step& step) {
        const graph::Node& node = graph.nodes[step.node];
        switch (node.kind) {
            case graph::NodeKind::Filter: return fireFilter(step, node);
            case graph::NodeKind::Duplicate:
                for (std::size_t port = 0; port < node.outputs.size(); ++port)
                    copyItems(node.outputs[port], index(step.outputs[port]), node.inputs[0],
                              index(step.inputs[0]), step.count);
                return;
            case graph::NodeKind::RoundRobinSplitter: return distribute(step, node, true);
            case graph::NodeKind::RoundRobinJoiner: return distribute(step, node, false);
        }
    }

    /// Between the one side of a round robin and the many.
    void distribute(const Step& step, const graph::Node& node, bool splits) {
        const EdgeId one = splits ? node.inputs[0] : node.outputs[0];
        const Index place = index(splits ? step.inputs[0] : step.outputs[0]);
        loop(step.count, [&](Reg k) {
            std::int64_t passed = 0;
            for (std::size_t port = 0; port < node.weights.size(); ++port) {
                const std::int64_t weight = node.weights[port];
                if (weight == 0) continue;
                const Index whole = place.plus(passed).plus(k, node.totalWeight);
                const EdgeId edge = splits ? node.outputs[port] : node.inputs[port];
                const Index branch =
                    index(splits ? step.outputs[port] : step.inputs[port]).plus(k, weight);
                if (splits)
                    copyItems(edge, branch, one, whole, weight);
                else
                    copyItems(one, whole, edge, branch, weight);
                passed += weight;
            }
        });
    }

    void fireFilter(const Step& step, const graph::Node& node) {
        const elab::Kernel& kernel = plan.program->kernels[node.kernel];
        if (kernel.builtin != ir::BuiltinStream::None) return fireBuiltin(step, node, kernel);
        const bool isFirst = step.first && kernel.prework;
        const graph::Rates& rates = isFirst ? *node.prework : node.work;
        const FunctionKey key{node.kernel, isFirst ? kPrework : kWork,
                              node.inputs.empty() ? nullptr : state.tapeType(node.inputs[0]),
                              node.outputs.empty() ? nullptr : state.tapeType(node.outputs[0])};
        loop(step.count, [&](Reg k) {
            std::vector<Reg> passed;
            if (state.fieldOf(step.node) != ir::kNone) passed.push_back(fieldsOf(step.node));
            if (key.in) {
                passed.push_back(tape(node.inputs[0]));
                passed.push_back(valueOf(index(step.inputs[0]).plus(k, rates.pop.max)));
            }
            if (key.out) {
                passed.push_back(tape(node.outputs[0]));
                passed.push_back(valueOf(index(step.outputs[0]).plus(k, rates.push.max)));
            }
            call(functions.of(key), std::move(passed), step.node);
            if (!isFirst) countFiring(step.node, node.kernel);
        });
    }

    /// ir::kNone: it has none.
    Reg fieldsOf(NodeId node) {
        if (state.fieldOf(node) == ir::kNone) return ir::kNone;
        return fieldRef(state.fieldOf(node), state.record(graph.nodes[node].kernel).type);
    }

    /// The call says whose it is.
    void call(std::uint32_t function, std::vector<Reg> passed, NodeId node) {
        const base::SourceRange before = w.range;
        w.range = graph.nodes[node].range;
        ir::Instr& instr = w.emit(Op::Call, w.types.voidType(), std::move(passed));
        instr.callee = {ir::CalleeKind::Stream, function};
        instr.index = node;
        w.range = before;
    }

    /// For iter().
    void countFiring(NodeId node, KernelId kernel) {
        const std::uint32_t member = state.record(kernel).iterations;
        if (member == ir::kNone) return;
        const Type* integer = w.types.intType();
        const Reg count = this->member(fieldsOf(node), state.record(kernel), member);
        const Reg before = w.operation(Op::LoadAt, integer, {count});
        const Reg next = w.operation(Op::Add, integer, {before, w.integer(1)});
        w.emit(Op::StoreAt, integer, {count, next});
    }

    void fireBuiltin(const Step& step, const graph::Node& node, const elab::Kernel& kernel) {
        const types::BuiltinRole role = types::info(kernel.builtin).role;
        if (role != types::BuiltinRole::Identity) return;  // it drops its items
        copyItems(node.outputs[0], index(step.outputs[0]), node.inputs[0], index(step.inputs[0]),
                  step.count * node.work.pop.max);
    }

    Functions& functions;
    const State& state;
    const plan::Plan& plan;
    const graph::Graph& graph;
    ir::Writer w;
    std::vector<Reg> counters;  ///< of the loops around
    bool drains = false;
};

}  // namespace

ir::Body phaseBody(Functions& functions, const plan::Plan& plan, const plan::Phase& phase,
                   bool isFirst, base::SourceRange header) {
    const auto kind = isFirst ? ir::BodyKind::Prework : ir::BodyKind::Work;
    return PhaseWriter(functions, plan).run(phase, kind, isFirst ? "prework" : "work", header);
}

ir::Body drainBody(Functions& functions, const plan::Plan& plan, const plan::Phase& phase,
                   const std::string& name, base::SourceRange header) {
    return PhaseWriter(functions, plan).run(phase, ir::BodyKind::Function, name, header);
}

std::optional<ir::Body> updateBody(Functions& functions, const plan::Plan& plan, std::uint32_t slot,
                                   const std::string& name, base::SourceRange header) {
    return PhaseWriter(functions, plan).update(slot, name, header);
}

}  // namespace strc::lowered
