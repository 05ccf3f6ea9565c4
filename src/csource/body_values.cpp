// Values of registers that have not been printed yet.
#include "csource/detail/body_values.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/assert.h"

namespace strc::csource {
namespace {

constexpr std::size_t kLongest = 90;  ///< characters of an expression

bool reads(const Expr& expr, ir::VarRef scalar) {
    return std::find(expr.reads.begin(), expr.reads.end(), scalar) != expr.reads.end();
}

bool readsFields(const Expr& expr) {
    return std::any_of(expr.reads.begin(), expr.reads.end(),
                       [](const ir::VarRef& var) { return var.space == ir::Space::Field; });
}

}  // namespace

BodyValues::BodyValues(Source& shared, const Functions& all, const Function& wanted)
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

Expr BodyValues::take(Reg reg) {
    const auto found = pending.find(reg);
    STRC_ASSERT(found != pending.end(), "a register without a value");
    Expr value = found->second;
    if (--left[reg] == 0) pending.erase(found);
    return value;
}

void BodyValues::define(const Instr& instr, Expr value) {
    const Reg reg = instr.result;
    ranges[reg] = value.range;
    if (left[reg] == 0) {
        if (value.isImpure) lines.add(value.text + ";");
        return;
    }
    const bool isRef = body.regs[reg].ref;
    const bool isLong = value.text.size() > kLongest && !value.isTrivial;
    if (expressionDepth == 0 && ((left[reg] > 1 && !value.isTrivial) || (isLong && !isRef)))
        return hold(reg, value);
    pending[reg] = std::move(value);
}

void BodyValues::defineAs(const Instr& instr, const std::string& variable) {
    Expr made = plain(variable);
    made.isTrivial = true;
    if (left[instr.result] > 0) pending[instr.result] = std::move(made);
}

void BodyValues::holdUnlessTrivial(Reg reg) {
    if (!pending.at(reg).isTrivial) hold(reg, Expr(pending.at(reg)));
}

std::vector<Expr> BodyValues::takeAll(const Instr& instr) {
    std::vector<Expr> all;
    for (const Reg reg : instr.operands) all.push_back(take(reg));
    return all;
}

void BodyValues::hold(Reg reg, const Expr& value) {
    STRC_ASSERT(expressionDepth == 0, "a statement inside of an expression");
    const Type* type = typeOf(reg);
    const bool isRef = body.regs[reg].ref;
    const std::string name = names.take(isRef ? "at" : "t");
    if (isRef)
        lines.add(fmt::format("{}{} = &{};", value.isConst ? "const " : "",
                              source.types.variable(type, "(*const " + name + ")"),
                              within(value, kUnary)));
    else
        lines.add(fmt::format("const {} = {};", source.types.variable(type, name), value.text));
    Expr made = plain(isRef ? "(*" + name + ")" : name);
    if (isRef) made.pointer = name;
    made.isTrivial = true;
    made.isConst = value.isConst;
    made.root = value.root;
    made.range = value.range;
    pending[reg] = std::move(made);
}

/// Before a branch or a loop: what that changes, or would compute again and again.
void BodyValues::flushBefore(const Instr& instr) {
    auto isChanged = [&](ir::VarRef var) {
        if (var.space != ir::Space::Local) return true;
        return std::any_of(instr.blocks.begin(), instr.blocks.end(), [&](ir::BlockId block) {
            return block != ir::kNone && places.isStoredIn(var.index, block);
        });
    };
    flush([&](const Expr& each) {
        return !each.isTrivial || each.isImpure || each.readsInput || !each.memory.empty() ||
               std::any_of(each.reads.begin(), each.reads.end(), isChanged);
    });
}

void BodyValues::flushReaders(ir::VarRef scalar) {
    flush([scalar](const Expr& each) { return reads(each, scalar); });
}

/// Before something inside of a variable changes; a parameter may lead into any of them.
void BodyValues::flushMemory(ir::VarRef root) {
    auto isParameter = [this](ir::VarRef var) {
        return var.space == ir::Space::Local && var.index < body.params;
    };
    flush([&](const Expr& each) {
        return std::any_of(each.memory.begin(), each.memory.end(), [&](ir::VarRef var) {
            return var == root || isParameter(var) || isParameter(root);
        });
    });
}

/// What a function may change.
void BodyValues::flushForCall() {
    flush([](const Expr& each) {
        return each.isImpure || each.readsInput || readsFields(each) || !each.memory.empty();
    });
}

const Type* BodyValues::declaredType(ir::VarRef var) const {
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

// ---- checks

void BodyValues::fault(const std::string& when, const Site& site, const std::string& numbers) {
    const std::size_t id = source.site(site);
    lines.add(fmt::format("if ({}) return {}(self, {}, {});", when, source.own("fault"), id,
                          numbers.empty() ? "0, 0" : numbers));
}

std::vector<std::string> BodyValues::rateWords() const {
    const std::string& name = source.kernel.code.name;
    return {body.kind == ir::BodyKind::Prework ? "'prework'" : "'work'",
            name.empty() ? "filter" : name};
}

}  // namespace strc::csource
