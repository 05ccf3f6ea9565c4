#include "sema/detail/scopes.h"

#include "base/spelling.h"
#include "sema/detail/created.h"

namespace strc::sema {
namespace {

template <typename Map>
typename Map::mapped_type look(const Map& map, Name name) {
    auto found = map.find(name);
    return found == map.end() ? typename Map::mapped_type() : found->second;
}

Symbol* findGlobal(Checker& c, Name name) {
    c.mention(name);
    if (!c.isLibrary) {
        if (Symbol* own = look(c.tables.own.globals, name)) return own;
        if (c.mayBeLost(name)) return nullptr;
    }
    return look(c.tables.ofLibrary.globals, name);
}

Symbol* capture(Checker& c, Scope& scope, Symbol& origin) {
    Symbol* made = c.makeSymbol(SymbolKind::Captured, {origin.name, origin.range}, origin.type);
    made->origin = &origin;
    made->index = static_cast<std::uint32_t>(scope.stream->constants.size());
    scope.stream->constants.push_back(made);
    scope.names->captured.emplace(origin.name, made);
    return made;
}

/// Null: neither here nor in the bodies around it.
Symbol* findInBody(Checker& c, Body& body, Name name) {
    auto local = body.locals.find(name);
    if (local != body.locals.end() && local->second.symbol) return local->second.symbol;
    if (!body.scope) return nullptr;
    const StreamNames& names = *body.scope->names;
    if (Symbol* field = look(names.fields, name)) return field;
    if (Symbol* param = look(names.params, name)) return param;
    if (Symbol* captured = look(names.captured, name)) return captured;
    if (!body.scope->outer) return nullptr;
    Symbol* around = findInBody(c, *body.scope->outer, name);
    return around ? capture(c, *body.scope, *around) : nullptr;
}

/// Where the blocks around declare the name further down; invalid if they do not.
SourceRange declaredLater(Body& body, Name name) {
    for (auto frame = body.frames.rbegin(); frame != body.frames.rend(); ++frame) {
        if (!frame->isIndexed) {
            frame->isIndexed = true;
            for (const ast::Stmt* stmt : frame->statements)
                if (auto* vars = ast::tryAs<ast::VariablesStmt>(stmt))
                    for (const ast::Declarator& each : vars->variables)
                        frame->declaredLater.emplace(each.name.name, each.name.range);
        }
        auto found = frame->declaredLater.find(name);
        if (found != frame->declaredLater.end()) return found->second;
    }
    return {};
}

void considerBody(base::SpellingSearch& search, const Body& body) {
    for (auto& [name, local] : body.locals)
        if (local.symbol) search.consider(name.text());
    if (!body.scope) return;
    const StreamNames& names = *body.scope->names;
    for (const auto* map : {&names.fields, &names.params, &names.captured})
        for (auto& [name, symbol] : *map) search.consider(name.text());
    if (body.scope->outer) considerBody(search, *body.scope->outer);
}

/// "a stream", if the name means something that is no variable.
std::string_view otherMeaning(Checker& c, Name name) {
    if (findFunction(c, name)) return "function";
    if (findStream(c, name)) return "stream";
    if (findStruct(c, name)) return "struct";
    if (findPackage(c, name)) return "package";
    return {};
}

void reportUnknown(Checker& c, ast::Ident name) {
    c.body->hasUnknown = true;
    if (SourceRange later = declaredLater(*c.body, name.name); later.valid()) {
        Diagnostic& diag = c.error(Diag::UseBeforeDeclaration, name.range) << name.name;
        diag.note(Diag::DeclaredHere, later) << name.name;
        return;
    }
    if (std::string_view kind = otherMeaning(c, name.name); !kind.empty()) {
        c.error(Diag::NotAVariable, name.range) << name.name << kind;
        return;
    }
    Diagnostic& diag = c.error(Diag::UnknownVariable, name.range) << name.name;
    if (!c.maySuggest()) return;
    base::SpellingSearch search(name.name.text());
    considerBody(search, *c.body);
    for (const TopNames* top : {&c.tables.own, &c.tables.ofLibrary})
        for (auto& [each, symbol] : top->globals) search.consider(each.text());
    search.consider("pi");
    const bool isOfC = name.name.text() == "M_PI";
    c.suggest(diag, name.range, isOfC ? std::string_view("pi") : search.best());
}

bool isNotYetDeclared(const Body& body, const Symbol& symbol) {
    switch (symbol.kind) {
        case SymbolKind::Field: return symbol.index >= body.fieldLimit;
        case SymbolKind::StreamParam: return symbol.index >= body.paramLimit;
        case SymbolKind::Global: return symbol.index >= body.globalLimit;
        default: return false;
    }
}

/// Locals of composites and of the static block have values when a bound is evaluated.
bool isElaborated(const Body& body) {
    return body.place == CodeKind::Composite || body.place == CodeKind::Static;
}

bool isFixed(const Body& body, const Symbol& symbol) {
    switch (symbol.kind) {
        case SymbolKind::Local:
        case SymbolKind::Param: return isElaborated(body);
        case SymbolKind::Field: return symbol.initialiser != nullptr;
        default: return true;
    }
}

/// Popping an item or calling a function may be what a variable is there for.
bool mayHaveEffects(const ast::Expr* expr) {
    expr = ast::withoutParens(expr);
    if (!expr) return false;
    switch (expr->kind) {
        case ast::ExprKind::Unary: return mayHaveEffects(ast::as<ast::UnaryExpr>(*expr).operand);
        case ast::ExprKind::Cast: return mayHaveEffects(ast::as<ast::CastExpr>(*expr).operand);
        case ast::ExprKind::IntLiteral:
        case ast::ExprKind::RealLiteral:
        case ast::ExprKind::ImaginaryLiteral:
        case ast::ExprKind::BooleanLiteral:
        case ast::ExprKind::Pi:
        case ast::ExprKind::NameRef:
        case ast::ExprKind::ArrayLiteral: return false;
        default: return true;
    }
}

void warnUnused(Checker& c, const Symbol& symbol) {
    if (symbol.kind != SymbolKind::Local || symbol.used || mayHaveEffects(symbol.initialiser))
        return;
    c.warn(Diag::UnusedVariable, symbol.range) << symbol.name;
}

}  // namespace

Nest::Nest(Checker& checker, std::span<const ast::Stmt* const> statements)
    : c(checker), body(*checker.body) {
    Frame& frame = body.frames.emplace_back();
    frame.undo = body.undo.size();
    frame.statements = statements;
}

Nest::~Nest() {
    for (std::size_t from = body.frames.back().undo; body.undo.size() > from;
         body.undo.pop_back()) {
        auto& [name, before] = body.undo.back();
        Local& now = body.locals[name];
        if (!body.hasUnknown) warnUnused(c, *now.symbol);
        now = before;
    }
    body.frames.pop_back();
}

void declareLocal(Checker& c, Symbol& symbol, std::string_view kind) {
    Body& body = *c.body;
    Local& now = body.locals[symbol.name];
    std::size_t depth = body.frames.size();
    if (now.symbol && now.depth == depth) {
        Diag id = kind == "parameter" ? Diag::DuplicateParameter : Diag::DuplicateLocal;
        Diagnostic& diag = c.error(id, symbol.range) << symbol.name;
        diag.note(Diag::DeclaredHere, now.symbol->range) << symbol.name;
        return;
    }
    if (body.scope) {
        if (Symbol* param = look(body.scope->names->params, symbol.name)) {
            Diagnostic& diag = c.error(Diag::HidesParameter, symbol.range) << kind << symbol.name;
            diag.note(Diag::DeclaredHere, param->range) << symbol.name;
        } else if (Symbol* field = look(body.scope->names->fields, symbol.name)) {
            Diagnostic& diag = c.warn(Diag::HidesOuter, symbol.range) << symbol.name << "field";
            diag.note(Diag::DeclaredHere, field->range) << symbol.name;
        } else if (Symbol* global = look(c.tables.own.globals, symbol.name)) {
            c.mention(symbol.name);
            Diagnostic& diag = c.warn(Diag::HidesOuter, symbol.range) << symbol.name << "global";
            diag.note(Diag::DeclaredHere, global->range) << symbol.name;
        }
    }
    body.undo.emplace_back(symbol.name, now);
    now = {&symbol, depth};
}

Symbol* findVariable(Checker& c, Name name) {
    Symbol* found = findInBody(c, *c.body, name);
    return found ? found : findGlobal(c, name);
}

bool reportNotFixed(Checker& c, SourceRange range, std::string_view what) {
    Body& body = *c.body;
    if (body.needs == Needs::Nothing) return false;
    if (body.needsReported) return true;
    body.needsReported = true;
    if (body.needs == Needs::Bound)
        c.error(Diag::BoundNotConstant, range) << what;
    else
        c.error(Diag::RateNotConstant, range) << body.rateName << what;
    return true;
}

Symbol* useVariable(Checker& c, ast::Ident name) {
    Symbol* symbol = findVariable(c, name.name);
    if (!symbol) {
        reportUnknown(c, name);
        return nullptr;
    }
    for (Symbol* each = symbol; each; each = const_cast<Symbol*>(each->origin)) each->used = true;
    if (isNotYetDeclared(*c.body, *symbol)) {
        Diagnostic& diag = c.error(Diag::UseBeforeDeclaration, name.range) << name.name;
        diag.note(Diag::DeclaredHere, symbol->range) << name.name;
        return nullptr;
    }
    if (c.body->needs != Needs::Nothing && !isFixed(*c.body, *symbol))
        reportNotFixed(c, name.range, name.name.text());
    return symbol;
}

StreamInfo* findStream(Checker& c, Name name) {
    c.mention(name);
    if (!c.isLibrary) {
        if (StreamInfo* own = look(c.tables.own.streams, name)) return own;
        if (c.tables.own.structs.contains(name) || c.mayBeLost(name)) return nullptr;
    }
    return look(c.tables.ofLibrary.streams, name);
}

const Type* findStruct(Checker& c, Name name) {
    c.mention(name);
    if (!c.isLibrary) {
        if (const Type* own = look(c.tables.own.structs, name)) return own;
        if (c.tables.own.streams.contains(name) || c.mayBeLost(name)) return nullptr;
    }
    return look(c.tables.ofLibrary.structs, name);
}

Package* findPackage(Checker& c, Name name) {
    c.mention(name);
    if (!c.isLibrary) {
        if (Package* own = look(c.tables.own.packages, name)) return own;
        if (c.mayBeLost(name)) return nullptr;
    }
    return look(c.tables.ofLibrary.packages, name);
}

FunctionInfo* findFunction(Checker& c, Name name) {
    if (c.body->place == CodeKind::Default)
        return nullptr;  // evaluated where there is no instance yet
    if (c.body->package) return look(c.body->package->functions, name);
    return c.body->scope ? look(c.body->scope->names->functions, name) : nullptr;
}

std::string_view similarStream(Checker& c, std::string_view name) {
    const Name here = c.record && c.record->stream ? c.record->stream->name : Name();
    const std::unordered_set<Name> creators = creatorsOf(c, here);
    base::SpellingSearch own(name);
    for (auto& [each, stream] : c.tables.own.streams)
        if (!creators.contains(each)) own.consider(each.text());
    base::SpellingSearch others(name);
    for (auto& [each, stream] : c.tables.ofLibrary.streams) others.consider(each.text());
    for (std::string_view each : c.others) others.consider(each);
    const bool isOfLibrary = others.differsInCaseAlone() && !own.differsInCaseAlone();
    return own.best().empty() || isOfLibrary ? others.best() : own.best();
}

std::string_view similarType(Checker& c, std::string_view name) {
    if (name == "bool") return "boolean";
    base::SpellingSearch search(name);
    for (std::string_view each : {"boolean", "bit", "int", "float", "double", "complex", "String"})
        search.consider(each);
    for (const TopNames* top : {&c.tables.own, &c.tables.ofLibrary})
        for (auto& [each, type] : top->structs) search.consider(each.text());
    return search.best();
}

std::string_view similarPackage(Checker& c, std::string_view name) {
    base::SpellingSearch search(name);
    for (const TopNames* top : {&c.tables.own, &c.tables.ofLibrary})
        for (auto& [each, package] : top->packages) search.consider(each.text());
    return search.best();
}

}  // namespace strc::sema
