// Static items, run one after the other while lowering, and the functions of packages.

#include "base/assert.h"
#include "ir/verify.h"
#include "lower/detail/declarations.h"
#include "lower/detail/program.h"
#include "lower/detail/reach.h"
#include "lower/detail/statements.h"

namespace strc::lower::detail {

using ast::as;
using ir::Space;

namespace {

/// The functions of packages that a static item calls: globals have other values now than later.
void lowerCalled(ModuleScope& m, const std::vector<const FunctionInfo*>& called) {
    for (const FunctionInfo* function : called)
        if (!m.failed && function->kind == sema::FunctionKind::Package)
            m.module.functions[function->index] = lowerFunction(m, nullptr, *function);
}

/// A tensor has no shape, and an array of open length no length, until an item gives it one.
Value beforeItems(const Type* type) {
    const bool hasLength = types::isConcrete(type) && !type->is(types::TypeKind::Tensor);
    return hasLength ? Value::zero(type) : Value();
}

void runField(ModuleScope& m, const ast::VariablesStmt& variables, const ast::Declarator& d) {
    const Symbol& symbol = *m.program.symbolOf(d.id);
    const Type* type = m.resolve(*variables.type, true);
    if (m.failed) return;
    m.module.globals[symbol.index].type = type;
    m.module.globalValues[symbol.index] = beforeItems(type);
    if (d.initialiser) lowerCalled(m, calledFrom(m.program, *d.initialiser));
    BodyScope body(m, nullptr, symbol.name.str(), ir::BodyKind::Static, d.name.range);
    declare(body, {Space::Global, symbol.index}, type, *variables.type, d.initialiser,
            d.name.range);
    if (m.failed || !m.runItem(body.finish())) m.failed = true;
    if (!types::isConcrete(type) && type->is(types::TypeKind::Array) && !m.failed)
        m.module.globals[symbol.index].type = m.module.globalValues[symbol.index].type;
    m.globalsKnown = symbol.index + 1;
}

void runInit(ModuleScope& m, const ast::InitDecl& decl) {
    lowerCalled(m, calledFrom(m.program, *decl.body));
    BodyScope body(m, nullptr, "init", ir::BodyKind::Static, decl.range);
    statement(body, *decl.body);
    if (m.failed || !m.runItem(body.finish())) m.failed = true;
}

}  // namespace

bool ModuleScope::runItem(const ir::Body& body) {
#ifdef STRC_CHECKED
    std::vector<std::string> faults = ir::verify(module, nullptr, body);
    STRC_ASSERT(faults.empty(), faults.front());
#endif
    return runStatic(module, body);
}

void lowerStatics(ModuleScope& m) {
    for (const Symbol* global : m.program.globals) {
        m.module.globals.push_back({global->name.str(), global->type, global->range});
        m.module.globalValues.push_back(global->type->isScalar() ? beforeItems(global->type)
                                                                 : Value());
    }
    for (const ast::Decl* item : m.program.staticItems) {
        if (m.failed) return;
        if (auto* init = ast::tryAs<ast::InitDecl>(item)) {
            runInit(m, *init);
            continue;
        }
        const ast::VariablesStmt& variables = *as<ast::FieldsDecl>(*item).variables;
        for (const ast::Declarator& d : variables.variables)
            if (!m.failed) runField(m, variables, d);
    }
    m.globalsAreFinal = true;
    for (const sema::Symbol* global : m.program.globals) {
        // A block that never names a variable again leaves its type as written.
        const Value& value = m.module.globalValues[global->index];
        if (value.type) m.module.globals[global->index].type = value.type;
    }
}

void lowerPackages(ModuleScope& m) {
    lowerCalled(m, m.program.packageFunctions);
    for (std::size_t k = 0; k < m.program.natives.size(); ++k) {
        const FunctionInfo& native = *m.program.natives[k];
        ir::Native& entry = m.module.natives[k];
        for (std::size_t p = 0; p < native.params.size(); ++p)
            entry.params[p] = m.resolveHanded(*native.params[p]->typeExpr);
        entry.result = m.resolveHanded(*as<ast::FunctionDecl>(*native.decl).result);
    }
}

}  // namespace strc::lower::detail
