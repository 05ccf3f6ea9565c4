#include "lowered/detail/phases.h"

#include <algorithm>
#include <span>

#include "base/assert.h"
#include "base/pass.h"
#include "lowered/detail/ends.h"
#include "lowered/detail/firings.h"
#include "lowered/detail/items.h"
#include "lowered/detail/start.h"
#include "plan/drain.h"

namespace strc::lowered {
namespace {

using ir::Op;
using ir::Reg;
using plan::Step;
using plan::StepKind;

/// Of loops whose filters may have fields in variables, and of a function.
constexpr std::size_t kFewSteps = 64;

/// The leaves below, as far as they matter.
std::size_t leaves(const std::vector<Step>& steps) {
    std::size_t count = 0;
    std::vector<const std::vector<Step>*> todo{&steps};
    while (!todo.empty() && count <= kFewSteps) {
        const std::vector<Step>& list = *todo.back();
        todo.pop_back();
        count += list.size();
        for (const Step& step : list)
            if (step.kind == StepKind::Loop) todo.push_back(&step.body);
    }
    return count;
}

bool isOfEnd(const Step& step) {
    return step.kind == StepKind::Read || step.kind == StepKind::Write;
}

class PhaseWriter {
public:
    PhaseWriter(Functions& all, const plan::Plan& plan)
        : functions(all),
          state(all.state),
          plan(plan),
          graph(plan.program->graph),
          w(all.types),
          items(w, state, plan),
          firings(w, items, functions, plan) {}

    ir::Body run(const plan::Phase& phase, ir::BodyKind kind, const std::string& name,
                 base::SourceRange header) {
        drains = kind == ir::BodyKind::Function;
        w.body.name = name;
        w.body.kind = kind;
        w.body.range = w.body.header = w.range = header;
        const bool isInit = &phase == &plan.init || (drains && &phase == &plan.drain->init);
        if (isInit)
            for (NodeId id = 0; id < graph.nodes.size(); ++id)
                if (startsLate(plan, id)) firings.start(id, items.fieldsOf(id));
        const bool takes = openInput(isThere(ends.in)), gives = openOutput(isThere(ends.out));
        steps(phase.steps);
        closeWindows(takes, gives);
        return std::move(w.body);
    }

    /// Items of its two ends stay where the one filter finds them, and where it gives them.
    ir::Body runWork(const plan::Phase& phase, const std::string& name, base::SourceRange header) {
        ends = findEnds(plan, phase.steps);
        return run(phase, ir::BodyKind::Work, name, header);
    }

    ir::Body runOften(base::Context& context, const plan::Phase& phase, const std::string& name,
                      base::SourceRange header) {
        doOften(context, &phase == &plan.scaled);
        return runWork(phase, name, header);
    }

    /// A segment of a chunk, of whose steps those of such a phase are all.
    ir::Body runSegment(base::Context& context, const plan::Segment& segment,
                        const plan::Phase& chunk, const Ends& of, const std::string& name,
                        base::SourceRange header) {
        doOften(context, true);
        whole = &chunk;
        ends = of;
        w.body.name = name;
        w.body.range = w.body.header = w.range = header;
        const bool takes = openInput(touches(plan, segment.steps, ends.in.tape)),
                   gives = openOutput(touches(plan, segment.steps, ends.out.tape));
        steps(segment.steps);
        closeWindows(takes, gives);
        return std::move(w.body);
    }

    ir::Body runPart(base::Context* context, const PartSteps& part) {
        if (context) doOften(*context, false);
        enter(part.name, part.depth, part.header);
        steps(part.steps);
        return std::move(w.body);
    }

    ir::Body runBlocks(base::Context& context, base::SourceRange header) {
        ir::Body made = runOften(context, plan.scaled, "scaled", header);
        w.body = std::move(made);
        w.body.result = w.types.boolean();
        w.emit(Op::Return, nullptr, {w.truth()});
        return std::move(w.body);
    }

private:
    // ---- the two ends

    static bool isThere(const End& end) { return end.tape != graph::kNone; }

    /// From now on items of the end are those of the one filter's window, if `is`, which it returns.
    bool open(bool is, ir::Space space, const End& end) {
        if (!is) return false;
        const Type* window = w.types.array(state.tapeType(end.tape)->element, end.items);
        items.lieIn(w.address({space, 0}, window), end.tape, end.first);
        return true;
    }
    bool openInput(bool is) { return open(is, ir::Space::Input, ends.in); }
    bool openOutput(bool is) { return open(is, ir::Space::Output, ends.out); }

    /// A body takes and gives its items when it is done.
    void closeWindows(bool takes, bool gives) {
        auto move = [&](Op op, const End& end) {
            w.emit(op, state.tapeType(end.tape)->element, {}).index =
                static_cast<std::uint32_t>(end.items);
        };
        if (takes) move(Op::DiscardMany, ends.in);
        if (gives) move(Op::PushMany, ends.out);
    }

    bool isAt(const End& end, const Step& step) const {
        return isThere(end) && plan.channels[step.channel].tape == end.tape;
    }

    void steps(const std::vector<Step>& list) {
        if (passes && leaves(list) > kFewSteps) return stepsInPieces(list);
        stepsOf(list);
    }

    void stepsOf(std::span<const Step> list) {
        while (!list.empty()) {
            std::size_t done = isUndone ? firings.firePipeline(list) : 0;
            if (done == 0 && isUndone) done = firings.fireReaders(list);
            if (done == 0) {
                drains ? stepIfLeft(list[0]) : step(list[0]);
                done = 1;
            }
            list = list.subspan(done);
        }
    }

    void doOften(base::Context& context, bool undone) {
        passes = &context;
        isUndone = undone;
        firings.useVectors(context);
        items.moveTogether();
    }

    // ---- pieces

    /// What takes long to compile as one function becomes several. Reading and writing are left to the whole.
    void stepsInPieces(const std::vector<Step>& list) {
        for (std::size_t from = 0; from < list.size();) {
            std::size_t to = from, count = 0;
            while (to < list.size() && count < kFewSteps && !isOfEnd(list[to]))
                count += list[to++].kind == StepKind::Loop ? leaves(list[to - 1].body) : 1;
            if (to == from)
                step(list[to++]);
            else
                piece({list.data() + from, list.data() + to});
            from = to;
        }
    }

    void piece(std::span<const Step> list) {
        PhaseWriter writer(functions, plan);
        writer.doOften(*passes, isUndone);
        writer.whole = whole;
        writer.ends = ends;
        const std::vector<Reg> counters = items.loopCounters();
        ir::Body made = writer.runPiece(list, counters.size(), w.range);
        const std::uint32_t number = functions.add(std::move(made));
        w.emit(Op::Call, w.types.voidType(), counters).callee = {ir::CalleeKind::Stream, number};
    }

    ir::Body runPiece(std::span<const Step> list, std::size_t depth, base::SourceRange header) {
        enter("piece", depth, header);
        openInput(touches(plan, list, ends.in.tape));
        openOutput(touches(plan, list, ends.out.tape));
        stepsOf(list);
        return std::move(w.body);
    }

    /// A function inside of so many loops, with their counters as parameters.
    void enter(const std::string& name, std::size_t depth, base::SourceRange header) {
        w.body.name = name;
        w.body.range = w.body.header = w.range = header;
        for (std::size_t d = 0; d < depth; ++d)
            w.body.locals.push_back({"k" + std::to_string(d), w.types.intType(), {}});
        w.body.params = static_cast<std::uint32_t>(depth);
        std::vector<Reg> counters;
        for (std::uint32_t d = 0; d < depth; ++d) counters.push_back(w.load(d));
        items.inLoops(std::move(counters));
    }

    // ---- draining

    /// A step that is a single firing or item, unless it is done in every phase.
    void stepIfLeft(const Step& each) {
        switch (each.kind) {
            case StepKind::Fire:
                if (!plan.drain->counts[each.node]) return step(each);
                return ifLeft(each.node, [&] { step(each); }, [&] { giveZeros(each); });
            case StepKind::Read:
                return ifLeft(
                    state.placeOf(each.channel, true), [&] { step(each); },
                    [&] {
                        items.zeroItems(each.channel, items.index(each.channel, each.outputs[0]),
                                        1);
                    });
            case StepKind::Write:
                return ifLeft(state.placeOf(each.channel, false), [&] { step(each); }, [] {});
            default: return step(each);
        }
    }

    /// `done` if the number at this place is not 0 yet, which it then counts down; else `without`.
    template <typename Done, typename Without>
    void ifLeft(std::int64_t place, Done done, Without without) {
        const Type* number = w.types.scalar(types::TypeKind::Long);
        const Reg numbers = items.fieldRef(state.left(), state.leftType());
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
        const std::vector<EdgeId>& edges = plan.outputsOf(step.node);
        for (std::size_t port = 0; port < edges.size(); ++port)
            items.zeroItems(edges[port], items.index(edges[port], step.outputs[port]),
                            plan::itemsAt(plan, step.node, port, false, step.first));
    }

    void step(const Step& step) {
        switch (step.kind) {
            case StepKind::Fire: return fire(step);
            case StepKind::Loop: return loop(step);
            case StepKind::Move: return move(step);
            case StepKind::Read: return read(step);
            case StepKind::Write: return write(step);
            case StepKind::Part:
            case StepKind::Device: break;
        }
        STRC_UNREACHABLE("a step without a lower form");
    }

    void loop(const Step& step) {
        auto inside = [&] { items.planLoop(step.count, [&] { steps(step.body); }); };
        const bool isInnermost =
            std::none_of(step.body.begin(), step.body.end(),
                         [](const Step& each) { return each.kind == StepKind::Loop; });
        const bool isSmall = isInnermost && step.body.size() <= kFewSteps;
        if (isUndone && isSmall &&
            base::PassRun(passes->passes, base::Pass::ScalarReplacement,
                          "a loop of " + std::to_string(step.body.size()) + " filters"))
            return items.keeping(*whole, step, inside);
        inside();
    }

    /// The two ranges may overlap, so items go in the order in which none is written over before it is read.
    void move(const Step& step) {
        const Index from = items.index(step.channel, step.inputs[0]),
                    to = items.index(step.channel, step.outputs[0]);
        const bool isDown = to.base <= from.base;
        const std::int64_t first = isDown ? 0 : step.count - 1, by = isDown ? 1 : -1;
        items.loop(step.count, [&](Reg k) {
            const Reg target = items.item(step.channel, to.plus(first).plus(k, by));
            items.copy(target, items.item(step.channel, from.plus(first).plus(k, by)));
        });
    }

    void read(const Step& step) {
        if (const plan::Position* place = state.ports().find(step)) return atPort(step, *place);
        if (!isAt(ends.in, step))
            takeItems(step.channel, items.index(step.channel, step.outputs[0]), step.count);
    }

    void write(const Step& step) {
        if (const plan::Position* place = state.ports().find(step)) return atPort(step, *place);
        if (!isAt(ends.out, step))
            giveItems(step.channel, items.index(step.channel, step.inputs[0]), step.count);
    }

    /// Between the tape and the field of the port.
    void atPort(const Step& step, const plan::Position& place) {
        const Index port = items.place(place);
        if (step.kind == StepKind::Read)
            items.takeFromPort(step.channel, items.index(step.channel, step.outputs[0]), port,
                               step.count);
        else
            items.giveToPort(step.channel, items.index(step.channel, step.inputs[0]), port,
                             step.count);
    }

    /// From the input of the one filter.
    void takeItems(EdgeId edge, const Index& first, std::int64_t count) {
        items.loop(count, [&](Reg k) {
            const Reg to = items.item(edge, first.plus(k));
            const Type* type = w.body.regs[to].type;
            if (type->isAggregate()) {
                w.emit(Op::PopInto, type, {to});
                return;
            }
            w.emit(Op::StoreAt, type, {to, w.operation(Op::Pop, type, {})});
        });
    }

    /// To its output.
    void giveItems(EdgeId edge, const Index& first, std::int64_t count) {
        items.loop(count, [&](Reg k) {
            const Reg from = items.item(edge, first.plus(k));
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
                    copyBetween(node.outputs[port], step.outputs[port], node.inputs[0],
                                step.inputs[0], step.count);
                return;
            case graph::NodeKind::RoundRobinSplitter: return distribute(step, node, true);
            case graph::NodeKind::RoundRobinJoiner: return distribute(step, node, false);
        }
    }

    /// Between the one side of a round robin and the many.
    void distribute(const Step& step, const graph::Node& node, bool splits) {
        const EdgeId one = splits ? node.inputs[0] : node.outputs[0];
        const Index place = items.index(one, splits ? step.inputs[0] : step.outputs[0]);
        items.loop(step.count, [&](Reg k) {
            std::int64_t passed = 0;
            for (std::size_t port = 0; port < node.weights.size(); ++port) {
                const std::int64_t weight = node.weights[port];
                if (weight == 0) continue;
                const Index whole = place.plus(passed).plus(k, node.totalWeight);
                const EdgeId edge = splits ? node.outputs[port] : node.inputs[port];
                const Index branch =
                    items.index(edge, splits ? step.outputs[port] : step.inputs[port])
                        .plus(k, weight);
                if (splits)
                    items.copyItems(edge, branch, one, whole, weight);
                else
                    items.copyItems(one, whole, edge, branch, weight);
                passed += weight;
            }
        });
    }

    void copyBetween(EdgeId toEdge, const plan::Position& to, EdgeId fromEdge,
                     const plan::Position& from, std::int64_t count) {
        items.copyItems(toEdge, items.index(toEdge, to), fromEdge, items.index(fromEdge, from),
                        count);
    }

    void fireFilter(const Step& step, const graph::Node& node) {
        const elab::Kernel& kernel = plan.program->kernels[node.kernel];
        if (kernel.builtin != ir::BuiltinStream::None) return fireBuiltin(step, node, kernel);
        firings.fire(step);
    }

    void fireBuiltin(const Step& step, const graph::Node& node, const elab::Kernel& kernel) {
        const types::BuiltinRole role = types::info(kernel.builtin).role;
        if (role != types::BuiltinRole::Identity) return;  // it drops its items
        copyBetween(node.outputs[0], step.outputs[0], node.inputs[0], step.inputs[0],
                    step.count * node.work.pop.max);
    }

    Functions& functions;
    const State& state;
    const plan::Plan& plan;
    const graph::Graph& graph;
    ir::Writer w;
    Items items;
    FiringWriter firings;
    Ends ends;  ///< of the phase
    bool drains = false;
    base::Context* passes =
        nullptr;  ///< of a phase that runs often: which of them apply; else null
    const plan::Phase* whole =
        &plan.scaled;  ///< with all steps, where loops keep items in variables
    bool isUndone = false;  ///< after a fault the state does not matter
};

}  // namespace

ir::Body phaseBody(Functions& functions, const plan::Plan& plan, const plan::Phase& phase,
                   bool isFirst, base::SourceRange header) {
    const auto kind = isFirst ? ir::BodyKind::Prework : ir::BodyKind::Work;
    return PhaseWriter(functions, plan).run(phase, kind, isFirst ? "prework" : "work", header);
}

ir::Body workBody(Functions& functions, base::Context* context, const plan::Plan& plan,
                  base::SourceRange header) {
    PhaseWriter writer(functions, plan);
    return context ? writer.runOften(*context, plan.steady, "work", header)
                   : writer.runWork(plan.steady, "work", header);
}

ir::Body blocksBody(Functions& functions, base::Context& context, const plan::Plan& plan,
                    base::SourceRange header) {
    return PhaseWriter(functions, plan).runBlocks(context, header);
}

namespace {

/// Which of the segments takes what is read, or gives what is written: the one that reads or writes, or, of an end, the one
/// that touches its tape. If there are several such the end is none.
std::size_t segmentAt(const plan::Plan& plan, std::span<const plan::Segment> segments,
                      StepKind kind, End& end) {
    auto find = [&](auto isIt) {
        const auto count = std::count_if(segments.begin(), segments.end(), isIt);
        const auto first = std::find_if(segments.begin(), segments.end(), isIt);
        return count == 1 ? static_cast<std::size_t>(first - segments.begin()) : SIZE_MAX;
    };
    const std::size_t found =
        find([&](const plan::Segment& each) { return touches(plan, each.steps, end.tape); });
    if (found != SIZE_MAX) return found;
    end = {};
    return find([&](const plan::Segment& each) {
        return std::any_of(each.steps.begin(), each.steps.end(),
                           [&](const Step& step) { return step.kind == kind; });
    });
}

}  // namespace

SegmentBodies segmentBodies(Functions& functions, base::Context& context, const plan::Plan& plan,
                            std::span<const plan::Segment> segments, base::SourceRange header) {
    plan::Phase all;
    for (const plan::Segment& segment : segments)
        all.steps.insert(all.steps.end(), segment.steps.begin(), segment.steps.end());
    Ends ends = findEnds(plan, all.steps);
    SegmentBodies made;
    made.taker = segmentAt(plan, segments, StepKind::Read, ends.in);
    made.giver = segmentAt(plan, segments, StepKind::Write, ends.out);
    for (const plan::Segment& segment : segments) {
        const std::string name = "segment_" + std::to_string(made.bodies.size());
        made.bodies.push_back(
            PhaseWriter(functions, plan).runSegment(context, segment, all, ends, name, header));
    }
    return made;
}

ir::Body partBody(Functions& functions, base::Context* context, const plan::Plan& plan,
                  const PartSteps& part) {
    return PhaseWriter(functions, plan).runPart(context, part);
}

ir::Body drainBody(Functions& functions, const plan::Plan& plan, const plan::Phase& phase,
                   const std::string& name, base::SourceRange header) {
    return PhaseWriter(functions, plan).run(phase, ir::BodyKind::Function, name, header);
}

}  // namespace strc::lowered
