// Scalars, variables, arrays, structs.
#include "csource/detail/body_memory.h"

#include <fmt/format.h>

#include "base/assert.h"
#include "csource/detail/literals.h"
#include "csource/detail/scalars.h"
#include "ir/demands.h"
#include "ir/rate_check.h"

namespace strc::csource {

using ir::Instr;
using ir::Op;
using types::TypeKind;

namespace {

bool isIntType(const Type* type) { return type->is(TypeKind::Int) || type->is(TypeKind::Long); }

std::string indexText(const Expr& index) { return index.bits.empty() ? index.text : index.bits; }

/// The address of what a ref leads to; an array is one.
std::string addressOf(const Expr& ref, const Type* type) {
    if (!ref.pointer.empty() && !type->is(TypeKind::Array)) return ref.pointer;
    return type->is(TypeKind::Array) ? ref.text : "&" + ref.text;
}

}  // namespace

bool BodyMemory::scalar(const Instr& instr) {
    const bool divides = instr.op == Op::Div || instr.op == Op::Rem;
    if (instr.op == Op::WithPart) {
        withPart(instr);
    } else if (divides && isIntType(instr.type)) {
        define(instr, divided(instr));
    } else if (isOperation(instr.op)) {
        std::vector<const Type*> types;
        for (const Reg reg : instr.operands) types.push_back(typeOf(reg));
        const std::vector<Expr> operands = takeAll(instr);
        define(instr, operation(source, instr, types, operands));
    } else {
        return false;
    }
    return true;
}

void BodyMemory::withPart(const Instr& instr) {
    const Expr whole = take(instr.operands[0]), part = take(instr.operands[1]);
    const std::string name = names.take("t");
    lines.add(fmt::format("{} = {};", source.types.variable(instr.type, name), whole.text));
    lines.add(fmt::format("{}{} = {};", name, partName(instr.type, instr.index), part.text));
    defineAs(instr, name);
}

/// A quotient or remainder of ints.
Expr BodyMemory::divided(const Instr& instr) {
    const Reg by = instr.operands[1];
    const bool isChecked = hasFault(instr);
    if (isChecked) holdUnlessTrivial(by);
    const Expr x = take(instr.operands[0]), y = take(by);
    if (isChecked)
        fault(within(y, kRelation) + " == 0", {base::Diag::DivisionByZero, instr.range, {}, 0}, "");
    return arithmetic(source, instr, {x, y});
}

bool BodyMemory::memory(const Instr& instr) {
    switch (instr.op) {
        case Op::Store: store(instr); return true;
        case Op::Declare: declare(instr); return true;
        case Op::Copy: copy(instr); return true;
        case Op::Zero: zero(instr); return true;
        case Op::Contract: contract(instr); return true;
        case Op::Check: checkRate(instr); return true;
        case Op::CheckExtent: checkExtent(instr); return true;
        case Op::Require: require(instr); return true;
        case Op::StoreAt: {
            const Expr to = take(instr.operands[0]), value = take(instr.operands[1]);
            flushMemory(to.root);
            assign(to.text, value, "");
            return true;
        }
        default: return access(instr);
    }
}

bool BodyMemory::access(const Instr& instr) {
    switch (instr.op) {
        case Op::Load: load(instr); return true;
        case Op::Addr: define(instr, refTo(instr.var)); return true;
        case Op::Elem: define(instr, element(instr)); return true;
        case Op::Member: define(instr, member(instr)); return true;
        case Op::LoadAt: define(instr, loadAt(instr)); return true;
        case Op::Extent: {
            const Type* type = declaredType(instr.var);
            for (std::uint32_t k = 0; k < instr.index; ++k) type = type->element;
            Expr made = plain(std::to_string(type->extent));
            made.isTrivial = true;
            made.range = {type->extent, type->extent};
            define(instr, std::move(made));
            return true;
        }
        default: return false;
    }
}

Expr BodyMemory::member(const Instr& instr) {
    Expr made = take(instr.operands[0]);
    const auto& field = typeOf(instr.operands[0])->structure->fields[instr.index];
    made.text = (made.pointer.empty() ? made.text + "." : made.pointer + "->") +
                fieldName(field.name.text());
    made.pointer.clear();
    return made;
}

Expr BodyMemory::loadAt(const Instr& instr) {
    const Expr ref = take(instr.operands[0]);
    Expr made = plain(ref.text);
    inherit(made, ref);
    if (!ref.isConst) made.memory.push_back(ref.root);
    return made;
}

void BodyMemory::zero(const Instr& instr) {
    const Expr to = take(instr.operands[0]);
    flushMemory(to.root);
    lines.add(fmt::format("memset({}, 0, sizeof({}));", addressOf(to, instr.type),
                          source.types.variable(instr.type, "")));
}

void BodyMemory::contract(const Instr& instr) {
    flushMemory(pending.at(instr.operands[0]).root);
    std::vector<std::string> arrays;
    for (const Expr& each : takeAll(instr)) arrays.push_back(each.text);
    auto factor = [&](std::size_t k) -> FactorText {
        const Type* element = types::innermost(typeOf(instr.operands[k]));
        return {source.types.name(element), widening(source, element)};
    };
    const Type* sum = types::innermost(typeOf(instr.operands[0]));
    printContraction(lines, instr, {source.types.name(sum), factor(1), factor(2)}, arrays);
}

void BodyMemory::checkExtent(const Instr& instr) {
    const Expr x = take(instr.operands[0]), y = take(instr.operands[1]);
    fault(fmt::format("{} != {}", within(x, kSum), within(y, kSum)),
          {base::Diag::ArrayLength, instr.range, {"the array"}, 2}, x.text + ", " + y.text);
}

void BodyMemory::checkRate(const Instr& instr) {
    const Expr holds = take(instr.operands[0]);
    const Expr limit = take(instr.operands[1]), reached = take(instr.operands[2]);
    ir::BrokenRate broken = ir::brokenBy(body.checks[instr.index]);
    fault("!" + within(holds, kUnary),
          {broken.id, instr.range, std::move(broken.words), broken.numbers},
          limit.text + ", " + reached.text);
}

void BodyMemory::require(const Instr& instr) {
    const Expr holds = take(instr.operands[0]);
    take(instr.operands[1]);
    const std::string subject = instr.flag ? instr.value.bytes : "'require'";
    const std::string text = ir::demandText(body, instr);
    fault("!" + within(holds, kUnary), {base::Diag::TensorShape, instr.range, {subject, text}, 0},
          "");
}

void BodyMemory::load(const Instr& instr) {
    const ir::VarRef var = instr.var;
    Expr made;
    made.isTrivial = true;
    if (var.space == ir::Space::Local) {
        made.text = localNames[var.index];
        made.reads.push_back(var);
        if (const auto found = known.find(var.index); found != known.end())
            made.range = found->second;
    } else if (var.space == ir::Space::Field) {
        made.text = "self->" + source.fields[var.index];
        made.reads.push_back(var);
    } else if (var.space == ir::Space::Constant) {
        const std::uint32_t slot = source.kernel.code.openSlot(var.index);
        if (slot == ir::kNone)
            made = constantOf(source, source.kernel.constants[var.index]);
        else
            made.text = "self->parameters." + source.parameters[slot];
    } else {
        made = constantOf(source, source.program.module.globalValues[var.index]);
    }
    define(instr, std::move(made));
}

void BodyMemory::store(const Instr& instr) {
    const Expr value = take(instr.operands[0]);
    flushReaders(instr.var);
    if (instr.var.space == ir::Space::Field)
        return assign("self->" + source.fields[instr.var.index], value, "");
    const std::uint32_t local = instr.var.index;
    const bool defines = places.isDefinedBy(instr);
    if (defines) localNames[local] = names.take(body.locals[local].name);
    const std::string& name = localNames[local];
    LastStore made{&instr, lines.size(), 0, defines, "", value.range};
    assign(name, value, defines ? source.types.variable(body.locals[local].type, name) : "");
    if (expressionDepth > 0) return;
    made.end = lines.size();
    made.statement = stepText;
    last = std::move(made);
}

/// `declaration`: of what is defined by it, or empty.
void BodyMemory::assign(const std::string& to, const Expr& value, const std::string& declaration) {
    if (!declaration.empty())
        stepText = declaration + " = " + value.text;
    else if (value.sign == 0 || value.head != to)
        stepText = to + " = " + value.text;
    else if (value.tail == "1" && (value.sign == '+' || value.sign == '-'))
        stepText = std::string(2, value.sign) + to;
    else
        stepText = fmt::format("{} {}= {}", to, value.sign, value.tail);
    if (expressionDepth == 0) lines.add(stepText + ";");
}

Expr BodyMemory::refTo(ir::VarRef var) {
    Expr made;
    made.isTrivial = true;
    made.root = var;
    const Type* type = declaredType(var);
    switch (var.space) {
        case ir::Space::Local:
            made.text = localNames[var.index];
            made.isConst = var.index < body.params && !function.writes[var.index];
            if (var.index < body.params && type->is(TypeKind::Struct)) {
                made.pointer = made.text;
                made.text = "(*" + made.text + ")";
            }
            return made;
        case ir::Space::Field: made.text = "self->" + source.fields[var.index]; return made;
        case ir::Space::Output: made.text = "out"; return made;
        case ir::Space::Input: made.text = "in"; break;
        case ir::Space::Constant:
            made.text = source.table(type, source.kernel.constants[var.index].bytes.data(),
                                     source.kernel.code.constants[var.index].name);
            break;
        case ir::Space::Global:
            made.text =
                source.table(type, source.program.module.globalValues[var.index].bytes.data(),
                             source.program.module.globals[var.index].name);
            break;
        case ir::Space::Stored: {
            const ir::StoredArray& array = source.kernel.code.stored[var.index];
            made.text =
                source.table(type, reinterpret_cast<const char*>(array.bytes.get()), array.name);
            break;
        }
    }
    made.isConst = true;
    return made;
}

Expr BodyMemory::element(const Instr& instr) {
    const Reg at = instr.operands[1];
    const bool isChecked = hasFault(instr);
    const bool isRepeated = isChecked || left[instr.result] > 1;
    if (isRepeated && expressionDepth == 0) holdUnlessTrivial(at);
    const Type* type = typeOf(instr.operands[0]);
    const Expr array = take(instr.operands[0]), index = take(at), extent = take(instr.operands[2]);
    if (isChecked)
        fault(fmt::format("{} >= {}", asUnsigned(index, typeOf(at), kSum),
                          asUnsigned(extent, typeOf(at), kSum)),
              {base::Diag::IndexOutOfRange, instr.range, {}, 2}, index.text + ", " + extent.text);
    Expr made = array;
    made.pointer.clear();
    made.isTrivial = array.isTrivial && index.isTrivial;
    inherit(made, index);
    if (type->element == instr.type) {
        made.text = fmt::format("{}[{}]", array.text, indexText(index));
        return made;
    }
    // One of equal parts.
    const Type* inner = instr.type->is(TypeKind::Array) ? instr.type : types::innermost(type);
    made.text = fmt::format("(({}{})({}))[{}]", array.isConst ? "const " : "",
                            source.types.variable(inner, "(*)"), array.text, indexText(index));
    return made;
}

void BodyMemory::copy(const Instr& instr) {
    const Expr to = take(instr.operands[0]), from = take(instr.operands[1]);
    flushMemory(to.root);
    const bool isSame = typeOf(instr.operands[0]) == typeOf(instr.operands[1]);
    if (instr.type->is(TypeKind::Struct) && isSame)
        return lines.add(to.text + " = " + from.text + ";");
    const bool isApart =
        to.root != from.root && to.root.index >= body.params && from.root.index >= body.params;
    lines.add(fmt::format("{}({}, {}, sizeof({}));", isApart ? "memcpy" : "memmove",
                          addressOf(to, typeOf(instr.operands[0])),
                          addressOf(from, typeOf(instr.operands[1])),
                          source.types.variable(instr.type, "")));
}

/// A life begins: all zero, or whatever it was.
void BodyMemory::declare(const Instr& instr) {
    const std::uint32_t local = instr.var.index;
    if (instr.var.space != ir::Space::Local || local < body.params) return;
    const Type* type = body.locals[local].type;
    flushMemory(instr.var);
    flushReaders(instr.var);
    const bool isNumber = type->isScalar() && !type->isFloatN() && !type->is(TypeKind::Complex);
    if (places.isDefinedBy(instr)) {
        localNames[local] = names.take(body.locals[local].name);
        const std::string start = instr.flag && !isNumber ? "" : isNumber ? " = 0" : " = {0}";
        return lines.add(source.types.variable(type, localNames[local]) + start + ";");
    }
    if (instr.flag) return;
    if (isNumber) return lines.add(localNames[local] + " = 0;");
    lines.add(fmt::format("memset({}{}, 0, sizeof {});", type->is(TypeKind::Array) ? "" : "&",
                          localNames[local], localNames[local]));
}

}  // namespace strc::csource
