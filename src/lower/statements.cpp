// Statements.

#include <algorithm>

#include "base/assert.h"
#include "lower/detail/lowerer.h"
#include "lower/detail/walk.h"

namespace strc::lower::detail {

using ast::as;
using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;
using ir::Space;
using types::TypeKind;

void BodyLowerer::block(const ast::BlockStmt& s) {
    for (const Stmt* inner : s.statements) statement(*inner);
}

/// What follows the end of a block (after a return, say) never runs and is left out.
void BodyLowerer::statement(const Stmt& s) {
    if (b.ended || m.failed) return;
    switch (s.kind) {
        case StmtKind::Block: return block(as<ast::BlockStmt>(s));
        case StmtKind::Variables: return variables(as<ast::VariablesStmt>(s));
        case StmtKind::Assign: return assign(as<ast::AssignStmt>(s));
        case StmtKind::Expression: return effect(*as<ast::ExpressionStmt>(s).expression);
        case StmtKind::If: return branch(as<ast::IfStmt>(s));
        case StmtKind::While: {
            const auto& w = as<ast::WhileStmt>(s);
            return loop(nullptr, w.condition, nullptr, *w.body, false, s.range);
        }
        case StmtKind::DoWhile: {
            const auto& d = as<ast::DoWhileStmt>(s);
            return loop(nullptr, d.condition, nullptr, *d.body, true, s.range);
        }
        case StmtKind::For: {
            const auto& f = as<ast::ForStmt>(s);
            return loop(f.init, f.condition, f.step, *f.body, false, s.range);
        }
        case StmtKind::Break: return b.end(Op::Break, {}, s.range);
        case StmtKind::Continue: return b.end(Op::Continue, {}, s.range);
        case StmtKind::Return: return returned(as<ast::ReturnStmt>(s));
        case StmtKind::Push: return push(as<ast::PushStmt>(s));
        case StmtKind::Message: return message(as<ast::MessageStmt>(s));
        case StmtKind::Create: return create(as<ast::CreateStmt>(s));
        case StmtKind::Split: return splitter(as<ast::SplitStmt>(s), Op::Split);
        case StmtKind::Join: return splitter(as<ast::JoinStmt>(s), Op::Join);
        case StmtKind::Enqueue: return enqueue(as<ast::EnqueueStmt>(s));
        case StmtKind::Error:
        case StmtKind::Empty: return;
    }
}

// ---------------------------------------------------------------- declarations

void BodyLowerer::variables(const ast::VariablesStmt& s) {
    const Type* type = resolve(*s.type);
    if (m.failed) return;
    for (const ast::Declarator& d : s.variables) {
        VarRef var{Space::Local, b.addLocal(d.name.name.str(), type, d.name.range)};
        slots[m.program.symbolOf(d.id)] = var.index;
        declare(var, type, *s.type, d.initialiser, d.name.range);
    }
}

void BodyLowerer::declare(VarRef var, const Type* type, const ast::TypeExpr& written,
                          const Expr* initialiser, SourceRange range) {
    if (type->is(TypeKind::Portal))
        return b.store(var, type, b.value(Op::NewPortal, type, {}, range), range);
    bool isShaped = type->is(TypeKind::Tensor) && type->isRanked;
    if (initialiser && hasOpenLength(written)) return declareOpen(var, type, *initialiser, range);
    if (!initialiser || !type->isScalar() || isShaped) begin(var, type, written, range);
    if (!initialiser) return;
    if (type->isAggregate() && var.space == Space::Local) b.last().flag = true;
    initialise(var, type, *initialiser, range);
}

bool BodyLowerer::hasOpenLength(const ast::TypeExpr& written) const {
    for (const ast::TypeExpr* t = &written; t->kind == ast::TypeExprKind::Array; t = t->element)
        if (t->bound && m.program.isOpenLength(*t->bound)) return true;
    return false;
}

/// A variable that is as long as its initialiser.
void BodyLowerer::declareOpen(VarRef var, const Type* type, const Expr& initialiser,
                              SourceRange range) {
    const Expr& e = *ast::withoutParens(&initialiser);
    auto* literal = ast::tryAs<ast::ArrayLiteral>(&e);
    const Type* own = literal ? literalType(*literal, type) : form(e).type;
    std::vector<Reg> lengths = isConcrete(own) ? extents(own, Shape{}, range)
                               : literal       ? literalExtents(*literal, own)
                                               : extents(form(e), range);
    b.emit(Op::Declare, nullptr, std::move(lengths), range).var = var;
    if (var.space == Space::Local) b.last().flag = true;
    initialise(var, type, initialiser, range);
}

void BodyLowerer::begin(VarRef var, const Type* type, const ast::TypeExpr& written,
                        SourceRange range) {
    std::vector<Reg> bounds;
    if (!isConcrete(type)) bounds = extents(type, written);
    b.emit(Op::Declare, nullptr, std::move(bounds), range).var = var;
}

void BodyLowerer::initialise(VarRef var, const Type* type, const Expr& e, SourceRange range) {
    if (type->isScalar()) return b.store(var, type, valueAs(e, type), range);
    into({b.address(var, type, range), type, {var, 0}}, e, var.space == Space::Local);
}

// ---------------------------------------------------------------- assignments

namespace {

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

}  // namespace

/// `a op= b` is `a = (T)(a op b)` with the place of `a` found once.
void BodyLowerer::assign(const ast::AssignStmt& s) {
    LValue to = lvalue(*s.target);
    const Type* type = valueType(to);
    if (s.op == ast::AssignOp::Plain) {
        if (type->isAggregate())
            into(to.aggregate(), *s.value, false);
        else
            store(to, valueAs(*s.value, type), s.range);
        return;
    }
    Typed old{load(to, s.target->range), type};
    Typed change = operand(*s.value);
    Typed result = combine(operatorOf(s.op), old, change, s.opRange);
    store(to, convert(result, type, s.range), s.range);
}

void BodyLowerer::push(const ast::PushStmt& s) {
    const Type* item = stream->code.output;
    if (!item->isAggregate()) {
        b.emit(Op::Push, item, {valueAs(*s.value, item)}, s.range);
        return;
    }
    Aggregate value = aggregate(*s.value);
    checkExtents(value.type, value.shape, item, {{Space::Output, 0}, 0}, s.range);
    b.emit(Op::PushFrom, item, {value.ref}, s.range);
}

// ---------------------------------------------------------------- control

void BodyLowerer::branch(const ast::IfStmt& s) {
    Reg test = condition(*s.condition);
    BlockId thenBlock = b.newBlock();
    BlockId elseBlock = s.elseBranch ? b.newBlock() : kNone;
    b.emit(Op::If, nullptr, {test}, s.range).blocks = {thenBlock, elseBlock, kNone};
    Builder::Outside outside = b.enter(thenBlock);
    statement(*s.thenBranch);
    bool ends = b.leave(outside);
    if (!s.elseBranch) return;
    outside = b.enter(elseBlock);
    statement(*s.elseBranch);
    bool alsoEnds = b.leave(outside);
    b.ended = ends && alsoEnds;
}

void BodyLowerer::loop(const Stmt* init, const Expr* test, const Stmt* step, const Stmt& body,
                       bool testLast, SourceRange range) {
    if (init) statement(*init);
    BlockId conditionBlock = b.newBlock();
    BlockId bodyBlock = b.newBlock();
    BlockId stepBlock = step && step->kind != StmtKind::Empty ? b.newBlock() : kNone;
    Instr& instr = b.emit(Op::Loop, nullptr, {}, range);
    instr.blocks = {conditionBlock, bodyBlock, stepBlock};
    instr.flag = testLast;
    Builder::Outside outside = b.enter(conditionBlock);
    b.yield(test ? condition(*test) : b.boolean(true, range), test ? test->range : range);
    b.leave(outside);
    outside = b.enter(bodyBlock);
    statement(body);
    b.leave(outside);
    if (stepBlock == kNone) return;
    outside = b.enter(stepBlock);
    statement(*step);
    b.leave(outside);
}

void BodyLowerer::returned(const ast::ReturnStmt& s) {
    if (s.value)
        returnValue(*s.value, s.range);
    else
        b.end(Op::Return, {}, s.range);
}

void BodyLowerer::returnValue(const Expr& e, SourceRange range) {
    const Type* type = b.body.result;
    if (!type->isAggregate()) return b.end(Op::Return, {valueAs(e, type)}, range);
    VarRef result{Space::Local, 0};
    into({b.address(result, type, range), type, {result, 0}}, e, true);
    b.end(Op::Return, {}, range);
}

// ---------------------------------------------------------------- messages

void BodyLowerer::message(const ast::MessageStmt& s) {
    if (const FunctionInfo* handler = m.program.messageOf(s))
        send(s, *handler);
    else
        call(s.id, s.args, s.range);
}

/// The maximum counts, and `[a:]` means (a, a); the minimum is evaluated for its effects alone.
std::optional<Reg> BodyLowerer::latency(const ast::MessageStmt& s) {
    if (!s.hasLatency || s.bestEffort) return std::nullopt;
    std::optional<Reg> result;
    if (s.minLatency && (!s.maxLatency || hasEffects(*s.minLatency)))
        result = valueAs(*s.minLatency, intType());
    if (s.maxLatency) result = valueAs(*s.maxLatency, intType());
    return result;
}

void BodyLowerer::send(const ast::MessageStmt& s, const FunctionInfo& handler) {
    ir::Send entry;
    entry.handler = handler.name.str();
    entry.bestEffort = s.bestEffort;
    const Symbol& portal = *m.program.portalOf(s);
    VarRef var = variable(portal);
    Reg to = b.load(var, variableType(var), s.portal.range);
    std::vector<Reg> args;
    for (std::size_t k = 0; k < s.args.size(); ++k) {
        const Expr& e = *s.args[k];
        const Type* param = handler.params[k]->type;
        if (param->isAggregate()) {
            bool changes =
                std::any_of(s.args.begin() + static_cast<std::ptrdiff_t>(k) + 1, s.args.end(),
                            [](const Expr* later) { return hasEffects(*later); });
            Aggregate value = changes ? privateCopy(e) : aggregate(e);
            entry.argTypes.push_back(value.type);
            appendAggregate(args, value, e.range);
        } else {
            entry.argTypes.push_back(param);
            args.push_back(valueAs(e, param));
        }
    }
    std::vector<Reg> operands{to};
    if (std::optional<Reg> max = latency(s)) {
        entry.hasLatency = true;
        operands.push_back(*max);
    }
    operands.insert(operands.end(), args.begin(), args.end());
    b.emit(Op::Send, nullptr, std::move(operands), s.range).index =
        static_cast<std::uint32_t>(b.body.sends.size());
    b.body.sends.push_back(std::move(entry));
}

}  // namespace strc::lower::detail
