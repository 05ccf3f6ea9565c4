#pragma once
/// Conversions between types (language.md 4.3): which are implicit, what to say about the others.

#include "sema/detail/checker.h"

namespace strc::sema {

/// What checking an expression finds out.
struct Typed {
    const Type* type = nullptr;
    Constant constant;
    /// A bit, or an int made of bits, 0 and 1 by `?: & | ^`: converts to bit.
    bool bitLike = false;
};

/// Where a value is converted to a given type.
enum class Site : std::uint8_t {
    Assignment,
    Initialiser,
    Push,
    Enqueue,
    Return,
    Argument,
    NamedArgument,
    DefaultValue,
    Component,
};
struct Target {
    const Type* type = nullptr;
    Site site = Site::Assignment;
    Name subject;                ///< variable, function or stream
    std::uint32_t position = 0;  ///< Argument: from 1
    Name parameter;              ///< NamedArgument
    bool takesOne = false;       ///< an array of open length: a scalar is one of length 1
};

/// Scalars only: `from` becomes `to` by itself, or is the same.
bool promotes(const Type* from, const Type* to);
/// The type to which both promote, or null. Equal types of any kind have themselves.
const Type* commonType(const Type*, const Type*);

/// Reports if the value does not convert.
void convert(Checker&, const ast::Expr&, const Typed&, const Target&);
/// Checks an expression that a target takes: also array literals and init_array_1D_*.
void checkInto(Checker&, const ast::Expr&, const Target&);

/// Adds "write '(int)' before it" with the fix.
void adviseCast(Diagnostic&, const ast::Expr&, const Type* to);
/// Adds the fix that puts `suffix` ("!= 0", "? 1 : 0") behind an expression.
void adviseSuffix(Diagnostic&, Diag note, const ast::Expr&, std::string_view suffix);

}  // namespace strc::sema
