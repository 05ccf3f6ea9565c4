#include "sema/detail/calls.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/detail/effects.h"
#include "sema/detail/expressions.h"
#include "sema/detail/scopes.h"
#include "sema/detail/tapes.h"
#include "sema/detail/tensors.h"

namespace strc::sema {
namespace {

using types::TypeKind;

std::string countText(std::size_t least, std::size_t most) {
    if (most == 0) return "no";
    return least == most ? std::to_string(most) : fmt::format("{} to {}", least, most);
}

/// Bounds and rates are evaluated where no code of the instance has run yet; kernels are
/// specialised without running anything.
bool mayCallHere(const Body& body, const FunctionInfo& function) {
    if (body.needs == Needs::Nothing) return true;
    if (function.kind != FunctionKind::Package) return false;
    switch (body.place) {
        case CodeKind::Composite:
        case CodeKind::Static:
        case CodeKind::StreamType:
        case CodeKind::FieldType:
        case CodeKind::Rate: return true;
        default: return false;
    }
}

bool handsTensors(const FunctionInfo& function) {
    auto isOne = [](const Symbol* param) { return param->type->is(TypeKind::Tensor); };
    return function.result->is(TypeKind::Tensor) ||
           std::any_of(function.params.begin(), function.params.end(), isOne);
}

void checkLoose(Checker& c, std::span<const ast::Expr* const> args) {
    for (const ast::Expr* arg : args) checkValue(c, *arg);
}

Typed callFunction(Checker& c, FunctionInfo& function, ast::Ident callee, ast::NodeId id,
                   std::span<const ast::Expr* const> args) {
    CallTarget& target = c.tables.calls[id.index];
    target.kind = CallKind::Function;
    target.function = &function;
    noteCall(c, function, callee.range);
    if (!mayCallHere(*c.body, function)) {
        reportNotFixed(c, callee.range, callee.name.text());
        checkLoose(c, args);
        return failed(c);
    }
    checkIoCall(c, function, callee.range);
    checkFunctionArguments(c, function, callee.range, args);
    if (handsTensors(function) && reportOutsideFilter(c, callee.range)) return failed(c);
    return {function.result, {}, function.result->is(TypeKind::Bit)};
}

void reportUnknownPackage(Checker& c, ast::Ident package) {
    Diagnostic& diag = c.error(Diag::UnknownPackage, package.range) << package.name;
    if (c.maySuggest()) c.suggest(diag, package.range, similarPackage(c, package.name.text()));
}

/// Null after a report.
FunctionInfo* packageFunction(Checker& c, ast::Ident package, ast::Ident callee) {
    Package* found = findPackage(c, package.name);
    if (!found) {
        reportUnknownPackage(c, package);
        return nullptr;
    }
    auto function = found->functions.find(callee.name);
    if (function != found->functions.end()) return function->second;
    Diagnostic& diag = c.error(Diag::UnknownPackageFunction, callee.range)
                       << package.name << callee.name;
    if (c.maySuggest()) {
        base::SpellingSearch search(callee.name.text());
        for (auto& [name, each] : found->functions) search.consider(name.text());
        c.suggest(diag, callee.range, search.best());
    }
    return nullptr;
}

// ---------------------------------------------------------------- messages

/// Null after a report.
FunctionInfo* findHandler(Checker& c, const Type* portal, ast::Ident name) {
    StreamInfo* stream = findStream(c, portal->portalClass);
    if (!stream || !stream->decl || c.isDamaged(stream->decl)) return nullptr;
    const StreamNames& names = c.tables.names[stream->index];
    auto found = names.functions.find(name.name);
    if (found != names.functions.end() && found->second->kind == FunctionKind::Handler)
        return found->second;
    Diagnostic& diag = c.error(Diag::UnknownHandler, name.range) << stream->name << name.name;
    if (found != names.functions.end())
        diag.note(Diag::DeclaredHere, ast::as<ast::FunctionDecl>(*found->second->decl).name.range)
            << name.name;
    else if (c.maySuggest()) {
        base::SpellingSearch search(name.name.text());
        for (auto& [each, function] : names.functions)
            if (function->kind == FunctionKind::Handler) search.consider(each.text());
        c.suggest(diag, name.range, search.best());
    }
    return nullptr;
}

void checkMessagePlace(Checker& c, SourceRange range) {
    switch (c.body->place) {
        case CodeKind::Work:
        case CodeKind::Prework:
        case CodeKind::Function:
        case CodeKind::Handler: noteSend(c, range); return;
        default: c.error(Diag::MessagePlacement, range) << describe(*c.body);
    }
}

void checkSend(Checker& c, const ast::MessageStmt& message, Symbol& portal) {
    checkMessagePlace(c, message.range);
    if (message.minLatency) checkIndex(c, *message.minLatency, "the latency of a message");
    if (message.maxLatency) checkIndex(c, *message.maxLatency, "the latency of a message");
    FunctionInfo* handler = nullptr;
    if (portal.type->is(TypeKind::Portal)) {
        handler = findHandler(c, portal.type, message.handler);
    } else if (!portal.type->isError()) {
        Diagnostic& diag = c.error(Diag::NotAPortal, message.portal.range) << portal.name;
        diag.note(Diag::DeclaredHere, portal.range) << portal.name;
    }
    if (!handler) return checkLoose(c, message.args);
    handler->used = true;
    c.tables.messages[message.id.index] = handler;
    c.tables.messagePortals[message.id.index] = &portal;
    checkFunctionArguments(c, *handler, message.handler.range, message.args);
}

void checkPackageStatement(Checker& c, const ast::MessageStmt& message) {
    if (message.hasLatency)
        c.error(Diag::LatencyOnCall, message.latencyRange)
            << message.portal.name << message.handler.name;
    if (isVectorLibrary(message.portal.name) && !findPackage(c, message.portal.name)) {
        ast::PackageCallExpr call;
        call.kind = ast::ExprKind::PackageCall;
        call.id = message.id;
        call.range = message.range;
        call.package = message.portal;
        call.callee = message.handler;
        call.args = message.args;
        checkVectorLibrary(c, call, message.id);
        return;
    }
    if (FunctionInfo* function = packageFunction(c, message.portal, message.handler))
        callFunction(c, *function, message.handler, message.id, message.args);
    else
        checkLoose(c, message.args);
}

}  // namespace

bool checkArgumentCount(Checker& c, SourceRange range, const Callable& callee,
                        const ArgumentCount& count) {
    const auto& [least, most, given] = count;
    if (given >= least && given <= most) return false;
    Diagnostic& diag = c.error(Diag::ArgumentCount, range)
                       << callee.kind << callee.name << countText(least, most)
                       << std::to_string(given);
    if (callee.declared.valid()) diag.note(Diag::DeclaredHere, callee.declared) << callee.name;
    return true;
}

void checkFunctionArguments(Checker& c, const FunctionInfo& function, SourceRange callee,
                            std::span<const ast::Expr* const> args) {
    std::size_t needed = function.params.size();
    std::string_view kind = function.kind == FunctionKind::Handler ? "handler" : "function";
    if (checkArgumentCount(c, callee, {kind, function.name.text()}, {needed, needed, args.size()}))
        return checkLoose(c, args);
    for (std::size_t i = 0; i < args.size(); ++i) {
        Target target;
        target.type = function.params[i]->type;
        target.site = Site::Argument;
        target.subject = function.name;
        target.position = static_cast<std::uint32_t>(i + 1);
        checkInto(c, *args[i], target);
        if (!target.type->is(TypeKind::Array)) continue;
        if (Symbol* root = rootVariable(c, *args[i]))
            noteReference(c, *root, function, i, args[i]->range);
    }
}

Typed checkCall(Checker& c, const ast::CallExpr& call) {
    if (FunctionInfo* function = findFunction(c, call.callee.name))
        return callFunction(c, *function, call.callee, call.id, call.args);
    return checkBuiltinCall(c, call);
}

Typed checkPackageCall(Checker& c, const ast::PackageCallExpr& call) {
    if (isVectorLibrary(call.package.name) && !findPackage(c, call.package.name))
        return checkVectorLibrary(c, call, call.id);
    if (FunctionInfo* function = packageFunction(c, call.package, call.callee))
        return callFunction(c, *function, call.callee, call.id, call.args);
    checkLoose(c, call.args);
    return failed(c);
}

void checkMessage(Checker& c, const ast::MessageStmt& message) {
    if (findVariable(c, message.portal.name)) {
        if (Symbol* portal = useVariable(c, message.portal)) checkSend(c, message, *portal);
        return;
    }
    checkPackageStatement(c, message);
}

}  // namespace strc::sema
