#include "lowered/detail/chunks.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "lowered/detail/phases.h"
#include "lowered/detail/ports.h"
#include "lowered/lower.h"

namespace strc::lowered {
namespace {

using plan::Carry;
using plan::CarryKind;
using plan::Step;
using plan::StepKind;

/// How many steps of that kind are no part of a loop?
std::size_t count(const plan::Chunk& chunk, StepKind kind) {
    std::ptrdiff_t found = 0;
    for (const plan::Segment& segment : chunk.segments)
        found += std::count_if(segment.steps.begin(), segment.steps.end(),
                               [&](const Step& step) { return step.kind == kind; });
    return static_cast<std::size_t>(found);
}

/// What is carried, by where it lies in the fields of the one filter.
class Carries {
public:
    Carries(const plan::Plan& plan, const Functions& functions, const elab::Kernel& whole)
        : plan(plan),
          functions(functions),
          state(functions.state),
          filter(whole),
          ports(findPorts(plan)) {}

    std::vector<Carry> take(const std::vector<Carry>& carries) {
        for (const Carry& carry : carries) add(carry);
        return std::move(made);
    }

private:
    void add(const Carry& carry) {
        switch (carry.kind) {
            case CarryKind::State:
            case CarryKind::Affine: return addFields(carry);
            case CarryKind::Items: return addItems(carry);
            case CarryKind::Counter: return addCounter(carry);
            case CarryKind::Random: return addOf(carry, 0, 0);
            case CarryKind::Mail: STRC_UNREACHABLE("a lower form with messages");
            case CarryKind::Order:
                if (carry.node != graph::kNone) return addOf(carry, 0, 0);
                made.push_back(carry);  // of an open end
                return;
        }
    }

    /// The same of the one filter, at another place.
    void addOf(Carry carry, std::int64_t from, std::int64_t to) {
        carry.node = nodeBeside(ports, carry.node);
        carry.tape = graph::kNone;
        carry.from = from;
        carry.perSlice = 0;
        carry.to = to;
        made.push_back(carry);
    }

    /// Fields that lie beside each other in the state of the plan need not do so in their struct.
    void addFields(const Carry& carry) {
        const elab::Kernel& own =
            plan.program->kernels[plan.program->graph.nodes[carry.node].kernel];
        const Record& record = state.recordOf(carry.node);
        const std::int64_t first = carry.from - plan.fields[carry.node];
        for (std::size_t k = 0; k < own.fieldTypes.size(); ++k) {
            const std::int64_t offset = own.fieldOffsets[k];
            if (record.members[k] == ir::kNone || offset < first || offset >= first + carry.size)
                continue;
            Carry part = carry;
            part.size = types::sizeOf(own.fieldTypes[k]);
            const std::int64_t at = placeOf(carry.node, record.members[k]);
            addOf(part, at, at);
        }
    }

    void addItems(Carry carry) {
        const plan::Channel& channel = plan.channels[carry.tape];
        const std::int64_t begin = filter.fieldOffsets[state.tapeOf(carry.tape)] - channel.offset;
        carry.kind = CarryKind::State;
        addOf(carry, begin + carry.from, begin + carry.to);
    }

    /// It is an int here, which wraps.
    void addCounter(Carry carry) {
        const std::int64_t at = placeOf(carry.node, state.recordOf(carry.node).iterations);
        carry.kind = CarryKind::Affine;
        carry.size = types::sizeOf(functions.types.intType());
        addOf(carry, at, at);
    }

    std::int64_t placeOf(NodeId node, std::uint32_t member) const {
        const std::vector<types::StructField>& fields =
            state.recordOf(node).type->structure->fields;
        return filter.fieldOffsets[state.fieldOf(node)] + fields[member].offset;
    }

    const plan::Plan& plan;
    const Functions& functions;
    const State& state;
    const elab::Kernel& filter;
    const Ports ports;
    std::vector<Carry> made;
};

/// The steps of the first slice, without the loop over slices around them.
void forgetSlices(Step& step) {
    for (std::vector<plan::Position>* places : {&step.inputs, &step.outputs})
        for (plan::Position& place : *places)
            if (!place.perIteration.empty()) place.perIteration.erase(place.perIteration.begin());
    for (Step& inner : step.body) forgetSlices(inner);
}

Step endStep(const Step& of) {
    Step made = of;
    made.port = 0;
    for (std::vector<plan::Position>* places : {&made.inputs, &made.outputs})
        for (plan::Position& place : *places) place = {};
    return made;
}

std::vector<Step> stepsOf(const plan::Segment& segment, StepKind kind) {
    std::vector<Step> made;
    for (const Step& step : segment.steps)
        if (step.kind == kind) made.push_back(endStep(step));
    return made;
}

}  // namespace

plan::Chunk ofOneSlice(plan::Chunk chunk) {
    chunk.slices = chunk.usual = 1;
    chunk.coarse.clear();
    for (plan::Segment& segment : chunk.segments)
        for (Step& step : segment.steps) forgetSlices(step);
    return chunk;
}

bool hasChunk(const plan::Plan& plan) {
    if (!plan.chunk) return false;
    const std::size_t reads = plan.inputs.size(), writes = plan.outputs.size();
    return reads <= 1 && writes <= 1 && count(*plan.chunk, StepKind::Read) == reads &&
           count(*plan.chunk, StepKind::Write) == writes;
}

plan::Chunk chunkOf(Functions& functions, base::Context& context, const plan::Plan& plan,
                    const elab::Kernel& whole, base::SourceRange header) {
    plan::Chunk made = ofOneSlice(*plan.chunk);
    made.carries = Carries(plan, functions, whole).take(made.carries);
    made.nodeWork.assign(1 + plan.inputs.size() + plan.outputs.size(), 0);  // files take nothing
    made.nodeWork[0] = made.work;
    SegmentBodies parts = segmentBodies(functions, context, plan, made.segments, header);
    for (std::size_t k = 0; k < made.segments.size(); ++k) {
        Step part;
        part.kind = StepKind::Part;
        part.node = 0;
        part.count = made.iterations;
        if (k == parts.taker) part.inputs.emplace_back();
        if (k == parts.giver) part.outputs.emplace_back();
        const ir::Body& body = parts.bodies[k];
        const bool isEmpty = body.blocks[body.entry].instrs.empty();
        std::vector<Step> steps = stepsOf(made.segments[k], StepKind::Read);
        if (!isEmpty) {
            part.port = functions.add(std::move(parts.bodies[k]));
            steps.push_back(std::move(part));
        }
        for (Step& step : stepsOf(made.segments[k], StepKind::Write))
            steps.push_back(std::move(step));
        made.segments[k].steps = std::move(steps);
    }
    return made;
}

void placeEnds(plan::Chunk& chunk, const plan::Plan& plan, const graph::Graph& graph) {
    const Ports ports = findPorts(plan);
    auto place = [&](Step& step, EdgeId open, const std::vector<Port>& side) {
        const NodeId file = side[0].file;
        step.channel = open;
        if (file == graph::kNone) return;
        step.kind = StepKind::Fire;
        step.node = nodeBeside(ports, file);
    };
    for (plan::Segment& segment : chunk.segments)
        for (Step& step : segment.steps) {
            if (step.kind == StepKind::Read) place(step, graph.input, ports.inputs);
            if (step.kind == StepKind::Write) place(step, graph.output, ports.outputs);
        }
}

}  // namespace strc::lowered
