#include "sema/program.h"

#include "base/assert.h"
#include "sema/detail/tables.h"

namespace strc::sema {
namespace {

template <typename T>
T at(const std::vector<T>& table, ast::NodeId id) {
    return id.index < table.size() ? table[id.index] : nullptr;
}

template <typename Map>
auto find(const Map& map, ast::NodeId id) -> const typename Map::mapped_type* {
    auto found = map.find(id.index);
    return found == map.end() ? nullptr : &found->second;
}

}  // namespace

const Type* Program::typeOf(const ast::Expr& expr) const {
    const Type* type = at(tables->types, expr.id);
    STRC_ASSERT(type, "expression that was not checked");
    return type;
}

const Type* Program::typeOf(const ast::TypeExpr& type) const {
    const Type* found = at(tables->types, type.id);
    STRC_ASSERT(found, "type that was not checked");
    return found;
}

const Symbol* Program::symbolOf(const ast::Expr& nameRef) const {
    return at(tables->symbols, nameRef.id);
}
const Symbol* Program::symbolOf(ast::NodeId declarator) const {
    return at(tables->symbols, declarator);
}
bool Program::isOpenLength(const ast::Expr& bound) const {
    return bound.kind == ast::ExprKind::NameRef && !symbolOf(bound);
}

const CallTarget* Program::callOf(ast::NodeId id) const { return find(tables->calls, id); }

const FunctionInfo* Program::messageOf(const ast::MessageStmt& message) const {
    auto found = find(tables->messages, message.id);
    return found ? *found : nullptr;
}

const Symbol* Program::portalOf(const ast::MessageStmt& message) const {
    auto found = find(tables->messagePortals, message.id);
    return found ? *found : nullptr;
}

const Symbol* Program::portalOf(const ast::CreateStmt& create, std::size_t k) const {
    auto found = find(tables->createPortals, create.id);
    return found && k < found->size() ? (*found)[k] : nullptr;
}

const CreateTarget* Program::createOf(const ast::CreateStmt& create) const {
    return find(tables->creates, create.id);
}

const StreamInfo* Program::streamOf(const ast::StreamDecl& decl) const {
    auto found = find(tables->streamOf, decl.id);
    return found ? *found : nullptr;
}

}  // namespace strc::sema
