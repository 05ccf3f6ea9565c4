#include "executable/library.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "codegen/stack_size.h"
#include "ir/calls.h"
#include "plan/writes.h"
#include "types/tensor_elements.h"

namespace strc::executable {
namespace {

using base::Diag;
using graph::kNone;
using graph::NodeId;
using types::Type;
using types::TypeKind;

/// For what the runtime does, and libm.
constexpr std::uint64_t kRuntime = 1 << 14;
/// For recursion and for arrays that ask for room; with what these leave to those who do not ask (strc_need_stack).
constexpr std::uint64_t kAsked = 1 << 20;

class Check {
public:
    Check(const Program& wanted, bool mayPrint)
        : program(wanted), graph(plan::firingProgram(wanted.plan).graph), mayPrint(mayPrint) {}

    bool run() {
        if (program.bound) fine = checkBound(program);
        if (graph.input == kNone && graph.output == kNone)
            add(Diag::LibraryWithoutEnds, mainRange()) << program.mainStream;
        checkItems(graph.input);
        checkItems(graph.output);
        for (std::size_t k = 0; k < program.module.open.size(); ++k)
            if (program.plan.program->openValues[k].type->is(TypeKind::String))
                add(Diag::OpenParameter, mainRange())
                    << program.module.open[k].name
                    << "a host would have to set it, and libraries have no setters of texts";
        const plan::Plan& own = program.plan.before ? *program.plan.before : program.plan;
        for (const plan::ProgramPort& port : own.inputs) checkFile(port, "read");
        for (const plan::ProgramPort& port : own.outputs) checkFile(port, "write");
        for (NodeId id = 0; id < graph.nodes.size(); ++id) {
            const graph::KernelId kernel = graph.nodes[id].kernel;
            if (kernel == kNone || !seen.insert(kernel).second) continue;
            checkRates(id);
            checkBodies(id);
            checkDerived(id);
        }
        return fine;
    }

private:
    base::Diagnostic& add(Diag id, base::SourceRange range) {
        fine = false;
        return program.context.diags.add(id, range);
    }

    base::SourceRange mainRange() const {
        return graph.composites.empty() ? graph.nodes[0].range : graph.composites[0].header;
    }

    static bool holds(const Type* type) {
        if (type->is(TypeKind::Array)) return holds(types::innermost(type));
        if (!type->is(TypeKind::Struct))
            return type->is(TypeKind::Boolean) || type->is(TypeKind::Long) || type->isReal() ||
                   types::isNarrow(type->kind) || type->is(TypeKind::Complex) || type->isFloatN();
        const auto& fields = type->structure->fields;
        return std::all_of(fields.begin(), fields.end(),
                           [](const types::StructField& field) { return holds(field.type); });
    }

    void checkItems(graph::EdgeId edge) {
        if (edge == kNone || holds(graph.edges[edge].type)) return;
        add(Diag::LibraryEffect, mainRange())
            << fmt::format("have items of type '{}'", types::toString(graph.edges[edge].type));
    }

    void checkFile(const plan::ProgramPort& port, std::string_view does) {
        if (port.node == kNone) return;
        const graph::Node& node = graph.nodes[port.node];
        add(Diag::LibraryEffect, node.range).in(graph::path(graph, port.node))
            << fmt::format("{} file '{}'", does, node.file);
    }

    /// What waits on their tapes grows, but for a bound.
    void checkRates(NodeId id) {
        if (program.bound) return;
        const elab::Kernel& kernel =
            plan::firingProgram(program.plan).kernels[graph.nodes[id].kernel];
        if (!kernel.work.isDynamic() && !(kernel.prework && kernel.prework->isDynamic())) return;
        (add(Diag::LibraryEffect, graph.nodes[id].range).in(graph::path(graph, id))
         << "have dynamic rates")
                .note(Diag::Hint)
            << "what would wait on its tapes has no bound, and a library takes no memory while it "
               "runs; '--bound N' gives one";
    }

    void checkBodies(NodeId id) {
        const ir::StreamCode& code =
            plan::firingProgram(program.plan).kernels[graph.nodes[id].kernel].code;
        for (const ir::Body* body : ir::bodiesThatRun(program.module, code))
            for (const ir::Block& block : body->blocks)
                for (const ir::Instr& instr : block.instrs) checkInstr(instr, id);
    }

    void checkInstr(const ir::Instr& instr, NodeId node) {
        std::string_view does;
        const bool prints = instr.op == ir::Op::Print || instr.op == ir::Op::NewLine;
        if (prints && !mayPrint) does = "print";
        if (instr.op == ir::Op::Send && !program.bound) does = "send messages";
        if (ir::makesString(program.module, instr)) does = "make strings";
        if (does.empty()) return;
        base::Diagnostic& fault = add(Diag::LibraryEffect, instr.range).in(graph::path(graph, node))
                                  << does;
        if (instr.op == ir::Op::Send)
            fault.note(Diag::Hint)
                << "messages on their way have no bound in number, and a library takes "
                   "no memory while it runs; '--bound N' gives one";
    }

    // ---- what is computed again when a parameter is set

    void refuse(NodeId node, ir::Marks marks, base::SourceRange range, const std::string& why) {
        const bool isElsewhere = program.context.sources.isLibrary(range.buffer);
        base::Diagnostic& fault =
            add(Diag::OpenParameter, isElsewhere ? graph.nodes[node].range : range)
                .in(graph::path(graph, node))
            << program.module.open[ir::slotOf(marks & ~ir::kDrawn)].name << why;
        if (isElsewhere) fault.note(Diag::InBodyHere, range) << graph.nodes[node].name;
    }

    void checkDerived(NodeId id) {
        const elab::Kernel& kernel =
            plan::firingProgram(program.plan).kernels[graph.nodes[id].kernel];
        ir::Marks all = 0;
        for (std::size_t k = 0; k < kernel.derived.size(); ++k) {
            all |= kernel.derived[k];  // the last one: of what it requires
            if ((kernel.derived[k] & ir::kDrawn) == 0) continue;
            const ir::Variable& field = kernel.code.fields[k];
            refuse(id, kernel.derived[k], field.range,
                   fmt::format("'{}', which is computed from it again whenever it is set, cannot "
                               "depend on random numbers, files and native functions, too",
                               field.name));
        }
        if (all == 0) return;
        // What a handler changes is not lost: the last one of message and setter holds.
        for (const ir::Body* body : ir::bodiesOfWork(program.module, kernel.code))
            checkWrites(id, kernel, *body);
        for (const ir::Body* body : ir::bodiesOfSetup(program.module, kernel.code))
            for (const ir::Block& block : body->blocks)
                for (const ir::Instr& instr : block.instrs)
                    if (mayPrint && instr.op == ir::Op::Print)
                        refuse(id, all, instr.range,
                               "what is done again when it is set cannot print");
    }

    void checkWrites(NodeId id, const elab::Kernel& kernel, const ir::Body& body) {
        forEachWrite(kernel.code, body, [&](const ir::Instr& instr, ir::VarRef to) {
            if (to.space != ir::Space::Field || kernel.derived[to.index] == 0) return;
            refuse(id, kernel.derived[to.index], instr.range,
                   fmt::format("'{}', which is computed from it again whenever it is set, cannot "
                               "be changed here: that would be lost",
                               kernel.code.fields[to.index].name));
        });
    }

    /// Variables of the filter, and parameters that are arrays, that a body or what it calls changes.
    template <typename Visit>
    void forEachWrite(const ir::StreamCode& code, const ir::Body& body, Visit visit) {
        std::vector<ir::VarRef> roots(body.regs.size());  // where refs lead to
        const auto look = [&](const auto& self, ir::BlockId block) -> void {
            if (block == ir::kNone) return;
            for (const ir::Instr& instr : body.blocks[block].instrs) {
                if (instr.op == ir::Op::Addr)
                    roots[instr.result] = instr.var;
                else if (instr.op == ir::Op::Elem || instr.op == ir::Op::Member)
                    roots[instr.result] = roots[instr.operands[0]];
                else if (instr.op == ir::Op::Store)
                    visit(instr, instr.var);
                else if (instr.op == ir::Op::Call)
                    for (std::uint32_t k = 0; k < instr.operands.size(); ++k) {
                        const ir::VarRef root = roots[instr.operands[k]];
                        if (root.index != ir::kNone && changes(code, instr.callee, k))
                            visit(instr, root);
                    }
                else if (writesTo(instr.op) && roots[instr.operands[0]].index != ir::kNone)
                    visit(instr, roots[instr.operands[0]]);
                for (ir::BlockId inner : instr.blocks) self(self, inner);
            }
        };
        look(look, body.entry);
    }

    static bool writesTo(ir::Op op) {
        return op == ir::Op::StoreAt || op == ir::Op::Copy || op == ir::Op::Zero ||
               op == ir::Op::Contract || op == ir::Op::PopInto || op == ir::Op::PeekInto ||
               op == ir::Op::ReadArray || op == ir::Op::ReadItems;
    }

    /// Does a function write to what its parameter leads to? A function that is being looked at says no for itself; what
    /// rests on such an answer is not kept.
    bool changes(const ir::StreamCode& code, const ir::Callee& callee, std::uint32_t parameter) {
        if (!callee.hasBody()) return true;
        const ir::Body& body = ir::calleeBody(program.module, code, callee);
        const auto [at, isNew] = known.try_emplace({&body, parameter}, std::nullopt);
        if (!isNew) {
            assumed = assumed || !at->second;
            return at->second.value_or(false);
        }
        const bool assumedBefore = std::exchange(assumed, false);
        bool found = false;
        forEachWrite(code, body, [&](const ir::Instr&, ir::VarRef to) {
            found = found || to == ir::VarRef{ir::Space::Local, parameter};
        });
        if (found || !assumed)
            at->second = found;
        else
            known.erase(at);
        assumed = assumed || assumedBefore;
        return found;
    }

    const Program& program;
    const graph::Graph& graph;
    bool mayPrint;
    std::set<graph::KernelId> seen;
    /// By body and parameter: whether it is written to (changes); empty while the body is being looked at.
    std::map<std::pair<const ir::Body*, std::uint32_t>, std::optional<bool>> known;
    bool assumed = false;  ///< an answer rests on one of those that are empty
    bool fine = true;
};

/// Does it make arrays whose size only the run knows?
bool makesDynamicArrays(const ir::Body* body) {
    return std::any_of(body->blocks.begin(), body->blocks.end(), [body](const ir::Block& block) {
        return std::any_of(
            block.instrs.begin(), block.instrs.end(), [body](const ir::Instr& instr) {
                return instr.op == ir::Op::Declare && !instr.operands.empty() &&
                       instr.var.space == ir::Space::Local && instr.var.index >= body->params;
            });
    });
}

/// What is run after elaboration, and all that it calls.
std::set<const ir::Body*> bodiesAtRun(const ir::Module& module, const ir::StreamCode& code) {
    std::vector<const ir::Body*> bodies = ir::bodiesThatFire(module, code);
    std::set<const ir::Body*> found(bodies.begin(), bodies.end());
    if (code.startsLate) {
        bodies = ir::bodiesOfSetup(module, code);
        found.insert(bodies.begin(), bodies.end());
    }
    return found;
}

std::uint64_t inPages(std::uint64_t bytes) {
    constexpr std::uint64_t kPage = 4096;
    return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

bool checkLibrary(const Program& program, bool mayPrint) { return Check(program, mayPrint).run(); }

std::int64_t Rates::latency() const {
    if (in == 0 || out == 0) return 0;
    const auto given = static_cast<__int128>(firstOut) * in / out;
    const std::int64_t later = firstIn + in - 1 - static_cast<std::int64_t>(given);
    return std::max({std::int64_t{0}, firstIn - 1, later});
}

Rates ratesOf(const plan::Plan& plan) {
    auto reads = [](const plan::Phase& phase) { return phase.reads.empty() ? 0 : phase.reads[0]; };
    return {reads(plan.init), openWrites(plan, plan.init), reads(plan.steady),
            openWrites(plan, plan.steady)};
}

std::uint64_t bytesOfBodies(const Program& program, const elab::Kernel& kernel) {
    std::uint64_t bytes = 0;
    for (const ir::Body* body : ir::bodiesThatRun(program.module, kernel.code))
        bytes += static_cast<std::uint64_t>(codegen::bytesOfArrays(*body) +
                                            codegen::mostStackBytes(*body));
    return bytes;
}

std::uint64_t nestingBytes(const Program& program) {
    std::uint64_t most = 0;
    bool asks = false;
    for (const elab::Kernel& kernel : program.plan.program->kernels) {
        const std::set<const ir::Body*> all = bodiesAtRun(program.module, kernel.code);
        std::uint64_t bytes = 0;
        for (const ir::Body* body : ir::bodiesThatNest(program.module, kernel.code)) {
            if (!all.contains(body)) continue;
            bytes += static_cast<std::uint64_t>(codegen::bytesOfArrays(*body) +
                                                codegen::mostStackBytes(*body));
            asks = true;
        }
        most = std::max(most, bytes);
        asks = asks || std::any_of(all.begin(), all.end(), makesDynamicArrays);
    }
    return asks ? inPages(most) + kAsked : 0;
}

std::uint64_t stackBytes(const Program& program, std::uint64_t codeBytes) {
    return inPages(codeBytes) + kRuntime + nestingBytes(program);
}

std::int64_t openWrites(const plan::Plan& plan, const plan::Phase& phase) {
    return plan.program->graph.output == kNone ? 0 : plan::itemsWritten(phase.steps);
}

}  // namespace strc::executable
