// Programs with dynamic rates: the tables of strc/demand.h, and a function for each filter that fires it.

#include "strc/demand.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/assert.h"
#include "codegen/detail/chunks.h"
#include "codegen/detail/module_builder.h"
#include "graph/ending.h"
#include "plan/batching.h"

namespace strc::codegen {
namespace {

using graph::EdgeId;
using graph::NodeId;

class DemandEmitter {
public:
    explicit DemandEmitter(ModuleBuilder& m)
        : m(m), plan(m.plan), graph(plan.program->graph), batching(batchingOf(m)) {}

    llvm::Constant* emit() {
        std::vector<llvm::Constant*> nodes, edges;
        for (NodeId id = 0; id < graph.nodes.size(); ++id) nodes.push_back(node(id));
        for (EdgeId id = 0; id < graph.edges.size(); ++id) edges.push_back(edge(id));
        const plan::Demand& demand = *plan.demand;
        std::vector<llvm::Constant*> sinks;
        for (const plan::Demand::Sink& sink : demand.sinks)
            sinks.push_back(
                row({small(sink.node), small(sink.depends ? 1 : 0), number(sink.firings)}));
        const bool hasOutput = graph.output != graph::kNone;
        llvm::Constant* top =
            row({table(nodes, "nodes"), table(edges, "edges"), data(lists, "lists"),
                 data(weights, "weights"), table(guards, "guards"), table(sinks, "sinks"),
                 data(demand.drained, "drained"), number(demand.queueOffset),
                 number(demand.actorOffset), small(edges.size()), small(sinks.size()),
                 small(demand.drained.size()), small(hasOutput ? graph.output : STRC_NONE),
                 small(plan.inputs.size() - 1), small(plan.outputs.size() - 1),
                 small(demand.regions.size()), small(batching)});
        return m.constantData(top, "demand");
    }

private:
    // ---------------------------------------------------------------- constants

    llvm::Constant* small(std::uint64_t n) {
        return llvm::ConstantInt::get(m.i32(), n & UINT32_MAX);
    }
    llvm::Constant* number(std::int64_t n) { return llvm::ConstantInt::getSigned(m.i64(), n); }
    static llvm::Constant* row(std::vector<llvm::Constant*> fields) {
        return llvm::ConstantStruct::getAnon(fields);
    }
    llvm::Constant* nothing() { return llvm::ConstantPointerNull::get(m.ptr()); }
    llvm::Constant* table(const std::vector<llvm::Constant*>& rows, const char* name) {
        if (rows.empty()) return nothing();
        auto* type = llvm::ArrayType::get(rows[0]->getType(), rows.size());
        return m.constantData(llvm::ConstantArray::get(type, rows), name);
    }
    template <typename T>
    llvm::Constant* data(const std::vector<T>& list, const char* name) {
        if (list.empty()) return nothing();
        return m.constantData(llvm::ConstantDataArray::get(m.context, list), name);
    }
    llvm::Constant* site(Site made) {
        return small(static_cast<std::uint64_t>(m.site(std::move(made))));
    }

    // ---------------------------------------------------------------- nodes

    llvm::Constant* node(NodeId id) {
        const graph::Node& from = graph.nodes[id];
        const std::size_t firstEdge = lists.size(), firstWeight = weights.size(),
                          firstGuard = guards.size();
        if (const plan::Region* region = regionOf(id)) return regionNode(id, *region);
        lists.insert(lists.end(), from.inputs.begin(), from.inputs.end());
        lists.insert(lists.end(), from.outputs.begin(), from.outputs.end());
        for (std::int64_t weight : from.weights)
            weights.push_back(static_cast<std::uint64_t>(weight));
        addGuards(id);
        const strc_node_kind kind = kindOf(from);
        const bool hasCode = kind == STRC_NODE_FILTER;
        auto limit = std::to_string(m.limits.totalBytes);
        llvm::Constant* full = site(
            {base::Diag::LimitExceeded, from.range, {"the memory for items on tapes", limit}, 0});
        llvm::Constant* pushFull =
            hasCode
                ? site(
                      {base::Diag::OutOfMemory, firstPush(from), {"the tape that is pushed to"}, 1})
                : full;
        const bool isDynamic = hasCode && m.isDynamic(from.kernel);
        return row({small(kind), small(worldOf(id, kind)), small(plan.mailboxOf(id)),
                    small(from.inputs.size()), small(from.outputs.size()), small(firstEdge),
                    small(firstWeight), small(firstGuard), small(guards.size() - firstGuard), full,
                    pushFull, small(0), nothing(),
                    rates(from.prework ? *from.prework : from.work, isDynamic),
                    rates(from.work, isDynamic), hasCode ? entry(id, from) : nothing()});
    }

    strc_node_kind kindOf(const graph::Node& from) const {
        switch (from.kind) {
            case graph::NodeKind::Duplicate: return STRC_NODE_DUPLICATE;
            case graph::NodeKind::RoundRobinSplitter: return STRC_NODE_SPLITTER;
            case graph::NodeKind::RoundRobinJoiner: return STRC_NODE_JOINER;
            case graph::NodeKind::Filter: break;
        }
        const ir::BuiltinStream builtin = plan.program->kernels[from.kernel].builtin;
        if (builtin == ir::BuiltinStream::None) return STRC_NODE_FILTER;
        switch (types::info(builtin).role) {
            case types::BuiltinRole::Identity: return STRC_NODE_IDENTITY;
            case types::BuiltinRole::Reader: return STRC_NODE_READER;
            case types::BuiltinRole::Writer: return STRC_NODE_WRITER;
            case types::BuiltinRole::Display: return STRC_NODE_DISPLAY;
        }
        STRC_UNREACHABLE("role of a built-in stream");
    }

    std::uint64_t worldOf(NodeId id, strc_node_kind kind) const {
        if (kind != STRC_NODE_READER && kind != STRC_NODE_WRITER) return 0;
        const auto& ports = kind == STRC_NODE_READER ? plan.inputs : plan.outputs;
        auto found = std::find_if(ports.begin(), ports.end(),
                                  [&](const plan::ProgramPort& port) { return port.node == id; });
        return static_cast<std::uint64_t>(found - ports.begin());
    }

    /// A `strc_rates`.
    llvm::Constant* rates(const graph::Rates& of, bool isDynamic) {
        const bool waits = of.pop.dynamic || of.peek.dynamic;
        return row({number(waits ? 0 : of.peek.max), number(waits ? 0 : of.pop.max),
                    number(isDynamic ? 0 : of.push.max), number(waits ? 1 : 0), number(1)});
    }

    // ---------------------------------------------------------------- regions

    const plan::Region* regionOf(NodeId id) const {
        for (const plan::Region& region : plan.demand->regions)
            if (std::find(region.nodes.begin(), region.nodes.end(), id) != region.nodes.end())
                return &region;
        return nullptr;
    }

    /// The head stands for all; nobody asks for the others.
    llvm::Constant* regionNode(NodeId id, const plan::Region& region) {
        const bool isHead = id == region.head, hasInput = isHead && region.input != graph::kNone;
        const std::size_t firstEdge = lists.size();
        if (hasInput) lists.push_back(region.input);
        if (isHead) lists.push_back(region.output);
        auto limit = std::to_string(m.limits.totalBytes);
        const base::SourceRange range = graph.nodes[id].range;
        llvm::Constant* full =
            site({base::Diag::LimitExceeded, range, {"the memory for items on tapes", limit}, 0});
        const bool hasCode = graph.nodes[id].kind == graph::NodeKind::Filter &&
                             kindOf(graph.nodes[id]) == STRC_NODE_FILTER;
        llvm::Constant* pushFull = hasCode ? site({base::Diag::OutOfMemory,
                                                   firstPush(graph.nodes[id]),
                                                   {"the tape that is pushed to"},
                                                   1})
                                           : full;
        const std::int64_t reads = region.steady.reads[0];
        const std::int64_t push = pushRate(graph, region.output);
        auto rates = [&](std::int64_t need, std::int64_t firings) {
            return row({number(need), number(need), number(push), number(0), number(firings)});
        };
        return row({small(STRC_NODE_FILTER), small(0), small(STRC_NONE), small(hasInput ? 1 : 0),
                    small(isHead ? 1 : 0), small(firstEdge), small(0), small(0), small(0), full,
                    pushFull, small(0),
                    isHead && batching != STRC_BATCHING_NEVER ? regionRow(region) : nothing(),
                    rates(region.init.reads[0] + reads, region.initFirings + region.steadyFirings),
                    rates(reads, region.steadyFirings), isHead ? regionEntry(region) : nothing()});
    }

    /// A library's iterations are done one by one.
    static strc_batching batchingOf(const ModuleBuilder& m) {
        return m.options.bound ? STRC_BATCHING_NEVER : plan::batchingOf(m.plan);
    }

    /// A `strc_region`, by its address.
    llvm::Constant* regionRow(const plan::Region& region) {
        if (region.scaled.iterations == 0) return nothing();
        const std::string name = graph.nodes[region.head].name + ".region.scaled";
        const std::ptrdiff_t number = &region - plan.demand->regions.data();
        const std::vector<llvm::Constant*> ranges = rangesOf(region);
        llvm::Constant* chunks = region.chunk ? emitChunks(m, *region.chunk) : nothing();
        return m.constantData(
            row({emitUndonePhase(m, region.scaled, name), this->number(region.scaled.iterations),
                 chunks, this->number(number), table(ranges, "ranges"),
                 this->number(static_cast<std::int64_t>(ranges.size())), small(region.input),
                 small(runsAhead(region) ? 1 : 0)}),
            "region");
    }

    /// Items of the program's inputs may be read ahead, nothing else.
    bool runsAhead(const plan::Region& region) const {
        if (region.input == graph::kNone) return true;
        const NodeId from = graph.edges[region.input].from;
        return from == graph::kNone || (graph.nodes[from].kind == graph::NodeKind::Filter &&
                                        kindOf(graph.nodes[from]) == STRC_NODE_READER);
    }

    /// `strc_range`s: fields, counts of firings, and what stays on tapes.
    std::vector<llvm::Constant*> rangesOf(const plan::Region& region) {
        std::vector<llvm::Constant*> ranges;
        auto add = [&](std::int64_t at, std::int64_t size) {
            if (at >= 0 && size > 0) ranges.push_back(row({number(at), number(size)}));
        };
        for (NodeId id : region.nodes) {
            const graph::KernelId kernel = graph.nodes[id].kernel;
            if (kernel != graph::kNone)
                add(plan.fields[id], plan.program->kernels[kernel].stateSize);
            add(plan.counters[id], sizeof(std::int64_t));
            for (EdgeId edge : graph.nodes[id].inputs)
                add(plan.channels[edge].offset,
                    plan.channels[edge].retained * plan.channels[edge].itemSize);
        }
        return ranges;
    }

    /// strc_node::fire of a region.
    llvm::Function* regionEntry(const plan::Region& region) {
        const std::string name = graph.nodes[region.head].name + ".region";
        llvm::Function* init = emitPhase(m, region.init, name + ".init", true);
        llvm::Function* steady = emitPhase(m, region.steady, name, false);
        llvm::Function* made = declareEntry(name + ".fire");
        auto block = [&](const char* what) {
            return llvm::BasicBlock::Create(m.context, what, made);
        };
        llvm::IRBuilder<> b(block(""));
        llvm::BasicBlock *first = block("first"), *on = block("on");
        b.CreateCondBr(b.CreateICmpNE(made->getArg(4), b.getInt32(0)), first, on);
        b.SetInsertPoint(first);
        b.CreateCall(init, {made->getArg(0), made->getArg(1)});
        b.CreateBr(on);
        b.SetInsertPoint(on);
        b.CreateCall(steady, {made->getArg(0), made->getArg(1)});
        b.CreateRetVoid();
        return made;
    }

    /// Where the body says for the first time that it pushes.
    base::SourceRange firstPush(const graph::Node& from) const {
        const ir::StreamCode& code = plan.program->kernels[from.kernel].code;
        for (const ir::Block& block : code.work->blocks)
            for (const ir::Instr& instr : block.instrs)
                if (instr.op == ir::Op::Push || instr.op == ir::Op::PushFrom) return instr.range;
        return code.work->header;
    }

    void addGuards(NodeId id) {
        for (const plan::Route& route : plan.routes)
            if (route.receiver == id && route.guard)
                guards.push_back(row({m.messages.route(route.sender, route.receiver),
                                      number(*route.guard), small(route.sender), small(0)}));
    }

    // ---------------------------------------------------------------- edges

    llvm::Constant* edge(EdgeId id) {
        const graph::Edge& from = graph.edges[id];
        std::string initial;
        for (const types::Value& item : from.initial) initial += item.bytes;
        const bool isCode =
            from.to == graph::kNone || graph.nodes[from.to].kind == graph::NodeKind::Filter;
        const NodeId owner = from.from != graph::kNone ? from.from : from.to;
        return row({small(from.from), small(static_cast<std::uint64_t>(types::sizeOf(from.type))),
                    small(from.to), m.options.bound ? fullSite(from, owner) : small(0),
                    small(owner), small(0), number(isCode ? 0 : popRate(graph, id)),
                    number(graph::itemsKept(graph, id).value_or(-1)),
                    number(static_cast<std::int64_t>(from.initial.size())),
                    initial.empty() ? nothing() : m.bytes(initial),
                    number(plan::isQueue(plan, id) ? 1 : 0)});
    }

    llvm::Constant* fullSite(const graph::Edge& edge, NodeId owner) {
        auto end = [&](NodeId id, const char* open) {
            return id == graph::kNone ? open : fmt::format("'{}'", path(graph, id));
        };
        const graph::Node& told = graph.nodes[owner];
        const bool hasCode = edge.from != graph::kNone && told.kind == graph::NodeKind::Filter &&
                             kindOf(told) == STRC_NODE_FILTER;
        return site({base::Diag::LimitExceeded,
                     hasCode ? firstPush(told) : told.range,
                     {fmt::format("what waits between {} and {}", end(edge.from, "the input"),
                                  end(edge.to, "the output")),
                      fmt::format("{} items ('--bound')", *m.options.bound)},
                     0});
    }

    // ---------------------------------------------------------------- firings

    llvm::Value* end(llvm::IRBuilder<>& b, llvm::Value* queue, std::size_t offset) {
        return b.CreateConstInBoundsGEP1_64(m.i8(), queue, offset);
    }

    llvm::Function* declareEntry(const std::string& name) {
        auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(m.context),
                                             {m.ptr(), m.ptr(), m.ptr(), m.ptr(), m.i32()}, false);
        auto* made = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, m.module);
        made->setDoesNotThrow();
        return made;
    }

    /// strc_node::fire
    llvm::Function* entry(NodeId id, const graph::Node& from) {
        KernelFunctions& functions = m.kernel(from.kernel);
        llvm::Function* made = declareEntry((functions.work->getName() + ".fire").str());
        llvm::IRBuilder<> b(llvm::BasicBlock::Create(m.context, "", made));
        if (m.debug) {
            m.debug->phase(*made);
            b.SetCurrentDebugLocation(m.debug->firing(*made, from));
        }
        if (functions.prework) {
            auto* first = llvm::BasicBlock::Create(m.context, "first", made);
            auto* later = llvm::BasicBlock::Create(m.context, "later", made);
            b.CreateCondBr(b.CreateICmpNE(made->getArg(4), b.getInt32(0)), first, later);
            b.SetInsertPoint(first);
            call(b, *made, id, functions.prework, *from.prework, false);
            b.SetInsertPoint(later);
        }
        call(b, *made, id, functions.work, from.work, true);
        return made;
    }

    void call(llvm::IRBuilder<>& b, llvm::Function& made, NodeId id, llvm::Function* body,
              const graph::Rates& rates, bool counts) {
        const graph::Node& from = graph.nodes[id];
        llvm::Value* none = llvm::PoisonValue::get(m.ptr());
        llvm::Value *in = from.inputs.empty() ? none : made.getArg(2),
                    *out = from.outputs.empty() ? none : made.getArg(3);
        const bool isDynamic = m.isDynamic(from.kernel);
        llvm::Value *first = in, *last = out;
        if (!isDynamic && in != none)
            first = b.CreateLoad(m.ptr(), end(b, in, offsetof(strc_queue, first)));
        if (!isDynamic && out != none)
            last = b.CreateLoad(m.ptr(), end(b, out, offsetof(strc_queue, last)));
        auto at = [&](std::int64_t offset) {
            return b.CreateConstInBoundsGEP1_64(m.i8(), made.getArg(1),
                                                static_cast<std::uint64_t>(offset));
        };
        const std::int64_t fields = plan.fields[id], counter = plan.counters[id];
        llvm::Value* count = b.getInt64(0);
        if (counter >= 0) count = b.CreateLoad(m.i64(), at(counter));
        b.CreateCall(body, {made.getArg(0), fields < 0 ? none : at(fields), first, last,
                            b.getInt32(id), b.CreateTrunc(count, m.i32())});
        if (counts && counter >= 0) b.CreateStore(b.CreateAdd(count, b.getInt64(1)), at(counter));
        if (!isDynamic && in != none)
            move(b, in, offsetof(strc_queue, first), first, rates.pop.max, from.inputs[0]);
        if (!isDynamic && out != none)
            move(b, out, offsetof(strc_queue, last), last, rates.push.max, from.outputs[0]);
        b.CreateRetVoid();
    }

    void move(llvm::IRBuilder<>& b, llvm::Value* queue, std::size_t which, llvm::Value* from,
              std::int64_t items, EdgeId edge) {
        const std::int64_t bytes = items * types::sizeOf(graph.edges[edge].type);
        b.CreateStore(b.CreateConstInBoundsGEP1_64(m.i8(), from, static_cast<std::uint64_t>(bytes)),
                      end(b, queue, which));
    }

    ModuleBuilder& m;
    const plan::Plan& plan;
    const graph::Graph& graph;
    const strc_batching batching;
    std::vector<std::uint32_t> lists;
    std::vector<std::uint64_t> weights;
    std::vector<llvm::Constant*> guards;
};

}  // namespace

bool isDynamic(const elab::Kernel& kernel) {
    return kernel.work.isDynamic() || (kernel.prework && kernel.prework->isDynamic());
}

bool ModuleBuilder::isDynamic(graph::KernelId id) const {
    return codegen::isDynamic(plan.program->kernels[id]);
}

llvm::Constant* emitDemand(ModuleBuilder& m) { return DemandEmitter(m).emit(); }

}  // namespace strc::codegen
