#pragma once
/// The syntax tree: kind-tagged plain structs in the Context's arena, immutable once parsed, walked
/// by `switch`. Every node has a dense id (side tables are vectors) and its exact source range.
/// The tree says what was written; what it means is sema's business.
///
/// Operator levels (language.md 5.1): `| & ^` share one level below comparisons and shifts bind like
/// multiplication; the tree already reflects that. Parentheses are kept as nodes so that printing
/// gives back what was written.

#include <cstdint>
#include <span>
#include <string_view>

#include "base/assert.h"
#include "base/names.h"
#include "base/source.h"

// clang-format off: one node a line, as in a table
namespace strc::ast {

using base::Name;
using base::SourceRange;

struct NodeId {
    std::uint32_t index = UINT32_MAX;
    bool operator==(const NodeId&) const = default;
};

struct Expr;
struct Stmt;
struct Decl;
struct TypeExpr;
struct StreamDecl;

/// A name with its place.
struct Ident {
    Name name;
    SourceRange range;
};

// ---------------------------------------------------------------- types

enum class TypeExprKind : std::uint8_t { Primitive, Named, Portal, Array, Tensor, Error };
enum class Primitive : std::uint8_t {
    Void, Boolean, Bit, Int, Float, Double, Complex, Float2, Float3, Float4, String
};

/// `float[2][8]`: Array{ element = Array{ element = float, bound = 8 }, bound = 2 }, outermost first.
/// `tensor<float>[2, 8]` is the same around Tensor{ element = float }; a plain `tensor` is Named.
struct TypeExpr {
    TypeExprKind kind;
    NodeId id;
    SourceRange range;
    Primitive primitive;        ///< Primitive
    Ident name;                 ///< Named: the struct; Portal: the receiver's stream
    const TypeExpr* element;    ///< Array, Tensor
    const Expr* bound;          ///< Array; null for `int[] a` (reported) and for `_` of a tensor
    bool hasNoDimensions;       ///< Tensor: `tensor<float>[]`, without open ones, too
};

// ---------------------------------------------------------------- expressions

enum class ExprKind : std::uint8_t {
    Error, IntLiteral, RealLiteral, ImaginaryLiteral, BooleanLiteral, StringLiteral, CharLiteral, Pi,
    NameRef, Member, Index, Call, PackageCall, Pop, Peek, Iter, Unary, Binary, Conditional, Cast,
    Increment, VectorLiteral, ArrayLiteral, Paren,
};

struct Expr {
    ExprKind kind;
    NodeId id;
    SourceRange range;
};

struct ErrorExpr : Expr { static constexpr ExprKind kKind = ExprKind::Error; };

/// Decimal or hexadecimal within 32 bits. A larger decimal is a RealLiteral with `fromInteger`.
struct IntLiteral : Expr { static constexpr ExprKind kKind = ExprKind::IntLiteral; std::int32_t value; };
struct RealLiteral : Expr { static constexpr ExprKind kKind = ExprKind::RealLiteral; float value; bool fromInteger; };
struct ImaginaryLiteral : Expr { static constexpr ExprKind kKind = ExprKind::ImaginaryLiteral; float value; };
struct BooleanLiteral : Expr { static constexpr ExprKind kKind = ExprKind::BooleanLiteral; bool value; };
/// Escapes already replaced; the text lies in the arena.
struct StringLiteral : Expr { static constexpr ExprKind kKind = ExprKind::StringLiteral; std::string_view value; };
struct CharLiteral : Expr { static constexpr ExprKind kKind = ExprKind::CharLiteral; char value; };
struct PiLiteral : Expr { static constexpr ExprKind kKind = ExprKind::Pi; };
struct NameRef : Expr { static constexpr ExprKind kKind = ExprKind::NameRef; Name name; };
struct MemberExpr : Expr { static constexpr ExprKind kKind = ExprKind::Member; const Expr* object; Ident member; };
/// `index` is null for `a[]`, which the parser has reported. `more`: of `x[i, j]`, an element of a tensor.
struct IndexExpr : Expr { static constexpr ExprKind kKind = ExprKind::Index; const Expr* object; const Expr* index; std::span<const Expr* const> more; };
/// A function or handler of the filter, or a built-in.
struct CallExpr : Expr { static constexpr ExprKind kKind = ExprKind::Call; Ident callee; std::span<const Expr* const> args; };
/// `P.f(args)` in an expression, or as a statement when P names a package.
struct PackageCallExpr : Expr { static constexpr ExprKind kKind = ExprKind::PackageCall; Ident package; Ident callee; std::span<const Expr* const> args; };
struct PopExpr : Expr { static constexpr ExprKind kKind = ExprKind::Pop; };
struct PeekExpr : Expr { static constexpr ExprKind kKind = ExprKind::Peek; const Expr* offset; };
struct IterExpr : Expr { static constexpr ExprKind kKind = ExprKind::Iter; };

enum class UnaryOp : std::uint8_t { Not, Minus, Complement };
struct UnaryExpr : Expr { static constexpr ExprKind kKind = ExprKind::Unary; UnaryOp op; const Expr* operand; };

enum class BinaryOp : std::uint8_t {
    Or, And, BitOr, BitAnd, BitXor, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual,
    Add, Subtract, Multiply, Divide, Remainder, ShiftLeft, ShiftRight,
};
struct BinaryExpr : Expr { static constexpr ExprKind kKind = ExprKind::Binary; BinaryOp op; SourceRange opRange; const Expr* left; const Expr* right; };
struct ConditionalExpr : Expr { static constexpr ExprKind kKind = ExprKind::Conditional; const Expr* condition; const Expr* thenValue; const Expr* elseValue; };
struct CastExpr : Expr { static constexpr ExprKind kKind = ExprKind::Cast; const TypeExpr* target; const Expr* operand; };
/// `x++ x-- ++x --x`; the value of the postfix forms is the old one.
struct IncrementExpr : Expr { static constexpr ExprKind kKind = ExprKind::Increment; bool decrement; bool prefix; const Expr* target; };
struct VectorLiteral : Expr { static constexpr ExprKind kKind = ExprKind::VectorLiteral; Primitive type; std::span<const Expr* const> components; };
/// `{1, 2, {3}}`: an initialiser, or an argument of a stream.
struct ArrayLiteral : Expr { static constexpr ExprKind kKind = ExprKind::ArrayLiteral; std::span<const Expr* const> elements; };
struct ParenExpr : Expr { static constexpr ExprKind kKind = ExprKind::Paren; const Expr* inner; };

// ---------------------------------------------------------------- statements

enum class StmtKind : std::uint8_t {
    Error, Block, Empty, Variables, Assign, Expression, If, While, DoWhile, For, Break, Continue,
    Return, Push, Message, Create, Split, Join, Enqueue,
};

struct Stmt {
    StmtKind kind;
    NodeId id;
    SourceRange range;
};

struct ErrorStmt : Stmt { static constexpr StmtKind kKind = StmtKind::Error; };
struct EmptyStmt : Stmt { static constexpr StmtKind kKind = StmtKind::Empty; };
struct BlockStmt : Stmt { static constexpr StmtKind kKind = StmtKind::Block; std::span<const Stmt* const> statements; };

/// One variable of a declaration: a local, a field, a global.
struct Declarator {
    NodeId id;
    Ident name;
    const Expr* initialiser;  ///< may be null
};
/// `T a, b = 1;`
struct VariablesStmt : Stmt { static constexpr StmtKind kKind = StmtKind::Variables; const TypeExpr* type; std::span<const Declarator> variables; };

enum class AssignOp : std::uint8_t { Plain, Add, Subtract, Multiply, Divide, ShiftLeft, ShiftRight, Remainder, And, Or, Xor };
struct AssignStmt : Stmt { static constexpr StmtKind kKind = StmtKind::Assign; AssignOp op; SourceRange opRange; const Expr* target; const Expr* value; };
/// A call, pop, peek, iter, increment or decrement on its own.
struct ExpressionStmt : Stmt { static constexpr StmtKind kKind = StmtKind::Expression; const Expr* expression; };
struct IfStmt : Stmt { static constexpr StmtKind kKind = StmtKind::If; const Expr* condition; const Stmt* thenBranch; const Stmt* elseBranch; };
struct WhileStmt : Stmt { static constexpr StmtKind kKind = StmtKind::While; const Expr* condition; const Stmt* body; };
struct DoWhileStmt : Stmt { static constexpr StmtKind kKind = StmtKind::DoWhile; const Stmt* body; const Expr* condition; };
/// `init` and `step` may be null; a missing condition means true.
struct ForStmt : Stmt { static constexpr StmtKind kKind = StmtKind::For; const Stmt* init; const Expr* condition; const Stmt* step; const Stmt* body; };
struct BreakStmt : Stmt { static constexpr StmtKind kKind = StmtKind::Break; };
struct ContinueStmt : Stmt { static constexpr StmtKind kKind = StmtKind::Continue; };
struct ReturnStmt : Stmt { static constexpr StmtKind kKind = StmtKind::Return; const Expr* value; };
struct PushStmt : Stmt { static constexpr StmtKind kKind = StmtKind::Push; const Expr* value; };

/// `p.h(args) [a:b];` — or the call of a package function, if `portal` names no variable (then
/// there must be no latency).
struct MessageStmt : Stmt {
    static constexpr StmtKind kKind = StmtKind::Message;
    Ident portal;
    Ident handler;
    std::span<const Expr* const> args;
    bool hasLatency;
    bool bestEffort;           ///< `[*]`
    const Expr* minLatency;    ///< null where left out
    const Expr* maxLatency;
    SourceRange latencyRange;
};

enum class CreateRole : std::uint8_t { Add, Body, Loop };
/// An argument of a creator, by position or by name.
struct Argument {
    Ident name;                ///< empty Name: positional
    const Expr* value;
};
/// `add F<T>(args) to p;` or an anonymous stream.
struct CreateStmt : Stmt {
    static constexpr StmtKind kKind = StmtKind::Create;
    CreateRole role;
    Ident target;                     ///< named creation
    const TypeExpr* typeArgument;     ///< Identity<T>; may be null
    std::span<const Argument> args;
    const StreamDecl* anonymous;      ///< anonymous creation; then `target` is empty
    std::span<const Ident> portals;
};

/// `split …;` and `join …;`
struct SplitterStmt : Stmt {
    bool duplicate;
    bool hasWeights;                            ///< false: `roundrobin` or `roundrobin()`
    std::span<const Expr* const> weights;
};
struct SplitStmt : SplitterStmt { static constexpr StmtKind kKind = StmtKind::Split; };
struct JoinStmt : SplitterStmt { static constexpr StmtKind kKind = StmtKind::Join; };
struct EnqueueStmt : Stmt { static constexpr StmtKind kKind = StmtKind::Enqueue; const Expr* value; };

// ---------------------------------------------------------------- declarations

enum class DeclKind : std::uint8_t { Error, Struct, Stream, Static, Native, Helper, Function, Handler, Work, Init, Fields };

struct Decl {
    DeclKind kind;
    NodeId id;
    SourceRange range;
};

/// A formal parameter of a stream, function or handler; defaults are for streams only.
struct Parameter {
    NodeId id;
    const TypeExpr* type;
    Ident name;
    const Expr* defaultValue;  ///< may be null
};

enum class RateKind : std::uint8_t { Push, Pop, Peek };
/// `pop 3`, `push *`, `peek [1, *]`, `pop [1, 4, 2]` (min, average, max: the average, if any, stands
/// in the middle). A null bound of a range is `*`.
struct RateClause {
    RateKind kind;
    SourceRange range;
    bool dynamic;              ///< `*` or a range
    const Expr* value;         ///< static rate
    const Expr* min;
    const Expr* average;
    const Expr* max;
};

struct FunctionDecl : Decl {
    static constexpr DeclKind kKind = DeclKind::Function;
    const TypeExpr* result;
    Ident name;
    std::span<const Parameter> params;
    std::span<const RateClause> rates;
    const BlockStmt* body;     ///< null for a native's prototype
};
struct HandlerDecl : Decl { static constexpr DeclKind kKind = DeclKind::Handler; Ident name; std::span<const Parameter> params; const BlockStmt* body; };
struct WorkDecl : Decl { static constexpr DeclKind kKind = DeclKind::Work; bool prework; SourceRange header; std::span<const RateClause> rates; const BlockStmt* body; };
struct InitDecl : Decl { static constexpr DeclKind kKind = DeclKind::Init; const BlockStmt* body; };
/// Fields of a filter, or globals, in textual order with the other members.
struct FieldsDecl : Decl { static constexpr DeclKind kKind = DeclKind::Fields; const VariablesStmt* variables; };

struct StructField {
    NodeId id;
    const TypeExpr* type;
    Ident name;
};
struct StructDecl : Decl { static constexpr DeclKind kKind = DeclKind::Struct; Ident name; std::span<const StructField> fields; };

enum class StreamKind : std::uint8_t { Filter, Pipeline, SplitJoin, FeedbackLoop };
struct StreamDecl : Decl {
    static constexpr DeclKind kKind = DeclKind::Stream;
    StreamKind stream;
    bool stateful;
    const TypeExpr* input;     ///< both null: an anonymous composite without a written type
    const TypeExpr* output;
    Ident name;                ///< empty Name: anonymous
    SourceRange header;        ///< type, keyword, name and parameters
    std::span<const Parameter> params;
    std::span<const Decl* const> members;  ///< Filter: Fields, Init, Work, Function, Handler
    const BlockStmt* body;                 ///< composites
};

/// `static { … }` / `global { … }`: Fields, Init, and (as BlockStmt-less Init of one statement)
/// stray statements, in textual order.
struct StaticDecl : Decl { static constexpr DeclKind kKind = DeclKind::Static; std::span<const Decl* const> members; };
struct NativeDecl : Decl { static constexpr DeclKind kKind = DeclKind::Native; Ident name; std::span<const FunctionDecl* const> functions; };
struct HelperDecl : Decl { static constexpr DeclKind kKind = DeclKind::Helper; Ident name; std::span<const FunctionDecl* const> functions; };
struct ErrorDecl : Decl { static constexpr DeclKind kKind = DeclKind::Error; };

/// A comment, for the formatter: in source order, with its text in the buffer.
struct Comment {
    SourceRange range;
    bool block;
};

/// One source buffer.
struct Unit {
    base::BufferId buffer;
    std::span<const Decl* const> decls;
    std::span<const Comment> comments;
};

/// Checked downcast by kind tag.
template <typename T, typename Base>
const T& as(const Base& node) {
    STRC_ASSERT(node.kind == T::kKind, "syntax node of another kind");
    return static_cast<const T&>(node);
}
template <typename T, typename Base>
const T* tryAs(const Base* node) {
    return node && node->kind == T::kKind ? static_cast<const T*>(node) : nullptr;
}

/// Without the parentheses around it.
const Expr* withoutParens(const Expr*);

/// As written in a program.
std::string_view spelling(UnaryOp);
std::string_view spelling(BinaryOp);

}  // namespace strc::ast
