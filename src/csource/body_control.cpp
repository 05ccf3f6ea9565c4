// Functions and branches.
#include <algorithm>

#include <fmt/format.h>

#include "base/assert.h"
#include "csource/detail/body_printer.h"
#include "csource/detail/literals.h"
#include "csource/detail/scalars.h"

namespace strc::csource {

using ir::Instr;
using ir::Op;
using types::TypeKind;

namespace {

bool isNumber(const Type* type) {
    return type->isScalar() && !type->isFloatN() && !type->is(TypeKind::Complex);
}

bool returnsValue(const ir::Body& body) {
    return body.result && !body.result->is(TypeKind::Void) && !body.result->isAggregate();
}

}  // namespace

std::vector<std::string> BodyPrinter::parameters() {
    std::vector<std::string> all;
    if (function.usesSelf) all.push_back(source.own("handle") + " *self");
    if (function.usesInput) all.push_back("const " + source.own("in") + " *in");
    if (function.usesOutput) all.push_back(source.own("out") + " *out");
    if (!function.isFiring && function.countsPops) all.emplace_back("size_t *popped");
    if (!function.isFiring && function.countsPushes) all.emplace_back("size_t *pushed");
    for (std::uint32_t k = 0; k < body.params; ++k) {
        const Type* type = body.locals[k].type;
        localNames[k] = names.take(body.locals[k].name);
        const bool isConst = type->isAggregate() && !function.writes[k];
        const std::string called = type->is(TypeKind::Struct) ? "*" + localNames[k] : localNames[k];
        all.push_back((isConst ? "const " : "") + source.types.variable(type, called));
        if (!places.isUsed(k)) lines.add(fmt::format("(void){};", localNames[k]));
    }
    if (function.fails && returnsValue(body))
        all.push_back(source.types.name(body.result) + " *result");
    return all;
}

/// What is needed before its innermost block begins.
void BodyPrinter::defineHoisted() {
    if (function.isFiring && function.countsPops && !function.isInputStraight)
        lines.add("size_t popped = 0;");
    if (function.isFiring && function.countsPushes && !function.isOutputStraight)
        lines.add("size_t pushed = 0;");
    for (const std::uint32_t local : places.atTheBeginning()) {
        localNames[local] = names.take(body.locals[local].name);
        const Type* type = body.locals[local].type;
        lines.add(source.types.variable(type, localNames[local]) +
                  (isNumber(type) ? " = 0;" : " = {0};"));
    }
}

Definition BodyPrinter::print() {
    std::string list;
    for (const std::string& each : parameters()) list += (list.empty() ? "" : ", ") + each;
    defineHoisted();
    block(body.entry);
    if (!isOver) returnFrom(nullptr);
    const std::string type = function.fails       ? "int"
                             : returnsValue(body) ? source.types.name(body.result)
                                                  : "void";
    const std::string head =
        fmt::format("static {} {}({})", type, function.name, list.empty() ? "void" : list);
    return {head + ";\n", head + " {\n" + lines.text + "}\n"};
}

void BodyPrinter::block(ir::BlockId id) {
    isOver = false;
    yielded.reset();
    if (id == ir::kNone) return;
    for (const Instr& instr : body.blocks[id].instrs) {
        if (!function.liveness->isLive(instr)) continue;
        for (const std::uint32_t local : places.before(instr)) {
            localNames[local] = names.take(body.locals[local].name);
            const Type* type = body.locals[local].type;
            lines.add(source.types.variable(type, localNames[local]) +
                      (isNumber(type) ? " = 0;" : ";"));
        }
        instruction(instr);
        if (isOver) return;
    }
}

void BodyPrinter::instruction(const Instr& instr) {
    if (scalar(instr) || memory(instr) || tape(instr)) return;
    switch (instr.op) {
        case Op::If:
            if (instr.result != ir::kNone && isExpression(instr.blocks[0]) &&
                isExpression(instr.blocks[1]))
                return define(instr, conditional(instr));
            return ifStatement(instr);
        case Op::Loop: return loop(instr);
        case Op::Yield: yielded = take(instr.operands[0]); return;
        case Op::Break:
            lines.add("break;");
            isOver = true;
            return;
        case Op::Continue: return goOn();
        case Op::Return: return returnFrom(&instr);
        case Op::Call: return call(instr);
        default: STRC_UNREACHABLE("an operation that C source does not have");
    }
}

void BodyPrinter::goOn() {
    Around& around = loops.back();
    around.isLabelUsed = !around.label.empty();
    lines.add(around.label.empty() ? "continue;" : "goto " + around.label + ";");
    isOver = true;
}

/// At the end of a firing: as many as declared?
void BodyPrinter::checkCounts() {
    auto check = [&](bool isChecked, const char* counter, std::int64_t rate, base::Diag id) {
        if (!isChecked) return;
        fault(fmt::format("{} != {}", counter, rate), {id, body.header, rateWords(), 2},
              fmt::format("{}, (int64_t){}", rate, counter));
    };
    check(function.checksPushes, "pushed", function.rates.push.max, base::Diag::PushRateViolated);
    check(function.checksPops, "popped", function.rates.pop.max, base::Diag::PopRateViolated);
}

void BodyPrinter::returnFrom(const Instr* instr) {
    if (function.isFiring) checkCounts();
    const bool hasValue = returnsValue(body);
    // That the end of such a function is not reached is known, but not to C.
    std::string value = !hasValue || isNumber(body.result)
                            ? "0"
                            : fmt::format("({}){{0}}", source.types.name(body.result));
    if (instr && !instr->operands.empty()) value = take(instr->operands[0]).text;
    isOver = true;
    if (!function.fails) {
        if (hasValue) lines.add("return " + value + ";");
        if (!hasValue && instr) lines.add("return;");
        return;
    }
    if (hasValue) lines.add("*result = " + value + ";");
    lines.add("return 0;");
}

// ---- branches

void BodyPrinter::ifStatement(const Instr& instr) {
    const Expr condition = take(instr.operands[0]);
    flushBefore(instr);
    std::string result;
    if (instr.result != ir::kNone && left[instr.result] > 0) {
        result = names.take("t");
        lines.add(source.types.variable(typeOf(instr.result), result) + ";");
    }
    const auto& instrs = [&](ir::BlockId id) -> const std::vector<Instr>& {
        return body.blocks[id].instrs;
    };
    const bool hasElse = instr.blocks[1] != ir::kNone && !instrs(instr.blocks[1]).empty();
    lines.open(fmt::format("if ({})", condition.text));
    branch(instr.blocks[0], result);
    const bool isOverThen = isOver;
    isOver = false;
    if (hasElse)
        printElse(instr.blocks[1], result);
    else
        lines.close();
    isOver = isOverThen && isOver && hasElse;
    if (!result.empty()) defineAs(instr, result);
}

void BodyPrinter::branch(ir::BlockId id, const std::string& result) {
    names.enter();
    block(id);
    if (!isOver && yielded && !result.empty()) lines.add(result + " = " + yielded->text + ";");
    names.leave();
}

/// An `if` that is all of it stands behind the `else`.
void BodyPrinter::printElse(ir::BlockId id, const std::string& result) {
    const std::size_t end = lines.size();
    lines.close(" else {");
    ++lines.depth;
    const std::size_t begin = lines.size();
    branch(id, result);
    const std::string margin = lines.margin();
    std::string inside = lines.cut(begin);
    --lines.depth;
    const bool isOne = inside.compare(0, margin.size() + 4, margin + "if (") == 0 &&
                       inside.find("\n" + margin + "}\n") == inside.size() - margin.size() - 3;
    if (inside.empty()) {
        lines.cut(end);
        return lines.add("}");
    }
    if (!isOne) {
        lines.text += inside;
        return lines.add("}");
    }
    lines.text.resize(lines.text.size() - 2);  // "{\n"
    std::string dedented;
    for (std::size_t at = 0; at < inside.size();) {
        const std::size_t next = inside.find('\n', at) + 1;
        dedented += inside.substr(at + 4, next - at - 4);
        at = next;
    }
    lines.text += dedented.substr(margin.size() - 4);
}

/// Does nothing of it need a statement?
bool BodyPrinter::isExpression(ir::BlockId id) const {
    if (id == ir::kNone) return false;
    for (const Instr& instr : body.blocks[id].instrs) {
        if (!function.liveness->isLive(instr)) continue;
        if (hasFault(instr)) return false;
        const bool isBranch = instr.op == Op::If && instr.result != ir::kNone &&
                              isExpression(instr.blocks[0]) && isExpression(instr.blocks[1]);
        if (!isBranch && !isInExpressions(instr.op)) return false;
        const bool isTrivial = instr.op == Op::Const || instr.op == Op::Load ||
                               instr.op == Op::Addr || instr.op == Op::Member ||
                               instr.op == Op::Extent;
        if (instr.result != ir::kNone && !isTrivial && left[instr.result] > 1) return false;
    }
    return true;
}

Expr BodyPrinter::valueOf(ir::BlockId id) {
    ++expressionDepth;
    block(id);
    --expressionDepth;
    STRC_ASSERT(yielded, "a block without a value");
    return *yielded;
}

Expr BodyPrinter::conditional(const Instr& instr) {
    const Expr condition = take(instr.operands[0]);
    if (expressionDepth == 0) flush([](const Expr& each) { return each.isImpure; });
    const Expr first = valueOf(instr.blocks[0]), second = valueOf(instr.blocks[1]);
    const bool isTruth = instr.type && instr.type->is(TypeKind::Boolean);
    Expr made;
    auto side = [](const Expr& each) {
        return each.rank == kAnd || each.rank == kOr || each.rank < kOr ? "(" + each.text + ")"
                                                                        : each.text;
    };
    if (isTruth && second.text == "0")
        made = plain(fmt::format("{} && {}", side(condition), side(first)), kAnd);
    else if (isTruth && first.text == "1")
        made = plain(fmt::format("{} || {}", side(condition), side(second)), kOr);
    else
        made = plain(fmt::format("{} ? {} : {}", within(condition, kOr), within(first, kOr),
                                 within(second, kConditional)),
                     kConditional);
    inherit(made, condition);
    inherit(made, first);
    inherit(made, second);
    made.range = {std::min(first.range.min, second.range.min),
                  std::max(first.range.max, second.range.max)};
    return made;
}

Definition printFunction(Source& source, const Functions& functions, const Function& function) {
    return BodyPrinter(source, functions, function).print();
}

}  // namespace strc::csource
