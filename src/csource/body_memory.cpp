// Scalars, variables, arrays, structs.
#include <fmt/format.h>

#include "base/assert.h"
#include "csource/body_printer.h"
#include "csource/literals.h"
#include "csource/scalars.h"
#include "ir/demands.h"

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

bool BodyPrinter::scalar(const Instr& instr) {
    if (instr.op >= Op::Add && instr.op <= Op::Not) {
        if (isIntType(instr.type) && (instr.op == Op::Div || instr.op == Op::Rem)) {
            define(instr, divided(instr));
            return true;
        }
        std::vector<Expr> operands;
        for (const Reg reg : instr.operands) operands.push_back(take(reg));
        if (instr.type->isVector() && operands.size() > 1)
            operands[1] = convert(source, typeOf(instr.operands[1]), instr.type, operands[1]);
        define(instr, arithmetic(source, instr, operands));
        return true;
    }
    if (instr.op >= Op::Shl && instr.op <= Op::Shr) {
        const Expr x = take(instr.operands[0]), y = take(instr.operands[1]);
        define(instr, arithmetic(source, instr, {x, y}));
        return true;
    }
    if (instr.op >= Op::Eq && instr.op <= Op::Ge) {
        const Expr x = take(instr.operands[0]), y = take(instr.operands[1]);
        define(instr, compare(source, instr, typeOf(instr.operands[0]), x, y));
        return true;
    }
    switch (instr.op) {
        case Op::Const: define(instr, constantOf(source, instr.value)); return true;
        case Op::Convert:
            define(instr,
                   convert(source, typeOf(instr.operands[0]), instr.type, take(instr.operands[0])));
            return true;
        case Op::Math: {
            std::vector<Expr> operands;
            for (const Reg reg : instr.operands) operands.push_back(take(reg));
            define(instr, math(source, instr, typeOf(instr.operands[0]), operands));
            return true;
        }
        case Op::Make: {
            Expr made;
            std::string parts;
            for (const Reg reg : instr.operands) {
                const Expr part = take(reg);
                parts += (parts.empty() ? "" : ", ") + part.text;
                inherit(made, part);
            }
            const std::string list = "{" + parts + "}";
            made.text = fmt::format("({}){}", source.types.name(instr.type),
                                    instr.type->is(TypeKind::Complex) ? list : "{" + list + "}");
            define(instr, std::move(made));
            return true;
        }
        case Op::Part: {
            const Type* type = typeOf(instr.operands[0]);
            const Expr whole = take(instr.operands[0]);
            Expr made = plain(within(whole, kPrimary) +
                              (type->is(TypeKind::Complex) ? (instr.index == 0 ? ".re" : ".im")
                                                           : fmt::format(".at[{}]", instr.index)));
            inherit(made, whole);
            define(instr, std::move(made));
            return true;
        }
        case Op::WithPart: {
            const Expr whole = take(instr.operands[0]), part = take(instr.operands[1]);
            const std::string name = names.take("t");
            lines.add(fmt::format("{} = {};", source.types.variable(instr.type, name), whole.text));
            lines.add(name +
                      (instr.type->is(TypeKind::Complex) ? (instr.index == 0 ? ".re" : ".im")
                                                         : fmt::format(".at[{}]", instr.index)) +
                      " = " + part.text + ";");
            Expr made = plain(name);
            made.isTrivial = true;
            if (left[instr.result] > 0) pending[instr.result] = std::move(made);
            return true;
        }
        default: return false;
    }
}

/// A quotient or remainder of ints.
Expr BodyPrinter::divided(const Instr& instr) {
    const Reg by = instr.operands[1];
    const bool isChecked = hasFault(instr);
    if (isChecked && !pending.at(by).isTrivial) hold(by, Expr(pending.at(by)));
    const Expr x = take(instr.operands[0]), y = take(by);
    if (isChecked)
        fault(within(y, kRelation) + " == 0", {base::Diag::DivisionByZero, instr.range, {}, 0}, "");
    return arithmetic(source, instr, {x, y});
}

bool BodyPrinter::memory(const Instr& instr) {
    switch (instr.op) {
        case Op::Load: load(instr); return true;
        case Op::Store: store(instr); return true;
        case Op::Addr: define(instr, refTo(instr.var)); return true;
        case Op::Extent: {
            const Type* type = declaredType(instr.var);
            for (std::uint32_t k = 0; k < instr.index; ++k) type = type->element;
            Expr made = plain(std::to_string(type->extent));
            made.isTrivial = true;
            made.range = {type->extent, type->extent};
            define(instr, std::move(made));
            return true;
        }
        case Op::Declare: declare(instr); return true;
        case Op::Elem: define(instr, element(instr)); return true;
        case Op::Member: {
            const Expr whole = take(instr.operands[0]);
            const auto& field = typeOf(instr.operands[0])->structure->fields[instr.index];
            Expr made = whole;
            made.text = (whole.pointer.empty() ? whole.text + "." : whole.pointer + "->") +
                        fieldName(field.name.text());
            made.pointer.clear();
            define(instr, std::move(made));
            return true;
        }
        case Op::LoadAt: {
            const Expr ref = take(instr.operands[0]);
            Expr made = plain(ref.text);
            inherit(made, ref);
            if (!ref.isConst) made.memory.push_back(ref.root);
            define(instr, std::move(made));
            return true;
        }
        case Op::StoreAt: {
            const Expr to = take(instr.operands[0]), value = take(instr.operands[1]);
            flushMemory(to.root);
            assign(to.text, value, "");
            return true;
        }
        case Op::Copy: copy(instr); return true;
        case Op::Zero: {
            const Expr to = take(instr.operands[0]);
            flushMemory(to.root);
            lines.add(fmt::format("memset({}, 0, sizeof({}));", addressOf(to, instr.type),
                                  source.types.variable(instr.type, "")));
            return true;
        }
        case Op::Contract: {
            std::vector<std::string> arrays;
            const ir::VarRef root = pending.at(instr.operands[0]).root;
            for (const Reg reg : instr.operands) arrays.push_back(take(reg).text);
            flushMemory(root);
            printContraction(lines, instr,
                             source.types.name(types::innermost(typeOf(instr.operands[0]))),
                             arrays);
            return true;
        }
        case Op::CheckExtent: {
            const Expr x = take(instr.operands[0]), y = take(instr.operands[1]);
            fault(fmt::format("{} != {}", within(x, kSum), within(y, kSum)),
                  {base::Diag::ArrayLength, instr.range, {"the array"}, 2}, x.text + ", " + y.text);
            return true;
        }
        case Op::Require: {
            const Expr holds = take(instr.operands[0]);
            --left[instr.operands[1]];
            const std::string subject = instr.flag ? instr.value.bytes : "'require'";
            fault("!" + within(holds, kUnary),
                  {base::Diag::TensorShape, instr.range, {subject, ir::demandText(body, instr)}, 0},
                  "");
            return true;
        }
        default: return false;
    }
}

const Type* BodyPrinter::declaredType(ir::VarRef var) const {
    switch (var.space) {
        case ir::Space::Local: return body.locals[var.index].type;
        case ir::Space::Field: return source.kernel.fieldTypes[var.index];
        case ir::Space::Constant: return source.kernel.constants[var.index].type;
        case ir::Space::Global: return source.program.module.globalValues[var.index].type;
        case ir::Space::Stored: return source.kernel.code.stored[var.index].type;
        case ir::Space::Input: return source.kernel.input;
        case ir::Space::Output: return source.kernel.output;
    }
    STRC_UNREACHABLE("space");
}

void BodyPrinter::load(const Instr& instr) {
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

void BodyPrinter::store(const Instr& instr) {
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
void BodyPrinter::assign(const std::string& to, const Expr& value, const std::string& declaration) {
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

Expr BodyPrinter::refTo(ir::VarRef var) {
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
        default: STRC_UNREACHABLE("a variable without memory");
    }
    made.isConst = true;
    return made;
}

Expr BodyPrinter::element(const Instr& instr) {
    const Reg at = instr.operands[1];
    const bool isChecked = hasFault(instr);
    const bool isRepeated = isChecked || left[instr.result] > 1;
    if (isRepeated && !pending.at(at).isTrivial && expressionDepth == 0)
        hold(at, Expr(pending.at(at)));
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

void BodyPrinter::copy(const Instr& instr) {
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
void BodyPrinter::declare(const Instr& instr) {
    const std::uint32_t local = instr.var.index;
    if (instr.var.space != ir::Space::Local || local < body.params) return;
    const Type* type = body.locals[local].type;
    flushMemory(instr.var);
    flushReaders(instr.var);
    const bool isNumber = type->isScalar() && !type->isVector() && !type->is(TypeKind::Complex);
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
