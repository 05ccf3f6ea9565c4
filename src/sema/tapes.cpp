#include "sema/detail/tapes.h"

#include <fmt/format.h>

#include "sema/detail/scopes.h"

namespace strc::sema {
namespace {

std::string_view name(TapeOp op) {
    switch (op) {
        case TapeOp::Pop: return "pop";
        case TapeOp::Peek: return "peek";
        case TapeOp::Push: return "push";
    }
    STRC_UNREACHABLE("tape operation");
}

bool isDeclared(const Body& body, TapeOp op) {
    switch (op) {
        case TapeOp::Pop: return body.pops;
        case TapeOp::Peek: return body.peeks || body.pops;
        case TapeOp::Push: return body.pushes;
    }
    STRC_UNREACHABLE("tape operation");
}

std::string partName(const Body& body) {
    return body.place == CodeKind::Function
               ? fmt::format("function '{}'", body.function->name.text())
               : describe(body);
}

}  // namespace

const Type* checkTape(Checker& c, TapeOp op, SourceRange range) {
    const Body& body = *c.body;
    bool hasTapes = body.place == CodeKind::Work || body.place == CodeKind::Prework ||
                    body.place == CodeKind::Function;
    if (reportNotFixed(c, range, fmt::format("{}()", name(op)))) return c.types.error();
    if (!hasTapes) {
        c.error(Diag::TapeOutsideWork, range) << name(op) << describe(body);
        return c.types.error();
    }
    const StreamInfo& stream = *body.scope->stream;
    const Type* items = op == TapeOp::Push ? stream.output : stream.input;
    if (!items) return c.types.error();
    if (items->is(types::TypeKind::Void)) {
        if (body.voidRateReported) return c.types.error();
        c.error(Diag::TapeOnVoid, range)
            << name(op) << displayName(stream) << (op == TapeOp::Push ? "output" : "input");
        return c.types.error();
    }
    if (!body.hasRates && body.place == CodeKind::Function)
        c.error(Diag::TapeUseWithoutRates, range) << body.function->name << name(op);
    else if (!isDeclared(body, op))
        c.error(Diag::UndeclaredRate, range) << name(op) << partName(body) << name(op);
    return items;
}

void checkIter(Checker& c, SourceRange range) {
    if (reportNotFixed(c, range, "iter()")) return;
    switch (c.body->place) {
        case CodeKind::Work:
        case CodeKind::Prework:
        case CodeKind::Function:
        case CodeKind::Handler: return;
        default: c.error(Diag::IterPlacement, range) << describe(*c.body);
    }
}

void checkIoCall(Checker& c, const FunctionInfo& function, SourceRange range) {
    if (!function.usesTape) return;
    const Body& body = *c.body;
    if (body.place == CodeKind::Work || body.place == CodeKind::Prework) return;
    if (body.place == CodeKind::Function && body.hasRates) return;
    std::string where =
        body.place == CodeKind::Function
            ? fmt::format("function '{}', which declares no rates", body.function->name.text())
            : describe(body);
    c.error(Diag::IoFunctionPlacement, range) << function.name << where;
}

}  // namespace strc::sema
