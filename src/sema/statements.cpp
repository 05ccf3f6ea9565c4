#include "sema/detail/statements.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/detail/calls.h"
#include "sema/detail/effects.h"
#include "sema/detail/expressions.h"
#include "sema/detail/scopes.h"
#include "sema/detail/tapes.h"
#include "sema/detail/types.h"

namespace strc::sema {
namespace {

using ast::StmtKind;
using types::TypeKind;

/// Counts what encloses a statement, for a C++ scope.
class Deeper {
public:
    explicit Deeper(unsigned& count) : depth(count) { ++depth; }
    ~Deeper() { --depth; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

private:
    unsigned& depth;
};

/// A statement that stands alone under `if` or a loop is a level of nesting, too.
void checkNested(Checker& c, const ast::Stmt* stmt) {
    if (!stmt) return;
    Nest nest(c);
    checkStmt(c, *stmt);
}

void checkVariables(Checker& c, const ast::VariablesStmt& stmt) {
    bool isComposite = c.body->place == CodeKind::Composite;
    const bool isInitialised = std::all_of(stmt.variables.begin(), stmt.variables.end(),
                                           [](const auto& each) { return each.initialiser; });
    const Type* type =
        checkType(c, *stmt.type, isComposite ? TypeUse::CompositeLocal : TypeUse::Local,
                  stmt.variables.empty() ? Name() : stmt.variables[0].name.name, isInitialised);
    for (const ast::Declarator& each : stmt.variables) {
        Symbol* symbol = c.makeSymbol(SymbolKind::Local, each.name, type);
        symbol->typeExpr = stmt.type;
        symbol->initialiser = each.initialiser;
        c.setSymbol(each.id, symbol);
        if (each.initialiser) checkInitialiser(c, *symbol, *each.initialiser);
        declareLocal(c, *symbol, "local");
    }
}

// ---------------------------------------------------------------- assignments

ast::BinaryOp operationOf(ast::AssignOp op) {
    switch (op) {
        case ast::AssignOp::Plain: break;
        case ast::AssignOp::Add: return ast::BinaryOp::Add;
        case ast::AssignOp::Subtract: return ast::BinaryOp::Subtract;
        case ast::AssignOp::Multiply: return ast::BinaryOp::Multiply;
        case ast::AssignOp::Divide: return ast::BinaryOp::Divide;
        case ast::AssignOp::ShiftLeft: return ast::BinaryOp::ShiftLeft;
        case ast::AssignOp::ShiftRight: return ast::BinaryOp::ShiftRight;
        case ast::AssignOp::Remainder: return ast::BinaryOp::Remainder;
        case ast::AssignOp::And: return ast::BinaryOp::BitAnd;
        case ast::AssignOp::Or: return ast::BinaryOp::BitOr;
        case ast::AssignOp::Xor: return ast::BinaryOp::BitXor;
    }
    STRC_UNREACHABLE("assignment without an operation");
}

/// `a op= b` is `a = (T)(a op b)` with T the type of a.
void checkCompound(Checker& c, const ast::AssignStmt& stmt, const Typed& target) {
    Typed value = checkValue(c, *stmt.value);
    ast::BinaryExpr operation;
    operation.kind = ast::ExprKind::Binary;
    operation.id = stmt.id;
    operation.range = stmt.range;
    operation.op = operationOf(stmt.op);
    operation.opRange = stmt.opRange;
    operation.left = stmt.target;
    operation.right = stmt.value;
    Typed result = checkBinary(c, operation, target, value);
    const Type* from = result.type;
    const Type* to = target.type;
    if (from->isError() || to->isError()) return;
    if (from->isReal() && to->isReal()) {
        bool truncates =
            (from->is(TypeKind::Float) || from->is(TypeKind::Double)) && to->kind < TypeKind::Float;
        if (truncates)
            c.warn(Diag::TruncatingAssignment, stmt.range)
                << fmt::format("{}=", spelling(operation.op)) << types::toString(value.type)
                << types::toString(to);
        return;
    }
    Target wanted;
    wanted.type = to;
    convert(c, *stmt.value, result, wanted);
}

/// The target of a plain assignment: taking a value is no use of a local variable.
Typed checkPlainTarget(Checker& c, const ast::Expr& target) {
    auto* ref = ast::tryAs<ast::NameRef>(&target);
    Symbol* symbol = ref ? findVariable(c, ref->name) : nullptr;
    bool isLocal = symbol && symbol->kind == SymbolKind::Local;
    bool wasUsed = !isLocal || symbol->used;
    Typed result = checkTarget(c, target);
    if (!wasUsed) symbol->used = false;
    return result;
}

void checkAssign(Checker& c, const ast::AssignStmt& stmt) {
    if (stmt.op != ast::AssignOp::Plain)
        return checkCompound(c, stmt, checkTarget(c, *stmt.target));
    Target to;
    to.type = checkPlainTarget(c, *stmt.target).type;
    checkInto(c, *stmt.value, to);
}

// ---------------------------------------------------------------- control

void checkIf(Checker& c, const ast::IfStmt& first) {
    Deeper deeper(c.body->conditionDepth);
    const ast::Stmt* stmt = &first;
    while (auto* branch = ast::tryAs<ast::IfStmt>(stmt)) {  // else if … else if …
        checkCondition(c, *branch->condition);
        checkNested(c, branch->thenBranch);
        stmt = branch->elseBranch;
    }
    checkNested(c, stmt);
}

void checkLoopBody(Checker& c, const ast::Stmt* body) {
    Deeper loop(c.body->loopDepth);
    Deeper conditional(c.body->conditionDepth);
    checkNested(c, body);
}

void checkFor(Checker& c, const ast::ForStmt& stmt) {
    Nest nest(c);
    if (stmt.init) checkStmt(c, *stmt.init);
    if (stmt.condition) checkCondition(c, *stmt.condition);
    if (stmt.step) {
        Deeper conditional(c.body->conditionDepth);
        checkStmt(c, *stmt.step);
    }
    checkLoopBody(c, stmt.body);
}

void checkLeave(Checker& c, std::string_view keyword, SourceRange range) {
    if (c.body->loopDepth == 0) c.error(Diag::OutsideLoop, range) << keyword;
}

std::string returner(const Body& body) {
    if (body.place == CodeKind::Function || body.place == CodeKind::Package)
        return fmt::format("function '{}'", body.function->name.text());
    return describe(body);
}

void checkReturn(Checker& c, const ast::ReturnStmt& stmt) {
    Body& body = *c.body;
    if (body.parts) body.parts->hasReturn = true;
    bool wantsValue = body.result && !body.result->is(TypeKind::Void);
    if (wantsValue && stmt.value) {
        Target target;
        target.type = body.result;
        target.site = Site::Return;
        return checkInto(c, *stmt.value, target);
    }
    if (stmt.value) {
        checkExpr(c, *stmt.value);
        c.error(Diag::ReturnValue, stmt.value->range) << returner(body);
    } else if (wantsValue && !body.result->isError()) {
        c.error(Diag::ReturnWithoutValue, stmt.range)
            << body.function->name << types::toString(body.result);
    }
}

// ---------------------------------------------------------------- tapes and composites

void checkPush(Checker& c, const ast::PushStmt& stmt) {
    Target target;
    target.type = checkTape(c, TapeOp::Push, stmt.range);
    target.site = Site::Push;
    checkInto(c, *stmt.value, target);
}

/// False after a report: the statement does not belong here.
bool checkPlace(Checker& c, std::string_view keyword, SourceRange range, bool fits) {
    if (c.body->place != CodeKind::Composite) {
        c.error(Diag::CompositeStatementInFilter, range) << keyword << describe(*c.body);
        return false;
    }
    if (!fits)
        c.error(Diag::StatementInComposite, range) << keyword << kindName(c.body->parts->kind);
    return fits;
}

bool isOneOf(const Body& body, ast::StreamKind a, ast::StreamKind b) {
    return body.parts && (body.parts->kind == a || body.parts->kind == b);
}

/// Counts a part of which there must be one; notes a second one that always follows the first.
void countPart(Body& body, unsigned& count, int which, const ast::Stmt& stmt) {
    ++count;
    if (body.conditionDepth > 0) return;
    const ast::Stmt*& first = body.parts->always[which];
    if (first)
        body.parts->repeated.emplace_back(&stmt, which);
    else
        first = &stmt;
}

void checkWeights(Checker& c, const ast::SplitterStmt& stmt) {
    for (const ast::Expr* weight : stmt.weights) {
        Typed value = checkValue(c, *weight);
        if (value.type->isError()) continue;
        if (!value.type->is(TypeKind::Int) && !value.type->is(TypeKind::Bit)) {
            Diagnostic& diag = c.error(Diag::WeightNotInt, weight->range)
                               << types::toString(value.type);
            if (value.type->isReal()) adviseCast(diag, *weight, c.types.intType());
        } else if (value.constant.isInteger() && value.constant.integer < 0) {
            c.error(Diag::WeightNegative, weight->range) << std::int64_t{value.constant.integer};
        }
    }
}

void checkSplitter(Checker& c, const ast::SplitterStmt& stmt, bool isSplit) {
    bool fits = isOneOf(*c.body, ast::StreamKind::SplitJoin, ast::StreamKind::FeedbackLoop);
    if (checkPlace(c, isSplit ? "split" : "join", stmt.range, fits)) {
        Parts& parts = *c.body->parts;
        countPart(*c.body, isSplit ? parts.splits : parts.joins, isSplit ? 0 : 1, stmt);
        if (!isSplit && stmt.duplicate) c.error(Diag::JoinDuplicate, stmt.range);
    }
    checkWeights(c, stmt);
}

void checkEnqueue(Checker& c, const ast::EnqueueStmt& stmt) {
    bool fits = isOneOf(*c.body, ast::StreamKind::FeedbackLoop, ast::StreamKind::FeedbackLoop);
    const Type* items = nullptr;
    if (checkPlace(c, "enqueue", stmt.range, fits)) items = c.body->scope->stream->input;
    if (!items || items->is(TypeKind::Void)) {  // the loop's streams say; elaboration knows them
        checkValue(c, *stmt.value);
        return;
    }
    Target target;
    target.type = items;
    target.site = Site::Enqueue;
    checkInto(c, *stmt.value, target);
}

std::string_view keyword(ast::CreateRole role) {
    switch (role) {
        case ast::CreateRole::Add: return "add";
        case ast::CreateRole::Body: return "body";
        case ast::CreateRole::Loop: return "loop";
    }
    STRC_UNREACHABLE("role of a creator");
}

void checkCreator(Checker& c, const ast::CreateStmt& stmt) {
    bool isAdd = stmt.role == ast::CreateRole::Add;
    bool fits =
        isAdd ? isOneOf(*c.body, ast::StreamKind::Pipeline, ast::StreamKind::SplitJoin)
              : isOneOf(*c.body, ast::StreamKind::FeedbackLoop, ast::StreamKind::FeedbackLoop);
    SourceRange range =
        stmt.anonymous ? stmt.range.atBegin().to(stmt.anonymous->header) : stmt.range;
    if (checkPlace(c, keyword(stmt.role), range, fits)) {
        Parts& parts = *c.body->parts;
        if (isAdd)
            ++parts.adds;
        else if (stmt.role == ast::CreateRole::Body)
            countPart(*c.body, parts.bodies, 2, stmt);
        else
            countPart(*c.body, parts.loops, 3, stmt);
    }
    checkCreate(c, stmt);
}

}  // namespace

void checkInitialiser(Checker& c, const Symbol& symbol, const ast::Expr& initialiser) {
    Target target;
    target.type = symbol.type;
    target.site = Site::Initialiser;
    target.subject = symbol.name;
    checkInto(c, initialiser, target);
}

void checkOuterBlock(Checker& c, const ast::BlockStmt& block) {
    for (const ast::Stmt* stmt : block.statements) checkStmt(c, *stmt);
}

void checkBlock(Checker& c, const ast::BlockStmt& block) {
    Nest nest(c, block.statements);
    checkOuterBlock(c, block);
}

void checkStmt(Checker& c, const ast::Stmt& stmt) {
    switch (stmt.kind) {
        case StmtKind::Error: c.body->anyError = true; return;
        case StmtKind::Block: return checkBlock(c, ast::as<ast::BlockStmt>(stmt));
        case StmtKind::Empty: return;
        case StmtKind::Variables: return checkVariables(c, ast::as<ast::VariablesStmt>(stmt));
        case StmtKind::Assign: return checkAssign(c, ast::as<ast::AssignStmt>(stmt));
        case StmtKind::Expression:
            checkExpr(c, *ast::as<ast::ExpressionStmt>(stmt).expression);
            return;
        case StmtKind::If: return checkIf(c, ast::as<ast::IfStmt>(stmt));
        case StmtKind::While: {
            const auto& loop = ast::as<ast::WhileStmt>(stmt);
            checkCondition(c, *loop.condition);
            return checkLoopBody(c, loop.body);
        }
        case StmtKind::DoWhile: {
            const auto& loop = ast::as<ast::DoWhileStmt>(stmt);
            checkLoopBody(c, loop.body);
            return checkCondition(c, *loop.condition);
        }
        case StmtKind::For: return checkFor(c, ast::as<ast::ForStmt>(stmt));
        case StmtKind::Break: return checkLeave(c, "break", stmt.range);
        case StmtKind::Continue: return checkLeave(c, "continue", stmt.range);
        case StmtKind::Return: return checkReturn(c, ast::as<ast::ReturnStmt>(stmt));
        case StmtKind::Push: return checkPush(c, ast::as<ast::PushStmt>(stmt));
        case StmtKind::Message: return checkMessage(c, ast::as<ast::MessageStmt>(stmt));
        case StmtKind::Create: return checkCreator(c, ast::as<ast::CreateStmt>(stmt));
        case StmtKind::Split: return checkSplitter(c, ast::as<ast::SplitStmt>(stmt), true);
        case StmtKind::Join: return checkSplitter(c, ast::as<ast::JoinStmt>(stmt), false);
        case StmtKind::Enqueue: return checkEnqueue(c, ast::as<ast::EnqueueStmt>(stmt));
    }
    STRC_UNREACHABLE("kind of statement");
}

}  // namespace strc::sema
