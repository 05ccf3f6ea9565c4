#pragma once
/// Items that come and go along channels, and tensors that others look at: what is printed, enqueued, or handed to native
/// functions. Private to tensor.

#include "tensor/detail/expansion_context.h"

namespace strc::tensor {

class ItemExpander {
public:
    explicit ItemExpander(ExpansionContext& context) : c(context), w(context.w) {}

    void take(const ir::Instr&);
    void discard(const ir::Instr&);
    void push(const ir::Instr&);
    /// To where only its memory counts.
    void handOut(const ir::Instr&);
    void callNative(const ir::Instr&);

private:
    /// Between memory of its own and an item that has several arrays.
    ir::Reg fieldFor(ir::VarRef item, const Type* structure, const Type* tensor);
    void copyElements(ir::Reg to, ir::Reg from, std::int64_t count);
    NodePtr inMemory(const ir::Instr&, std::size_t k);
    /// Memory for the result of a native function, which fills it.
    ir::Reg placeResult(const ir::Instr&, const Type*);

    ExpansionContext& c;
    ir::Writer& w;
};

}  // namespace strc::tensor
