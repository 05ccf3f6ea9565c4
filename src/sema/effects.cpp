#include "sema/detail/effects.h"

#include "sema/detail/expressions.h"

namespace strc::sema {
namespace {

/// Null for bodies without effects of interest: composites, static items.
BodyEffects* effectsOf(Checker& c) {
    Body& body = *c.body;
    if (!body.effects) return nullptr;
    switch (body.place) {
        case CodeKind::FieldInit:
        case CodeKind::Init: return &body.effects->init;
        case CodeKind::Work:
        case CodeKind::Prework: return &body.effects->steady;
        case CodeKind::Function:
        case CodeKind::Handler:
        case CodeKind::Package: return &body.effects->functions[body.function];
        default: return nullptr;
    }
}

bool isConstant(const Symbol& symbol, CodeKind place) {
    return symbol.kind == SymbolKind::StreamParam || symbol.kind == SymbolKind::Captured ||
           (symbol.kind == SymbolKind::Global && place != CodeKind::Static);
}

void reportConstant(Checker& c, const Reference& reference) {
    const Symbol& root = *reference.root;
    Diag id = root.kind == SymbolKind::StreamParam ? Diag::AssignToParameter
              : root.kind == SymbolKind::Captured  ? Diag::AssignToCaptured
                                                   : Diag::AssignToGlobal;
    Diagnostic& diag = c.error(id, reference.range) << root.name;
    diag.note(Diag::ChangedHere, reference.param->range) << reference.param->name;
}

/// All that the body may call, itself first.
std::vector<const BodyEffects*> reachable(const Effects& effects, const BodyEffects& from) {
    std::vector<const BodyEffects*> found{&from};
    std::unordered_set<const FunctionInfo*> seen;
    for (std::size_t i = 0; i < found.size(); ++i)
        for (auto& [function, range] : found[i]->calls) {
            auto callee = effects.functions.find(function);
            if (callee != effects.functions.end() && seen.insert(function).second)
                found.push_back(&callee->second);
        }
    return found;
}

bool changesState(const Effects& effects, const BodyEffects& from) {
    for (const BodyEffects* each : reachable(effects, from))
        if (each->changesState) return true;
    return false;
}

bool hasState(const StreamInfo& stream, const Effects& effects) {
    if (changesState(effects, effects.steady)) return true;
    for (const FunctionInfo* function : stream.functions) {
        if (function->kind != FunctionKind::Handler) continue;
        auto found = effects.functions.find(function);
        if (found != effects.functions.end() && changesState(effects, found->second)) return true;
    }
    return false;
}

}  // namespace

void noteChange(Checker& c, Symbol& symbol) {
    symbol.assigned = true;
    if (symbol.kind != SymbolKind::Field) return;
    if (BodyEffects* effects = effectsOf(c)) effects->changesState = true;
}

void noteCall(Checker& c, FunctionInfo& function, SourceRange range) {
    function.used = true;
    if (BodyEffects* effects = effectsOf(c)) effects->calls.emplace_back(&function, range);
}

void noteSend(Checker& c, SourceRange range) {
    BodyEffects* effects = effectsOf(c);
    if (effects && !effects->sends.valid()) effects->sends = range;
}

void noteReference(Checker& c, Symbol& root, const FunctionInfo& function, std::size_t param,
                   SourceRange range) {
    if (function.kind == FunctionKind::Native) return noteChange(c, root);
    if (!c.body->effects) return;
    auto* to = const_cast<Symbol*>(function.params[param]);
    c.body->effects->references.push_back({&root, to, range, c.body->place, c.body->function});
}

void followReferences(Checker& c, Effects& effects) {
    std::unordered_map<Symbol*, std::vector<const Reference*>> byParam;
    std::vector<Symbol*> changed;
    for (const Reference& reference : effects.references) {
        auto& list = byParam[reference.param];
        if (list.empty() && reference.param->assigned) changed.push_back(reference.param);
        list.push_back(&reference);
    }
    for (std::size_t i = 0; i < changed.size(); ++i) {
        for (const Reference* reference : byParam[changed[i]]) {
            Symbol& root = *reference->root;
            if (isConstant(root, reference->place)) {
                reportConstant(c, *reference);
                continue;
            }
            bool isNews = !root.assigned && byParam.contains(&root);
            Body body;
            body.place = reference->place;
            body.function = const_cast<FunctionInfo*>(reference->function);
            body.effects = &effects;
            Enter enter(c, body);
            noteChange(c, root);
            if (isNews) changed.push_back(&root);
        }
    }
}

void checkStreamEffects(Checker& c, const StreamInfo& stream, Effects& effects) {
    for (auto& [function, range] : effects.init.calls) {
        auto callee = effects.functions.find(function);
        if (callee == effects.functions.end()) continue;
        for (const BodyEffects* each : reachable(effects, callee->second)) {
            if (!each->sends.valid()) continue;
            Diagnostic& diag = c.error(Diag::MessagePlacement, each->sends) << "'init'";
            diag.note(Diag::CalledHere, range) << function->name;
            return;
        }
    }
    bool isStateful = hasState(stream, effects);
    if (stream.decl->stateful && !isStateful)
        c.warn(Diag::NeedlessStateful, stream.decl->header) << displayName(stream);
    if (!stream.decl->stateful && isStateful)
        c.warn(Diag::MissingStateful, stream.decl->header) << displayName(stream);
}

}  // namespace strc::sema
