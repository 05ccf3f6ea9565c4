// Streams: their members in order, and the setup that elaboration runs for each instance.

#include <algorithm>

#include "lower/detail/bodies.h"
#include "lower/detail/declarations.h"
#include "lower/detail/program.h"
#include "lower/detail/reach.h"
#include "lower/detail/setup.h"
#include "lower/detail/statements.h"
#include "lower/detail/walk.h"

namespace strc::lower::detail {

using ast::as;
using ir::BodyKind;
using ir::Space;

namespace {

ir::Variable variableOf(ModuleScope& m, const Symbol& symbol) {
    return {symbol.name.str(), m.resolve(symbol, true), symbol.range};
}

/// A block that is the body of a stream or of a part of it.
struct BlockBody {
    std::string name;
    BodyKind kind;
    const ast::BlockStmt& block;
    SourceRange range;  ///< of the whole declaration
    SourceRange header;
};

std::optional<ir::Body> lowerBlock(ModuleScope& m, StreamScope& stream, BlockBody from) {
    BodyScope body(m, &stream, std::move(from.name), from.kind, from.range);
    body.b.body.header = from.header;
    statement(body, from.block);
    return body.finish();
}

void lowerDefaults(ModuleScope& m, StreamScope& stream) {
    stream.code.defaults.resize(stream.info.params);
    for (std::uint32_t k = 0; k < stream.info.params; ++k) {
        const ast::Expr* value = stream.info.decl->params[k].defaultValue;
        if (!value) continue;
        BodyScope body(m, &stream, "default", BodyKind::Default, value->range);
        setDefault(body, *value, stream.code.constants[k].type);
        stream.code.defaults[k] = body.finish();
    }
}

/// In place of bodies with errors: nothing of them is lowered, and nothing will run.
void standInForMembers(ModuleScope& m, StreamScope& stream) {
    for (const ast::Decl* member : stream.info.decl->members) {
        auto* work = ast::tryAs<ast::WorkDecl>(member);
        if (!work) continue;
        BodyScope body(m, &stream, work->prework ? "prework" : "work",
                       work->prework ? BodyKind::Prework : BodyKind::Work, work->range);
        body.b.body.header = work->header;
        (work->prework ? stream.code.prework : stream.code.work) = body.finish();
    }
}

void lowerMembers(ModuleScope& m, StreamScope& stream) {
    for (const ast::Decl* member : stream.info.decl->members) {
        if (m.failed) return;
        if (auto* init = ast::tryAs<ast::InitDecl>(member))
            stream.code.init = lowerBlock(
                m, stream, {"init", BodyKind::Init, *init->body, init->range, init->range});
        if (auto* work = ast::tryAs<ast::WorkDecl>(member)) {
            std::optional<ir::Body>& body = work->prework ? stream.code.prework : stream.code.work;
            body = lowerBlock(m, stream,
                              {work->prework ? "prework" : "work",
                               work->prework ? BodyKind::Prework : BodyKind::Work, *work->body,
                               work->range, work->header});
        }
    }
    for (const FunctionInfo* function : stream.info.functions)
        if (!m.failed) stream.code.functions.push_back(lowerFunction(m, &stream, *function));
}

/// Declares the fields in textual order, hidden ones as soon as what they use is there. Fields whose
/// extents do not depend on other fields all begin before the first initialiser runs: it may call
/// functions that look at them. What begins later must not be looked at before.
class FieldOrder {
public:
    FieldOrder(ModuleScope& m, StreamScope& stream, BodyScope& setup)
        : m(m), stream(stream), setup(setup) {
        std::stable_sort(stream.bounds.begin(), stream.bounds.end(),
                         [](const auto& a, const auto& b) { return a.after < b.after; });
    }

    void declareAll() {
        begun.resize(stream.code.fields.size());
        forEach([this](const ast::VariablesStmt& s, const ast::Declarator&, std::uint32_t k) {
            if (!usesFields(*s.type) && !hasOpenLength(setup, *s.type)) begin(k, *s.type);
        });
        declareHidden(0);
        forEach([this](const ast::VariablesStmt& s, const ast::Declarator& d, std::uint32_t k) {
            checkBounds(*s.type);
            const bool isOpen = hasOpenLength(setup, *s.type);
            if (!begun[k] && !isOpen) begin(k, *s.type);
            if (d.initialiser) {
                checkCalls(*d.initialiser);
                const ir::Variable& field = stream.code.fields[k];
                const VarRef var{Space::Field, k};
                if (isOpen)
                    declareOpen(setup, var, field.type, *d.initialiser, d.name.range);
                else
                    initialise(setup, var, field.type, *d.initialiser, d.name.range);
                begun[k] = true;
            }
            declareHidden(k + 1);
        });
    }

private:
    template <typename Visit>
    void forEach(Visit visit) {
        for (const ast::Decl* member : stream.info.decl->members) {
            auto* fields = ast::tryAs<ast::FieldsDecl>(member);
            if (!fields) continue;
            for (const ast::Declarator& d : fields->variables->variables)
                visit(*fields->variables, d, m.program.symbolOf(d.id)->index);
        }
    }

    void begin(std::uint32_t k, const ast::TypeExpr& written) {
        beginLife(setup, {Space::Field, k}, stream.code.fields[k].type, written,
                  stream.code.fields[k].range);
        begun[k] = true;
    }

    void declareHidden(std::uint32_t fields) {
        for (; hidden < stream.bounds.size() && stream.bounds[hidden].after <= fields; ++hidden)
            hiddenBound(setup, stream.bounds[hidden]);
    }

    bool usesFields(const ast::TypeExpr& written) const {
        for (const ast::TypeExpr* t = &written; t->kind == ast::TypeExprKind::Array;
             t = t->element) {
            if (!t->bound) continue;
            Uses uses = usesOf(m.program, *t->bound);
            if (uses.calls || uses.fields) return true;
        }
        return false;
    }

    void checkBounds(const ast::TypeExpr& written) {
        for (const ast::TypeExpr* t = &written; t->kind == ast::TypeExprKind::Array; t = t->element)
            if (t->bound) checkCalls(*t->bound);
    }

    void checkCalls(const ast::Expr& e) {
        for (const FunctionInfo* function : calledFrom(m.program, e)) {
            if (function->kind != sema::FunctionKind::Function &&
                function->kind != sema::FunctionKind::Handler)
                continue;
            auto look = [&](const ast::Expr& used) { checkUse(used, e.range); };
            forEachExpr(*codeOf(*function), look, [](const ast::Stmt&) {});
            for (const Symbol* param : function->params) lookAtBounds(*param->typeExpr, look);
            if (auto* decl = ast::tryAs<ast::FunctionDecl>(function->decl))
                lookAtBounds(*decl->result, look);
        }
    }

    template <typename Look>
    static void lookAtBounds(const ast::TypeExpr& written, Look look) {
        for (const ast::TypeExpr* t = &written; t->kind == ast::TypeExprKind::Array; t = t->element)
            if (t->bound) forEachExpr(*t->bound, look);
    }

    void checkUse(const ast::Expr& used, SourceRange call) {
        auto* name = ast::tryAs<ast::NameRef>(&used);
        const Symbol* symbol = name ? m.program.symbolOf(*name) : nullptr;
        bool isField = symbol && symbol->kind == sema::SymbolKind::Field;
        if (isField && !begun[symbol->index]) return report(symbol->name, call);
        for (std::size_t k = hidden; k < stream.bounds.size(); ++k)
            if (stream.bounds[k].expression == &used) {
                std::uint32_t last = std::max(usesOf(m.program, used).fields, 1u) - 1;
                return report(stream.info.fields[last]->name, call);
            }
    }

    void report(base::Name field, SourceRange call) {
        if (!m.failed) m.context.diags.add(Diag::UseBeforeDeclaration, call) << field;
        m.failed = true;
    }

    ModuleScope& m;
    StreamScope& stream;
    BodyScope& setup;
    std::vector<bool> begun;  ///< by field
    std::size_t hidden = 0;  ///< bounds before this one have been declared
};

/// The statements that run first: `init` of a filter, or the body of a composite; null if there are none.
const ast::BlockStmt* firstCode(const ast::StreamDecl& decl) {
    for (const ast::Decl* member : decl.members)
        if (auto* init = ast::tryAs<ast::InitDecl>(member)) return init->body;
    return decl.body;
}

/// Is its value there before anything of the instance has run?
bool isOfArguments(ModuleScope& m, const ast::Expr& root) {
    bool isKnown = true;
    forEachExpr(root, [&](const ast::Expr& e) {
        if (ast::tryAs<ast::CallExpr>(&e) || ast::tryAs<ast::PackageCallExpr>(&e)) {
            isKnown = isKnown && m.program.callOf(e.id)->kind == sema::CallKind::RealMath;
        } else if (auto* name = ast::tryAs<ast::NameRef>(&e)) {
            const Symbol& symbol = *m.program.symbolOf(*name);
            isKnown =
                isKnown && (symbol.kind == sema::SymbolKind::StreamParam || isScalarGlobal(symbol));
        }
    });
    return isKnown;
}

/// Does the statement require something of arguments alone?
bool requiresOfArguments(ModuleScope& m, const ast::Stmt& statement) {
    auto* effect = ast::tryAs<ast::ExpressionStmt>(&statement);
    auto* call = effect ? ast::tryAs<ast::CallExpr>(effect->expression) : nullptr;
    if (!call || m.program.callOf(call->id)->kind != sema::CallKind::Require) return false;
    return std::ranges::all_of(call->args,
                               [&](const ast::Expr* arg) { return isOfArguments(m, *arg); });
}

/// Extents and rates that make no sense come from arguments that make none. Where the code begins with
/// what it requires of them, that is said, and not what followed.
void requireOfArguments(ModuleScope& m, const ast::StreamDecl& decl, BodyScope& setup) {
    const ast::BlockStmt* block = firstCode(decl);
    if (!block) return;
    for (const ast::Stmt* statement : block->statements) {
        if (!requiresOfArguments(m, *statement)) return;
        detail::statement(setup, *statement);
    }
}

ir::Body lowerSetup(ModuleScope& m, StreamScope& stream) {
    const ast::StreamDecl& decl = *stream.info.decl;
    BodyScope setup(m, &stream, "setup", BodyKind::Setup, decl.header);
    if (!stream.info.broken) requireOfArguments(m, decl, setup);
    for (std::uint32_t k = 0; k < stream.info.params; ++k)
        checkParameter(setup, k, *stream.info.constants[k]->typeExpr);
    if (decl.input && stream.code.input) itemType(setup, 0, stream.code.input, *decl.input);
    if (decl.output && stream.code.output) itemType(setup, 1, stream.code.output, *decl.output);
    FieldOrder(m, stream, setup).declareAll();
    for (const ast::Decl* member : decl.members)
        if (auto* work = ast::tryAs<ast::WorkDecl>(member))
            for (const ast::RateClause& clause : work->rates) rate(setup, clause, work->prework);
    return setup.finish();
}

/// Before anything else of setup looks at them.
void takeStaticTensors(const StreamScope& stream) {
    ir::Body& setup = stream.code.setup;
    std::vector<Instr> taken;
    for (const auto& [global, field] : stream.staticTensors) {
        const Type* type = stream.code.fields[field].type;
        const auto reg = static_cast<Reg>(setup.regs.size());
        setup.regs.push_back({type, false});
        auto emit = [&](Op op, const Type* of, VarRef var) -> Instr& {
            Instr& made = taken.emplace_back();
            made.op = op;
            made.type = of;
            made.var = var;
            made.range = stream.code.header;
            return made;
        };
        emit(Op::Declare, nullptr, {Space::Field, field});
        emit(Op::Load, type, {Space::Global, global}).result = reg;
        emit(Op::Store, type, {Space::Field, field}).operands = {reg};
    }
    std::vector<Instr>& instrs = setup.blocks[setup.entry].instrs;
    instrs.insert(instrs.begin(), taken.begin(), taken.end());
}

}  // namespace

ir::Body lowerFunction(ModuleScope& m, StreamScope* stream, const FunctionInfo& function) {
    bool isHandler = function.kind == sema::FunctionKind::Handler;
    BodyScope body(m, stream, function.name.str(),
                   isHandler ? BodyKind::Handler : BodyKind::Function, function.decl->range);
    setFunction(body, function);
    if (isHandler)
        statement(body, *as<ast::HandlerDecl>(*function.decl).body);
    else
        statement(body, *as<ast::FunctionDecl>(*function.decl).body);
    return body.finish();
}

void declareStream(ModuleScope& m, const StreamInfo& info, bool wanted, ir::StreamCode& code) {
    if (info.name) code.name = info.name.str();
    code.isLibrary = info.isLibrary || info.builtin != types::BuiltinStream::None;
    code.setup = BodyScope(m, nullptr, "setup", BodyKind::Setup, {}).finish();
    if (!info.decl || !wanted) return;
    const ast::StreamDecl& decl = *info.decl;
    code.kind = static_cast<ir::StreamKind>(decl.stream);
    code.stateful = decl.stateful;
    code.range = decl.range;
    code.header = decl.header;
    code.params = info.params;
    code.input = decl.input ? m.resolve(*decl.input, true) : nullptr;
    code.output = decl.output ? m.resolve(*decl.output, true) : nullptr;
    for (const Symbol* symbol : info.constants) code.constants.push_back(variableOf(m, *symbol));
}

void lowerStream(ModuleScope& m, const StreamInfo& info, ir::StreamCode& code) {
    if (!info.decl) return;
    StreamScope stream{info, code, {}, {}};
    for (const Symbol* symbol : info.fields) code.fields.push_back(variableOf(m, *symbol));
    if (m.failed) return;
    code.broken = info.broken;
    lowerDefaults(m, stream);
    if (info.broken)
        standInForMembers(m, stream);
    else
        lowerMembers(m, stream);
    if (info.decl->body && !m.failed)
        code.body = lowerBlock(
            m, stream,
            {"body", BodyKind::Composite, *info.decl->body, info.decl->range, info.decl->header});
    if (!m.failed) code.setup = lowerSetup(m, stream);
    takeStaticTensors(stream);
}

}  // namespace strc::lower::detail
