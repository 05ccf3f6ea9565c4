#include "eval/compiler.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "ir/scalarise.h"

namespace strc::eval {

Compiler::Compiler(Code& code, Function& function, const ir::Body& body, Linker& linker,
                   std::span<const std::int64_t> fieldOffsets)
    : code(code),
      function(function),
      body(body),
      linker(linker),
      fieldOffsets(fieldOffsets),
      analysis(body),
      out(function),
      locations(body.regs.size()),
      locals(body.locals.size()) {}

void Compiler::compile() {
    layOutFrame();
    out.markRange(body.range);
    prologue();
    block(body.entry, {});
    emitReturn(nullptr);
    out.finish();
    function.need =
        function.arrayBytes > kLargestFrame ? UINT64_MAX : function.slots + function.outgoing;
    function.weight = 1 + static_cast<std::uint32_t>(function.code.size() / 4);
}

void Compiler::layOutFrame() {
    std::uint64_t next = kHeader;
    auto isInFrame = [this](std::size_t k) {
        return k >= body.params && body.locals[k].type->isAggregate() &&
               types::isConcrete(body.locals[k].type);
    };
    for (std::size_t k = 0; k < locals.size(); ++k) {
        const Type* type = body.locals[k].type;
        if (isInFrame(k)) continue;
        locals[k].slot = static_cast<std::uint32_t>(next);
        if (type->isScalar())
            next += slotsOf(type);
        else
            next += k < body.params ? 1u : static_cast<std::uint32_t>(kExtents);
        if (k < body.params) function.paramSlots = static_cast<std::uint32_t>(next) - kHeader;
        if (!type->isAggregate() || types::isConcrete(type) || k < body.params) continue;
        hasDynamic = true;
        locals[k].extents = static_cast<std::uint32_t>(next);
        next += static_cast<std::uint32_t>(types::rank(type));
    }
    for (std::size_t k = 0; k < body.params;
         ++k) {  // behind all parameters: the caller sets none of these
        if (!body.locals[k].type->isAggregate() || types::isConcrete(body.locals[k].type)) continue;
        locals[k].extents = static_cast<std::uint32_t>(next);
        next += static_cast<std::uint32_t>(types::rank(body.locals[k].type));
        if (k == 0) function.resultExtents = locals[k].extents;
    }
    for (std::size_t k = 0; k < locals.size(); ++k) {
        if (!isInFrame(k)) continue;
        locals[k].offset = static_cast<std::int64_t>(next * 8);
        // Three of the largest would overflow; nothing that large ever runs.
        auto bytes = std::min(static_cast<std::uint64_t>(types::sizeOf(body.locals[k].type)),
                              std::uint64_t{1} << 40);
        function.arrayBytes += bytes;
        if (function.arrayBytes <= kLargestFrame) next += (bytes + 7) / 8;
    }
    out.beginRegisters(static_cast<std::uint32_t>(next));
}

void Compiler::prologue() {
    for (std::size_t k = body.params; k < locals.size(); ++k)
        if (locals[k].extents != 0)
            for (std::uint32_t part : {kAddress, kCapacity})
                out.op(Code32::Const, {locals[k].slot + part, 0});
    if (hasDynamic) out.op(Code32::ArenaMark, {arenaMark = out.take(1)});
    if (analysis.hasStrings()) out.op(Code32::StringMark, {stringMark = out.take(1)});
}

void Compiler::epilogue() {
    if (analysis.hasStrings()) out.op(Code32::StringRelease, {stringMark});
    if (hasDynamic) out.op(Code32::ArenaRelease, {arenaMark});
}

void Compiler::release(std::uint32_t at) {
    for (Reg reg : analysis.dying(at)) {
        Location& location = locations[reg];
        if (location.owned) out.give(location.slot, body.regs[reg].ref ? 1 : slotsOf(typeOf(reg)));
        location.owned = false;
    }
    for (auto [slot, count] : temporaries) out.give(slot, count);
    temporaries.clear();
}

std::uint32_t Compiler::temporary(std::uint32_t count) {
    std::uint32_t slot = out.take(count);
    temporaries.push_back({slot, count});
    return slot;
}

std::uint64_t Compiler::literalBits(const Value& value, int part) {
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

void Compiler::literalTo(std::uint32_t slot, const Value& value) {
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

void Compiler::constant(const Instr& instr) {
    if (!instr.value.type->isAggregate()) {
        locations[instr.result].kind = Location::Kind::Literal;
        locations[instr.result].literal = &instr.value;
        return;
    }
    sharedAddress(instr, instr.value.bytes.data());
}

/// Emits the address of constant memory that all instances share.
void Compiler::sharedAddress(const Instr& instr, const void* memory) {
    auto bits = reinterpret_cast<std::uint64_t>(memory);
    auto low = static_cast<std::uint32_t>(bits);
    auto high = static_cast<std::uint32_t>(bits >> 32);
    auto put = [&](std::uint32_t slot) { out.op(Code32::Const2, {slot, low, high}); };
    if (out.hasPreheader())
        setSlot(instr.result, out.hoist({std::uint64_t{1} << 32, bits}, 1, put));
    else
        put(destination(instr));
}

std::uint32_t Compiler::slotOf(Reg reg) {
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

std::optional<std::uint32_t> Compiler::immediate(Reg reg) const {
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

void Compiler::setSlot(Reg reg, std::uint32_t slot) {
    locations[reg] = {};
    locations[reg].kind = Location::Kind::Slot;
    locations[reg].slot = slot;
}

/// Where the callee expects the register, if it is only an argument and no other call comes before.
std::optional<std::uint32_t> Compiler::argumentSlot(Reg reg) const {
    const RegFacts& facts = analysis[reg];
    if (facts.uses != 1 || facts.user->op != Op::Call ||
        facts.user->callee.kind == ir::CalleeKind::Native)
        return std::nullopt;
    if (facts.useBlock != facts.block || facts.useBarriers != facts.barriers) return std::nullopt;
    std::uint32_t slot = kHeader;
    for (Reg operand : facts.user->operands) {
        if (operand == reg) break;
        slot += body.regs[operand].ref ? 1 : slotsOf(typeOf(operand));
    }
    return kOutgoing | slot;
}

// A result that is only stored into a local variable, or yielded, is computed in that variable's slot.
std::uint32_t Compiler::destination(const Instr& instr) {
    Reg result = instr.result;
    if (analysis[result].uses == 1 && current + 1 < instrs->size()) {
        const Instr& next = (*instrs)[current + 1];
        bool isStore = next.op == Op::Store && next.var.space == Space::Local &&
                       next.operands[0] == result && !next.type->is(TypeKind::String);
        bool isYield = next.op == Op::Yield && context->slot && next.operands[0] == result;
        if (isStore || isYield) {
            setSlot(result, isStore ? locals[next.var.index].slot : *context->slot);
            return locations[result].slot;
        }
    }
    if (auto slot = argumentSlot(result)) {
        setSlot(result, *slot);
        return *slot;
    }
    setSlot(result, out.take(body.regs[result].ref ? 1 : slotsOf(typeOf(result))));
    locations[result].owned = true;
    return locations[result].slot;
}

void Compiler::moveSlots(std::uint32_t to, std::uint32_t from, std::uint32_t count) {
    if (to == from) return;
    out.op(count == 2 ? Code32::Mov2 : Code32::Mov, {to, from});
}

void Compiler::moveTo(std::uint32_t slot, Reg reg) {
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

// ---- all functions of a Code

namespace {

class CodeLinker final : public Linker {
public:
    CodeLinker(Code& code, std::span<const std::int64_t> fieldOffsets)
        : code(code), fieldOffsets(fieldOffsets) {}

    std::uint32_t function(ir::Callee callee) override {
        auto fresh = static_cast<std::uint32_t>(bodies.size());
        auto [found, isNew] = numbers.try_emplace({callee.kind, callee.index}, fresh);
        if (isNew) bodies.push_back(&withoutVectors(body(callee)));
        return found->second;
    }

    const ir::Body& body(ir::Callee callee) override {
        if (callee.kind == ir::CalleeKind::Package) return code.module->functions[callee.index];
        return code.stream->functions[callee.index];
    }

    void compile(const ir::Body& main) {
        bodies.push_back(&withoutVectors(main));
        for (std::size_t k = 0; k < bodies.size(); ++k) {
            code.functions.emplace_back();
            code.functions.back().body = bodies[k];
            Compiler(code, code.functions.back(), *bodies[k], *this, fieldOffsets).compile();
        }
        for (const Function& function : code.functions) code.table.push_back(&function);
    }

private:
    const ir::Body& withoutVectors(const ir::Body& any) {
        if (!ir::hasVectors(any)) return any;
        return code.scalarised.emplace_back(ir::scalarise(*code.types, any));
    }

    Code& code;
    std::span<const std::int64_t> fieldOffsets;
    std::vector<const ir::Body*> bodies;
    std::map<std::pair<ir::CalleeKind, std::uint32_t>, std::uint32_t> numbers;
};

}  // namespace

void CodeDeleter::operator()(const Code* code) const { delete code; }

CodePtr compile(const ir::Module& module, const ir::StreamCode* stream, const ir::Body& body,
                types::TypeTable& types, std::span<const std::int64_t> fieldOffsets) {
    auto code = std::make_unique<Code>();
    code->module = &module;
    code->stream = stream;
    code->types = &types;
    CodeLinker(*code, fieldOffsets).compile(body);
    return CodePtr(code.release());
}

SourceRange Function::rangeAt(const std::uint32_t* at) const {
    auto word = static_cast<std::uint32_t>(at - code.data());
    auto found = std::upper_bound(
        ranges.begin(), ranges.end(), word,
        [](std::uint32_t w, const CodeRange& location) { return w < location.at; });
    return found == ranges.begin() ? body->range : std::prev(found)->range;
}

}  // namespace strc::eval
