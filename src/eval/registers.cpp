#include "eval/detail/registers.h"

#include <algorithm>
#include <cstring>

namespace strc::eval {

Registers::Registers(Code& code, const ir::Body& body, const Analysis& analysis, const Frame& frame,
                     const Cursor& cursor, Builder& out)
    : code(code),
      body(body),
      analysis(analysis),
      frame(frame),
      cursor(cursor),
      out(out),
      locations(body.regs.size()) {}

void Registers::release(std::uint32_t at) {
    for (Reg reg : analysis.dying(at)) {
        Location& location = locations[reg];
        if (location.owned) out.give(location.slot, slotsFor(reg));
        location.owned = false;
    }
    for (auto [slot, count] : temporaries) out.give(slot, count);
    temporaries.clear();
}

std::uint32_t Registers::temporary(std::uint32_t count) {
    std::uint32_t slot = out.take(count);
    temporaries.push_back({slot, count});
    return slot;
}

std::uint64_t Registers::literalBits(const Value& value, int part) {
    if (value.type->is(TypeKind::String)) {
        code.strings.push_back(value.bytes);
        Slot slot;
        slot.text = &code.strings.back();
        return slot.bits;
    }
    std::size_t from = static_cast<std::size_t>(part) * 8;
    std::uint64_t bits = 0;
    std::memcpy(&bits, value.bytes.data() + from,
                std::min<std::size_t>(8, value.bytes.size() - from));
    return bits;
}

void Registers::literalTo(std::uint32_t slot, const Value& value) {
    for (std::uint32_t part = 0; part < slotsOf(value.type); ++part) {
        std::uint64_t bits = literalBits(value, static_cast<int>(part));
        auto low = static_cast<std::uint32_t>(bits);
        auto high = static_cast<std::uint32_t>(bits >> 32);
        if (high == 0)
            out.op(Code32::Const, {slot + part, low});
        else
            out.op(Code32::Const2, {slot + part, low, high});
    }
}

void Registers::constant(const Instr& instr) {
    if (!instr.value.type->isAggregate()) {
        locations[instr.result].kind = Location::Kind::Literal;
        locations[instr.result].literal = &instr.value;
        return;
    }
    sharedAddress(instr, instr.value.bytes.data());
}

void Registers::sharedAddress(const Instr& instr, const void* memory) {
    auto bits = reinterpret_cast<std::uint64_t>(memory);
    auto low = static_cast<std::uint32_t>(bits);
    auto high = static_cast<std::uint32_t>(bits >> 32);
    auto put = [&](std::uint32_t slot) { out.op(Code32::Const2, {slot, low, high}); };
    if (out.hasPreheader())
        setSlot(instr.result, out.hoist({std::uint64_t{1} << 32, bits}, 1, put));
    else
        put(destination(instr));
}

std::uint32_t Registers::slotOf(Reg reg) {
    const Location& location = locations[reg];
    if (location.kind == Location::Kind::Slot) return location.slot;
    if (location.kind == Location::Kind::Sum || location.kind == Location::Kind::Product) {
        std::uint32_t slot = temporary();
        bool isProduct = location.kind == Location::Kind::Product;
        Code32 operation = isProduct            ? Code32::MulIK
                           : location.isLiteral ? Code32::AddIK
                                                : Code32::AddI;
        out.op(operation, {slot, location.slot, location.right});
        return slot;
    }
    STRC_ASSERT(location.kind == Location::Kind::Literal, "a register without a value");
    const Value& value = *location.literal;
    std::uint32_t count = slotsOf(value.type);
    if (!out.hasPreheader() || value.type->is(TypeKind::String)) {
        std::uint32_t slot = temporary(count);
        literalTo(slot, value);
        return slot;
    }
    std::uint64_t second = count == 2 ? literalBits(value, 1) : 0;
    return out.hoist({(std::uint64_t{count} << 32) | second, literalBits(value, 0)}, count,
                     [&](std::uint32_t slot) { literalTo(slot, value); });
}

std::optional<std::uint32_t> Registers::immediate(Reg reg) const {
    const Location& location = locations[reg];
    if (location.kind != Location::Kind::Literal) return std::nullopt;
    switch (location.literal->type->kind) {
        case TypeKind::Boolean:
        case TypeKind::Bit:
        case TypeKind::Char: return static_cast<std::uint8_t>(location.literal->bytes[0]);
        case TypeKind::Int:
        case TypeKind::Portal:
        case TypeKind::Float: return location.literal->as<std::uint32_t>();
        default: return std::nullopt;
    }
}

void Registers::setSlot(Reg reg, std::uint32_t slot) {
    locations[reg] = {};
    locations[reg].kind = Location::Kind::Slot;
    locations[reg].slot = slot;
}

/// Where the callee expects the register, if it is only an argument and no other call comes before.
std::optional<std::uint32_t> Registers::argumentSlot(Reg reg) const {
    const RegFacts& facts = analysis[reg];
    if (facts.uses != 1 || facts.user->op != Op::Call ||
        facts.user->callee.kind == ir::CalleeKind::Native)
        return std::nullopt;
    if (facts.useBlock != facts.block || facts.useBarriers != facts.barriers) return std::nullopt;
    std::uint32_t slot = kHeader;
    for (Reg operand : facts.user->operands) {
        if (operand == reg) break;
        slot += slotsFor(operand);
    }
    return kOutgoing | slot;
}

// A result that is only stored into a local variable, or yielded, is computed in that variable's slot.
std::uint32_t Registers::destination(const Instr& instr) {
    Reg result = instr.result;
    if (const Instr* behind = cursor.next(); analysis[result].uses == 1 && behind) {
        const Instr& next = *behind;
        bool isStore = next.op == Op::Store && next.var.space == Space::Local &&
                       next.operands[0] == result && !next.type->is(TypeKind::String);
        bool isYield = next.op == Op::Yield && cursor.yields().slot && next.operands[0] == result;
        if (isStore || isYield) {
            setSlot(result, isStore ? frame[next.var.index].slot : *cursor.yields().slot);
            return locations[result].slot;
        }
    }
    if (auto slot = argumentSlot(result)) {
        setSlot(result, *slot);
        return *slot;
    }
    setSlot(result, out.take(slotsFor(result)));
    locations[result].owned = true;
    return locations[result].slot;
}

void Registers::moveSlots(std::uint32_t to, std::uint32_t from, std::uint32_t count) {
    if (to == from) return;
    out.op(count == 2 ? Code32::Mov2 : Code32::Mov, {to, from});
}

void Registers::moveTo(std::uint32_t slot, Reg reg) {
    const Location& location = locations[reg];
    if (location.kind == Location::Kind::Literal) return literalTo(slot, *location.literal);
    if (body.regs[reg].ref) {
        Location ref = settle(refOf(reg));
        if (ref.offset == 0)
            moveSlots(slot, ref.slot, 1);
        else
            out.op(Code32::Lea, {slot, ref.slot, static_cast<std::uint32_t>(ref.offset)});
        return;
    }
    moveSlots(slot, slotOf(reg), slotsOf(typeOf(reg)));
}

std::uint32_t Registers::keptText(std::uint32_t slot) {
    std::uint32_t kept = temporary();
    out.op(Code32::Intern, {kept, slot});
    return kept;
}

// ---- addresses

Location Registers::refOf(Reg reg) const {
    Location location = locations[reg];
    if (location.kind == Location::Kind::Slot) {
        location.kind = Location::Kind::Ref;
        location.offset = 0;
    }
    STRC_ASSERT(location.kind == Location::Kind::Ref, "a register without an address");
    location.owned = false;
    return location;
}

std::uint32_t Registers::indexOf(const PendingElement& element) {
    if (element.form == PendingElement::Form::Plain) return element.index;
    std::uint32_t slot = temporary();
    bool isLiteral = element.form == PendingElement::Form::PlusLiteral;
    out.op(isLiteral ? Code32::AddIK : Code32::AddI, {slot, element.index, element.added});
    return slot;
}

/// Checks the first pending index; `to` is set to the address so far, without the offset.
void Registers::applyElement(Location& ref, std::uint32_t to) {
    const PendingElement& first = ref.elements[0];
    std::uint32_t index = indexOf(first);
    SourceRange whole = out.markRange(first.range);
    out.op(Code32::Elem, {to, ref.slot, index, first.extent, 0, first.stride});
    out.markRange(whole);
    ref.slot = to;
    ref.elements[0] = ref.elements[1];
    --ref.pending;
}

Location Registers::settle(Location ref) {
    while (ref.pending != 0) applyElement(ref, temporary());
    if (fitsWord(ref.offset)) return ref;
    std::uint32_t to = temporary();
    auto bits = static_cast<std::uint64_t>(ref.offset);
    out.op(Code32::Lea64, {to, ref.slot, static_cast<std::uint32_t>(bits),
                           static_cast<std::uint32_t>(bits >> 32)});
    ref.slot = to;
    ref.offset = 0;
    return ref;
}

Location Registers::settleFor(Location ref) {
    if (ref.pending == 0) return ref;
    std::uint32_t slot = out.take(1);
    while (ref.pending != 0) applyElement(ref, slot);
    ref.owned = true;
    return ref;
}

std::uint32_t Registers::addressOf(Reg reg) {
    Location ref = settle(refOf(reg));
    if (ref.offset == 0) return ref.slot;
    std::uint32_t to = temporary();
    out.op(Code32::Lea, {to, ref.slot, static_cast<std::uint32_t>(ref.offset)});
    return to;
}

std::optional<std::int64_t> Registers::literalInt(Reg reg) const {
    if (locations[reg].kind != Location::Kind::Literal) return std::nullopt;
    return locations[reg].literal->toInt();
}

}  // namespace strc::eval
