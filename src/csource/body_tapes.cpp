// Items, random numbers, calls.
#include "csource/detail/body_tapes.h"

#include <fmt/format.h>

#include "base/assert.h"
#include "csource/detail/scalars.h"

namespace strc::csource {

using ir::Instr;
using ir::Op;
using types::TypeKind;

bool BodyTapes::tape(const Instr& instr) {
    switch (instr.op) {
        case Op::Iter: define(instr, plain("(int32_t)self->iteration", kUnary)); return true;
        case Op::Pop: define(instr, item(instr, nullptr)); return true;
        case Op::Peek: peek(instr); return true;
        case Op::Discard: discard(instr); return true;
        case Op::DiscardMany: discardMany(instr); return true;
        case Op::PushMany: pushMany(instr); return true;
        case Op::PopInto:
        case Op::PeekInto: moveInto(instr); return true;
        case Op::Push:
        case Op::PushFrom: push(instr); return true;
        case Op::Random: random(instr); return true;
        default: return false;
    }
}

void BodyTapes::peek(const Instr& instr) {
    if (hasFault(instr)) holdUnlessTrivial(instr.operands[0]);
    const Expr offset = take(instr.operands[0]);
    define(instr, item(instr, &offset));
}

/// An item that is an array or a struct.
void BodyTapes::moveInto(const Instr& instr) {
    const bool isPeek = instr.op == Op::PeekInto;
    if (isPeek && hasFault(instr)) holdUnlessTrivial(instr.operands[1]);
    const Expr to = take(instr.operands[0]);
    const Expr offset = isPeek ? take(instr.operands[1]) : Expr();
    flushMemory(to.root);
    const Expr from = item(instr, isPeek ? &offset : nullptr);
    if (!typeOf(instr.operands[0])->is(TypeKind::Array))
        return lines.add(to.text + " = " + from.text + ";");
    lines.add(fmt::format("memcpy({}, &{}, sizeof({}));", to.text, from.text, source.own("in")));
}

void BodyTapes::checkItem(const Instr& instr, const Expr* offset, const std::string& counter) {
    if (!offset && function.checksPops)
        fault(fmt::format("{} >= {}", counter, function.rates.pop.max),
              {base::Diag::PopRateViolated, instr.range, rateWords(), 2},
              fmt::format("{}, (int64_t){} + 1", function.rates.pop.max, counter));
    if (!offset || !hasFault(instr)) return;
    const std::string at =
        function.isInputStraight ? std::to_string(popped) : "(int64_t)" + counter;
    const std::string sum = fmt::format("{} + {}", at, within(*offset, kProduct));
    fault(within(*offset, kRelation) + " < 0", {base::Diag::NegativePeek, instr.range, {}, 1},
          offset->text + ", 0");
    fault(fmt::format("{} >= {}", sum, function.rates.peek.max),
          {base::Diag::PeekRateViolated, instr.range, rateWords(), 2},
          fmt::format("{}, {} + 1", function.rates.peek.max, sum));
}

/// The next item, which moves on, or one further on.
Expr BodyTapes::item(const Instr& instr, const Expr* offset) {
    const std::string counter = function.isFiring ? "popped" : "(*popped)";
    const bool isStraight = function.isInputStraight;
    flush([&](const Expr& each) {
        return each.isImpure || (!offset && !isStraight && each.readsInput);
    });
    checkItem(instr, offset, counter);
    if (!offset) {
        Expr made =
            plain(isStraight ? fmt::format("in[{}]", popped++) : fmt::format("in[{}++]", counter));
        made.isImpure = !isStraight;
        made.isTrivial = isStraight;
        return made;
    }
    const Expr index = offset->bits.empty() ? *offset : plain(offset->bits, offset->bitsRank);
    const std::string summand = within(index, kProduct);
    Expr made;
    if (!isStraight)
        made.text = fmt::format("in[{} + {}]", counter, summand);
    else if (offset->range.min == offset->range.max)
        made.text = fmt::format("in[{}]", popped + offset->range.min);
    else
        made.text = popped == 0 ? fmt::format("in[{}]", index.text)
                                : fmt::format("in[{} + {}]", popped, summand);
    inherit(made, *offset);
    made.readsInput = !isStraight;
    return made;
}

void BodyTapes::discard(const Instr& instr) {
    if (function.isInputStraight) {
        ++popped;
        return;
    }
    if (!function.countsPops) return;
    const Expr skipped = item(instr, nullptr);
    lines.add(function.isFiring ? "++popped;" : "++*popped;");
}

void BodyTapes::discardMany(const Instr& instr) {
    if (function.isInputStraight) {
        popped += instr.index;
        return;
    }
    if (!function.countsPops) return;
    const std::string counter = function.isFiring ? "popped" : "*popped";
    flush([](const Expr& each) { return each.readsInput; });
    lines.add(fmt::format("{} += {};", counter, instr.index));
}

void BodyTapes::pushMany(const Instr& instr) {
    if (function.isOutputStraight) {
        pushed += instr.index;
        return;
    }
    if (function.countsPushes)
        lines.add(fmt::format("{} += {};", function.isFiring ? "pushed" : "*pushed", instr.index));
}

void BodyTapes::push(const Instr& instr) {
    const std::string counter = function.isFiring ? "pushed" : "(*pushed)";
    const Expr value = take(instr.operands[0]);
    if (function.checksPushes)
        fault(fmt::format("{} >= {}", counter, function.rates.push.max),
              {base::Diag::PushRateViolated, instr.range, rateWords(), 2},
              fmt::format("{}, (int64_t){} + 1", function.rates.push.max, counter));
    const std::string place = function.isOutputStraight ? fmt::format("out[{}]", pushed++)
                                                        : fmt::format("out[{}++]", counter);
    const Type* type = typeOf(instr.operands[0]);
    if (instr.op == Op::PushFrom && type->is(TypeKind::Array))
        return lines.add(
            fmt::format("memcpy(&{}, {}, sizeof({}));", place, value.text, source.own("out")));
    lines.add(fmt::format("{} = {};", place, value.text));
}

void BodyTapes::random(const Instr& instr) {
    flush([](const Expr& each) { return each.isImpure; });
    Expr made = plain(source.helpers.name(Helper::Random) + "(self)");
    made.isImpure = true;
    define(instr, std::move(made));
}

// ---- calls

std::string BodyTapes::argument(const Instr& instr, std::size_t k, const Function& called) {
    const Expr value = take(instr.operands[k]);
    const Type* given = typeOf(instr.operands[k]);
    const Type* wanted = called.body->locals[k].type;
    if (!wanted->isAggregate()) return value.text;
    if (wanted->is(TypeKind::Struct))
        return value.pointer.empty() ? "&" + value.text : value.pointer;
    const bool isConst = !called.writes[k];
    const bool isDeep = wanted->element->is(TypeKind::Array);
    if (given == wanted && !(isDeep && isConst && !value.isConst)) return value.text;
    return fmt::format("({}{}){}", isConst ? "const " : "", pointerTo(wanted), value.text);
}

/// What an array or a struct is as a parameter.
std::string BodyTapes::pointerTo(const Type* type) {
    if (type->is(TypeKind::Struct)) return source.types.name(type) + " *";
    if (type->element->is(TypeKind::Array)) return source.types.variable(type->element, "(*)");
    return source.types.name(type->element) + " *";
}

void BodyTapes::call(const Instr& instr) {
    flushForCall();
    if (!instr.callee.hasBody()) return callNative(instr);
    const Function& called = functions.of(instr.callee);
    std::vector<std::string> arguments;
    if (called.usesSelf) arguments.emplace_back("self");
    if (called.usesInput) arguments.emplace_back("in");
    if (called.usesOutput) arguments.emplace_back("out");
    if (called.countsPops) arguments.emplace_back(function.isFiring ? "&popped" : "popped");
    if (called.countsPushes) arguments.emplace_back(function.isFiring ? "&pushed" : "pushed");
    for (std::size_t k = 0; k < instr.operands.size(); ++k)
        arguments.push_back(argument(instr, k, called));
    const bool hasValue = instr.result != ir::kNone;
    std::string result;
    if (hasValue && called.fails) {
        result = names.take("t");
        lines.add(source.types.variable(instr.type, result) + ";");
        arguments.push_back("&" + result);
    }
    if (called.isRecursive) {
        const std::uint32_t limit = source.program.context.limits.callDepth;
        fault(fmt::format("self->depth >= {}u", limit),
              {base::Diag::StackOverflow, instr.range, {called.body->name}, 1},
              fmt::format("{}, 0", limit));
        lines.add("++self->depth;");
    }
    std::string list;
    for (const std::string& each : arguments) list += (list.empty() ? "" : ", ") + each;
    const std::string text = fmt::format("{}({})", called.name, list);
    const bool saysWho = source.program.instances && instr.index != ir::kNone;
    if (called.fails && saysWho)
        lines.add(fmt::format("if ({}) return {}(self, {});", text, source.own("fault_in"),
                              source.instance(instr.index)));
    else if (called.fails)
        lines.add(fmt::format("if ({}) return 1;", text));
    else if (hasValue && left[instr.result] > 0)
        hold(instr.result, plain(text));
    else
        lines.add(text + ";");
    if (called.isRecursive) lines.add("--self->depth;");
    if (!result.empty()) defineAs(instr, result);
}

/// A function of somebody else's in C, whose prototype is printed.
void BodyTapes::callNative(const Instr& instr) {
    const ir::Native& native = source.program.module.natives[instr.callee.index];
    std::string list;
    for (std::size_t k = 0; k < instr.operands.size(); ++k) {
        const Expr value = take(instr.operands[k]);
        const Type* type = typeOf(instr.operands[k]);
        const bool isStruct = type->is(TypeKind::Struct);
        std::string text =
            isStruct ? (value.pointer.empty() ? "&" + value.text : value.pointer) : value.text;
        if (value.isConst && type->isAggregate())  // it only looks at it, but does not say so
            text = fmt::format("({}){}", pointerTo(type), text);
        list += (list.empty() ? "" : ", ") + text;
    }
    const std::string text = fmt::format("{}({})", source.native(native), list);
    if (instr.result == ir::kNone || left[instr.result] == 0) return lines.add(text + ";");
    const bool isTruth = native.result->is(TypeKind::Boolean) || native.result->is(TypeKind::Bit);
    hold(instr.result, isTruth ? plain(text + " != 0", kEquality) : plain(text));
}

}  // namespace strc::csource
