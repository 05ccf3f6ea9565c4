#pragma once
/// Texts of C expressions, how tightly they bind, and what has to stay as it is until they are evaluated. Private to csource.

#include <string>
#include <string_view>
#include <vector>

#include "ir/bounds.h"
#include "ir/ir.h"

namespace strc::csource {

/// Of C's operators, those that are printed without parentheses inside of others.
enum Rank : int {
    kAny,
    kConditional,
    kOr,
    kAnd,
    kBits,
    kEquality,
    kRelation,
    kShift,
    kSum,
    kProduct,
    kUnary,
    kPrimary
};

struct Expr {
    std::string text;
    Rank rank = kPrimary;
    /// Of a sum, difference or product of ints that may wrap: the text without the conversion back from unsigned. Else empty.
    std::string bits;
    Rank bitsRank = kPrimary;
    std::string narrow;  ///< of a double that is a float: without the conversion
    ir::Range range;  ///< of an int
    char sign =
        0;  ///< '+', '-', '*', '/' of `head` and `tail`, which make up the text; 0: it is nothing like that
    std::string head, tail;
    std::vector<ir::VarRef> reads;  ///< scalar variables
    std::vector<ir::VarRef> memory;  ///< arrays and structs of which it reads something
    bool readsInput = false;  ///< items that move on when one is popped
    bool isImpure = false;  ///< evaluating it pops an item, or draws a random number
    bool isTrivial = false;  ///< may be repeated

    // ---- of a ref: `text` is what it leads to
    std::string pointer;  ///< which is *pointer; or empty
    bool isConst = false;
    ir::VarRef root;  ///< the variable inside of which it leads
};

Expr plain(std::string text, Rank = kPrimary);
/// All that one of them depends on, `made` depends on.
void inherit(Expr& made, const Expr& part);

/// In parentheses if it binds less tightly.
std::string within(const Expr&, Rank least);
std::string within(std::string_view text, Rank, Rank least);
/// An operand of a comparison, a shift or an operation on bits: compilers warn of anything but sums and products in them.
std::string operandOf(const Expr&);

/// Is it an operation that can be a part of an expression, if it has no check?
bool isInExpressions(ir::Op);

}  // namespace strc::csource
