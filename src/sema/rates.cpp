#include "sema/detail/expressions.h"
#include "sema/detail/streams.h"

namespace strc::sema {
namespace {

using types::TypeKind;

const char* name(ast::RateKind kind) {
    switch (kind) {
        case ast::RateKind::Push: return "push";
        case ast::RateKind::Pop: return "pop";
        case ast::RateKind::Peek: return "peek";
    }
    STRC_UNREACHABLE("kind of rate");
}

/// The number of a rate or of a bound of a range, where a literal says it.
Constant checkRateValue(Checker& c, const ast::Expr& expr, const char* rate) {
    Typed value = checkValue(c, expr);
    if (value.type->isError()) return {};
    if (!value.type->is(TypeKind::Int) && !value.type->is(TypeKind::Bit)) {
        Diagnostic& diag = c.error(Diag::RateNotInt, expr.range)
                           << rate << types::toString(value.type);
        if (value.type->isReal()) adviseCast(diag, expr, c.types.intType());
        return {};
    }
    if (!value.constant.isInteger()) return {};
    if (value.constant.integer >= 0) return value.constant;
    c.error(Diag::RateNegative, expr.range) << rate << std::int64_t{value.constant.integer};
    return {};
}

/// The literal value of a static rate.
Constant checkClause(Checker& c, const ast::RateClause& clause) {
    const char* rate = name(clause.kind);
    c.body->rateName = rate;
    c.body->needsReported = false;
    if (!clause.dynamic) return clause.value ? checkRateValue(c, *clause.value, rate) : Constant();
    Constant min = clause.min ? checkRateValue(c, *clause.min, rate) : Constant();
    if (clause.average) checkRateValue(c, *clause.average, rate);
    Constant max = clause.max ? checkRateValue(c, *clause.max, rate) : Constant();
    if (min.isInteger() && max.isInteger() && min.integer > max.integer)
        c.error(Diag::RateRange, clause.range)
            << std::int64_t{min.integer} << rate << std::int64_t{max.integer};
    return {};
}

const Type* sideOf(const StreamInfo& stream, ast::RateKind kind) {
    return kind == ast::RateKind::Push ? stream.output : stream.input;
}

std::string_view sideName(ast::RateKind kind) {
    return kind == ast::RateKind::Push ? "output" : "input";
}

void note(Body& body, ast::RateKind kind) {
    switch (kind) {
        case ast::RateKind::Push: body.pushes = true; return;
        case ast::RateKind::Pop: body.pops = true; return;
        case ast::RateKind::Peek: body.peeks = true; return;
    }
}

/// Rates of one declaration that literals say, by kind.
struct Literals {
    const ast::RateClause* clause[3] = {};
    Constant value[3];

    const ast::RateClause* of(ast::RateKind kind) const { return clause[static_cast<int>(kind)]; }
    bool isZero(ast::RateKind kind) const {
        const Constant& known = value[static_cast<int>(kind)];
        return !of(kind) || (known.isInteger() && known.integer == 0);
    }
};

/// A side with items needs a rate of its own in `work`.
void checkSides(Checker& c, const StreamInfo& stream, const ast::WorkDecl& work,
                const Literals& rates) {
    for (ast::RateKind kind : {ast::RateKind::Pop, ast::RateKind::Push}) {
        const Type* side = sideOf(stream, kind);
        if (!side || side->isError() || side->is(TypeKind::Void) || !rates.isZero(kind)) continue;
        const ast::RateClause* clause = rates.of(kind);
        SourceRange range = clause ? clause->range : work.header;
        bool peeks = kind == ast::RateKind::Pop && !rates.isZero(ast::RateKind::Peek);
        if (peeks)
            c.error(Diag::PeekWithoutPop, range) << displayName(stream);
        else
            c.error(Diag::ZeroRate, range) << displayName(stream) << sideName(kind) << name(kind);
    }
}

}  // namespace

void checkRates(Checker& c, Scope& scope, std::span<const ast::RateClause> clauses, Body& body) {
    Body rates;
    rates.place = CodeKind::Rate;
    rates.scope = &scope;
    bool isFunction = body.place == CodeKind::Function;
    if (isFunction) {
        rates.place = CodeKind::FunctionType;
        rates.locals = body.locals;
    } else {
        rates.needs = Needs::Rate;
    }
    Literals literals;
    for (const ast::RateClause& clause : clauses) {
        Constant value;
        {
            Enter enter(c, rates);
            value = checkClause(c, clause);
        }
        literals.clause[static_cast<int>(clause.kind)] = &clause;
        literals.value[static_cast<int>(clause.kind)] = value;
        note(body, clause.kind);
        const Type* side = sideOf(*scope.stream, clause.kind);
        bool isKnown = clause.dynamic || (value.isInteger() && value.integer > 0);
        if (!side || !side->is(TypeKind::Void) || !isKnown) continue;
        body.voidRateReported = true;
        c.error(Diag::RateOnVoid, clause.range)
            << displayName(*scope.stream) << sideName(clause.kind) << name(clause.kind);
    }
    body.hasRates = !clauses.empty() || !isFunction;
    if (body.place == CodeKind::Work) checkSides(c, *scope.stream, *body.work, literals);
}

}  // namespace strc::sema
