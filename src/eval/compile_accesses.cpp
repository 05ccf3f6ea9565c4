#include "eval/detail/access_compiler.h"

namespace strc::eval {
namespace {

/// One of the opcodes that differ in the number of bytes only.
Code32 bySize(std::uint32_t bytes, Code32 one, Code32 four, Code32 eight, Code32 other) {
    return bytes == 1 ? one : bytes == 4 ? four : bytes == 8 ? eight : other;
}

/// Bytes of a scalar in memory as loads, stores and tapes distinguish them: 1, 4, 8, 12, 16.
std::uint32_t memorySize(const Type* type) {
    if (type->is(TypeKind::Tensor)) return sizeof(TensorHandle);
    return static_cast<std::uint32_t>(types::sizeOf(type));
}

}  // namespace

AccessCompiler::AccessCompiler(BodyState& state)
    : function(state.function),
      analysis(state.analysis),
      registers(state.registers),
      out(state.out) {}

void AccessCompiler::element(const Instr& instr) {
    Location ref = registers.refOf(instr.operands[0]);
    Reg index = instr.operands[1];
    auto extentValue = registers.literalInt(instr.operands[2]);
    std::int64_t stride = types::sizeOf(instr.type);
    bool literal = extentValue && stride != types::kDynamic && fitsWord(stride);
    auto indexValue = registers.literalInt(index);
    if (literal && indexValue && *indexValue >= 0 && *indexValue < *extentValue) {
        if (!analysis[instr.result].fused) ref = registers.settleFor(ref);
        ref.offset += *indexValue * stride;
        registers[instr.result] = ref;
        return;
    }
    if (!literal) return dynamicElement(instr, ref);
    PendingElement step{0,
                        static_cast<std::uint32_t>(*extentValue),
                        static_cast<std::uint32_t>(stride),
                        PendingElement::Form::Plain,
                        0,
                        instr.range};
    if (const Location& location = registers[index]; location.kind == Location::Kind::Sum) {
        using Form = PendingElement::Form;
        step.index = location.slot;
        step.form = location.isLiteral ? Form::PlusLiteral : Form::PlusSlot;
        step.added = location.right;
    } else {
        step.index = registers.slotOf(index);
    }
    if (analysis[instr.result].fused && !indexValue) {
        if (ref.pending == 2) ref = registers.settleFor(ref);
        ref.elements[ref.pending++] = step;
        registers[instr.result] = ref;
        return;
    }
    ref = registers.settle(ref);
    std::uint32_t checked = registers.indexOf(step);
    out.op(Code32::Elem, {registers.destination(instr), ref.slot, checked, step.extent,
                          static_cast<std::uint32_t>(ref.offset), step.stride});
}

void AccessCompiler::dynamicElement(const Instr& instr, Location ref) {
    ref = registers.settle(ref);
    std::uint32_t index = registers.slotOf(instr.operands[1]);
    std::uint32_t extentSlot = registers.slotOf(instr.operands[2]);
    std::int64_t stride = types::sizeOf(instr.type);
    auto offset = static_cast<std::uint32_t>(ref.offset);
    if (instr.operands.size() > 3) {
        std::uint32_t strideSlot = registers.slotOf(instr.operands[3]);
        out.op(Code32::ElemVV,
               {registers.destination(instr), ref.slot, index, extentSlot, offset, strideSlot});
    } else {
        STRC_ASSERT(fitsWord(stride), "an element of dynamic size without its stride");
        out.op(Code32::ElemV, {registers.destination(instr), ref.slot, index, extentSlot, offset,
                               static_cast<std::uint32_t>(stride)});
    }
}

void AccessCompiler::member(const Instr& instr) {
    Location ref = registers.refOf(instr.operands[0]);
    ref = registers.settleFor(ref);
    ref.offset += registers.typeOf(instr.operands[0])->structure->fields[instr.index].offset;
    registers[instr.result] = ref;
}

// ---- access

namespace {

/// Loads and stores of elements, by what is added to the index and by size.
constexpr Code32 kElementCodes[2][3][4] = {
    {{Code32::StoreE1, Code32::StoreE2, Code32::StoreE4, Code32::StoreE8},
     {Code32::StoreE1A, Code32::StoreE2A, Code32::StoreE4A, Code32::StoreE8A},
     {Code32::StoreE1S, Code32::StoreE2S, Code32::StoreE4S, Code32::StoreE8S}},
    {{Code32::LoadE1, Code32::LoadE2, Code32::LoadE4, Code32::LoadE8},
     {Code32::LoadE1A, Code32::LoadE2A, Code32::LoadE4A, Code32::LoadE8A},
     {Code32::LoadE1S, Code32::LoadE2S, Code32::LoadE4S, Code32::LoadE8S}},
};
constexpr Code32 kRowElementCodes[2][4] = {
    {Code32::StoreEE1, Code32::StoreEE2, Code32::StoreEE4, Code32::StoreEE8},
    {Code32::LoadEE1, Code32::LoadEE2, Code32::LoadEE4, Code32::LoadEE8},
};

int sizeIndex(std::uint32_t size) { return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3; }

}  // namespace

/// An element of an array, or of a row, in one operation that checks its indices.
bool AccessCompiler::accessElement(const Location& location, std::uint32_t size,
                                   std::uint32_t value, bool isLoad) {
    if (location.pending == 0 || size > 8 || !fitsWord(location.offset)) return false;
    const PendingElement& last = location.elements[location.pending - 1];
    if (last.stride != size) return false;
    auto offset = static_cast<std::uint32_t>(location.offset);
    int kind = sizeIndex(size);
    SourceRange whole = out.markRange(last.range);
    if (location.pending == 2) {
        const PendingElement& outer = location.elements[0];
        std::uint32_t row = registers.indexOf(outer), column = registers.indexOf(last);
        out.markRange(outer.range, last.range);
        out.op(kRowElementCodes[isLoad][kind], {value, location.slot, row, outer.extent,
                                                outer.stride, column, last.extent, offset});
        out.markRange(whole);
        return true;
    }
    Code32 operation = kElementCodes[isLoad][static_cast<int>(last.form)][kind];
    if (last.form == PendingElement::Form::Plain)
        out.op(operation, {value, location.slot, last.index, last.extent, offset});
    else
        out.op(operation, {value, location.slot, last.index, last.extent, offset, last.added});
    out.markRange(whole);
    return true;
}

void AccessCompiler::loadFrom(const Location& location, const Type* type, std::uint32_t to) {
    std::uint32_t size = memorySize(type);
    if (accessElement(location, size, to, true)) return;
    Location ref = registers.settle(location);
    Code32 operation =
        size == 2    ? Code32::Load2
        : size == 12 ? Code32::Load12
                     : bySize(size, Code32::Load1, Code32::Load4, Code32::Load8, Code32::Load16);
    out.op(operation, {to, ref.slot, static_cast<std::uint32_t>(ref.offset)});
}

void AccessCompiler::storeTo(const Location& location, const Type* type, std::uint32_t from) {
    std::uint32_t size = memorySize(type);
    if (accessElement(location, size, from, false)) return;
    Location ref = registers.settle(location);
    Code32 operation = size == 2    ? Code32::Store2
                       : size == 12 ? Code32::Store12
                                    : bySize(size, Code32::Store1, Code32::Store4, Code32::Store8,
                                             Code32::Store16);
    out.op(operation, {from, ref.slot, static_cast<std::uint32_t>(ref.offset)});
}

void AccessCompiler::access(const Instr& instr) {
    Location ref = registers.refOf(instr.operands[0]);
    if (instr.op == Op::LoadAt) return loadFrom(ref, instr.type, registers.destination(instr));
    Reg value = instr.operands[1];
    std::uint32_t from = registers.slotOf(value);
    if (registers.typeOf(value)->is(TypeKind::String)) from = registers.keptText(from);
    storeTo(ref, registers.typeOf(value), from);
}

void AccessCompiler::charge(std::uint64_t bytes) {
    if (bytes >= kFewBytes)
        out.op(Code32::Tick, {static_cast<std::uint32_t>(bytes / kBytesPerStep)});
}

void AccessCompiler::contract(const Instr& instr) {
    std::vector<std::uint32_t> words;
    for (std::size_t k = 0; k < 3 + ir::kMostAddends;
         ++k) {  // nobody looks at those that are not there
        const Location ref =
            registers.settle(registers.refOf(instr.operands[k < instr.operands.size() ? k : 0]));
        words.push_back(ref.slot);
        words.push_back(static_cast<std::uint32_t>(ref.offset));
    }
    words.push_back(static_cast<std::uint32_t>(function.products.size()));
    function.products.push_back({ir::contractionOf(instr),
                                 registers.typeOf(instr.operands[0])->element->kind,
                                 registers.typeOf(instr.operands[1])->element->kind,
                                 registers.typeOf(instr.operands[2])->element->kind});
    out.op(Code32::Contract, {words[0], words[1], words[2], words[3], words[4], words[5], words[6],
                              words[7], words[8], words[9], words[10]});
}

void AccessCompiler::copyOrZero(const Instr& instr) {
    bool isCopy = instr.op == Op::Copy;
    std::size_t refs = isCopy ? 2 : 1;
    std::int64_t bytes = types::sizeOf(instr.type);
    bool dynamic = instr.operands.size() > refs;
    STRC_ASSERT(dynamic || bytes != types::kDynamic, "a copy of dynamic size without its size");
    Location to = registers.settle(registers.refOf(instr.operands[0]));
    Location from = isCopy ? registers.settle(registers.refOf(instr.operands[1])) : Location{};
    auto size =
        dynamic ? registers.slotOf(instr.operands[refs]) : static_cast<std::uint32_t>(bytes);
    auto toOffset = static_cast<std::uint32_t>(to.offset),
         fromOffset = static_cast<std::uint32_t>(from.offset);
    if (!dynamic) charge(size);
    if (isCopy)
        out.op(dynamic ? Code32::CopyV : Code32::Copy,
               {to.slot, toOffset, from.slot, fromOffset, size});
    else
        out.op(dynamic ? Code32::ZeroV : Code32::Zero, {to.slot, toOffset, size});
}

// ---- tapes

void AccessCompiler::tape(const Instr& instr) {
    if (instr.op == Op::Iter) {
        out.op(Code32::Iter, {registers.destination(instr)});
        return;
    }
    std::uint32_t size = memorySize(instr.type);
    switch (instr.op) {
        case Op::Push: {
            std::uint32_t from = registers.slotOf(instr.operands[0]);
            if (Code32 quick =
                    bySize(size, Code32::Push1, Code32::Push4, Code32::Push8, Code32::Count);
                quick != Code32::Count)
                out.op(quick, {from});
            else
                out.op(Code32::PushSlots, {from, size});
            return;
        }
        case Op::Pop: {
            std::uint32_t to = registers.destination(instr);
            if (Code32 quick =
                    bySize(size, Code32::Pop1, Code32::Pop4, Code32::Pop8, Code32::Count);
                quick != Code32::Count)
                out.op(quick, {to});
            else
                out.op(Code32::PopSlots, {to, size});
            return;
        }
        case Op::Peek: peek(instr, size); return;
        case Op::Discard: out.op(Code32::Discard, {size}); return;
        case Op::DiscardMany: out.op(Code32::DiscardMany, {size, instr.index}); return;
        case Op::PushMany: out.op(Code32::PushMany, {size, instr.index}); return;
        default: break;
    }
    Location ref = registers.settle(registers.refOf(instr.operands[0]));
    auto offset = static_cast<std::uint32_t>(ref.offset);
    charge(size);
    if (instr.op == Op::PushFrom)
        out.op(Code32::PushFrom, {ref.slot, offset, size});
    else if (instr.op == Op::PopInto)
        out.op(Code32::PopInto, {ref.slot, offset, size});
    else
        out.op(Code32::PeekInto, {ref.slot, offset, registers.slotOf(instr.operands[1]), size});
}

void AccessCompiler::peek(const Instr& instr, std::uint32_t size) {
    const Location& offset = registers[instr.operands[0]];
    if (size == 12 || size == 16) {
        std::uint32_t slot = registers.slotOf(instr.operands[0]);
        out.op(Code32::PeekSlots, {registers.destination(instr), slot, size});
        return;
    }
    if (auto literal = registers.literalInt(instr.operands[0]); literal && *literal >= 0) {
        out.op(bySize(size, Code32::Peek1K, Code32::Peek4K, Code32::Peek8K, Code32::Count),
               {registers.destination(instr), static_cast<std::uint32_t>(*literal)});
        return;
    }
    if (offset.kind != Location::Kind::Sum) {
        std::uint32_t slot = registers.slotOf(instr.operands[0]);
        out.op(bySize(size, Code32::Peek1, Code32::Peek4, Code32::Peek8, Code32::Count),
               {registers.destination(instr), slot});
        return;
    }
    Code32 operation =
        offset.isLiteral
            ? bySize(size, Code32::Peek1A, Code32::Peek4A, Code32::Peek8A, Code32::Count)
            : bySize(size, Code32::Peek1S, Code32::Peek4S, Code32::Peek8S, Code32::Count);
    out.op(operation, {registers.destination(instr), offset.slot, offset.right});
}

}  // namespace strc::eval
