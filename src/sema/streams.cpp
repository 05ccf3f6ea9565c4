#include "sema/detail/streams.h"

#include "sema/detail/convert.h"
#include "sema/detail/effects.h"
#include "sema/detail/expressions.h"
#include "sema/detail/scopes.h"
#include "sema/detail/statements.h"
#include "sema/detail/types.h"

namespace strc::sema {
namespace {

/// The members of a stream while they are declared: each name once.
class Members {
public:
    Members(Checker& checker, const StreamInfo& info) : c(checker), stream(info) {}

    /// False after a report.
    bool add(std::string_view kind, ast::Ident name) {
        checkMemberName(c, kind, name);
        auto [first, isNew] = seen.emplace(name.name, name.range);
        if (isNew) return true;
        bool isParameter = kind == "parameter";
        Diagnostic& diag =
            c.error(isParameter ? Diag::DuplicateParameter : Diag::DuplicateMember, name.range);
        if (!isParameter) diag << kind;
        diag << name.name;
        if (!isParameter) diag << describe(stream);
        diag.note(Diag::DeclaredHere, first->second) << name.name;
        return false;
    }

private:
    Checker& c;
    const StreamInfo& stream;
    std::unordered_map<Name, SourceRange> seen;
};

Body typeBody(Scope& scope, CodeKind place) {
    Body body;
    body.place = place;
    body.scope = &scope;
    if (place != CodeKind::FieldType) body.fieldLimit = 0;
    return body;
}

void declareParams(Checker& c, Scope& scope, const ast::StreamDecl& decl, Members& members) {
    StreamInfo& stream = *scope.stream;
    std::vector<Symbol*> params;
    const ast::Parameter* optional = nullptr;
    for (const ast::Parameter& param : decl.params) {
        Symbol* symbol =
            c.makeSymbol(SymbolKind::StreamParam, param.name, typeShape(c, *param.type));
        symbol->typeExpr = param.type;
        symbol->initialiser = param.defaultValue;
        symbol->index = static_cast<std::uint32_t>(stream.constants.size());
        c.setSymbol(param.id, symbol);
        params.push_back(symbol);
        stream.constants.push_back(symbol);
        if (members.add("parameter", param.name))
            scope.names->params.emplace(param.name.name, symbol);
        if (param.defaultValue) optional = &param;
        if (!param.defaultValue && optional) {
            Diagnostic& diag = c.error(Diag::RequiredAfterDefault, param.name.range)
                               << param.name.name;
            diag.note(Diag::DeclaredHere, optional->name.range) << optional->name.name;
        }
    }
    stream.params = static_cast<std::uint32_t>(params.size());
    Body body = typeBody(scope, CodeKind::StreamType);
    Enter enter(c, body);
    for (Symbol* symbol : params)
        symbol->type = checkType(c, *symbol->typeExpr, TypeUse::StreamParam, symbol->name);
}

void declareSides(Checker& c, Scope& scope, const ast::StreamDecl& decl) {
    StreamInfo& stream = *scope.stream;
    if (!decl.input || !decl.output) {
        if (decl.stream != ast::StreamKind::Filter) return;
        c.error(Diag::UntypedAnonymousFilter, decl.header);
        stream.input = stream.output = c.types.error();
        return;
    }
    Body body = typeBody(scope, CodeKind::StreamType);
    Enter enter(c, body);
    stream.input = checkType(c, *decl.input, TypeUse::StreamSide, stream.name);
    stream.output = checkType(c, *decl.output, TypeUse::StreamSide, stream.name);
    bool isClosed =
        stream.input->is(types::TypeKind::Void) && stream.output->is(types::TypeKind::Void);
    if (isClosed && !stream.name && decl.stream == ast::StreamKind::Filter)
        c.error(Diag::AnonymousVoidStream, decl.header);
}

void enterFields(Checker& c, Scope& scope, const ast::FieldsDecl& fields, Members& members) {
    StreamInfo& stream = *scope.stream;
    const ast::TypeExpr& type = *fields.variables->type;
    for (const ast::Declarator& each : fields.variables->variables) {
        Symbol* symbol = c.makeSymbol(SymbolKind::Field, each.name, typeShape(c, type));
        symbol->typeExpr = &type;
        symbol->initialiser = each.initialiser;
        symbol->index = static_cast<std::uint32_t>(stream.fields.size());
        c.setSymbol(each.id, symbol);
        stream.fields.push_back(symbol);
        if (members.add("field", each.name)) scope.names->fields.emplace(each.name.name, symbol);
    }
}

void enterFunction(Checker& c, Scope& scope, const ast::Decl& decl, Members& members) {
    StreamInfo& stream = *scope.stream;
    bool isHandler = decl.kind == ast::DeclKind::Handler;
    const ast::Ident& name =
        isHandler ? ast::as<ast::HandlerDecl>(decl).name : ast::as<ast::FunctionDecl>(decl).name;
    FunctionInfo& function = c.program.functions.emplace_back();
    function.kind = isHandler ? FunctionKind::Handler : FunctionKind::Function;
    function.decl = &decl;
    function.name = name.name;
    function.result = c.types.error();
    function.index = static_cast<std::uint32_t>(stream.functions.size());
    stream.functions.push_back(&function);
    if (members.add(isHandler ? "handler" : "function", name))
        scope.names->functions.emplace(name.name, &function);
}

void declareFieldTypes(Checker& c, Scope& scope) {
    const StreamInfo& stream = *scope.stream;
    Body body = typeBody(scope, CodeKind::FieldType);
    Enter enter(c, body);
    for (std::size_t i = 0; i < stream.fields.size();) {
        const ast::TypeExpr* written = stream.fields[i]->typeExpr;
        body.fieldLimit = static_cast<std::uint32_t>(i);
        bool isInitialised = true;
        for (std::size_t k = i; k < stream.fields.size() && stream.fields[k]->typeExpr == written;
             ++k)
            isInitialised = isInitialised && stream.fields[k]->initialiser;
        const Type* type =
            checkType(c, *written, TypeUse::Field, stream.fields[i]->name, isInitialised);
        for (; i < stream.fields.size() && stream.fields[i]->typeExpr == written; ++i)
            const_cast<Symbol*>(stream.fields[i])->type = type;
    }
}

/// The names of all members first: a field's bound must not call a function, nor a function's type
/// use a local.
void declareMembers(Checker& c, Scope& scope, const ast::StreamDecl& decl, Members& members) {
    for (const ast::Decl* member : decl.members) {
        if (auto* fields = ast::tryAs<ast::FieldsDecl>(member))
            enterFields(c, scope, *fields, members);
        else if (member->kind == ast::DeclKind::Function || member->kind == ast::DeclKind::Handler)
            enterFunction(c, scope, *member, members);
    }
    declareFieldTypes(c, scope);
    for (const FunctionInfo* function : scope.stream->functions)
        declareFunction(c, *const_cast<FunctionInfo*>(function), &scope, nullptr);
}

// ---------------------------------------------------------------- bodies

void checkDefaults(Checker& c, Scope& scope) {
    const StreamInfo& stream = *scope.stream;
    for (std::uint32_t i = 0; i < stream.params; ++i) {
        const Symbol& param = *stream.constants[i];
        if (!param.initialiser) continue;
        Body body = typeBody(scope, CodeKind::Default);
        body.paramLimit = i;
        Enter enter(c, body);
        Target target;
        target.type = param.type;
        target.site = Site::DefaultValue;
        target.subject = param.name;
        checkInto(c, *param.initialiser, target);
    }
}

void checkFieldInitialisers(Checker& c, Scope& scope, const ast::FieldsDecl& fields,
                            Effects& effects) {
    for (const ast::Declarator& each : fields.variables->variables) {
        if (!each.initialiser) continue;
        const Symbol& symbol = *c.program.symbolOf(each.id);
        Body body;
        body.place = CodeKind::FieldInit;
        body.scope = &scope;
        body.effects = &effects;
        body.fieldLimit = symbol.index;
        Enter enter(c, body);
        checkInitialiser(c, symbol, *each.initialiser);
    }
}

void checkWork(Checker& c, Scope& scope, const ast::WorkDecl& work, Effects& effects) {
    Body body;
    body.place = work.prework ? CodeKind::Prework : CodeKind::Work;
    body.scope = &scope;
    body.effects = &effects;
    body.work = &work;
    body.result = c.types.voidType();
    checkRates(c, scope, work.rates, body);
    Enter enter(c, body);
    checkBlock(c, *work.body);
}

void checkInit(Checker& c, Scope& scope, const ast::InitDecl& init, Effects& effects) {
    Body body;
    body.place = CodeKind::Init;
    body.scope = &scope;
    body.effects = &effects;
    body.result = c.types.voidType();
    Enter enter(c, body);
    checkBlock(c, *init.body);
}

/// Reports a second init, work or prework, and a filter without work.
void checkFilterParts(Checker& c, const StreamInfo& stream, const ast::StreamDecl& decl) {
    std::unordered_map<std::string_view, SourceRange> first;
    bool hasError = false;
    for (const ast::Decl* member : decl.members) {
        std::string_view part;
        SourceRange range = member->range;
        if (member->kind == ast::DeclKind::Error) hasError = true;
        if (member->kind == ast::DeclKind::Init) part = "init";
        if (auto* work = ast::tryAs<ast::WorkDecl>(member)) {
            part = work->prework ? "prework" : "work";
            range = work->header;
        }
        if (part.empty()) continue;
        auto [before, isNew] = first.emplace(part, range);
        if (isNew) continue;
        Diagnostic& diag = c.error(Diag::DuplicateFilterPart, range) << displayName(stream) << part;
        diag.note(Diag::DeclaredHere, before->second) << part;
    }
    if (!first.contains("work") && !hasError)
        c.error(Diag::MissingWork, decl.header) << displayName(stream);
}

void checkFilter(Checker& c, Scope& scope, const ast::StreamDecl& decl) {
    const StreamInfo& stream = *scope.stream;
    Effects effects;
    checkFilterParts(c, stream, decl);
    std::size_t nextFunction = 0;
    for (const ast::Decl* member : decl.members) {
        switch (member->kind) {
            case ast::DeclKind::Fields:
                checkFieldInitialisers(c, scope, ast::as<ast::FieldsDecl>(*member), effects);
                break;
            case ast::DeclKind::Init:
                checkInit(c, scope, ast::as<ast::InitDecl>(*member), effects);
                break;
            case ast::DeclKind::Work:
                checkWork(c, scope, ast::as<ast::WorkDecl>(*member), effects);
                break;
            case ast::DeclKind::Function:
            case ast::DeclKind::Handler: {
                auto* function = const_cast<FunctionInfo*>(stream.functions[nextFunction++]);
                checkFunctionBody(c, *function, &scope, nullptr, effects);
                break;
            }
            default: break;
        }
    }
    followReferences(c, effects);
    checkStreamEffects(c, stream, effects);
}

void checkComposite(Checker& c, Scope& scope, const ast::StreamDecl& decl) {
    if (!decl.body) return;
    Effects effects;
    Parts parts;
    parts.kind = decl.stream;
    Body body;
    body.place = CodeKind::Composite;
    body.scope = &scope;
    body.parts = &parts;
    body.effects = &effects;
    body.result = c.types.voidType();
    {
        Enter enter(c, body);
        checkBlock(c, *decl.body);
    }
    followReferences(c, effects);
    checkParts(c, *scope.stream, body);
}

}  // namespace

void checkMemberName(Checker& c, std::string_view kind, ast::Ident name) {
    if (c.isLibrary) return;
    c.mention(name.name);
    auto stream = c.tables.own.streams.find(name.name);
    bool isStream = stream != c.tables.own.streams.end();
    auto structure = c.tables.own.structs.find(name.name);
    if (!isStream && structure == c.tables.own.structs.end()) return;
    Diagnostic& diag = c.error(Diag::MemberNamedLikeStream, name.range)
                       << kind << name.name << (isStream ? "stream" : "struct");
    if (!isStream)
        diag.note(Diag::DeclaredHere, structure->second->structure->range) << name.name;
    else if (stream->second->decl)
        diag.note(Diag::DeclaredHere, stream->second->decl->name.range) << name.name;
}

/// The memory of what a native function gives is there before it is called.
void checkNativeResult(Checker& c, const FunctionInfo& function, const ast::TypeExpr& written) {
    const Type* result = function.result;
    if (function.kind != FunctionKind::Native || !result->is(types::TypeKind::Tensor)) return;
    bool isWhole = result->element && result->isRanked;
    for (const auto* t = &written; t->kind == ast::TypeExprKind::Array; t = t->element)
        isWhole = isWhole && t->bound;
    if (isWhole) return;
    c.error(Diag::TensorPlace, written.range)
        << "the result of a native function unless the declaration says its element type and all "
           "its extents, as in 'tensor<float>[2, 3]'";
}

void declareFunction(Checker& c, FunctionInfo& function, Scope* scope, Package* package) {
    bool isHandler = function.decl->kind == ast::DeclKind::Handler;
    const ast::FunctionDecl* decl =
        isHandler ? nullptr : &ast::as<ast::FunctionDecl>(*function.decl);
    auto params = isHandler ? ast::as<ast::HandlerDecl>(*function.decl).params : decl->params;
    Body body;
    body.place = CodeKind::FunctionType;
    body.scope = scope;
    body.package = package;
    body.function = &function;
    Enter enter(c, body);
    Nest nest(c);
    TypeUse use =
        function.kind == FunctionKind::Native ? TypeUse::NativeParam : TypeUse::FunctionParam;
    for (const ast::Parameter& param : params) {
        const Type* type = checkType(c, *param.type, use, param.name.name);
        Symbol* symbol = c.makeSymbol(SymbolKind::Param, param.name, type);
        symbol->typeExpr = param.type;
        symbol->index = static_cast<std::uint32_t>(function.params.size());
        c.setSymbol(param.id, symbol);
        function.params.push_back(symbol);
        declareLocal(c, *symbol, "parameter");
    }
    function.result =
        decl ? checkType(c, *decl->result, TypeUse::Result, function.name) : c.types.voidType();
    if (decl) checkNativeResult(c, function, *decl->result);
    function.usesTape = decl && !decl->rates.empty();
}

void checkFunctionBody(Checker& c, FunctionInfo& function, Scope* scope, Package* package,
                       Effects& effects) {
    bool isHandler = function.decl->kind == ast::DeclKind::Handler;
    const ast::FunctionDecl* decl =
        isHandler ? nullptr : &ast::as<ast::FunctionDecl>(*function.decl);
    const ast::BlockStmt* block =
        isHandler ? ast::as<ast::HandlerDecl>(*function.decl).body : decl->body;
    if (!block) return;
    Body body;
    body.place = isHandler ? CodeKind::Handler : scope ? CodeKind::Function : CodeKind::Package;
    body.scope = scope;
    body.package = package;
    body.function = &function;
    body.effects = &effects;
    body.result = function.result;
    Enter enter(c, body);
    Nest nest(c, block->statements);
    for (const Symbol* param : function.params) {
        body.undo.emplace_back(param->name, body.locals[param->name]);
        body.locals[param->name] = {const_cast<Symbol*>(param), body.frames.size()};
    }
    if (decl && scope) checkRates(c, *scope, decl->rates, body);
    checkOuterBlock(c, *block);
    if (decl) checkReturns(c, body, *decl);
}

void checkParts(Checker& c, const StreamInfo& stream, const Body& body) {
    static constexpr std::string_view names[] = {"split", "join", "body", "loop"};
    const Parts& parts = *body.parts;
    std::string_view kind = kindName(parts.kind);
    bool isLoop = parts.kind == ast::StreamKind::FeedbackLoop;
    bool isPipeline = parts.kind == ast::StreamKind::Pipeline;
    if (!parts.hasReturn)
        for (auto& [stmt, which] : parts.repeated) {
            Diagnostic& diag = c.error(Diag::RepeatedPart, stmt->range)
                               << kind << displayName(stream) << names[which];
            diag.note(Diag::DeclaredHere, parts.always[which]->range) << names[which];
        }
    if (body.anyError) return;
    unsigned counts[] = {parts.splits, parts.joins, parts.bodies, parts.loops};
    int needed = isPipeline ? 0 : isLoop ? 4 : 2;
    for (int which = 0; which < needed; ++which)
        if (counts[which] == 0)
            c.error(Diag::MissingPart, stream.decl->header)
                << kind << displayName(stream) << names[which];
    if (!isLoop && parts.adds == 0)
        c.error(Diag::NoChildren, stream.decl->header) << kind << displayName(stream);
}

void declareStream(Checker& c, Scope& scope) {
    const ast::StreamDecl& decl = *scope.stream->decl;
    Members members(c, *scope.stream);
    declareParams(c, scope, decl, members);
    declareSides(c, scope, decl);
    if (!c.isDamaged(&decl)) declareMembers(c, scope, decl, members);
}

void checkStream(Checker& c, Scope& scope) {
    const ast::StreamDecl& decl = *scope.stream->decl;
    checkDefaults(c, scope);
    if (decl.stream == ast::StreamKind::Filter)
        checkFilter(c, scope, decl);
    else
        checkComposite(c, scope, decl);
}

}  // namespace strc::sema
