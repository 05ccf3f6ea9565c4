// Functions, branches, loops.
#include <algorithm>

#include <fmt/format.h>

#include "base/assert.h"
#include "csource/body_printer.h"
#include "csource/literals.h"
#include "csource/scalars.h"

namespace strc::csource {

using ir::Instr;
using ir::Op;
using types::TypeKind;

BodyPrinter::BodyPrinter(Source& shared, const Functions& all, const Function& wanted)
    : source(shared),
      functions(all),
      function(wanted),
      body(*wanted.body),
      places(body, *wanted.liveness),
      localNames(body.locals.size()),
      left(body.regs.size()),
      ranges(body.regs.size()) {
    for (Reg reg = 0; reg < left.size(); ++reg) left[reg] = function.liveness->uses(reg);
}

namespace {

bool returnsValue(const ir::Body& body) {
    return body.result && !body.result->is(TypeKind::Void) && !body.result->isAggregate();
}

}  // namespace

Definition BodyPrinter::print() {
    std::vector<std::string> parameters;
    if (function.usesSelf) parameters.push_back(source.own("handle") + " *self");
    if (function.usesInput) parameters.push_back("const " + source.own("in") + " *in");
    if (function.usesOutput) parameters.push_back(source.own("out") + " *out");
    if (!function.isFiring && function.countsPops) parameters.emplace_back("size_t *popped");
    if (!function.isFiring && function.countsPushes) parameters.emplace_back("size_t *pushed");
    for (std::uint32_t k = 0; k < body.params; ++k) {
        const Type* type = body.locals[k].type;
        localNames[k] = names.take(body.locals[k].name);
        const bool isConst = type->isAggregate() && !function.writes[k];
        const std::string called = type->is(TypeKind::Struct) ? "*" + localNames[k] : localNames[k];
        parameters.push_back((isConst ? "const " : "") + source.types.variable(type, called));
        if (!places.isUsed(k)) lines.add(fmt::format("(void){};", localNames[k]));
    }
    if (function.fails && returnsValue(body))
        parameters.push_back(source.types.name(body.result) + " *result");
    if (function.isFiring && function.countsPops && !function.isInputStraight)
        lines.add("size_t popped = 0;");
    if (function.isFiring && function.countsPushes && !function.isOutputStraight)
        lines.add("size_t pushed = 0;");
    for (const std::uint32_t local : places.atTheBeginning()) {
        localNames[local] = names.take(body.locals[local].name);
        const Type* type = body.locals[local].type;
        lines.add(source.types.variable(type, localNames[local]) +
                  (type->isAggregate() || type->isVector() || type->is(TypeKind::Complex)
                       ? " = {0};"
                       : " = 0;"));
    }
    block(body.entry);
    if (!isOver) returnFrom(nullptr);
    std::string list;
    for (const std::string& each : parameters) list += (list.empty() ? "" : ", ") + each;
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
            const bool isNumber =
                type->isScalar() && !type->isVector() && !type->is(TypeKind::Complex);
            lines.add(source.types.variable(type, localNames[local]) + (isNumber ? " = 0;" : ";"));
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
        case Op::Continue: {
            Around& around = loops.back();
            around.isLabelUsed = !around.label.empty();
            lines.add(around.label.empty() ? "continue;" : "goto " + around.label + ";");
            isOver = true;
            return;
        }
        case Op::Return: return returnFrom(&instr);
        case Op::Call: return call(instr);
        default: STRC_UNREACHABLE("an operation that C source does not have");
    }
}

void BodyPrinter::returnFrom(const Instr* instr) {
    if (function.isFiring) {
        auto check = [&](bool isChecked, const char* counter, std::int64_t rate, base::Diag id) {
            if (!isChecked) return;
            fault(fmt::format("{} != {}", counter, rate), {id, body.header, rateWords(), 2},
                  fmt::format("{}, (int64_t){}", rate, counter));
        };
        check(function.checksPushes, "pushed", function.rates.push.max,
              base::Diag::PushRateViolated);
        check(function.checksPops, "popped", function.rates.pop.max, base::Diag::PopRateViolated);
    }
    const bool hasValue = returnsValue(body);
    // That the end of such a function is not reached is known, but not to C.
    const std::string value =
        instr && !instr->operands.empty() ? take(instr->operands[0]).text
        : body.result && (body.result->isVector() || body.result->is(TypeKind::Complex))
            ? fmt::format("({}){{0}}", hasValue ? source.types.name(body.result) : "")
            : "0";
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
    if (result.empty()) return;
    Expr made = plain(result);
    made.isTrivial = true;
    pending[instr.result] = std::move(made);
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

namespace {

bool isInExpressions(const Instr& instr) {
    switch (instr.op) {
        case Op::Const:
        case Op::Load:
        case Op::Addr:
        case Op::Extent:
        case Op::Elem:
        case Op::Member:
        case Op::LoadAt:
        case Op::Convert:
        case Op::Math:
        case Op::Make:
        case Op::Part:
        case Op::Peek:
        case Op::Iter:
        case Op::Yield: return true;
        default: return instr.op >= Op::Add && instr.op <= Op::Ge;
    }
}

}  // namespace

/// Does nothing of it need a statement?
bool BodyPrinter::isExpression(ir::BlockId id) const {
    if (id == ir::kNone) return false;
    for (const Instr& instr : body.blocks[id].instrs) {
        if (!function.liveness->isLive(instr)) continue;
        if (hasFault(instr)) return false;
        const bool isBranch = instr.op == Op::If && instr.result != ir::kNone &&
                              isExpression(instr.blocks[0]) && isExpression(instr.blocks[1]);
        if (!isBranch && !isInExpressions(instr)) return false;
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

// ---- loops

void BodyPrinter::loop(const Instr& instr) {
    flushBefore(instr);
    const bool isSimple = isExpression(instr.blocks[0]);
    if (instr.flag)
        isSimple&& instr.blocks[2] == ir::kNone ? doWhile(instr) : endlessLoop(instr);
    else
        isSimple&& isSimpleStep(instr.blocks[2]) ? countedLoop(instr) : endlessLoop(instr);
    isOver = false;
}

/// Nothing, or one assignment.
bool BodyPrinter::isSimpleStep(ir::BlockId id) const {
    if (id == ir::kNone) return true;
    const std::vector<Instr>& instrs = body.blocks[id].instrs;
    int stores = 0;
    for (const Instr& instr : instrs) {
        if (!function.liveness->isLive(instr)) continue;
        if (hasFault(instr)) return false;
        if (instr.op == Op::Store && instr.var.space == ir::Space::Local &&
            !places.isDefinedBy(instr)) {
            ++stores;
            continue;
        }
        if (!isInExpressions(instr) || stores > 0) return false;
        const bool isTrivial = instr.op == Op::Const || instr.op == Op::Load;
        if (instr.result != ir::kNone && !isTrivial && left[instr.result] > 1) return false;
    }
    return stores <= 1;
}

namespace {

/// The store of a block, or null.
const Instr* storeOf(const ir::Body& body, ir::BlockId id) {
    if (id == ir::kNone || body.blocks[id].instrs.empty()) return nullptr;
    for (const Instr& instr : body.blocks[id].instrs)
        if (instr.op == Op::Store) return &instr;
    return nullptr;
}

const Instr* definitionIn(const ir::Body& body, ir::BlockId id, ir::Reg reg) {
    for (const Instr& instr : body.blocks[id].instrs)
        if (instr.result == reg) return &instr;
    return nullptr;
}

bool isLoadOf(const Instr* instr, ir::VarRef var) {
    return instr && instr->op == Op::Load && instr->var == var;
}

}  // namespace

/// `for (i = 0; i < n; ++i)`: what the counter can be inside.
void BodyPrinter::learnRange(const Instr& instr, std::uint32_t counter, ir::Range first) {
    const ir::VarRef var{ir::Space::Local, counter};
    if (!body.locals[counter].type->is(TypeKind::Int)) return;
    if (places.isStoredIn(counter, instr.blocks[1])) return;
    const std::vector<Instr>& test = body.blocks[instr.blocks[0]].instrs;
    const Instr* compared = definitionIn(body, instr.blocks[0], test.back().operands[0]);
    if (!compared || compared->operands.size() != 2 ||
        !isLoadOf(definitionIn(body, instr.blocks[0], compared->operands[0]), var))
        return;
    const Instr* step = storeOf(body, instr.blocks[2]);
    const Instr* sum = definitionIn(body, instr.blocks[2], step->operands[0]);
    if (!sum || (sum->op != Op::Add && sum->op != Op::Sub)) return;
    if (!isLoadOf(definitionIn(body, instr.blocks[2], sum->operands[0]), var)) return;
    const Instr* by = definitionIn(body, instr.blocks[2], sum->operands[1]);
    if (!by || by->op != Op::Const) return;
    const std::int64_t moves = sum->op == Op::Add ? by->value.toInt() : -by->value.toInt();
    const ir::Range limit = ranges[compared->operands[1]];
    ir::Range range;
    if (moves > 0 && (compared->op == Op::Lt || compared->op == Op::Le))
        range = {first.min, limit.max - (compared->op == Op::Lt ? 1 : 0)};
    else if (moves < 0 && (compared->op == Op::Gt || compared->op == Op::Ge))
        range = {limit.min + (compared->op == Op::Gt ? 1 : 0), first.max};
    else
        return;
    if (range.min <= range.max) known[counter] = range;
}

/// `for`, or `while` where there is no step.
void BodyPrinter::countedLoop(const Instr& instr) {
    const Instr* step = storeOf(body, instr.blocks[2]);
    if (step && !function.liveness->isLive(*step)) step = nullptr;
    const Expr condition = valueOf(instr.blocks[0]);
    std::string first, scoped;
    ir::Range start;
    if (step && last.instr && last.end == lines.size() && last.instr->var == step->var) {
        start = last.range;
        const bool isOutside =
            last.defines && places.isUsedOutside(step->var.index, instr, *last.instr);
        if (!isOutside) {
            first = last.statement;
            lines.cut(last.begin);
            if (last.defines) scoped = localNames[step->var.index];
        }
    }
    last = {};
    if (!scoped.empty()) names.release(scoped);
    names.enter();
    if (!scoped.empty()) names.reserve(scoped);
    if (step) learnRange(instr, step->var.index, start);
    std::string next;
    const std::size_t head = lines.size();
    lines.open("");
    const std::size_t inside = lines.size();
    loops.push_back({});
    branch(instr.blocks[1], "");
    loops.pop_back();
    const std::string text = lines.cut(inside);
    lines.cut(head);
    --lines.depth;
    if (step) {
        ++expressionDepth;
        block(instr.blocks[2]);
        --expressionDepth;
        next = stepText;
        known.erase(step->var.index);
    }
    lines.open(step ? fmt::format("for ({}; {}; {})", first, condition.text, next)
                    : fmt::format("while ({})", condition.text));
    lines.text += text;
    lines.close();
    names.leave();
    last = {};
}

void BodyPrinter::doWhile(const Instr& instr) {
    last = {};
    lines.open("do");
    loops.push_back({});
    branch(instr.blocks[1], "");
    loops.pop_back();
    --lines.depth;
    const Expr condition = valueOf(instr.blocks[0]);
    lines.add(fmt::format("}} while ({});", condition.text));
}

/// Any other loop.
void BodyPrinter::endlessLoop(const Instr& instr) {
    last = {};
    lines.open("for (;;)");
    names.enter();
    auto test = [&] {
        block(instr.blocks[0]);
        STRC_ASSERT(yielded, "a loop without its condition");
        lines.add(fmt::format("if (!{}) break;", within(*yielded, kUnary)));
    };
    if (!instr.flag) test();
    const bool goesOn = instr.flag || instr.blocks[2] != ir::kNone;
    loops.push_back({goesOn ? fmt::format("next{}", ++labels) : "", false});
    branch(instr.blocks[1], "");
    const Around around = loops.back();
    loops.pop_back();
    if (around.isLabelUsed) lines.add(around.label + ":;");
    if (instr.blocks[2] != ir::kNone) block(instr.blocks[2]);
    if (instr.flag) test();
    names.leave();
    lines.close();
}

// ---- checks

void BodyPrinter::fault(const std::string& when, const Site& site, const std::string& numbers) {
    const std::size_t id = source.site(site);
    lines.add(fmt::format("if ({}) return {}(self, {}, {});", when, source.own("fault"), id,
                          numbers.empty() ? "0, 0" : numbers));
}

std::vector<std::string> BodyPrinter::rateWords() const {
    const std::string& name = source.kernel.code.name;
    return {body.kind == ir::BodyKind::Prework ? "'prework'" : "'work'",
            name.empty() ? "filter" : name};
}

Definition printFunction(Source& source, const Functions& functions, const Function& function) {
    return BodyPrinter(source, functions, function).print();
}

}  // namespace strc::csource
