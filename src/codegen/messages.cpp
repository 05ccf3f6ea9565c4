// Messages: what is sent, to whom, and who handles it (language.md 14).

#include <algorithm>

#include <fmt/format.h>

#include "base/assert.h"
#include "codegen/detail/calls.h"
#include "strc/runtime.h"

namespace strc::codegen {

using graph::NodeId;

namespace {

constexpr std::uint64_t kArgumentAlignment = 16;

std::uint64_t roundedUp(std::int64_t bytes) {
    return (static_cast<std::uint64_t>(bytes) + kArgumentAlignment - 1) / kArgumentAlignment *
           kArgumentAlignment;
}

/// Where the arguments of a message lie, and behind the last one where they end.
template <typename Types>
std::vector<std::uint64_t> argumentOffsets(const Types& types) {
    std::vector<std::uint64_t> offsets{0};
    for (const Type* type : types)
        offsets.push_back(offsets.back() + roundedUp(types::sizeOf(type)));
    return offsets;
}

const ir::Body& handlerOf(const elab::Kernel& kernel, const std::string& name,
                          std::uint32_t& index) {
    for (index = 0; index < kernel.code.functions.size(); ++index) {
        const ir::Body& body = kernel.code.functions[index];
        if (body.kind == ir::BodyKind::Handler && body.name == name) return body;
    }
    STRC_UNREACHABLE("a receiver without the handler");
}

}  // namespace

/// What the runtime calls: unpacks the arguments.
llvm::Function* MessageTables::handlerEntry(NodeId node, const std::string& name) {
    llvm::Function*& made = handlerEntries[{node, name}];
    if (made) return made;
    const graph::KernelId id = m.plan.program->graph.nodes[node].kernel;
    KernelFunctions& owner = m.kernel(id);
    std::uint32_t index = 0;
    const ir::Body& body = handlerOf(*owner.kernel, name, index);
    llvm::Function* handler = m.callee(owner, {ir::CalleeKind::Stream, index});
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(m.context),
                                         {m.ptr(), m.ptr(), m.ptr()}, false);
    made =
        llvm::Function::Create(type, llvm::Function::InternalLinkage, name + ".handle", m.module);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(m.context, "", made));
    if (m.debug) b.SetCurrentDebugLocation(m.debug->phase(*made));
    llvm::Value* none = llvm::ConstantPointerNull::get(m.ptr());
    llvm::Value* state = made->getArg(1);
    auto at = [&](llvm::Value* base, std::uint64_t offset) {
        return b.CreateConstInBoundsGEP1_64(m.i8(), base, offset);
    };
    const std::int64_t fields = m.plan.fields[node], counter = m.plan.counters[node];
    llvm::Value* iteration = b.getInt32(0);
    if (counter >= 0)
        iteration = b.CreateTrunc(
            b.CreateLoad(m.i64(), at(state, static_cast<std::uint64_t>(counter))), m.i32());
    std::vector<llvm::Value*> args{
        made->getArg(0),
        fields < 0 ? none : at(state, static_cast<std::uint64_t>(fields)),
        none,
        none,
        b.getInt32(node),
        iteration,
        none,
        none};
    std::vector<const Type*> types;
    for (std::uint32_t k = 0; k < body.params; ++k) types.push_back(body.locals[k].type);
    const std::vector<std::uint64_t> offsets = argumentOffsets(types);
    for (std::uint32_t k = 0; k < body.params; ++k) {
        llvm::Value* place = at(made->getArg(2), offsets[k]);
        args.push_back(types[k]->isAggregate() ? place : m.load(b, types[k], place));
    }
    b.CreateCall(handler, args);
    b.CreateRetVoid();
    return made;
}

llvm::Constant* MessageTables::route(NodeId sender, NodeId receiver) {
    auto found = std::find_if(
        m.plan.routes.begin(), m.plan.routes.end(),
        [&](const plan::Route& r) { return r.sender == sender && r.receiver == receiver; });
    if (found == m.plan.routes.end()) return llvm::ConstantPointerNull::get(m.ptr());
    llvm::Constant*& made = routes[static_cast<std::size_t>(found - m.plan.routes.begin())];
    if (made) return made;
    auto number = [&](std::int64_t n) { return llvm::ConstantInt::getSigned(m.i64(), n); };
    const graph::Sdep::Table& sdep = found->sdep;
    const std::vector<std::uint64_t> firings(sdep.firings.begin(), sdep.firings.end());
    llvm::Constant* counts = llvm::ConstantDataArray::get(m.context, firings);
    auto* table = llvm::ConstantStruct::getAnon(
        {m.constantData(counts, "sdep"), number(sdep.transient), number(sdep.periodUp),
         number(sdep.periodDown), number(found->isDownstream ? 1 : 0)});
    return made = m.constantData(table, "route");
}

/// A `strc_recipient`.
llvm::Constant* MessageTables::recipient(NodeId sender, NodeId receiver, const ir::Send& send,
                                         base::SourceRange range) {
    const graph::Graph& graph = m.plan.program->graph;
    auto small = [&](std::uint64_t n) { return llvm::ConstantInt::get(m.i32(), n); };
    const int missed = m.site({base::Diag::MissedDeadline,
                               range,
                               {graph::path(graph, sender), graph::path(graph, receiver)},
                               1});
    return llvm::ConstantStruct::getAnon(
        {small(sender), small(receiver), small(m.plan.mailboxOf(sender)),
         small(m.plan.mailboxOf(receiver)), small(static_cast<std::uint64_t>(missed)),
         small(m.options.bound ? crowdedSite(receiver, range) : 0), route(sender, receiver),
         handlerEntry(receiver, send.handler)});
}

std::uint64_t MessageTables::crowdedSite(NodeId receiver, base::SourceRange range) {
    const int made =
        m.site({base::Diag::LimitExceeded,
                range,
                {fmt::format("what waits for '{}'", graph::path(m.plan.program->graph, receiver)),
                 fmt::format("{} messages ('--bound')", *m.options.bound)},
                0});
    return static_cast<std::uint64_t>(made);
}

llvm::Constant* MessageTables::bytes() {
    if (m.plan.mailboxes.empty()) return llvm::ConstantPointerNull::get(m.ptr());
    longestMessages.resize(m.plan.mailboxes.size(), UINT64_MAX);
    return m.constantData(llvm::ConstantDataArray::get(m.context, longestMessages),
                          "message_bytes");
}

Rows MessageTables::handlers() const {
    std::vector<llvm::Constant*> rows;
    for (const auto& [of, function] : handlerEntries) rows.push_back(function);
    return rowsOf(m, rows, "handlers");
}

std::vector<plan::Handler> MessageTables::handlerRows() const {
    std::vector<plan::Handler> rows;
    for (const auto& [of, function] : handlerEntries) rows.push_back({of.first, of.second});
    return rows;
}

void MessageTables::noteMessage(NodeId receiver, std::uint64_t bytes) {
    longestMessages.resize(m.plan.mailboxes.size(), UINT64_MAX);
    std::uint64_t& longest = longestMessages[m.plan.mailboxOf(receiver)];
    longest = longest == UINT64_MAX ? bytes : std::max(longest, bytes);
}

llvm::Constant* MessageTables::dispatch(const KernelFunctions& from, std::int32_t portal,
                                        const ir::Send& send, std::uint64_t bytes,
                                        base::SourceRange range) {
    const elab::Elaboration& elaboration = *m.plan.program;
    std::vector<llvm::Constant*> rows;
    for (NodeId sender = 0; sender < elaboration.graph.nodes.size(); ++sender) {
        const graph::KernelId kernel = elaboration.graph.nodes[sender].kernel;
        if (kernel == graph::kNone || &elaboration.kernels[kernel] != from.kernel) continue;
        for (NodeId receiver : elaboration.portals[static_cast<std::size_t>(portal)]) {
            rows.push_back(recipient(sender, receiver, send, range));
            noteMessage(receiver, bytes);
        }
    }
    llvm::Constant* list = llvm::ConstantPointerNull::get(m.ptr());
    if (!rows.empty()) {
        auto* type = llvm::ArrayType::get(rows[0]->getType(), rows.size());
        list = m.constantData(llvm::ConstantArray::get(type, rows), "recipients");
    }
    const int full = m.site({base::Diag::OutOfMemory, range, {"the messages on their way"}, 1});
    auto small = [&](std::uint64_t n) { return llvm::ConstantInt::get(m.i32(), n); };
    return m.constantData(llvm::ConstantStruct::getAnon({list, small(rows.size()), small(bytes),
                                                         small(static_cast<std::uint64_t>(full)),
                                                         small(send.bestEffort ? 1 : 0)}),
                          "dispatch");
}

void emitSend(BodyContext& c, const Instr& instr) {
    const ir::Send& send = c.body.sends[instr.index];
    std::size_t next = 1;
    llvm::Value* latency = c.b.getInt64(0);
    if (send.hasLatency) latency = c.b.CreateSExt(c.operand(instr, next++), c.m.i64());
    std::vector<const Type*> types;
    for (std::size_t k = next; k < instr.operands.size(); ++k)
        types.push_back(c.typeOf(instr.operands[k]));
    const std::vector<std::uint64_t> offsets = argumentOffsets(types);
    auto* memory = c.entry.CreateAlloca(llvm::ArrayType::get(c.m.i8(), offsets.back()));
    memory->setAlignment(llvm::Align(kArgumentAlignment));
    // What is saved of a stream has the bytes between arguments, too.
    c.b.CreateMemSet(memory, c.b.getInt8(0), offsets.back(), llvm::MaybeAlign(kArgumentAlignment));
    for (std::size_t k = 0; k < types.size(); ++k) {
        llvm::Value* place = c.b.CreateConstInBoundsGEP1_64(c.m.i8(), memory, offsets[k]);
        llvm::Value* argument = c.operand(instr, next + k);
        if (types[k]->isAggregate())
            c.b.CreateMemCpy(place, llvm::MaybeAlign(1), argument, llvm::MaybeAlign(1),
                             static_cast<std::uint64_t>(types::sizeOf(types[k])));
        else
            c.m.store(c.b, types[k], place, argument);
    }
    auto* portal = llvm::dyn_cast<llvm::ConstantInt>(c.operand(instr, 0));
    STRC_ASSERT(portal, "a portal is a constant of the kernel");
    llvm::Constant* what =
        c.m.messages.dispatch(c.kernel, static_cast<std::int32_t>(portal->getSExtValue()), send,
                              offsets.back(), instr.range);
    c.b.CreateCall(c.m.runtime("strc_send"),
                   {c.param(kEnv), c.param(kNode), what, latency, memory});
}

namespace {

llvm::Value* mailbox(ModuleBuilder& m, llvm::IRBuilder<>& b, llvm::Value* env,
                     std::uint32_t index) {
    llvm::Value* place = b.CreateConstInBoundsGEP1_64(m.i8(), env, offsetof(strc_env, mailboxes));
    return b.CreateConstInBoundsGEP1_64(m.i8(), b.CreateLoad(m.ptr(), place),
                                        index * sizeof(strc_mailbox));
}

}  // namespace

void emitDelivery(ModuleBuilder& m, llvm::IRBuilder<>& b, llvm::Value* env, llvm::Value* state,
                  NodeId node) {
    const std::uint32_t index = m.plan.mailboxOf(node);
    if (index == graph::kNone || !m.plan.mailboxes[index].receives) return;
    llvm::Value* box = mailbox(m, b, env, index);
    llvm::Value* due = b.CreateConstInBoundsGEP1_64(m.i8(), box, offsetof(strc_mailbox, due));
    llvm::Value* isDue = b.CreateICmpSLE(b.CreateLoad(m.i64(), due), b.CreateLoad(m.i64(), box));
    llvm::Function* function = b.GetInsertBlock()->getParent();
    auto* deliver = llvm::BasicBlock::Create(m.context, "deliver", function);
    auto* on = llvm::BasicBlock::Create(m.context, "on", function);
    b.CreateCondBr(isDue, deliver, on, llvm::MDBuilder(m.context).createUnlikelyBranchWeights());
    b.SetInsertPoint(deliver);
    b.CreateCall(m.runtime("strc_deliver"), {env, state, b.getInt32(index)});
    b.CreateBr(on);
    b.SetInsertPoint(on);
}

void emitFired(ModuleBuilder& m, llvm::IRBuilder<>& b, llvm::Value* env, NodeId node) {
    const std::uint32_t index = m.plan.mailboxOf(node);
    if (index == graph::kNone) return;
    llvm::Value* box = mailbox(m, b, env, index);
    b.CreateStore(b.CreateAdd(b.CreateLoad(m.i64(), box), b.getInt64(1)), box);
}

}  // namespace strc::codegen
