// The phases of a plan as functions, and the constant that describes the program.

#include <algorithm>
#include <map>
#include <span>

#include "base/assert.h"
#include "base/pass.h"
#include "codegen/detail/chunks.h"
#include "codegen/detail/ending.h"
#include "codegen/detail/laps.h"
#include "codegen/detail/module_builder.h"
#include "codegen/detail/partitioning.h"
#include "codegen/detail/parts.h"
#include "codegen/detail/phase_context.h"
#include "codegen/detail/ports.h"
#include "codegen/detail/state_pieces.h"
#include "codegen/detail/vector_pipelines.h"
#include "codegen/detail/work_memory.h"
#include "plan/drain.h"
#include "strc/demand.h"

namespace strc::codegen {
namespace {

using graph::EdgeId;
using graph::NodeId;
using plan::Position;
using plan::Step;
using plan::StepKind;

constexpr std::size_t kStepsInFunction =
    64;  ///< leaves of one LLVM function; more are cut in pieces

/// The leaves below, as far as they matter.
std::size_t leaves(const std::vector<Step>& steps) {
    std::size_t count = 0;
    std::vector<const std::vector<Step>*> todo{&steps};
    while (!todo.empty() && count <= kStepsInFunction) {
        const std::vector<Step>& list = *todo.back();
        todo.pop_back();
        for (const Step& step : list) {
            ++count;
            if (step.kind == StepKind::Loop) todo.push_back(&step.body);
            if (count > kStepsInFunction) break;
        }
    }
    return count;
}

/// Could one firing take a while?
bool isLong(const ir::Body& body) {
    for (const ir::Block& block : body.blocks)
        for (const ir::Instr& instr : block.instrs)
            if (instr.op == ir::Op::Loop || instr.op == ir::Op::Call) return true;
    return false;
}

/// The number of a node among the inputs or outputs of the program.
std::uint32_t portOf(const std::vector<plan::ProgramPort>& ports, NodeId node) {
    auto found = std::find_if(ports.begin(), ports.end(),
                              [&](const plan::ProgramPort& p) { return p.node == node; });
    STRC_ASSERT(found != ports.end(), "a file that the plan does not list");
    return static_cast<std::uint32_t>(found - ports.begin());
}

/// The same of a reader or writer; of others it does not matter.
std::uint32_t programPort(const plan::Plan& plan, NodeId node, const elab::Kernel& kernel) {
    const types::BuiltinRole role = types::info(kernel.builtin).role;
    if (role == types::BuiltinRole::Reader) return portOf(plan.inputs, node);
    return role == types::BuiltinRole::Writer ? portOf(plan.outputs, node) : 0;
}

class PhaseEmitter {
public:
    /// A phase that runs rarely is not worth the time of LLVM's passes: the kernels it calls are optimised
    /// all the same.
    /// `undone`: after a fault or an interrupt the state does not matter.
    /// `drains`: firings are left out (plan::Drain).
    PhaseEmitter(ModuleBuilder& m, bool rare, bool undone, bool drains = false)
        : m(m), c(m), b(c.b), laps(c, !drains), rare(rare), undone(undone), drains(drains) {}

    llvm::Function* emit(const plan::Phase& phase, const std::string& name) {
        whole = &phase;
        return inFunction(name, 0, [&] {
            if (&phase == &m.plan.init || (drains && &phase == &m.plan.drain->init)) startLate();
            steps(phase.steps, name);
        });
    }

    /// A function for each segment, of env, state and the slice.
    std::vector<llvm::Function*> emit(const plan::Chunk& chunk) {
        plan::Phase all;
        for (const plan::Segment& segment : chunk.segments)
            all.steps.insert(all.steps.end(), segment.steps.begin(), segment.steps.end());
        whole = &all;
        std::vector<llvm::Function*> made;
        for (const plan::Segment& segment : chunk.segments) {
            const std::string name = "segment." + std::to_string(made.size());
            made.push_back(inFunction(name, 1, [&] { steps(segment.steps, name); }));
        }
        whole = nullptr;
        return made;
    }

    /// A function for each partition, of env, state and the slice; then two for what comes before and after.
    std::vector<llvm::Function*> emit(const plan::Partitioning& partitioning) {
        std::vector<llvm::Function*> made;
        for (const plan::Partition& each : partitioning.partitions) {
            const std::string name = "partition." + std::to_string(made.size());
            made.push_back(inFunction(name, 1, [&] { steps(each.steps, name); }));
        }
        for (const auto* rest : {&partitioning.begin, &partitioning.end})
            made.push_back(inFunction("ends", 0, [&] { steps(*rest, "ends"); }));
        return made;
    }

private:
    /// What initialises filters depends on parameters that have their values only now.
    void startLate() {
        const graph::Graph& graph = m.plan.program->graph;
        llvm::Value* none = llvm::PoisonValue::get(m.ptr());
        for (NodeId id = 0; id < graph.nodes.size(); ++id) {
            const graph::KernelId kernel = graph.nodes[id].kernel;
            if (kernel == graph::kNone || !m.plan.program->kernels[kernel].code.startsLate)
                continue;
            llvm::Value* fields = m.plan.fields[id] < 0 ? none : c.at(m.plan.fields[id]);
            if (m.debug) b.SetCurrentDebugLocation(m.debug->firing(*c.function, graph.nodes[id]));
            for (llvm::Function* part : m.kernel(kernel).start)
                b.CreateCall(part, {c.env(), fields, none, none, b.getInt32(id), b.getInt32(0)});
        }
    }

    // ---- functions

    /// What `body` emits as a function of env, state and the iterations of the loops around.
    template <typename Body>
    llvm::Function* inFunction(const std::string& name, std::size_t depth, Body body) {
        llvm::Function* made = declarePhase(m, name, depth, rare);
        auto saved = std::make_tuple(c.function, b.saveIP(), c.trips, b.getCurrentDebugLocation());
        c.function = made;
        c.trips.clear();
        for (std::size_t k = 0; k < depth; ++k)
            c.trips.push_back(made->getArg(2 + static_cast<unsigned>(k)));
        b.SetInsertPoint(llvm::BasicBlock::Create(m.context, "", made));
        if (m.debug) b.SetCurrentDebugLocation(m.debug->phase(*made));
        body();
        b.CreateRetVoid();
        c.function = std::get<0>(saved);
        b.restoreIP(std::get<1>(saved));
        c.trips = std::get<2>(saved);
        b.SetCurrentDebugLocation(std::get<3>(saved));
        return made;
    }

    /// Steps in order; long lists in pieces that are functions of their own.
    void steps(const std::vector<Step>& list, const std::string& name) {
        if (leaves(list) <= kStepsInFunction) return stepsBetween(list, 0, list.size(), name);
        for (std::size_t from = 0; from < list.size();) {
            std::size_t to = from, count = 0;
            do {
                count += list[to].kind == StepKind::Loop ? leaves(list[to].body) : 1;
                ++to;
            } while (to < list.size() && count < kStepsInFunction);
            inPiece(name, [&] { stepsBetween(list, from, to, name); });
            from = to;
        }
    }

    void stepsBetween(const std::vector<Step>& list, std::size_t from, std::size_t to,
                      const std::string& name) {
        while (from < to) {
            const std::size_t count = stepsAtOnce({list.data() + from, list.data() + to}, name);
            laps.after({list.data() + from, count});
            from += count;
        }
    }

    /// The first of the steps, with those that are done together with it; how many that are.
    std::size_t stepsAtOnce(std::span<const Step> list, const std::string& name) {
        if (const std::size_t done = fireChain(list)) return done;
        std::size_t end = 1;
        const unsigned width = windowWidth(list[0]);
        while (width != 0 && end < list.size() && isSameWindow(list[0], list[end]) &&
               windowWidth(list[end]) == width)
            ++end;
        if (end == 1 || !base::PassRun(m.passes, base::Pass::ShareTransposes,
                                       std::to_string(end) + " readers of one tape")) {
            step(list[0], name);
            return 1;
        }
        fireOnWindow(list.first(end), width);
        return end;
    }

    // ---- filters behind each other

    /// How many of the first steps are done as a chain; 0: none.
    std::size_t fireChain(std::span<const Step> list) {
        if (!undone || m.debug || rare || c.hasRings()) return 0;
        if (!pipelines) pipelines.emplace(m);
        const VectorPipeline pipeline = pipelines->find(list);
        if (pipeline.members.empty()) return 0;
        const std::size_t count = pipeline.members.size();
        base::PassRun run(m.passes, base::Pass::VectorisePipelines,
                          std::to_string(count) + " filters from " +
                              pipeline.members[0].functions->work->getName().str());
        if (!run) return 0;
        run.show([&] { return print(pipeline); });
        emitPipeline({m, b, c.function,
                      [this](EdgeId edge, const Position& position, llvm::Value* iteration,
                             std::int64_t rate) { return c.item(edge, position, iteration, rate); },
                      [this](NodeId node) { return c.fieldsOf(node); },
                      [this](llvm::Function* work, const Step& step, llvm::Value* firing) {
                          c.callWork(work, step, m.plan.program->graph.nodes[step.node].work,
                                     firing);
                      },
                      [this](std::uint64_t bytes) { return c.variable(bytes); }},
                     pipeline);
        return count;
    }

    // ---- several readers of one window

    /// The lanes of a step that could share the window that it transposes; 0: it does not.
    unsigned windowWidth(const Step& step) {
        const graph::Node& node = m.plan.program->graph.nodes[step.node];
        if (!undone || m.debug || step.kind != StepKind::Fire || step.first || rare ||
            node.kind != graph::NodeKind::Filter || m.plan.counters[step.node] >= 0 ||
            m.plan.mailboxOf(step.node) != graph::kNone || !vector::usesColumns(node.work) ||
            m.plan.program->kernels[node.kernel].builtin != ir::BuiltinStream::None)
            return 0;
        KernelFunctions& functions = c.functionsOf(step);
        const unsigned width = m.needVectorWidth(functions, step.count);
        return width != 0 && m.takesTransposed(functions) ? width : 0;
    }

    bool isSameWindow(const Step& step, const Step& other) const {
        const graph::Graph& graph = m.plan.program->graph;
        if (other.kind != StepKind::Fire || other.count != step.count ||
            graph.nodes[other.node].kind != graph::NodeKind::Filter || other.inputs != step.inputs)
            return false;
        const graph::Rates &rates = graph.nodes[step.node].work,
                           &wanted = graph.nodes[other.node].work;
        const std::vector<EdgeId>&own = m.plan.inputsOf(step.node),
              &others = m.plan.inputsOf(other.node);
        return rates.pop == wanted.pop && rates.peek == wanted.peek && own.size() == 1 &&
               others.size() == 1 &&
               m.plan.channels[own[0]].tape == m.plan.channels[others[0]].tape;
    }

    /// Lanes by lanes: the window is transposed, and all readers take it. Where the lanes of one have to give
    /// up its firings are done one by one.
    void fireOnWindow(std::span<const Step> readers, std::uint64_t width) {
        const Step& first = readers[0];
        const graph::Node& node = m.plan.program->graph.nodes[first.node];
        KernelFunctions& functions = c.functionsOf(first);
        const auto count = static_cast<std::uint64_t>(first.count);
        const auto lanes = static_cast<unsigned>(width);
        const EdgeId edge = m.plan.inputsOf(first.node)[0];
        llvm::Value* soa = c.variable(static_cast<std::uint64_t>(
            vector::columnItems(node.work, static_cast<std::int64_t>(width)) *
            m.plan.channels[edge].itemSize));
        llvm::Value* none = llvm::PoisonValue::get(m.ptr());
        loop(static_cast<std::int64_t>((count + width - 1) / width), [&](llvm::Value* group) {
            llvm::Value* loopIndex = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin,
                                                             b.CreateMul(group, b.getInt64(width)),
                                                             b.getInt64(count - width));
            emitPoll(m, b, c.env());
            b.CreateCall(
                m.variant(functions, {VectorVariant::Transpose, lanes}),
                {c.env(), none, c.item(edge, first.inputs[0], loopIndex, node.work.pop.max), soa,
                 b.getInt32(first.node), b.getInt32(0)});
            for (const Step& reader : readers) fireReader(reader, lanes, loopIndex, soa);
        });
    }

    void fireReader(const Step& reader, unsigned width, llvm::Value* loopIndex, llvm::Value* soa) {
        const graph::Node& node = m.plan.program->graph.nodes[reader.node];
        KernelFunctions& functions = c.functionsOf(reader);
        auto block = [&](const char* name) {
            return llvm::BasicBlock::Create(m.context, name, c.function);
        };
        llvm::BasicBlock *one = block("one"), *after = block("after");
        llvm::Value* done = c.callWork(m.variant(functions, {VectorVariant::Transposed, width}),
                                       reader, node.work, loopIndex, soa);
        b.CreateCondBr(done, after, one, llvm::MDBuilder(m.context).createLikelyBranchWeights());
        b.SetInsertPoint(one);
        loop(width, [&](llvm::Value* lane) {
            emitPoll(m, b, c.env());
            c.callWork(functions.work, reader, node.work, b.CreateAdd(loopIndex, lane));
        });
        b.CreateBr(after);
        b.SetInsertPoint(after);
    }

    /// What `body` emits as a function of its own, that is called here.
    template <typename Body>
    void inPiece(const std::string& name, Body body) {
        llvm::Function* piece =
            inFunction(name + "." + std::to_string(pieces++), c.trips.size(), body);
        std::vector<llvm::Value*> args{c.env(), c.state()};
        args.insert(args.end(), c.trips.begin(), c.trips.end());
        b.CreateCall(piece, args);
    }

    /// `body(from, to)` for all ports of a splitter or joiner; many of them in pieces.
    template <typename Body>
    void forPorts(std::size_t ports, Body body) {
        if (ports <= kStepsInFunction) return body(0, ports);
        for (std::size_t from = 0; from < ports; from += kStepsInFunction)
            inPiece("ports", [&] { body(from, std::min(from + kStepsInFunction, ports)); });
    }

    void step(const Step& step, const std::string& name) {
        if (!drains) return wholeStep(step, name);
        switch (step.kind) {
            case StepKind::Fire:
                if (!m.plan.drain->counts[step.node]) break;
                return ifLeft(step.node, [&] { wholeStep(step, name); }, [&] { giveZeros(step); });
            case StepKind::Read:
                return ifLeft(
                    nodes(), [&] { wholeStep(step, name); },
                    [&] { zero(step.channel, step.outputs, 0, 1); });
            case StepKind::Write: return ifLeft(nodes() + 1, [&] { wholeStep(step, name); }, [] {});
            default: break;
        }
        wholeStep(step, name);
    }

    // ---- draining

    std::uint64_t nodes() const { return m.plan.program->graph.nodes.size(); }

    /// `done` if the number at this place is not 0 yet, which it then counts down; else `without`.
    template <typename Done, typename Without>
    void ifLeft(std::uint64_t place, Done done, Without without) {
        llvm::Value* numbers = b.CreateLoad(
            m.ptr(), b.CreateConstInBoundsGEP1_64(m.i8(), c.env(), offsetof(strc_env, left)));
        llvm::Value* number = b.CreateConstInBoundsGEP1_64(m.i64(), numbers, place);
        llvm::Value* left = b.CreateLoad(m.i64(), number);
        auto* some = llvm::BasicBlock::Create(m.context, "left", c.function);
        auto* none = llvm::BasicBlock::Create(m.context, "none", c.function);
        auto* after = llvm::BasicBlock::Create(m.context, "after", c.function);
        b.CreateCondBr(b.CreateICmpNE(left, b.getInt64(0)), some, none);
        b.SetInsertPoint(some);
        b.CreateStore(b.CreateSub(left, b.getInt64(1)), number);
        done();
        b.CreateBr(after);
        b.SetInsertPoint(none);
        without();
        b.CreateBr(after);
        b.SetInsertPoint(after);
    }

    void giveZeros(const Step& step) {
        const std::vector<EdgeId>& edges = m.plan.outputsOf(step.node);
        for (std::size_t port = 0; port < edges.size(); ++port)
            zero(edges[port], step.outputs, port,
                 plan::itemsAt(m.plan, step.node, port, false, step.first));
    }

    /// Rings go no further instead: who reads finds what lay there before.
    void zero(EdgeId edge, const std::vector<Position>& places, std::size_t port,
              std::int64_t items) {
        if (!c.hasRings())
            b.CreateMemSet(c.item(edge, places[port]), b.getInt8(0), c.bytesOf(edge, items),
                           llvm::MaybeAlign(1));
    }

    void wholeStep(const Step& step, const std::string& name) {
        switch (step.kind) {
            case StepKind::Fire: return fire(step);
            case StepKind::Loop: {
                const Laps::Inside inside(laps, step);
                return keepingFields(step.body, [&] {
                    loop(step.count, [&](llvm::Value* loopIndex) {
                        c.trips.push_back(loopIndex);
                        emitPoll(m, b, c.env());
                        steps(step.body, name);
                        c.trips.pop_back();
                    });
                });
            }
            case StepKind::Move: {
                auto align = llvm::MaybeAlign(1);
                b.CreateMemMove(c.item(step.channel, step.outputs[0]), align,
                                c.item(step.channel, step.inputs[0]), align,
                                c.bytesOf(step.channel, step.count));
                return;
            }
            case StepKind::Read:
                if (c.hasRings()) return c.rings().transfer(step);
                if (m.plan.demand)
                    return c.copy(c.item(step.channel, step.outputs[0]),
                                  c.moveQueue(step, offsetof(strc_queue, first)),
                                  c.bytesOf(step.channel, step.count));
                b.CreateCall(m.runtime("strc_read"),
                             {c.env(), b.getInt32(step.port), c.item(step.channel, step.outputs[0]),
                              b.getInt64(static_cast<std::uint64_t>(step.count))});
                return;
            case StepKind::Part: emitPart(c, step); return;
            case StepKind::Device: return onDevice(step);
            case StepKind::Write:
                if (c.hasRings()) return c.rings().transfer(step);
                if (m.plan.demand)
                    return c.copy(c.moveQueue(step, offsetof(strc_queue, last)),
                                  c.item(step.channel, step.inputs[0]),
                                  c.bytesOf(step.channel, step.count));
                b.CreateCall(m.runtime("strc_write"),
                             {c.env(), b.getInt32(step.port), c.item(step.channel, step.inputs[0]),
                              b.getInt64(static_cast<std::uint64_t>(step.count))});
                return;
        }
    }

    void onDevice(const Step& step) {
        llvm::Value* places =
            c.variable(sizeof(std::int64_t) * std::max<std::size_t>(c.trips.size(), 1));
        for (std::size_t d = 0; d < c.trips.size(); ++d)
            b.CreateStore(c.trips[d], b.CreateConstInBoundsGEP1_64(m.i64(), places, d));
        b.CreateCall(m.runtime("strc_device_run"), {c.env(), b.getInt32(step.port), places});
    }

    template <typename Body>
    void loop(std::int64_t count, Body body) {
        emitLoop(b, count, body);
    }

    // ---- ring buffers

    /// Splitters and joiners, firing by firing.
    void throughRings(const Step& step, const graph::Node& node) {
        const std::size_t ports = std::max(node.inputs.size(), node.outputs.size());
        loop(step.count, [&](llvm::Value*) {
            forPorts(ports, [&](std::size_t from, std::size_t to) {
                for (std::size_t port = from; port < to; ++port) c.rings().pass(node, port);
            });
            if (node.kind == graph::NodeKind::Duplicate) c.rings().drop(node.inputs[0], 1);
        });
    }

    // ---- firings

    void fire(const Step& step) {
        const graph::Node& node = m.plan.program->graph.nodes[step.node];
        if (m.debug) b.SetCurrentDebugLocation(m.debug->firing(*c.function, node));
        switch (node.kind) {
            case graph::NodeKind::Filter: return fireFilter(step, node);
            case graph::NodeKind::Duplicate:
                if (c.hasRings()) return throughRings(step, node);
                return forPorts(node.outputs.size(), [&](std::size_t port, std::size_t end) {
                    for (; port < end; ++port)
                        c.copy(c.item(node.outputs[port], step.outputs[port]),
                               c.item(node.inputs[0], step.inputs[0]),
                               c.bytesOf(node.inputs[0], step.count));
                });
            case graph::NodeKind::RoundRobinSplitter: return distribute(step, node, true);
            case graph::NodeKind::RoundRobinJoiner: return distribute(step, node, false);
        }
    }

    /// Round robin: weight by weight, between the one side and the many.
    void distribute(const Step& step, const graph::Node& node, bool splits) {
        if (c.hasRings()) return throughRings(step, node);
        EdgeId one = splits ? node.inputs[0] : node.outputs[0];
        const Type* type = m.plan.program->graph.edges[one].type;
        const Position& onePosition = splits ? step.inputs[0] : step.outputs[0];
        std::int64_t passed = 0;
        forPorts(node.weights.size(), [&](std::size_t from, std::size_t to) {
            loop(step.count, [&](llvm::Value* loopIndex) {
                llvm::Value* whole = c.item(one, onePosition, loopIndex, node.totalWeight);
                for (std::size_t port = from; port < to; ++port) {
                    std::int64_t weight = node.weights[port];
                    if (weight == 0) continue;
                    EdgeId edge = splits ? node.outputs[port] : node.inputs[port];
                    const Position& position = splits ? step.outputs[port] : step.inputs[port];
                    llvm::Value* part = c.item(edge, position, loopIndex, weight);
                    llvm::Value* place = b.CreateConstInBoundsGEP1_64(
                        m.i8(), whole, static_cast<std::uint64_t>(passed * types::sizeOf(type)));
                    c.move(type, splits ? part : place, splits ? place : part, weight);
                    passed += weight;
                }
            });
        });
    }

    void fireFilter(const Step& step, const graph::Node& node) {
        const elab::Kernel& kernel = m.plan.program->kernels[node.kernel];
        if (kernel.builtin != ir::BuiltinStream::None) return fireBuiltin(step, node, kernel);
        KernelFunctions& functions = c.functionsOf(step);
        const bool isPrework = step.first && functions.prework;
        const bool hasMail = m.plan.mailboxOf(step.node) != graph::kNone;
        const bool isOften = !isPrework && !rare;
        if (isOften && !hasMail)
            if (unsigned width = m.needVectorWidth(functions, step.count))
                return fireVectorised(step, node, functions, width);
        if (isOften) functions.firesAlone = true;
        const bool polls = isLong(isPrework ? *kernel.code.prework : *kernel.code.work);
        loop(step.count, [&](llvm::Value* loopIndex) {
            if (polls && step.count > 1) emitPoll(m, b, c.env());
            emitDelivery(m, b, c.env(), c.state(), step.node);
            emitTakes(c, step, loopIndex, 1);
            c.callWork(isPrework ? functions.prework : functions.work, step,
                       isPrework ? *node.prework : node.work, loopIndex);
            emitGives(c, step, loopIndex, 1);
            emitFired(m, b, c.env(), step.node);
            if (!isPrework) c.addToCounter(step.node, 1);
        });
    }

    /// `body`, a loop around `list`, with the fields of its filters in variables of the function that nothing
    /// else can change: those that are scalars end up in registers.
    template <typename Body>
    void keepingFields(const std::vector<Step>& list, Body body) {
        constexpr std::int64_t kMostBytes = 256;
        const bool isOnlyLoop = std::none_of(
            list.begin(), list.end(), [](const Step& step) { return step.kind == StepKind::Loop; });
        std::vector<std::pair<NodeId, std::uint64_t>> kept;
        const bool isSmall = undone && isOnlyLoop && leaves(list) <= kStepsInFunction;
        const bool isReplaced =
            isSmall && base::PassRun(m.passes, base::Pass::ScalarReplacement,
                                     "a loop of " + std::to_string(list.size()) + " filters");
        if (isReplaced) {
            for (const Step& step : list) {
                if (step.kind != StepKind::Fire || m.plan.fields[step.node] < 0 ||
                    m.plan.mailboxOf(step.node) != graph::kNone || c.ownFields.contains(step.node))
                    continue;
                const graph::KernelId kernel = m.plan.program->graph.nodes[step.node].kernel;
                const std::int64_t size = m.plan.program->kernels[kernel].stateSize;
                if (size > kMostBytes) continue;
                kept.emplace_back(step.node, static_cast<std::uint64_t>(size));
                c.ownFields[step.node] = c.variable(kept.back().second);
            }
        }
        if (isReplaced && !c.hasRings()) c.keepTapes(list, *whole, kMostBytes);
        const auto align = llvm::MaybeAlign(16);
        for (auto [node, size] : kept)
            b.CreateMemCpy(c.ownFields[node], align, c.at(m.plan.fields[node]), align, size);
        body();
        c.ownTapes.clear();
        for (auto [node, size] : kept) {
            b.CreateMemCpy(c.at(m.plan.fields[node]), align, c.ownFields[node], align, size);
            c.ownFields.erase(node);
        }
    }

    /// As many at once as a vector holds; the last ones may be done twice, which changes nothing. Everything
    /// from where the lanes had to give up is done one by one, and so is the rest of those that count or have state.
    void fireVectorised(const Step& step, const graph::Node& node, KernelFunctions& functions,
                        std::uint64_t width) {
        const auto count = static_cast<std::uint64_t>(step.count);
        const bool counts = m.plan.counters[step.node] >= 0 || !functions.state.empty();
        const bool isRest = count % width != 0;
        const std::uint64_t groups = counts ? count / width : (count + width - 1) / width;
        auto block = [&](const char* name) {
            return llvm::BasicBlock::Create(m.context, name, c.function);
        };
        llvm::BasicBlock *before = b.GetInsertBlock(), *inside = block("lanes"),
                         *next = block("next"), *one = block("one"), *after = block("after");
        b.CreateBr(inside);
        b.SetInsertPoint(inside);
        llvm::PHINode* number = b.CreatePHI(m.i64(), 2);
        number->addIncoming(b.getInt64(0), before);
        llvm::Value* loopIndex = b.CreateMul(number, b.getInt64(width));
        if (isRest && !counts)
            loopIndex = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, loopIndex,
                                                b.getInt64(count - width));
        if (isLong(*functions.kernel->code.work)) emitPoll(m, b, c.env());
        emitTakes(c, step, loopIndex, static_cast<std::int64_t>(width));
        llvm::Value* done = c.callWork(functions.vectorWork.at(static_cast<unsigned>(width)), step,
                                       node.work, loopIndex);
        emitGives(c, step, loopIndex, static_cast<std::int64_t>(width));
        llvm::BasicBlock* called = b.GetInsertBlock();
        b.CreateCondBr(done, next, one, llvm::MDBuilder(m.context).createLikelyBranchWeights());
        b.SetInsertPoint(next);
        c.addToCounter(step.node, width);
        llvm::Value* further = b.CreateNUWAdd(number, b.getInt64(1));
        number->addIncoming(further, next);
        const bool goesOn = isRest && counts;
        b.CreateCondBr(b.CreateICmpULT(further, b.getInt64(groups)), inside, goesOn ? one : after);
        b.SetInsertPoint(one);
        llvm::PHINode* single = b.CreatePHI(m.i64(), 3);
        single->addIncoming(loopIndex, called);
        if (goesOn) single->addIncoming(b.getInt64(groups * width), next);
        fireOneByOne(step, node, functions.work, single, after);
    }

    /// From the firing `single` on.
    void fireOneByOne(const Step& step, const graph::Node& node, llvm::Function* work,
                      llvm::PHINode* single, llvm::BasicBlock* after) {
        llvm::BasicBlock* one = b.GetInsertBlock();
        emitPoll(m, b, c.env());
        emitTakes(c, step, single, 1);
        c.callWork(work, step, node.work, single);
        emitGives(c, step, single, 1);
        c.addToCounter(step.node, 1);
        llvm::Value* following = b.CreateNUWAdd(single, b.getInt64(1));
        single->addIncoming(following, b.GetInsertBlock());
        b.CreateCondBr(
            b.CreateICmpULT(following, b.getInt64(static_cast<std::uint64_t>(step.count))), one,
            after);
        b.SetInsertPoint(after);
    }

    void fireBuiltin(const Step& step, const graph::Node& node, const elab::Kernel& kernel) {
        if (c.hasRings()) return c.rings().builtin(step, programPort(m.plan, step.node, kernel));
        llvm::Value* count = b.getInt64(static_cast<std::uint64_t>(step.count));
        switch (types::info(kernel.builtin).role) {
            case types::BuiltinRole::Identity:
                return c.copy(c.item(node.outputs[0], step.outputs[0]),
                              c.item(node.inputs[0], step.inputs[0]),
                              c.bytesOf(node.inputs[0], step.count * node.work.pop.max));
            case types::BuiltinRole::Reader:
                b.CreateCall(m.runtime("strc_read"),
                             {c.env(), b.getInt32(portOf(m.plan.inputs, step.node)),
                              c.item(node.outputs[0], step.outputs[0]), count});
                return;
            case types::BuiltinRole::Writer:
                b.CreateCall(m.runtime("strc_write"),
                             {c.env(), b.getInt32(portOf(m.plan.outputs, step.node)),
                              c.item(node.inputs[0], step.inputs[0]), count});
                return;
            case types::BuiltinRole::Display: return;  // drops its items
        }
    }

    ModuleBuilder& m;
    PhaseContext c;
    llvm::IRBuilder<>& b;
    Laps laps;
    bool rare;
    bool undone;
    bool drains;
    const plan::Phase* whole = nullptr;
    std::optional<VectorPipelineFinder> pipelines;
    int pieces = 0;
};

}  // namespace

llvm::Function* emitPhase(ModuleBuilder& m, const plan::Phase& phase, const std::string& name,
                          bool rare) {
    return PhaseEmitter(m, rare, false).emit(phase, name);
}

llvm::Function* emitUndonePhase(ModuleBuilder& m, const plan::Phase& phase,
                                const std::string& name) {
    return PhaseEmitter(m, false, true).emit(phase, name);
}

std::vector<llvm::Function*> emitSegments(ModuleBuilder& m, const plan::Chunk& chunk) {
    return PhaseEmitter(m, false, true).emit(chunk);
}

namespace {

llvm::Constant* readsOf(ModuleBuilder& m, const plan::Phase& phase) {
    std::vector<std::uint64_t> reads(phase.reads.begin(), phase.reads.end());
    auto* data = llvm::ConstantDataArray::get(m.context, reads);
    return new llvm::GlobalVariable(m.module, data->getType(), true,
                                    llvm::GlobalValue::PrivateLinkage, data, "reads");
}

/// Of a device the host has no state that it could go on with.
llvm::Constant* endingConstant(ModuleBuilder& m) {
    if (!m.plan.drain || m.options.device) return llvm::ConstantPointerNull::get(m.ptr());
    const plan::Drain& drain = *m.plan.drain;
    auto emit = [&](const plan::Phase& phase, const char* name) {
        return drainsItself(m.plan) ? emitOwnDrain(m, phase, name)
                                    : PhaseEmitter(m, true, false, true).emit(phase, name);
    };
    return emitEnding(m, drain.ending, emit(drain.init, "drain.init"), emit(drain.steady, "drain"));
}

llvm::Constant* phaseConstant(ModuleBuilder& m, const plan::Phase& phase, const std::string& name,
                              bool once) {
    llvm::Constant* run = llvm::ConstantPointerNull::get(m.ptr());
    bool exists = once || phase.iterations > 0;
    bool isRare =
        once || (!m.options.inPieces && &phase == &m.plan.steady && m.plan.scaled.iterations > 0);
    const bool isUndone = !m.options.inPieces && &phase == &m.plan.scaled;
    if (exists) run = PhaseEmitter(m, isRare, isUndone).emit(phase, name);
    return llvm::ConstantStruct::getAnon(
        {run, readsOf(m, phase),
         llvm::ConstantInt::get(m.i64(), static_cast<std::uint64_t>(once ? 0 : phase.iterations))});
}

llvm::Constant* partitioningConstant(ModuleBuilder& m) {
    if (!m.plan.partitioning || m.options.device || m.options.kernels)
        return llvm::ConstantPointerNull::get(m.ptr());
    return emitPartitioning(m, *m.plan.partitioning,
                            PhaseEmitter(m, false, false).emit(*m.plan.partitioning));
}

llvm::Constant* chunksConstant(ModuleBuilder& m) {
    if (!m.plan.chunk || !m.options.shares || m.options.inPieces || m.options.device)
        return llvm::ConstantPointerNull::get(m.ptr());
    return emitChunks(m, *m.plan.chunk);
}

}  // namespace

void emitPoll(ModuleBuilder& m, llvm::IRBuilder<>& b, llvm::Value* env, llvm::BasicBlock* leave) {
    if (m.options.onDevice) return;
    llvm::Function* function = b.GetInsertBlock()->getParent();
    llvm::Value* place = b.CreateConstInBoundsGEP1_64(m.i8(), env, offsetof(strc_env, poll));
    llvm::Value* set = b.CreateICmpNE(b.CreateLoad(m.i8(), place, true), b.getInt8(0));
    auto* stop = leave ? leave : llvm::BasicBlock::Create(m.context, "stop", function);
    auto* on = llvm::BasicBlock::Create(m.context, "on", function);
    b.CreateCondBr(set, stop, on, llvm::MDBuilder(m.context).createUnlikelyBranchWeights());
    if (!leave) {
        b.SetInsertPoint(stop);
        b.CreateCall(m.runtime("strc_stop"), {env});
        b.CreateUnreachable();
    }
    b.SetInsertPoint(on);
}

llvm::GlobalVariable* emitProgram(ModuleBuilder& m, const std::string& name,
                                  const Companions& companions) {
    const plan::Plan& plan = m.plan;
    llvm::Constant* init = phaseConstant(m, plan.init, "init", true);
    llvm::Constant* steady = phaseConstant(m, plan.steady, "steady", false);
    llvm::Constant* scaled = phaseConstant(m, plan.scaled, "scaled", false);
    llvm::Constant* chunks = chunksConstant(m);
    llvm::Constant* partitioning = partitioningConstant(m);
    llvm::Constant* device = emitDevice(m);
    llvm::Constant* demand = plan.demand ? emitDemand(m) : llvm::ConstantPointerNull::get(m.ptr());
    llvm::Constant* update = emitUpdates(m);
    llvm::Constant* ending = endingConstant(m);
    const Rows pieces = emitPieces(m, plan.image);
    const Rows kept = emitKept(m);
    m.emitPending();
    llvm::Constant* kernels = m.emitKernels();
    auto number = [&](std::uint64_t value) { return llvm::ConstantInt::get(m.i64(), value); };
    auto small = [&](std::size_t value) { return llvm::ConstantInt::get(m.i32(), value); };
    llvm::Constant* messages = m.messages.bytes();
    const Rows handlers = m.messages.handlers();
    auto* program =
        llvm::ConstantStruct::getAnon({small(STRC_ABI_VERSION),
                                       small(plan.inputs.size()),
                                       small(plan.outputs.size()),
                                       small(plan.program->graph.nodes.size()),
                                       small(plan.mailboxes.size()),
                                       small(m.options.fastMath ? 1 : 0),
                                       number(static_cast<std::uint64_t>(plan.mailboxOffset)),
                                       number(m.limits.totalBytes),
                                       number(static_cast<std::uint64_t>(plan.stateSize)),
                                       number(0),
                                       number(pieces.count),
                                       pieces.table,
                                       demand,
                                       init,
                                       steady,
                                       scaled,
                                       device,
                                       kernels,
                                       companions.fallback,
                                       update,
                                       messages,
                                       ending,
                                       chunks,
                                       partitioning,
                                       number(kept.count),
                                       kept.table,
                                       number(handlers.count),
                                       handlers.table,
                                       companions.lanes});
    auto* made = new llvm::GlobalVariable(m.module, program->getType(), true,
                                          llvm::GlobalValue::ExternalLinkage, program, name);
    m.limitVectors();
    return made;
}

}  // namespace strc::codegen
