#include "csource/detail/expression.h"

namespace strc::csource {

Expr plain(std::string text, Rank rank) {
    Expr made;
    made.text = std::move(text);
    made.rank = rank;
    return made;
}

void inherit(Expr& made, const Expr& part) {
    made.reads.insert(made.reads.end(), part.reads.begin(), part.reads.end());
    made.memory.insert(made.memory.end(), part.memory.begin(), part.memory.end());
    made.readsInput = made.readsInput || part.readsInput;
    made.isImpure = made.isImpure || part.isImpure;
}

std::string within(std::string_view text, Rank rank, Rank least) {
    return rank >= least ? std::string(text) : "(" + std::string(text) + ")";
}

std::string within(const Expr& expr, Rank least) { return within(expr.text, expr.rank, least); }

bool isInExpressions(ir::Op op) {
    switch (op) {
        case ir::Op::Const:
        case ir::Op::Load:
        case ir::Op::Addr:
        case ir::Op::Extent:
        case ir::Op::Elem:
        case ir::Op::Member:
        case ir::Op::LoadAt:
        case ir::Op::Peek:
        case ir::Op::Iter:
        case ir::Op::Yield: return true;
        default: return op >= ir::Op::Add && op <= ir::Op::Part;
    }
}

std::string operandOf(const Expr& expr) { return within(expr, kUnary); }

}  // namespace strc::csource
