// Static items, run one after the other while lowering, and the functions of packages.

#include <set>

#include "base/assert.h"
#include "ir/verify.h"
#include "lower/detail/program.h"
#include "lower/detail/walk.h"

namespace strc::lower::detail {

using ast::as;
using ast::Expr;
using ast::ExprKind;
using ir::Space;

namespace {

/// Functions of packages that are called, as far as can be reached.
class Needed {
public:
    explicit Needed(const sema::Program& program) : program(program) {}

    void add(const Expr& e) {
        forEachExpr(e, [this](const Expr& inner) { addCall(inner); });
        close();
    }
    void add(const ast::Stmt& s) {
        addBody(s);
        close();
    }

    std::set<std::uint32_t> functions;

private:
    void addTarget(ast::NodeId id) {
        const sema::CallTarget* target = program.callOf(id);
        if (!target || !target->function || target->function->kind != sema::FunctionKind::Package)
            return;
        if (functions.insert(target->function->index).second) pending.push_back(target->function);
    }
    void addCall(const Expr& e) {
        if (e.kind == ExprKind::Call || e.kind == ExprKind::PackageCall) addTarget(e.id);
    }
    void addBody(const ast::Stmt& s) {
        forEachExpr(
            s, [this](const Expr& e) { addCall(e); },
            [this](const ast::Stmt& inner) {
                if (inner.kind == ast::StmtKind::Message) addTarget(inner.id);
            });
    }
    void close() {
        while (!pending.empty()) {
            const FunctionInfo* function = pending.back();
            pending.pop_back();
            addBody(*as<ast::FunctionDecl>(*function->decl).body);
        }
    }

    const sema::Program& program;
    std::vector<const FunctionInfo*> pending;
};

void lowerFunctions(ModuleScope& m, const std::set<std::uint32_t>& indices) {
    for (std::uint32_t index : indices) {
        if (m.failed) return;
        const FunctionInfo& function = *m.program.packageFunctions[index];
        m.module.functions[index] = lowerFunction(m, nullptr, function);
    }
}

void runField(ModuleScope& m, const ast::VariablesStmt& variables, const ast::Declarator& d) {
    const Symbol& symbol = *m.program.symbolOf(d.id);
    const Type* type = m.resolve(*variables.type, true);
    if (m.failed) return;
    m.module.globals[symbol.index].type = type;
    m.module.globalValues[symbol.index] = Value::zero(type);
    Needed needed(m.program);
    if (d.initialiser) needed.add(*d.initialiser);
    lowerFunctions(m, needed.functions);
    BodyLowerer body(m, nullptr, symbol.name.str(), ir::BodyKind::Static, d.name.range);
    body.declare({Space::Global, symbol.index}, type, *variables.type, d.initialiser, d.name.range);
    if (m.failed || !m.runItem(body.finish())) m.failed = true;
    m.globalsKnown = symbol.index + 1;
}

void runInit(ModuleScope& m, const ast::InitDecl& decl) {
    Needed needed(m.program);
    needed.add(*decl.body);
    lowerFunctions(m, needed.functions);
    BodyLowerer body(m, nullptr, "init", ir::BodyKind::Static, decl.range);
    body.statement(*decl.body);
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
        m.module.globalValues.push_back(global->type->isScalar() ? Value::zero(global->type)
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
    std::set<std::uint32_t> all;
    for (std::uint32_t index = 0; index < m.program.packageFunctions.size(); ++index)
        all.insert(index);
    lowerFunctions(m, all);
    for (std::size_t k = 0; k < m.program.natives.size(); ++k) {
        const FunctionInfo& native = *m.program.natives[k];
        ir::Native& entry = m.module.natives[k];
        for (std::size_t p = 0; p < native.params.size(); ++p)
            entry.params[p] = m.resolve(*native.params[p]->typeExpr, true);
    }
}

}  // namespace strc::lower::detail
