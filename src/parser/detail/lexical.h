#pragma once
/// What the tokens of a buffer show by themselves: comments, and the faults of rows 1 to 3 of the
/// language's table of errors. Those are all reported here, wherever the syntax around them fails.

#include <vector>

#include "ast/nodes.h"
#include "base/context.h"
#include "parser/detail/antlr.h"

namespace strc::parser {

struct LexicalResult {
    std::vector<ast::Comment> comments;
    bool openText = false;  ///< a string or comment swallowed what should have been read
};

LexicalResult checkTokens(base::Context&, base::BufferId, antlr4::BufferedTokenStream&);

}  // namespace strc::parser
