#include <fmt/format.h>

#include "sema/detail/calls.h"
#include "sema/detail/declare.h"
#include "sema/detail/expressions.h"
#include "sema/detail/scopes.h"
#include "sema/detail/statements.h"
#include "sema/detail/streams.h"
#include "sema/detail/types.h"

namespace strc::sema {
namespace {

using types::TypeKind;

/// One parameter, of a stream of the program or of a builtin.
struct Formal {
    Name name;
    const Type* type;
    bool hasDefault;
    bool isOpen = false;  ///< an array whose length the argument decides on
};

/// `int[_] sizes`: nothing else in a type may be called `_`.
bool hasOpenLength(const ast::TypeExpr& type) {
    auto* bound = type.kind == ast::TypeExprKind::Array && type.bound
                      ? ast::tryAs<ast::NameRef>(type.bound)
                      : nullptr;
    return bound && bound->name.text() == "_" && type.element->kind == ast::TypeExprKind::Primitive;
}

std::vector<Formal> formals(Checker& c, const StreamInfo& stream) {
    std::vector<Formal> result;
    if (stream.builtin != Builtin::None) {
        for (const types::BuiltinParameter& each : types::info(stream.builtin).parameters)
            result.push_back({c.ctx.names.intern(each.name),
                              each.isString ? c.types.string() : c.types.intType(),
                              each.defaultValue.has_value()});
        return result;
    }
    for (std::uint32_t i = 0; i < stream.params; ++i) {
        const Symbol& param = *stream.constants[i];
        bool isOpen = param.typeExpr && hasOpenLength(*param.typeExpr);
        result.push_back({param.name, param.type, param.initialiser != nullptr, isOpen});
    }
    return result;
}

/// Position of a named argument's parameter, or of no parameter after a report.
std::size_t findParameter(Checker& c, const StreamInfo& stream, std::span<const Formal> params,
                          ast::Ident name) {
    for (std::size_t i = 0; i < params.size(); ++i)
        if (params[i].name == name.name) return i;
    Diagnostic& diag = c.error(Diag::UnknownParameter, name.range)
                       << displayName(stream) << name.name;
    if (c.maySuggest()) {
        base::SpellingSearch search(name.name.text());
        for (const Formal& each : params) search.consider(each.name.text());
        c.suggest(diag, name.range, search.best());
    }
    return params.size();
}

/// The arguments, each at its parameter.
class Arguments {
public:
    Arguments(Checker& checker, const ast::CreateStmt& create, const StreamInfo& target)
        : c(checker),
          stmt(create),
          stream(target),
          params(formals(checker, target)),
          placed(params.size()) {}

    std::vector<const ast::Expr*> check() {
        std::size_t positional = 0;
        for (const ast::Argument& arg : stmt.args) positional += !arg.name.name;
        std::size_t required = 0;
        for (const Formal& param : params) required += !param.hasDefault;
        bool isNamed = positional < stmt.args.size();
        std::size_t least = isNamed ? 0 : required;
        bool isWrong = checkArgumentCount(
            c, stmt.target.range,
            {kind(), stream.name.text(), stream.decl ? stream.decl->header : SourceRange{}},
            {least, params.size(), positional});
        std::size_t next = 0;
        for (const ast::Argument& arg : stmt.args) {
            if (!arg.name.name)
                place(arg, isWrong ? params.size() : next++);
            else
                place(arg, findParameter(c, stream, params, arg.name));
        }
        if (isNamed && !isWrong && !isUnknown) reportMissing();
        return std::move(placed);
    }

private:
    std::string_view kind() const {
        return kindName(stream.decl ? stream.decl->stream : ast::StreamKind::Filter);
    }

    void place(const ast::Argument& arg, std::size_t position) {
        if (position >= params.size()) {
            isUnknown |= static_cast<bool>(arg.name.name);
            checkExpr(c, *arg.value);
            return;
        }
        if (placed[position])
            c.error(Diag::ArgumentGivenTwice, arg.name.range)
                << params[position].name << stream.name;
        placed[position] = arg.value;
        Target target;
        target.type = params[position].type;
        target.site = arg.name.name ? Site::NamedArgument : Site::Argument;
        target.subject = stream.name;
        target.position = static_cast<std::uint32_t>(position + 1);
        target.parameter = params[position].name;
        target.takesOne = params[position].isOpen && params[position].type->is(TypeKind::Array) &&
                          params[position].type->extent == types::kDynamic;
        checkInto(c, *arg.value, target);
    }

    void reportMissing() {
        for (std::size_t i = 0; i < params.size(); ++i)
            if (!placed[i] && !params[i].hasDefault)
                c.error(Diag::MissingArgument, stmt.target.range)
                    << params[i].name << kind() << stream.name;
    }

    Checker& c;
    const ast::CreateStmt& stmt;
    const StreamInfo& stream;
    std::vector<Formal> params;
    std::vector<const ast::Expr*> placed;
    bool isUnknown = false;
};

/// Identity<T>, the readers and the writers, and nobody else.
const Type* checkTypeArgument(Checker& c, const ast::CreateStmt& stmt, const StreamInfo& stream) {
    bool takesType = stream.builtin != Builtin::None && types::info(stream.builtin).takesType();
    if (stmt.typeArgument) {
        const Type* type = checkType(c, *stmt.typeArgument, TypeUse::TypeArgument, stream.name);
        if (takesType) return type;
        c.error(Diag::UnexpectedTypeArgument, stmt.typeArgument->range) << stream.name;
    } else if (takesType && !c.tables.redefined.contains(stream.name)) {
        c.error(Diag::MissingTypeArgument, stmt.target.range) << stream.name << stream.name;
    }
    return nullptr;
}

StreamInfo* checkNamed(Checker& c, const ast::CreateStmt& stmt, CreateTarget& target) {
    StreamInfo* stream = findStream(c, stmt.target.name);
    if (!stream) {
        Diagnostic& diag = c.error(Diag::UnknownStream, stmt.target.range) << stmt.target.name;
        if (c.maySuggest())
            c.suggest(diag, stmt.target.range, similarStream(c, stmt.target.name.text()));
        for (const ast::Argument& arg : stmt.args) checkExpr(c, *arg.value);
        if (stmt.typeArgument)
            checkType(c, *stmt.typeArgument, TypeUse::TypeArgument, stmt.target.name);
        return nullptr;
    }
    target.typeArgument = checkTypeArgument(c, stmt, *stream);
    if (c.tables.redefined.contains(stream->name)) {
        for (const ast::Argument& arg : stmt.args) checkExpr(c, *arg.value);
        return stream;
    }
    target.args = Arguments(c, stmt, *stream).check();
    return stream;
}

/// The same tree may be checked again: its stream stays where it is.
StreamInfo& anonymousInfo(Checker& c, const ast::StreamDecl& decl) {
    StreamInfo*& info = c.tables.streamOf[decl.id.index];
    if (info) {
        std::uint32_t index = info->index;
        *info = StreamInfo();
        info->index = index;
        c.tables.names[index] = StreamNames();
    } else {
        info = &newStream(c);
    }
    info->decl = &decl;
    info->isLibrary = c.isLibrary;
    return *info;
}

StreamInfo* checkAnonymous(Checker& c, const ast::StreamDecl& decl) {
    StreamInfo& info = anonymousInfo(c, decl);
    info.enclosing = c.body->scope ? c.body->scope->stream : nullptr;
    Scope scope{&info, &c.tables.names[info.index], c.body};
    declareStream(c, scope);
    checkStream(c, scope);
    return &info;
}

bool sameParams(const FunctionInfo& a, const FunctionInfo& b) {
    if (a.params.size() != b.params.size()) return false;
    for (std::size_t i = 0; i < a.params.size(); ++i)
        if (!types::compatible(a.params[i]->type, b.params[i]->type)) return false;
    return true;
}

/// An anonymous filter stands in for a class if it has all its handlers.
bool hasHandlers(Checker& c, const StreamInfo& stream, const StreamInfo& receiver) {
    const StreamNames& names = c.tables.names[stream.index];
    for (const FunctionInfo* handler : receiver.functions) {
        if (handler->kind != FunctionKind::Handler) continue;
        auto own = names.functions.find(handler->name);
        bool fits = own != names.functions.end() && own->second->kind == FunctionKind::Handler &&
                    sameParams(*own->second, *handler);
        if (!fits) return false;
    }
    return true;
}

void checkReceiver(Checker& c, ast::Ident portal, const Type* type, const StreamInfo& stream) {
    if (stream.decl && stream.decl->stream != ast::StreamKind::Filter) {
        c.error(Diag::ReceiverNotFilter, portal.range)
            << displayName(stream) << kindName(stream.decl->stream);
        return;
    }
    StreamInfo* receiver = findStream(c, type->portalClass);
    if (!receiver || receiver == &stream || c.isDamaged(receiver->decl)) return;
    if (!stream.name && hasHandlers(c, stream, *receiver)) return;
    c.error(Diag::ReceiverClass, portal.range)
        << displayName(stream) << portal.name << receiver->name;
}

void checkPortals(Checker& c, const ast::CreateStmt& stmt, const StreamInfo* stream) {
    if (stmt.portals.empty()) return;
    std::vector<const Symbol*> portals;
    for (const ast::Ident& name : stmt.portals) {
        Symbol* portal = useVariable(c, name);
        portals.push_back(portal);
        if (!portal || portal->type->isError()) continue;
        if (portal->type->is(TypeKind::Portal)) {
            if (stream) checkReceiver(c, name, portal->type, *stream);
            continue;
        }
        Diagnostic& diag = c.error(Diag::NotAPortal, name.range) << name.name;
        diag.note(Diag::DeclaredHere, portal->range) << name.name;
    }
    c.tables.createPortals[stmt.id.index] = std::move(portals);
}

}  // namespace

void checkCreate(Checker& c, const ast::CreateStmt& stmt) {
    CreateTarget target;
    StreamInfo* stream =
        stmt.anonymous ? checkAnonymous(c, *stmt.anonymous) : checkNamed(c, stmt, target);
    target.stream = stream;
    if (stream && c.body->scope) c.body->scope->names->creates.push_back(stream);
    checkPortals(c, stmt, stream);
    c.tables.creates[stmt.id.index] = std::move(target);
}

}  // namespace strc::sema
