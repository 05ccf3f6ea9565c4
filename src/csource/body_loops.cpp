// Loops.
#include <fmt/format.h>

#include "base/assert.h"
#include "csource/detail/body_printer.h"

namespace strc::csource {

using ir::Instr;
using ir::Op;
using types::TypeKind;

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
        if (!isInExpressions(instr.op) || stores > 0) return false;
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
void BodyPrinter::learnRange(const Instr& instr, const Instr& step, ir::Range first) {
    const ir::VarRef var = step.var;
    const std::uint32_t counter = var.index;
    if (!body.locals[counter].type->is(TypeKind::Int)) return;
    if (places.isStoredIn(counter, instr.blocks[1])) return;
    const std::vector<Instr>& test = body.blocks[instr.blocks[0]].instrs;
    const Instr* compared = definitionIn(body, instr.blocks[0], test.back().operands[0]);
    if (!compared || compared->operands.size() != 2 ||
        !isLoadOf(definitionIn(body, instr.blocks[0], compared->operands[0]), var))
        return;
    const Instr* sum = definitionIn(body, instr.blocks[2], step.operands[0]);
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

/// The assignment in front of the loop, taken away from there if it belongs to it alone. `scoped`: the local that it defines.
std::string BodyPrinter::takeStart(const Instr& loop, const Instr& step, ir::Range& start,
                                   std::string& scoped) {
    if (!last.instr || last.end != lines.size() || last.instr->var != step.var) return {};
    start = last.range;
    if (last.defines && places.isUsedOutside(step.var.index, loop, *last.instr)) return {};
    lines.cut(last.begin);
    if (last.defines) scoped = localNames[step.var.index];
    return last.statement;
}

/// `for`, or `while` where there is no step.
void BodyPrinter::countedLoop(const Instr& instr) {
    const Instr* step = storeOf(body, instr.blocks[2]);
    if (step && !function.liveness->isLive(*step)) step = nullptr;
    const Expr condition = valueOf(instr.blocks[0]);
    std::string first, scoped;
    ir::Range start;
    if (step) first = takeStart(instr, *step, start, scoped);
    last = {};
    if (!scoped.empty()) names.release(scoped);
    names.enter();
    if (!scoped.empty()) names.reserve(scoped);
    if (step) learnRange(instr, *step, start);
    const std::size_t head = lines.size();
    ++lines.depth;
    loops.push_back({});
    branch(instr.blocks[1], "");
    loops.pop_back();
    --lines.depth;
    const std::string inside = lines.cut(head);
    if (step) {
        ++expressionDepth;
        block(instr.blocks[2]);
        --expressionDepth;
        known.erase(step->var.index);
    }
    lines.open(step ? fmt::format("for ({}; {}; {})", first, condition.text, stepText)
                    : fmt::format("while ({})", condition.text));
    lines.text += inside;
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

}  // namespace strc::csource
