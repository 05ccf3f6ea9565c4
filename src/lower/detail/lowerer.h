#pragma once
/// Lowers the code of one body. Its methods stand in files by subject: lvalues.cpp, expressions.cpp,
/// arithmetic.cpp, aggregates.cpp, initialisers.cpp, calls.cpp, vectors.cpp, statements.cpp,
/// composites.cpp.

#include <optional>
#include <unordered_map>

#include "lower/detail/scope.h"

namespace strc::lower::detail {

/// A scalar in a register.
struct Typed {
    Reg reg = kNone;
    const Type* type = nullptr;
};

/// Where the dynamic extents of an aggregate are found: its dimension 0 is dimension `first` of `var`.
struct Shape {
    VarRef var;
    std::uint32_t first = 0;
};

/// An array or struct in memory.
struct Aggregate {
    Reg ref = kNone;
    const Type* type = nullptr;
    Shape shape;
};

/// What can be read and assigned: a scalar variable, or memory, or a part of either.
struct LValue {
    VarRef var;  ///< scalar variable, if there is no ref
    Reg ref = kNone;
    const Type* type = nullptr;  ///< of variable or memory
    Shape shape;  ///< of an aggregate
    std::uint32_t part = kNone;  ///< of a complex or vector

    Aggregate aggregate() const { return {ref, type, shape}; }
};

class BodyLowerer {
public:
    /// `stream` is null in static items and packages.
    BodyLowerer(ModuleScope&, StreamScope* stream, std::string name, ir::BodyKind, SourceRange);

    // ---- bodies as wholes (bodies.cpp)
    /// Declares what the function returns and takes.
    void setFunction(const FunctionInfo&);
    void setResult(const Type*, SourceRange);
    void setHeader(SourceRange header) { b.body.header = header; }
    /// `e` becomes the body's result.
    void setDefault(const ast::Expr&, const Type*);
    ir::Body finish() { return std::move(b.body); }

    // ---- statements
    void statement(const ast::Stmt&);
    /// Declares a variable, and initialises it.
    void declare(VarRef, const Type*, const ast::TypeExpr&, const ast::Expr* initialiser,
                 SourceRange);
    /// Is some length `_`?
    bool hasOpenLength(const ast::TypeExpr&) const;
    /// The two parts of it.
    void begin(VarRef, const Type*, const ast::TypeExpr&, SourceRange);
    void initialise(VarRef, const Type*, const ast::Expr&, SourceRange);

    /// Declares and initialises a variable some length of which is `_`.
    void declareOpen(VarRef, const Type*, const ast::Expr& initialiser, SourceRange);

    // ---- for setup (bodies.cpp)
    void checkParameter(std::uint32_t index, const ast::TypeExpr&);
    void itemType(std::uint32_t side, const Type*, const ast::TypeExpr&);
    void hiddenBound(const StreamScope::Bound&);
    void rate(const ast::RateClause&, bool prework);

    /// The value of an int expression in which everything is known; nothing if it has to be run.
    static std::optional<std::int64_t> constantInt(ModuleScope&, const ast::Expr&);
    /// Stores an int expression to a variable.
    void storeInt(VarRef, const ast::Expr&);

private:
    // ---- lvalues.cpp
    VarRef variable(const Symbol&) const;
    /// The hidden field of a filter that holds a static tensor.
    std::uint32_t fieldOf(const Symbol& global) const;
    const Type* variableType(VarRef) const;
    bool isLValue(const ast::Expr&) const;
    LValue lvalue(const ast::Expr&);
    LValue lvalueOf(const Symbol&, SourceRange);
    LValue element(const LValue& array, Reg index, SourceRange);
    LValue member(const LValue& object, const ast::MemberExpr&);
    Reg load(const LValue&, SourceRange);
    void store(const LValue&, Reg, SourceRange);
    /// Type of what is loaded and stored.
    const Type* valueType(const LValue&) const;
    static std::uint32_t partIndex(std::string_view name);

    // ---- extents (lvalues.cpp)
    Reg extentOf(const Type*, Shape, std::uint32_t dimension, SourceRange);
    std::vector<Reg> extents(const Type*, Shape, SourceRange);
    /// The extents of a type as written, all dimensions.
    /// ir::kOpenExtent stands for a dimension of a tensor that may be any.
    std::vector<Reg> extents(const Type*, const ast::TypeExpr&);
    Reg bound(const ast::Expr&);
    void appendBytes(std::vector<Reg>& operands, const Type*, Shape, SourceRange);
    /// Adds a ref and, if its type is dynamic, its extents.
    void appendAggregate(std::vector<Reg>& operands, const Aggregate&, SourceRange);
    void checkExtents(const Type* given, Shape, const Type* needed, Shape neededShape, SourceRange);
    void checkExtents(const Aggregate& given, const Type* needed, const ast::TypeExpr&,
                      SourceRange);
    void reportLength(std::int64_t given, std::int64_t needed, SourceRange);
    void checkExtent(Reg given, Reg needed, std::uint32_t dimension, SourceRange);

    // ---- expressions.cpp
    /// A scalar in the expression's own type; `operand` leaves random() in binary64.
    Typed value(const ast::Expr&);
    Typed operand(const ast::Expr&);
    Typed rounded(Typed, const ast::Expr&);
    Reg valueAs(const ast::Expr&, const Type*);
    Reg condition(const ast::Expr&);
    void effect(const ast::Expr&);
    Typed unary(const ast::UnaryExpr&);
    Typed binary(const ast::BinaryExpr&);
    Typed conditional(const ast::ConditionalExpr&);
    Typed increment(const ast::IncrementExpr&);
    Typed memberValue(const ast::MemberExpr&);
    Typed length(const ast::MemberExpr&);
    Reg shortCircuit(bool isAnd, Reg left, const ast::Expr& right, SourceRange);
    /// The value of a literal, negative ones and known globals included.
    std::optional<Value> constant(const ast::Expr&) const;
    std::optional<Value> constantAs(const ast::Expr&, const Type*) const;

    // ---- arithmetic.cpp
    Reg convert(Typed, const Type*, SourceRange);
    Typed asCondition(Typed, SourceRange);
    Typed combine(ast::BinaryOp, Typed left, Typed right, SourceRange);
    Typed vectorOperation(ast::BinaryOp, Typed left, Typed right, SourceRange);
    Typed compare(ast::BinaryOp, Typed left, Typed right, SourceRange);
    const Type* commonType(const Type*, const Type*) const;
    Typed increased(Typed, bool decrement, SourceRange);

    // ---- aggregates.cpp
    /// The memory that holds the expression's value: a variable, a table, or a temporary.
    Aggregate aggregate(const ast::Expr&);
    /// Writes the value. `fresh`: nobody can see the target while it is written.
    void into(const Aggregate& to, const ast::Expr&, bool fresh);
    void copy(const Aggregate& to, const Aggregate& from, SourceRange);
    Aggregate temporary(const Type*, const std::vector<Reg>& extents, SourceRange);
    /// A temporary with the value, also of what lies in a variable.
    Aggregate privateCopy(const ast::Expr&);
    /// What the expression's value will look like, without evaluating it.
    struct Form {
        const Type* type = nullptr;
        Shape shape;
        const ast::TypeExpr* written = nullptr;  ///< of a function's result
        const ast::CallExpr* file = nullptr;  ///< whose items say the length
    };
    Form form(const ast::Expr&);
    /// The call, if its value is a file as an array; else null.
    const ast::CallExpr* fileArray(const ast::Expr&) const;
    std::vector<Reg> extents(const Form&, SourceRange);

    // ---- initialisers.cpp
    const Type* literalType(const ast::ArrayLiteral&, const Type* target);
    void initialise(const Aggregate& to, const ast::ArrayLiteral&);
    Aggregate literalValue(const ast::ArrayLiteral&, const Type* target);
    std::vector<Reg> literalExtents(const ast::ArrayLiteral&, const Type*);
    void initialiseRows(const Aggregate& to, const ast::ArrayLiteral&);
    Aggregate listOf(const ast::Expr&, const Type* target);
    void initialiseElement(const LValue&, const ast::Expr&);
    void readArray(const Aggregate& to, const ast::CallExpr&);

    // ---- files.cpp
    /// A file as an array: its length, and its elements into an array of that length.
    Reg fileLength(const ast::CallExpr&);
    void readItems(const Aggregate& to, const ast::CallExpr&);
    Reg channelOf(const ast::CallExpr&);
    Typed fileFact(bool isRate, std::span<const ast::Expr* const> args, SourceRange);

    // ---- calls.cpp
    Typed call(ast::NodeId, std::span<const ast::Expr* const> args, SourceRange);
    Typed callFunction(const FunctionInfo&, std::span<const ast::Expr* const> args, Reg result,
                       SourceRange);
    Aggregate callAggregate(const FunctionInfo&, std::span<const ast::Expr* const> args,
                            SourceRange);
    void callInto(const Aggregate& to, const ast::Expr&, std::span<const ast::Expr* const> args);
    void argument(std::vector<Reg>& operands, const FunctionInfo&, std::size_t k, const ast::Expr&);
    Typed realMath(types::MathFn, std::span<const ast::Expr* const> args, SourceRange);
    Typed complexMath(types::MathFn, bool toReal, std::span<const ast::Expr* const> args,
                      SourceRange);
    void print(std::span<const ast::Expr* const> args, bool newLine, SourceRange);
    const FunctionInfo* functionOf(const ast::Expr&) const;
    Reg math(types::MathFn, std::vector<Reg> doubles, SourceRange);
    Reg floatMath(types::MathFn, std::vector<Reg> floats, SourceRange);

    // ---- tensors.cpp
    Typed tensor(types::TensorFn, std::vector<Reg> operands, SourceRange);
    /// The value as a tensor of that type: also an array, a number.
    Reg tensorAs(const ast::Expr&, const Type*);
    Reg tensorOf(Typed, SourceRange);
    Typed tensorOperation(ast::BinaryOp, Typed left, Typed right, SourceRange);
    Typed tensorElement(const ast::IndexExpr&);
    Typed elementOf(std::vector<Reg> operands, types::TensorFn, const Type*, SourceRange);
    void appendIndices(const ast::IndexExpr&, std::vector<Reg>& operands);
    /// What is cast to that type.
    Typed castOperand(const ast::Expr&, const Type*);
    Typed tensorCast(Typed, const Type*, SourceRange);
    Typed tensorCall(const sema::CallTarget&, std::span<const ast::Expr* const> args, SourceRange);

    // ---- vectors.cpp
    Typed vectorLiteral(const ast::VectorLiteral&);
    Typed vectorFunction(std::string_view name, std::span<const ast::Expr* const> args,
                         SourceRange);
    Typed vectorCall(std::string_view name, const std::vector<Typed>& args, SourceRange);
    Typed byPart(types::MathFn, const std::vector<Typed>& args, SourceRange);
    Typed compareParts(Op, bool all, const std::vector<Typed>& args, SourceRange);
    Typed cross(Typed, Typed, SourceRange);
    Reg part(Typed, std::uint32_t index, SourceRange);
    Reg dot(Typed, Typed, SourceRange);

    // ---- statements.cpp
    void variables(const ast::VariablesStmt&);
    void assign(const ast::AssignStmt&);
    void branch(const ast::IfStmt&);
    void loop(const ast::Stmt* init, const ast::Expr* test, const ast::Stmt* step,
              const ast::Stmt& body, bool testLast, SourceRange);
    void block(const ast::BlockStmt&);
    void push(const ast::PushStmt&);
    void returned(const ast::ReturnStmt&);
    void returnValue(const ast::Expr&, SourceRange);
    void message(const ast::MessageStmt&);
    void send(const ast::MessageStmt&, const FunctionInfo& handler);
    std::optional<Reg> latency(const ast::MessageStmt&);

    // ---- composites.cpp
    void create(const ast::CreateStmt&);
    void arguments(std::vector<Reg>& operands, ir::Create&, const ast::CreateStmt&,
                   const sema::CreateTarget&);
    void argument(std::vector<Reg>& operands, const ast::Expr&, const Type* parameter, bool copies);
    const Type* parameterType(const StreamInfo&, std::size_t k) const;
    void capture(std::vector<Reg>& operands, const Symbol& captured, SourceRange);
    void splitter(const ast::SplitterStmt&, Op);
    void enqueue(const ast::EnqueueStmt&);

    const Type* typeOf(const ast::Expr& e) const { return m.program.typeOf(e); }
    const Type* resolve(const ast::TypeExpr& t) { return m.resolve(t, m.globalsAreFinal); }
    const Type* intType() const { return m.types.intType(); }
    const Type* floatType() const { return m.types.floatType(); }

    ModuleScope& m;
    StreamScope* stream;
    Builder b;
    std::unordered_map<const Symbol*, std::uint32_t> slots;
};

}  // namespace strc::lower::detail
