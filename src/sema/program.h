#pragma once
/// What checking finds out about a program: which declaration each name means, the type of each
/// expression, which stream each creator creates. Side tables are keyed by syntax node id; the tree
/// is never annotated. Says nothing about instances, schedules or targets.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ast/nodes.h"
#include "base/context.h"
#include "types/builtin_streams.h"
#include "types/math.h"
#include "types/tensor.h"
#include "types/type.h"

namespace strc::sema {

using base::Name;
using base::SourceRange;
using types::Type;

constexpr std::uint32_t kNone = UINT32_MAX;

struct StreamInfo;
struct FunctionInfo;

enum class SymbolKind : std::uint8_t { Local, Param, Field, StreamParam, Captured, Global };

/// A variable. Inside an anonymous stream every variable of an enclosing body that it uses is a
/// Captured symbol of that stream, whose `origin` is the enclosing one's symbol.
struct Symbol {
    SymbolKind kind = SymbolKind::Local;
    Name name;
    const Type* type = nullptr;  ///< dynamic extents where a bound is not a literal constant
    const ast::TypeExpr* typeExpr = nullptr;  ///< null for Captured
    const ast::Expr* initialiser = nullptr;
    SourceRange range;
    /// Field: among fields; StreamParam, Captured: among constants; Global: among globals; Param:
    /// among parameters; Local: unused.
    std::uint32_t index = kNone;
    const Symbol* origin = nullptr;
    bool used = false;
    bool assigned = false;  ///< may change after its declaration: =, ++, through a reference
};

enum class FunctionKind : std::uint8_t { Function, Handler, Package, Native };

struct FunctionInfo {
    FunctionKind kind = FunctionKind::Function;
    Name name;
    Name package;  ///< Package, Native
    const ast::Decl* decl = nullptr;  ///< FunctionDecl or HandlerDecl
    const Type* result = nullptr;
    std::vector<const Symbol*> params;
    /// Among the stream's functions and handlers in textual order; among all package functions;
    /// among all natives.
    std::uint32_t index = kNone;
    bool usesTape = false;  ///< declares rates: an I/O function
    bool used = false;
};

using Builtin = types::BuiltinStream;

struct StreamInfo {
    const ast::StreamDecl* decl = nullptr;  ///< null for a built-in
    Builtin builtin = Builtin::None;
    Name name;  ///< empty: anonymous
    const StreamInfo* enclosing = nullptr;  ///< anonymous: where it stands
    std::uint32_t index = kNone;  ///< among Program::streams
    bool isLibrary = false;  ///< weakly declared
    const Type* input = nullptr;  ///< null where an anonymous composite wrote no type
    const Type* output = nullptr;
    std::vector<const Symbol*> constants;  ///< parameters, then captured variables
    std::uint32_t params = 0;
    std::vector<const Symbol*> fields;
    std::vector<const FunctionInfo*> functions;
    bool reachable = false;  ///< from the main stream
    bool broken = false;  ///< a filter with errors in bodies: only its outside holds
};

/// What a creator means.
struct CreateTarget {
    const StreamInfo* stream = nullptr;
    const Type* typeArgument = nullptr;  ///< of Identity<T>, …
    std::vector<const ast::Expr*> args;  ///< by parameter; null where the default applies
};

/// What a call means.
enum class CallKind : std::uint8_t {
    Error,
    Function,
    RealMath,
    ComplexMath,
    ComplexToReal,
    VectorMath,
    Print,
    Println,
    Random,
    Character,
    InitArray,
    FileArray,
    SampleRate,
    Channels,
    Tensor,
    Require
};
struct CallTarget {
    CallKind kind = CallKind::Error;
    const FunctionInfo* function = nullptr;  ///< Function: also handlers, natives, …
    types::MathFn math = types::MathFn::Count;
    types::TensorFn tensor = types::TensorFn::Count;  ///< Tensor; `math` of TensorFn::Math
    const Type* result = nullptr;  ///< Tensor
    types::BuiltinStream reader = types::BuiltinStream::None;  ///< FileArray: says the format
    Name vectorFunction;  ///< VectorMath: name in StreamItVectorLib, or floor, normalize
};

struct Program {
    std::unique_ptr<types::TypeTable> types = std::make_unique<types::TypeTable>();
    std::vector<const ast::Unit*> units;

    /// Built-ins, named and anonymous ones. After `update` some may be empty (no decl, no builtin).
    std::deque<StreamInfo> streams;
    std::deque<FunctionInfo> functions;  ///< storage of all
    std::deque<Symbol> symbols;  ///< storage of all
    std::vector<const Symbol*> globals;
    std::vector<const FunctionInfo*> packageFunctions;
    std::vector<const FunctionInfo*> natives;
    std::unordered_map<Name, const StreamInfo*> streamByName;
    std::unordered_map<Name, const Type*> structByName;
    /// Members of all static blocks in textual order: FieldsDecl and InitDecl.
    std::vector<const ast::Decl*> staticItems;
    /// Struct fields as written, for bounds that use globals: parallel to StructInfo::fields.
    std::unordered_map<const types::StructInfo*, const ast::StructDecl*> structDecls;

    // ---- side tables by NodeId
    /// Never null after checking. The type of the value itself: where a target wants another one
    /// (also bit for an int of `?: & | ^`, 0 and 1) the conversion is up to the reader. Of an array
    /// literal: with its own extents.
    const Type* typeOf(const ast::Expr&) const;
    const Symbol* symbolOf(const ast::Expr& nameRef) const;
    const Symbol* symbolOf(ast::NodeId declarator) const;  ///< of a Declarator or Parameter
    const Type* typeOf(const ast::TypeExpr&) const;
    /// The bound `_` of a parameter or variable, which takes the length of what it is given: it names no variable.
    bool isOpenLength(const ast::Expr& bound) const;
    const CallTarget* callOf(ast::NodeId) const;  ///< calls, MessageStmt as call
    /// The handler; null: callOf has it.
    const FunctionInfo* messageOf(const ast::MessageStmt&) const;
    const Symbol* portalOf(const ast::MessageStmt&) const;
    const Symbol* portalOf(const ast::CreateStmt&, std::size_t k) const;
    const CreateTarget* createOf(const ast::CreateStmt&) const;
    const StreamInfo* streamOf(const ast::StreamDecl&) const;

    struct Tables;
    std::shared_ptr<Tables> tables;
};

}  // namespace strc::sema
