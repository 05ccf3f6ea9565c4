// Variables, addresses, elements, tapes.

#include "eval/compiler.h"

namespace strc::eval {
namespace {

/// One of the opcodes that differ in the number of bytes only.
Code32 bySize(std::uint32_t bytes, Code32 one, Code32 four, Code32 eight, Code32 other) {
    return bytes == 1 ? one : bytes == 4 ? four : bytes == 8 ? eight : other;
}

bool fitsWord(std::int64_t value) { return value >= 0 && value <= UINT32_MAX; }

/// Key of what a preheader computes once: an address, by its opcode and number.
std::pair<std::uint64_t, std::uint64_t> keyOf(Code32 operation, std::uint32_t index) {
    return {std::uint64_t{3} << 32, (static_cast<std::uint64_t>(operation) << 32) | index};
}

}  // namespace

// ---- variables

Code32 Compiler::addressCode(ir::VarRef var) {
    return var.space == Space::Field      ? Code32::FieldAddr
           : var.space == Space::Constant ? Code32::ConstantAddr
                                          : Code32::GlobalAddr;
}

/// The slot with the address of a field, constant or global that no frame knows, if it can be found in
/// front of the loop.
std::optional<std::uint32_t> Compiler::hoistedAddress(ir::VarRef var) {
    // While setup declares fields, those before them move; a static item sets globals.
    bool moves = (var.space == Space::Field && body.kind == ir::BodyKind::Setup) ||
                 (var.space == Space::Global && body.kind == ir::BodyKind::Static);
    if (moves || !out.hasPreheader()) return std::nullopt;
    Code32 operation = addressCode(var);
    return out.hoist(keyOf(operation, var.index), 1,
                     [&](std::uint32_t slot) { out.op(operation, {slot, var.index}); });
}

void Compiler::load(const Instr& instr) {
    loadVariable(instr);
    if (mayLackTensor(instr.var)) checkTensor(instr);
}

void Compiler::loadVariable(const Instr& instr) {
    const RegFacts& facts = analysis[instr.result];
    switch (instr.var.space) {
        case Space::Local: {
            std::uint32_t slot = locals[instr.var.index].slot;
            if (facts.alias)
                setSlot(instr.result, slot);
            else
                moveSlots(destination(instr), slot, slotsOf(instr.type));
            return;
        }
        case Space::Constant:
        case Space::Global: {
            bool isConstant = instr.var.space == Space::Constant;
            Code32 operation = isConstant ? Code32::ConstantLoad : Code32::GlobalLoad;
            if (isConstant && out.hasPreheader()) {
                setSlot(instr.result, out.hoist(keyOf(operation, instr.var.index),
                                                slotsOf(instr.type), [&](std::uint32_t slot) {
                                                    out.op(operation, {slot, instr.var.index});
                                                }));
                return;
            }
            out.op(operation, {destination(instr), instr.var.index});
            return;
        }
        case Space::Field: {
            Location ref = fieldRef(instr.var);
            loadFrom(ref, instr.type, destination(instr));
            return;
        }
        case Space::Stored:
        case Space::Input:
        case Space::Output: break;
    }
    STRC_UNREACHABLE("load of what is no scalar");
}

Location Compiler::fieldRef(ir::VarRef var) {
    Location ref;
    ref.kind = Location::Kind::Ref;
    if (var.index < fieldOffsets.size()) {
        ref.slot = kState;
        ref.offset = fieldOffsets[var.index];
        return ref;
    }
    if (auto slot = hoistedAddress(var)) {
        ref.slot = *slot;
        return ref;
    }
    ref.slot = temporary();
    out.op(Code32::FieldAddr, {ref.slot, var.index});
    return ref;
}

void Compiler::store(const Instr& instr) {
    Reg value = instr.operands[0];
    if (checksTensor(instr)) emitHost(instr);
    const Type* type = typeOf(value);
    if (instr.var.space == Space::Local && !type->is(TypeKind::String))
        return moveTo(locals[instr.var.index].slot, value);
    std::uint32_t slot = slotOf(value);
    if (type->is(TypeKind::String)) {  // it outlives the run, or the iteration, that made it
        std::uint32_t kept = temporary();
        out.op(Code32::Intern, {kept, slot});
        slot = kept;
    }
    switch (instr.var.space) {
        case Space::Local: return moveSlots(locals[instr.var.index].slot, slot, 1);
        case Space::Field: return storeTo(fieldRef(instr.var), type, slot);
        case Space::Global: out.op(Code32::GlobalStore, {slot, instr.var.index}); return;
        case Space::Constant:
        case Space::Stored:
        case Space::Input:
        case Space::Output: break;
    }
    STRC_UNREACHABLE("store to something that is not variable");
}

void Compiler::address(const Instr& instr) {
    Location& location = locations[instr.result];
    const ir::VarRef var = instr.var;
    if (var.space == Space::Local) {
        const Local& local = locals[var.index];
        if (local.offset < 0) {
            if (var.index < body.params || analysis[instr.result].alias)
                return setSlot(instr.result, local.slot);
            return moveSlots(destination(instr), local.slot + kAddress, 1);
        }
        location.kind = Location::Kind::Ref;
        location.slot = kFrame;
        location.offset = local.offset;
        return;
    }
    if (var.space == Space::Field && var.index < fieldOffsets.size()) {
        location = fieldRef(var);
        return;
    }
    if (var.space == Space::Stored)
        return sharedAddress(instr, code.stream->stored[var.index].bytes.get());
    if (auto slot = hoistedAddress(var)) return setSlot(instr.result, *slot);
    out.op(addressCode(var), {destination(instr), var.index});
}

void Compiler::extent(const Instr& instr) {
    ExtentSource source = extentSource(instr.var, instr.index);
    if (source.kind == ExtentSource::Kind::Slot) {
        if (analysis[instr.result].alias) return setSlot(instr.result, source.index);
        return moveSlots(destination(instr), source.index, 1);
    }
    std::uint32_t to = destination(instr);
    if (source.kind == ExtentSource::Kind::Literal)
        out.op(Code32::Const, {to, static_cast<std::uint32_t>(source.literal)});
    else
        out.op(Code32::Extent,
               {to, static_cast<std::uint32_t>(source.kind), source.index, source.dimension});
}

void Compiler::declare(const Instr& instr) {
    if (instr.var.space != Space::Local) return emitHost(instr);
    const Local& local = locals[instr.var.index];
    const Type* type = body.locals[instr.var.index].type;
    if (type->is(TypeKind::Tensor)) return declareTensor(instr);
    if (local.extents != 0) return emitHost(instr);
    if (local.offset >= 0) {
        if (instr.flag) return;
        Location ref;
        ref.slot = kFrame;
        ref.offset = local.offset;
        ref = settle(ref);
        std::int64_t bytes = types::sizeOf(type);
        charge(static_cast<std::uint64_t>(bytes));
        out.op(Code32::Zero, {ref.slot, static_cast<std::uint32_t>(ref.offset),
                              static_cast<std::uint32_t>(bytes)});
        return;
    }
    if (instr.var.index < body.params && type->isAggregate()) return;
    for (std::uint32_t part = 0; part < slotsOf(type); ++part)
        out.op(Code32::Const, {local.slot + part, 0});
}

/// A shape that is known makes zeros; else the variable has no value yet.
void Compiler::declareTensor(const Instr& instr) {
    const Type* type = body.locals[instr.var.index].type;
    std::vector<std::int64_t> dims;
    for (Reg operand : instr.operands) {
        const std::optional<std::int64_t> extent = literalInt(operand);
        dims.push_back(extent && *extent != ir::kOpenExtent ? *extent : types::kDynamic);
    }
    if (!dims.empty()) type = code.types->tensor(type->element, std::move(dims));
    tensorLocals[instr.var.index] = type;
    if (types::isConcrete(type)) return emitHost(instr);
    out.op(Code32::Const, {locals[instr.var.index].slot, 0});
}

const Type* Compiler::declaredTensor(ir::VarRef var) const {
    const auto found = tensorLocals.find(var.index);
    if (var.space == Space::Local && found != tensorLocals.end()) return found->second;
    return declaredType(var);
}

/// A tensor that nothing may have been stored to yet?
bool Compiler::mayLackTensor(ir::VarRef var) const {
    if (var.space == Space::Field) return declaredType(var)->is(TypeKind::Tensor);
    const auto found = tensorLocals.find(var.index);
    return var.space == Space::Local && found != tensorLocals.end() &&
           !types::isConcrete(found->second);
}

/// Traps unless what has been loaded is a tensor.
void Compiler::checkTensor(const Instr& instr) {
    HostOp op;
    op.instr = &instr;
    op.body = &body;
    op.operands.push_back({slotOf(instr.result), instr.type, false});
    op.result = temporary(2);
    out.op(Code32::Host, {static_cast<std::uint32_t>(code.hostOps.size())});
    code.hostOps.push_back(std::move(op));
}

/// Does the declaration of the variable say more than that it is a tensor?
bool Compiler::checksTensor(const Instr& instr) const {
    if (!typeOf(instr.operands[0])->is(TypeKind::Tensor)) return false;
    const Type* declared = declaredTensor(instr.var);
    return declared->element || declared->isRanked;
}

const Type* Compiler::declaredType(ir::VarRef var) const {
    switch (var.space) {
        case Space::Local: return body.locals[var.index].type;
        case Space::Field: return code.stream->fields[var.index].type;
        case Space::Constant: return code.stream->constants[var.index].type;
        case Space::Global: return code.module->globals[var.index].type;
        case Space::Stored: return code.stream->stored[var.index].type;
        case Space::Input: return code.stream->input;
        case Space::Output: return code.stream->output;
    }
    STRC_UNREACHABLE("space");
}

ExtentSource Compiler::extentSource(ir::VarRef var, std::uint32_t dimension) const {
    using Kind = ExtentSource::Kind;
    const Type* type = declaredType(var);
    for (std::uint32_t k = 0; k < dimension; ++k) type = type->element;
    if (type->extent != types::kDynamic) return {Kind::Literal, 0, dimension, type->extent};
    switch (var.space) {
        case Space::Local: return {Kind::Slot, locals[var.index].extents + dimension, 0, 0};
        case Space::Field: return {Kind::Field, var.index, dimension, 0};
        case Space::Constant: return {Kind::Constant, var.index, dimension, 0};
        case Space::Global: return {Kind::Global, var.index, dimension, 0};
        case Space::Stored: break;  // all extents are literals
        case Space::Input: return {Kind::Item, 0, dimension, 0};
        case Space::Output: return {Kind::Item, 1, dimension, 0};
    }
    STRC_UNREACHABLE("space");
}

// ---- addresses

Location Compiler::refOf(Reg reg) const {
    Location location = locations[reg];
    if (location.kind == Location::Kind::Slot) {
        location.kind = Location::Kind::Ref;
        location.offset = 0;
    }
    STRC_ASSERT(location.kind == Location::Kind::Ref, "a register without an address");
    location.owned = false;
    return location;
}

/// The slot with the whole index.
std::uint32_t Compiler::indexOf(const PendingElement& element) {
    if (element.form == PendingElement::Form::Plain) return element.index;
    std::uint32_t slot = temporary();
    bool isLiteral = element.form == PendingElement::Form::PlusLiteral;
    out.op(isLiteral ? Code32::AddIK : Code32::AddI, {slot, element.index, element.added});
    return slot;
}

/// Checks the first pending index; `to` is set to the address so far, without the offset.
void Compiler::applyElement(Location& ref, std::uint32_t to) {
    const PendingElement& first = ref.elements[0];
    std::uint32_t index = indexOf(first);
    SourceRange whole = out.markRange(first.range);
    out.op(Code32::Elem, {to, ref.slot, index, first.extent, 0, first.stride});
    out.markRange(whole);
    ref.slot = to;
    ref.elements[0] = ref.elements[1];
    --ref.pending;
}

Location Compiler::settle(Location ref) {
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

/// The same for a register that lives on: pending elements go to a slot of its own.
Location Compiler::settleFor(Location ref) {
    if (ref.pending == 0) return ref;
    std::uint32_t slot = out.take(1);
    while (ref.pending != 0) applyElement(ref, slot);
    ref.owned = true;
    return ref;
}

std::uint32_t Compiler::addressOf(Reg reg) {
    Location ref = settle(refOf(reg));
    if (ref.offset == 0) return ref.slot;
    std::uint32_t to = temporary();
    out.op(Code32::Lea, {to, ref.slot, static_cast<std::uint32_t>(ref.offset)});
    return to;
}

std::optional<std::int64_t> Compiler::literalInt(Reg reg) const {
    if (locations[reg].kind != Location::Kind::Literal) return std::nullopt;
    return locations[reg].literal->toInt();
}

void Compiler::element(const Instr& instr) {
    Location ref = refOf(instr.operands[0]);
    Reg index = instr.operands[1];
    auto extentValue = literalInt(instr.operands[2]);
    std::int64_t stride = types::sizeOf(instr.type);
    bool literal = extentValue && stride != types::kDynamic && fitsWord(stride);
    auto indexValue = literalInt(index);
    if (literal && indexValue && *indexValue >= 0 && *indexValue < *extentValue) {
        if (!analysis[instr.result].fused) ref = settleFor(ref);
        ref.offset += *indexValue * stride;
        locations[instr.result] = ref;
        return;
    }
    if (!literal) return dynamicElement(instr, ref);
    PendingElement step{0,
                        static_cast<std::uint32_t>(*extentValue),
                        static_cast<std::uint32_t>(stride),
                        PendingElement::Form::Plain,
                        0,
                        instr.range};
    if (const Location& location = locations[index]; location.kind == Location::Kind::Sum) {
        using Form = PendingElement::Form;
        step.index = location.slot;
        step.form = location.isLiteral ? Form::PlusLiteral : Form::PlusSlot;
        step.added = location.right;
    } else {
        step.index = slotOf(index);
    }
    if (analysis[instr.result].fused && !indexValue) {
        if (ref.pending == 2) ref = settleFor(ref);
        ref.elements[ref.pending++] = step;
        locations[instr.result] = ref;
        return;
    }
    ref = settle(ref);
    std::uint32_t checked = indexOf(step);
    out.op(Code32::Elem, {destination(instr), ref.slot, checked, step.extent,
                          static_cast<std::uint32_t>(ref.offset), step.stride});
}

void Compiler::dynamicElement(const Instr& instr, Location ref) {
    ref = settle(ref);
    std::uint32_t index = slotOf(instr.operands[1]);
    std::uint32_t extentSlot = slotOf(instr.operands[2]);
    std::int64_t stride = types::sizeOf(instr.type);
    auto offset = static_cast<std::uint32_t>(ref.offset);
    if (instr.operands.size() > 3) {
        std::uint32_t strideSlot = slotOf(instr.operands[3]);
        out.op(Code32::ElemVV,
               {destination(instr), ref.slot, index, extentSlot, offset, strideSlot});
    } else {
        STRC_ASSERT(fitsWord(stride), "an element of dynamic size without its stride");
        out.op(Code32::ElemV, {destination(instr), ref.slot, index, extentSlot, offset,
                               static_cast<std::uint32_t>(stride)});
    }
}

void Compiler::member(const Instr& instr) {
    Location ref = refOf(instr.operands[0]);
    ref = settleFor(ref);
    ref.offset += typeOf(instr.operands[0])->structure->fields[instr.index].offset;
    locations[instr.result] = ref;
}

// ---- access

namespace {

/// Loads and stores of elements, by what is added to the index and by size.
constexpr Code32 kElementCodes[2][3][3] = {
    {{Code32::StoreE1, Code32::StoreE4, Code32::StoreE8},
     {Code32::StoreE1A, Code32::StoreE4A, Code32::StoreE8A},
     {Code32::StoreE1S, Code32::StoreE4S, Code32::StoreE8S}},
    {{Code32::LoadE1, Code32::LoadE4, Code32::LoadE8},
     {Code32::LoadE1A, Code32::LoadE4A, Code32::LoadE8A},
     {Code32::LoadE1S, Code32::LoadE4S, Code32::LoadE8S}},
};
constexpr Code32 kRowElementCodes[2][3] = {
    {Code32::StoreEE1, Code32::StoreEE4, Code32::StoreEE8},
    {Code32::LoadEE1, Code32::LoadEE4, Code32::LoadEE8},
};

int sizeIndex(std::uint32_t size) { return size == 1 ? 0 : size == 4 ? 1 : 2; }

}  // namespace

/// An element of an array, or of a row, in one operation that checks its indices.
bool Compiler::accessElement(const Location& location, std::uint32_t size, std::uint32_t value,
                             bool isLoad) {
    if (location.pending == 0 || size > 8 || !fitsWord(location.offset)) return false;
    const PendingElement& last = location.elements[location.pending - 1];
    if (last.stride != size) return false;
    auto offset = static_cast<std::uint32_t>(location.offset);
    int kind = sizeIndex(size);
    SourceRange whole = out.markRange(last.range);
    if (location.pending == 2) {
        const PendingElement& outer = location.elements[0];
        std::uint32_t row = indexOf(outer), column = indexOf(last);
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

void Compiler::loadFrom(const Location& location, const Type* type, std::uint32_t to) {
    std::uint32_t size = memorySize(type);
    if (accessElement(location, size, to, true)) return;
    Location ref = settle(location);
    Code32 operation =
        size == 12 ? Code32::Load12
                   : bySize(size, Code32::Load1, Code32::Load4, Code32::Load8, Code32::Load16);
    out.op(operation, {to, ref.slot, static_cast<std::uint32_t>(ref.offset)});
}

void Compiler::storeTo(const Location& location, const Type* type, std::uint32_t from) {
    std::uint32_t size = memorySize(type);
    if (accessElement(location, size, from, false)) return;
    Location ref = settle(location);
    Code32 operation =
        size == 12 ? Code32::Store12
                   : bySize(size, Code32::Store1, Code32::Store4, Code32::Store8, Code32::Store16);
    out.op(operation, {from, ref.slot, static_cast<std::uint32_t>(ref.offset)});
}

void Compiler::access(const Instr& instr) {
    Location ref = refOf(instr.operands[0]);
    if (instr.op == Op::LoadAt) return loadFrom(ref, instr.type, destination(instr));
    Reg value = instr.operands[1];
    std::uint32_t from = slotOf(value);
    if (typeOf(value)->is(TypeKind::String)) {
        std::uint32_t kept = temporary();
        out.op(Code32::Intern, {kept, from});
        from = kept;
    }
    storeTo(ref, typeOf(value), from);
}

/// Only where there are many, so that small things stay quick.
void Compiler::charge(std::uint64_t bytes) {
    if (bytes >= kFewBytes)
        out.op(Code32::Tick, {static_cast<std::uint32_t>(bytes / kBytesPerStep)});
}

void Compiler::contract(const Instr& instr) {
    std::vector<std::uint32_t> words;
    for (std::size_t k = 0; k < 3 + ir::kMostAddends;
         ++k) {  // nobody looks at those that are not there
        const Location ref = settle(refOf(instr.operands[k < instr.operands.size() ? k : 0]));
        words.push_back(ref.slot);
        words.push_back(static_cast<std::uint32_t>(ref.offset));
    }
    words.push_back(static_cast<std::uint32_t>(function.products.size()));
    function.products.push_back(
        {ir::contractionOf(instr), typeOf(instr.operands[0])->element->kind});
    out.op(Code32::Contract, {words[0], words[1], words[2], words[3], words[4], words[5], words[6],
                              words[7], words[8], words[9], words[10]});
}

void Compiler::copyOrZero(const Instr& instr) {
    bool isCopy = instr.op == Op::Copy;
    std::size_t refs = isCopy ? 2 : 1;
    std::int64_t bytes = types::sizeOf(instr.type);
    bool dynamic = instr.operands.size() > refs;
    STRC_ASSERT(dynamic || bytes != types::kDynamic, "a copy of dynamic size without its size");
    Location to = settle(refOf(instr.operands[0]));
    Location from = isCopy ? settle(refOf(instr.operands[1])) : Location{};
    auto size = dynamic ? slotOf(instr.operands[refs]) : static_cast<std::uint32_t>(bytes);
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

void Compiler::tape(const Instr& instr) {
    if (instr.op == Op::Iter) {
        out.op(Code32::Iter, {destination(instr)});
        return;
    }
    std::uint32_t size = memorySize(instr.type);
    switch (instr.op) {
        case Op::Push: {
            std::uint32_t from = slotOf(instr.operands[0]);
            if (Code32 quick =
                    bySize(size, Code32::Push1, Code32::Push4, Code32::Push8, Code32::Count);
                quick != Code32::Count)
                out.op(quick, {from});
            else
                out.op(Code32::PushSlots, {from, size});
            return;
        }
        case Op::Pop: {
            std::uint32_t to = destination(instr);
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
        default: break;
    }
    Location ref = settle(refOf(instr.operands[0]));
    auto offset = static_cast<std::uint32_t>(ref.offset);
    charge(size);
    if (instr.op == Op::PushFrom)
        out.op(Code32::PushFrom, {ref.slot, offset, size});
    else if (instr.op == Op::PopInto)
        out.op(Code32::PopInto, {ref.slot, offset, size});
    else
        out.op(Code32::PeekInto, {ref.slot, offset, slotOf(instr.operands[1]), size});
}

void Compiler::peek(const Instr& instr, std::uint32_t size) {
    const Location& offset = locations[instr.operands[0]];
    if (size == 12 || size == 16) {
        std::uint32_t slot = slotOf(instr.operands[0]);
        out.op(Code32::PeekSlots, {destination(instr), slot, size});
        return;
    }
    if (auto literal = literalInt(instr.operands[0]); literal && *literal >= 0) {
        out.op(bySize(size, Code32::Peek1K, Code32::Peek4K, Code32::Peek8K, Code32::Count),
               {destination(instr), static_cast<std::uint32_t>(*literal)});
        return;
    }
    if (offset.kind != Location::Kind::Sum) {
        std::uint32_t slot = slotOf(instr.operands[0]);
        out.op(bySize(size, Code32::Peek1, Code32::Peek4, Code32::Peek8, Code32::Count),
               {destination(instr), slot});
        return;
    }
    Code32 operation =
        offset.isLiteral
            ? bySize(size, Code32::Peek1A, Code32::Peek4A, Code32::Peek8A, Code32::Count)
            : bySize(size, Code32::Peek1S, Code32::Peek4S, Code32::Peek8S, Code32::Count);
    out.op(operation, {destination(instr), offset.slot, offset.right});
}

}  // namespace strc::eval
