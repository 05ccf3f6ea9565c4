#include "repl/detail/classifier.h"

#include "repl/detail/stream_line.h"
#include "types/math.h"
#include "types/tensor.h"

namespace strc::repl {

bool Classifier::isStream(const Input& input) const {
    std::vector<Token> tokens = tokenize(input.text());
    std::erase_if(tokens, [](const Token& t) { return t.kind == TokenKind::Comment; });
    if (tokens.empty()) return false;
    std::size_t at = 0;
    const bool isAssignment =
        tokens.size() > 2 && tokens[0].kind == TokenKind::Word && tokens[1].is("=");
    // An assignment to a variable whose right side does not name a stream.
    if (isAssignment && declarations.variables.contains(tokens[0].text) &&
        !names.isStream(tokens[2].text))
        return false;
    if (isAssignment) at = 2;
    const Token& first = tokens[at];
    if (isTensorCall(input, tokens, at)) return false;
    if (first.is("take") || first.is("<-") || isStreamKind(first)) return true;
    for (std::size_t k = at; k < tokens.size() && !tokens[k].is("{"); ++k)
        if (tokens[k].is("->") && isTypeArrow(tokens, k)) return true;
    if (first.is("(")) {
        while (at < tokens.size() && tokens[at].is("(")) ++at;
        return at < tokens.size() && (names.isStream(tokens[at].text) || isStreamKind(tokens[at]));
    }
    if (!mayNameStream(first)) return false;
    if (declarations.variables.contains(first.text)) return false;
    const Token* after = at + 1 < tokens.size() ? &tokens[at + 1] : nullptr;
    int depth = 0;
    for (std::size_t k = at; k < tokens.size(); ++k) {
        if (tokens[k].is("(")) ++depth;
        if (tokens[k].is(")")) --depth;
        if (depth == 0 && tokens[k].is("<-")) return true;
    }
    const bool follows =
        !after || after->is("(") || after->is("<") || after->is("|") || after->is("->");
    return follows && names.isStream(first.text);
}

bool Classifier::isTensorCall(const Input& input, const std::vector<Token>& tokens,
                              std::size_t at) const {
    const std::string_view name = tokens[at].text;
    const bool isFunction = types::findTensorFn(name) != types::TensorFn::Count ||
                            types::findMathFn(name) != types::MathFn::Count;
    const bool isCall = isFunction && at + 2 < tokens.size() && tokens[at + 1].is("(");
    if (!isCall || streams.contains(name)) return false;
    for (std::size_t k = at; k < tokens.size(); ++k)
        if (tokens[k].is("<-") || tokens[k].is("->")) return false;
    return evaluator.isExpression(
        {input.typed, input.name, input.begin + tokens[at].begin, input.end});
}

}  // namespace strc::repl
