#pragma once
/// Ring buffers (plan::Tapes::Ring) as code sees them.

#include "codegen/detail/module_builder.h"

namespace strc::codegen {

/// One ring. Items and cursors never overlap, and the code says so: a cursor may stay in a register from
/// one item to the next, as it would in a program with an array and two variables.
class Ring {
public:
    enum End : std::int64_t { Read = plan::kRingRead, Written = plan::kRingWritten };

    /// `channel` may be null: which one it is the header alone says.
    Ring(ModuleBuilder& m, llvm::IRBuilder<>& b, llvm::Value* header, std::int64_t itemSize,
         const plan::Channel* channel = nullptr)
        : m(m), b(b), header(header), size(itemSize), channel(channel) {}

    /// The place of the item `further` (i64) from an end.
    llvm::Value* item(End, llvm::Value* further);
    void advance(End, llvm::Value* items);

    /// The value of the item `further` (i64) from an end.
    llvm::Value* load(const Type*, End, llvm::Value* further);
    void store(const Type*, llvm::Value*);  ///< the next item written; does not advance
    void copyFrom(llvm::Value* memory);  ///< likewise
    void copyTo(llvm::Value* memory, llvm::Value* further);

    /// Calls `function(at, items)` for `items` places from an end on, which are up to two pieces; then the
    /// end advances.
    template <typename Call>
    void inPieces(End end, std::uint64_t items, Call call);

private:
    llvm::Value* cursor(End);
    llvm::Value* mask();
    llvm::Value* items();
    llvm::Value* fixed(std::int64_t offset);
    llvm::Value* at(std::int64_t offset) {
        return b.CreateConstInBoundsGEP1_64(m.i8(), header, static_cast<std::uint64_t>(offset));
    }
    llvm::Value* place(llvm::Value* index);
    void isCursor(llvm::Instruction*);
    void isItem();
    void mark(llvm::Instruction*, const char* self, const char* other);

    ModuleBuilder& m;
    llvm::IRBuilder<>& b;
    llvm::Value* header;
    std::int64_t size;
    const plan::Channel* channel;
};

template <typename Call>
void Ring::inPieces(End end, std::uint64_t items, Call call) {
    llvm::Function* function = b.GetInsertBlock()->getParent();
    llvm::Value* all = b.getInt64(items);
    llvm::Value* first = b.CreateAnd(cursor(end), mask());
    llvm::Value* capacity = b.CreateSub(b.CreateAdd(mask(), b.getInt64(1)), first);
    llvm::Value* now = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, capacity, all);
    call(place(first), now);
    auto* rest = llvm::BasicBlock::Create(m.context, "rest", function);
    auto* done = llvm::BasicBlock::Create(m.context, "done", function);
    b.CreateCondBr(b.CreateICmpULT(now, all), rest, done);
    b.SetInsertPoint(rest);
    call(place(b.getInt64(0)), b.CreateSub(all, now));
    b.CreateBr(done);
    b.SetInsertPoint(done);
    advance(end, all);
}

/// A step of a phase in a function of env and state. Of filters with code this is only where their rings
/// are: `header` of their edges.
class RingSteps {
public:
    RingSteps(ModuleBuilder& m, llvm::IRBuilder<>& b, llvm::Value* env, llvm::Value* state)
        : m(m), b(b), env(env), state(state) {}

    llvm::Value* header(graph::EdgeId);
    void transfer(const plan::Step&);  ///< Read and Write
    void builtin(const plan::Step&, std::uint32_t port);
    /// One firing of a splitter or joiner, as far as one of its many ports is concerned. What a duplicate
    /// splitter reads stays.
    void pass(const graph::Node&, std::size_t port);
    void drop(graph::EdgeId, std::int64_t items);

private:
    Ring ring(graph::EdgeId);
    const Type* typeOf(graph::EdgeId edge) const { return m.plan.program->graph.edges[edge].type; }
    void read(graph::EdgeId, std::uint32_t port, std::int64_t items);
    void write(graph::EdgeId, std::uint32_t port, std::int64_t items);
    void passItems(graph::EdgeId from, graph::EdgeId to, std::int64_t items);
    void copyItem(Ring& from, Ring& to, const Type*);

    ModuleBuilder& m;
    llvm::IRBuilder<>& b;
    llvm::Value *env, *state;
};

/// `body(iteration)` `count` times; at least once.
template <typename Body>
void emitLoop(llvm::IRBuilder<>& b, std::int64_t count, Body body) {
    if (count == 1) return body(b.getInt64(0));
    llvm::BasicBlock* before = b.GetInsertBlock();
    llvm::Function* function = before->getParent();
    auto* inside = llvm::BasicBlock::Create(b.getContext(), "round", function);
    b.CreateBr(inside);
    b.SetInsertPoint(inside);
    llvm::PHINode* iteration = b.CreatePHI(b.getInt64Ty(), 2);
    iteration->addIncoming(b.getInt64(0), before);
    body(iteration);
    llvm::Value* next = b.CreateNUWAdd(iteration, b.getInt64(1));
    iteration->addIncoming(next, b.GetInsertBlock());
    auto* after = llvm::BasicBlock::Create(b.getContext(), "after", function);
    b.CreateCondBr(b.CreateICmpULT(next, b.getInt64(static_cast<std::uint64_t>(count))), inside,
                   after);
    b.SetInsertPoint(after);
}

}  // namespace strc::codegen
