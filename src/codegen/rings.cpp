// Tapes as ring buffers with cursors in memory: the plain way, which other lowerings are compared with.

#include "codegen/detail/rings.h"

#include "codegen/detail/tapes.h"

namespace strc::codegen {

using graph::EdgeId;

// ---------------------------------------------------------------- one ring

llvm::Value* Ring::cursor(End end) {
    auto* load = b.CreateLoad(m.i64(), at(end));
    isCursor(load);
    return load;
}

/// Of what never changes.
llvm::Value* Ring::fixed(std::int64_t offset) {
    auto* load = b.CreateLoad(m.i64(), at(offset));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(m.context, {}));
    return load;
}

llvm::Value* Ring::mask() {
    if (!channel) return fixed(plan::kRingMask);
    return b.getInt64(static_cast<std::uint64_t>(channel->capacity - 1));
}

llvm::Value* Ring::items() {
    llvm::Value* offset =
        channel
            ? b.getInt64(static_cast<std::uint64_t>(channel->offset - m.plan.ringOf(channel->edge)))
            : fixed(plan::kRingItems);
    return b.CreateInBoundsGEP(m.i8(), header, offset);
}

llvm::Value* Ring::place(llvm::Value* index) {
    auto* item = llvm::ArrayType::get(m.i8(), static_cast<std::uint64_t>(size));
    return b.CreateInBoundsGEP(item, items(), index);
}

llvm::Value* Ring::item(End end, llvm::Value* further) {
    return place(b.CreateAnd(b.CreateAdd(cursor(end), further), mask()));
}

void Ring::advance(End end, llvm::Value* items) {
    isCursor(b.CreateStore(b.CreateAdd(cursor(end), items), at(end)));
}

void Ring::mark(llvm::Instruction* made, const char* self, const char* other) {
    llvm::MDBuilder metadata(m.context);
    llvm::MDNode* domain = metadata.createAliasScopeDomain("rings");
    auto scope = [&](const char* name) {
        return llvm::MDNode::get(m.context, {metadata.createAliasScope(name, domain)});
    };
    made->setMetadata(llvm::LLVMContext::MD_alias_scope, scope(self));
    made->setMetadata(llvm::LLVMContext::MD_noalias, scope(other));
}

void Ring::isCursor(llvm::Instruction* made) { mark(made, "cursors", "items"); }
void Ring::isItem() { mark(&b.GetInsertBlock()->back(), "items", "cursors"); }

llvm::Value* Ring::load(const Type* type, End end, llvm::Value* further) {
    llvm::Value* value = m.load(b, type, item(end, further));
    auto* made = llvm::cast<llvm::Instruction>(value);
    if (auto* narrowed = llvm::dyn_cast<llvm::TruncInst>(made))
        made = llvm::cast<llvm::Instruction>(narrowed->getOperand(0));
    mark(made, "items", "cursors");
    return value;
}

void Ring::store(const Type* type, llvm::Value* value) {
    m.store(b, type, item(Written, b.getInt64(0)), value);
    isItem();
}

void Ring::copyFrom(llvm::Value* memory) {
    b.CreateMemCpy(item(Written, b.getInt64(0)), llvm::MaybeAlign(1), memory, llvm::MaybeAlign(1),
                   static_cast<std::uint64_t>(size));
}

void Ring::copyTo(llvm::Value* memory, llvm::Value* further) {
    b.CreateMemCpy(memory, llvm::MaybeAlign(1), item(Read, further), llvm::MaybeAlign(1),
                   static_cast<std::uint64_t>(size));
}

// ---------------------------------------------------------------- steps of phases

llvm::Value* RingSteps::header(EdgeId edge) {
    return b.CreateConstInBoundsGEP1_64(m.i8(), state,
                                        static_cast<std::uint64_t>(m.plan.ringOf(edge)));
}

Ring RingSteps::ring(EdgeId edge) {
    const plan::Channel& channel = m.plan.channels[edge];
    return {m, b, header(edge), channel.itemSize, &channel};
}

void RingSteps::read(EdgeId edge, std::uint32_t port, std::int64_t items) {
    ring(edge).inPieces(Ring::Written, static_cast<std::uint64_t>(items),
                        [&](llvm::Value* at, llvm::Value* some) {
                            b.CreateCall(m.runtime("strc_read"), {env, b.getInt32(port), at, some});
                        });
}

void RingSteps::write(EdgeId edge, std::uint32_t port, std::int64_t items) {
    ring(edge).inPieces(
        Ring::Read, static_cast<std::uint64_t>(items), [&](llvm::Value* at, llvm::Value* some) {
            b.CreateCall(m.runtime("strc_write"), {env, b.getInt32(port), at, some});
        });
}

void RingSteps::transfer(const plan::Step& step) {
    if (step.kind == plan::StepKind::Read)
        read(step.channel, step.port, step.count);
    else
        write(step.channel, step.port, step.count);
}

void RingSteps::builtin(const plan::Step& step, std::uint32_t port) {
    const graph::Node& node = m.plan.program->graph.nodes[step.node];
    switch (types::info(m.plan.program->kernels[node.kernel].builtin).role) {
        case types::BuiltinRole::Identity:
            return passItems(node.inputs[0], node.outputs[0], step.count);
        case types::BuiltinRole::Reader: return read(node.outputs[0], port, step.count);
        case types::BuiltinRole::Writer: return write(node.inputs[0], port, step.count);
        case types::BuiltinRole::Display: return drop(node.inputs[0], step.count);
    }
}

void RingSteps::passItems(EdgeId from, EdgeId to, std::int64_t items) {
    Ring source = ring(from), target = ring(to);
    emitLoop(b, items, [&](llvm::Value*) {
        copyItem(source, target, typeOf(from));
        drop(from, 1);
    });
}

void RingSteps::copyItem(Ring& from, Ring& to, const Type* type) {
    if (type->isScalar())
        to.store(type, from.load(type, Ring::Read, b.getInt64(0)));
    else
        to.copyFrom(from.item(Ring::Read, b.getInt64(0)));
    to.advance(Ring::Written, b.getInt64(1));
}

void RingSteps::drop(EdgeId edge, std::int64_t items) {
    ring(edge).advance(Ring::Read, b.getInt64(static_cast<std::uint64_t>(items)));
}

void RingSteps::pass(const graph::Node& node, std::size_t port) {
    if (node.kind == graph::NodeKind::Duplicate) {
        Ring source = ring(node.inputs[0]), target = ring(node.outputs[port]);
        return copyItem(source, target, typeOf(node.inputs[0]));
    }
    const bool splits = node.kind == graph::NodeKind::RoundRobinSplitter;
    if (node.weights[port] != 0)
        passItems(node.inputs[splits ? 0 : port], node.outputs[splits ? port : 0],
                  node.weights[port]);
}

// ---------------------------------------------------------------- bodies

namespace {

/// Of the input (kIn) or the output.
Ring ringOf(BodyContext& c, const Instr& instr, unsigned side) {
    return {c.m, c.b, c.param(side), types::sizeOf(instr.type)};
}

llvm::Value* furtherBy(BodyContext& c, llvm::Value* offset) {
    return offset ? c.b.CreateSExt(offset, c.m.i64()) : c.b.getInt64(0);
}

}  // namespace

bool emitRingTape(BodyContext& c, const Instr& instr) {
    switch (instr.op) {
        case Op::Pop:
        case Op::Peek: {
            llvm::Value* offset = instr.op == Op::Peek ? c.operand(instr, 0) : nullptr;
            inputIndex(c, instr, offset);  // its checks
            c.set(instr, ringOf(c, instr, kIn).load(instr.type, Ring::Read, furtherBy(c, offset)));
            break;
        }
        case Op::PopInto:
        case Op::PeekInto: {
            llvm::Value* offset = instr.op == Op::PeekInto ? c.operand(instr, 1) : nullptr;
            inputIndex(c, instr, offset);
            ringOf(c, instr, kIn).copyTo(c.operand(instr, 0), furtherBy(c, offset));
            break;
        }
        case Op::Discard: inputIndex(c, instr, nullptr); break;
        case Op::Push:
            outputIndex(c, instr);
            ringOf(c, instr, kOut).store(instr.type, c.operand(instr, 0));
            break;
        case Op::PushFrom:
            outputIndex(c, instr);
            ringOf(c, instr, kOut).copyFrom(c.operand(instr, 0));
            break;
        default: return false;
    }
    if (instr.op == Op::Push || instr.op == Op::PushFrom) {
        advanceCounter(c, c.pushed);
        ringOf(c, instr, kOut).advance(Ring::Written, c.b.getInt64(1));
    } else if (instr.op != Op::Peek && instr.op != Op::PeekInto) {
        advanceCounter(c, c.popped);
        ringOf(c, instr, kIn).advance(Ring::Read, c.b.getInt64(1));
    }
    return true;
}

}  // namespace strc::codegen
