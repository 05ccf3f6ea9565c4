#pragma once
/// A body while it is lowered, and the values that its code works with. The functions that lower code stand
/// in headers by subject; all of them take the body as `in`, append instructions to its current block, and
/// report faults to its module.

#include <unordered_map>

#include "lower/detail/scope.h"

namespace strc::lower::detail {

/// A scalar in a register.
struct Typed {
    Reg reg = kNone;
    const Type* type = nullptr;
};

/// The place of the dynamic extents of an aggregate: its dimension 0 is dimension `first` of `var`.
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

/// Anything that can be read and assigned: a scalar variable, or memory, or a part of either.
struct LValue {
    VarRef var;  ///< scalar variable, if there is no ref
    Reg ref = kNone;
    const Type* type = nullptr;  ///< of variable or memory
    Shape shape;  ///< of an aggregate
    std::uint32_t part = kNone;  ///< of a complex or vector

    Aggregate aggregate() const { return {ref, type, shape}; }
};

/// Holds the code of one body as far as it is made, and knows where its variables lie.
class BodyScope {
public:
    /// `stream` is null in static items and packages.
    BodyScope(ModuleScope&, StreamScope* stream, std::string name, ir::BodyKind, SourceRange);

    VarRef variable(const Symbol&) const;
    const Type* variableType(VarRef) const;

    const Type* typeOf(const ast::Expr& e) const { return m.program.typeOf(e); }
    const Type* resolve(const ast::TypeExpr& t) { return m.resolve(t, m.globalsAreFinal); }
    const Type* intType() const { return m.types.intType(); }
    const Type* floatType() const { return m.types.floatType(); }

    ir::Body finish() { return std::move(b.body); }

    ModuleScope& m;
    StreamScope* stream;
    Builder b;
    std::unordered_map<const Symbol*, std::uint32_t> slots;  ///< locals and parameters of functions
    std::vector<std::uint32_t>
        visible;  ///< slots of locals that what comes next can name, outer ones first

private:
    /// The hidden field of a filter that holds a static tensor.
    std::uint32_t fieldOf(const Symbol& global) const;
};

/// What is declared meanwhile can be named until its end.
class Visibility {
public:
    explicit Visibility(BodyScope& body) : in(body), before(body.visible.size()) {}
    ~Visibility() { in.visible.resize(before); }
    Visibility(const Visibility&) = delete;
    Visibility& operator=(const Visibility&) = delete;

private:
    BodyScope& in;
    std::size_t before;
};

}  // namespace strc::lower::detail
