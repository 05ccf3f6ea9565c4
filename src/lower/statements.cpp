// Statements.

#include "lower/detail/statements.h"

#include "base/assert.h"
#include "lower/detail/aggregates.h"
#include "lower/detail/arithmetic.h"
#include "lower/detail/composites.h"
#include "lower/detail/declarations.h"
#include "lower/detail/expressions.h"
#include "lower/detail/extents.h"
#include "lower/detail/lvalues.h"
#include "lower/detail/messages.h"

namespace strc::lower::detail {

using ast::as;
using ast::Expr;
using ast::Stmt;
using ast::StmtKind;
using ir::Space;

namespace {

void block(BodyScope& in, const ast::BlockStmt& s) {
    const Visibility inside(in);
    for (const Stmt* inner : s.statements) statement(in, *inner);
}

ast::BinaryOp operatorOf(ast::AssignOp op) {
    using ast::AssignOp;
    using ast::BinaryOp;
    switch (op) {
        case AssignOp::Add: return BinaryOp::Add;
        case AssignOp::Subtract: return BinaryOp::Subtract;
        case AssignOp::Multiply: return BinaryOp::Multiply;
        case AssignOp::Divide: return BinaryOp::Divide;
        case AssignOp::ShiftLeft: return BinaryOp::ShiftLeft;
        case AssignOp::ShiftRight: return BinaryOp::ShiftRight;
        case AssignOp::Remainder: return BinaryOp::Remainder;
        case AssignOp::And: return BinaryOp::BitAnd;
        case AssignOp::Or: return BinaryOp::BitOr;
        case AssignOp::Xor: return BinaryOp::BitXor;
        case AssignOp::Plain: break;
    }
    STRC_UNREACHABLE("a plain assignment has no operator");
}

/// `a op= b` is `a = (T)(a op b)` with the place of `a` found once.
void assign(BodyScope& in, const ast::AssignStmt& s) {
    LValue to = lvalue(in, *s.target);
    const Type* type = valueType(in, to);
    if (s.op == ast::AssignOp::Plain) {
        if (type->isAggregate())
            into(in, to.aggregate(), *s.value, false);
        else
            store(in, to, valueAs(in, *s.value, type), s.range);
        return;
    }
    Typed old{load(in, to, s.target->range), type};
    Typed change = operand(in, *s.value);
    Typed result = combine(in, operatorOf(s.op), old, change, s.opRange);
    store(in, to, convert(in, result, type, s.range), s.range);
}

void push(BodyScope& in, const ast::PushStmt& s) {
    const Type* item = in.stream->code.output;
    if (!item->isAggregate()) {
        in.b.emit(Op::Push, item, {valueAs(in, *s.value, item)}, s.range);
        return;
    }
    Aggregate value = aggregate(in, *s.value);
    checkExtents(in, value, item, {{Space::Output, 0}, 0}, s.range);
    in.b.emit(Op::PushFrom, item, {value.ref}, s.range);
}

void branch(BodyScope& in, const ast::IfStmt& s) {
    Reg test = condition(in, *s.condition);
    BlockId thenBlock = in.b.newBlock();
    BlockId elseBlock = s.elseBranch ? in.b.newBlock() : kNone;
    in.b.emit(Op::If, nullptr, {test}, s.range).blocks = {thenBlock, elseBlock, kNone};
    Builder::Outside outside = in.b.enter(thenBlock);
    statement(in, *s.thenBranch);
    bool ends = in.b.leave(outside);
    if (!s.elseBranch) return;
    outside = in.b.enter(elseBlock);
    statement(in, *s.elseBranch);
    bool alsoEnds = in.b.leave(outside);
    in.b.ended = ends && alsoEnds;
}

struct LoopParts {
    const Expr* test;  ///< null: it always holds
    const Stmt& body;
    const Stmt* init = nullptr;
    const Stmt* step = nullptr;
    bool testLast = false;
};

void loop(BodyScope& in, const LoopParts& parts, SourceRange range) {
    const auto& [test, body, init, step, testLast] = parts;
    const Visibility inside(in);
    if (init) statement(in, *init);
    BlockId conditionBlock = in.b.newBlock();
    BlockId bodyBlock = in.b.newBlock();
    BlockId stepBlock = step && step->kind != StmtKind::Empty ? in.b.newBlock() : kNone;
    Instr& instr = in.b.emit(Op::Loop, nullptr, {}, range);
    instr.blocks = {conditionBlock, bodyBlock, stepBlock};
    instr.flag = testLast;
    Builder::Outside outside = in.b.enter(conditionBlock);
    in.b.yield(test ? condition(in, *test) : in.b.boolean(true, range), test ? test->range : range);
    in.b.leave(outside);
    outside = in.b.enter(bodyBlock);
    statement(in, body);
    in.b.leave(outside);
    if (stepBlock == kNone) return;
    outside = in.b.enter(stepBlock);
    statement(in, *step);
    in.b.leave(outside);
}

void returned(BodyScope& in, const ast::ReturnStmt& s) {
    if (s.value)
        returnValue(in, *s.value, s.range);
    else
        in.b.end(Op::Return, {}, s.range);
}

}  // namespace

void returnValue(BodyScope& in, const Expr& e, SourceRange range) {
    const Type* type = in.b.body.result;
    if (!type->isAggregate()) return in.b.end(Op::Return, {valueAs(in, e, type)}, range);
    VarRef result{Space::Local, 0};
    into(in, {in.b.address(result, type, range), type, {result, 0}}, e, true);
    in.b.end(Op::Return, {}, range);
}

void statement(BodyScope& in, const Stmt& s) {
    if (in.b.ended || in.m.failed) return;
    switch (s.kind) {
        case StmtKind::Block: return block(in, as<ast::BlockStmt>(s));
        case StmtKind::Variables: return variables(in, as<ast::VariablesStmt>(s));
        case StmtKind::Assign: return assign(in, as<ast::AssignStmt>(s));
        case StmtKind::Expression: return effect(in, *as<ast::ExpressionStmt>(s).expression);
        case StmtKind::If: return branch(in, as<ast::IfStmt>(s));
        case StmtKind::While: {
            const auto& w = as<ast::WhileStmt>(s);
            return loop(in, {w.condition, *w.body}, s.range);
        }
        case StmtKind::DoWhile: {
            const auto& d = as<ast::DoWhileStmt>(s);
            return loop(in, {d.condition, *d.body, nullptr, nullptr, true}, s.range);
        }
        case StmtKind::For: {
            const auto& f = as<ast::ForStmt>(s);
            return loop(in, {f.condition, *f.body, f.init, f.step}, s.range);
        }
        case StmtKind::Break: return in.b.end(Op::Break, {}, s.range);
        case StmtKind::Continue: return in.b.end(Op::Continue, {}, s.range);
        case StmtKind::Return: return returned(in, as<ast::ReturnStmt>(s));
        case StmtKind::Push: return push(in, as<ast::PushStmt>(s));
        case StmtKind::Message: return message(in, as<ast::MessageStmt>(s));
        case StmtKind::Create: return create(in, as<ast::CreateStmt>(s));
        case StmtKind::Split: return splitter(in, as<ast::SplitStmt>(s), Op::Split);
        case StmtKind::Join: return splitter(in, as<ast::JoinStmt>(s), Op::Join);
        case StmtKind::Enqueue: return enqueue(in, as<ast::EnqueueStmt>(s));
        case StmtKind::Error:
        case StmtKind::Empty: return;
    }
}

}  // namespace strc::lower::detail
