// Any bytes through lexer, parser and formatter. Every message has a place inside of the text; what
// parses without a fault still does after formatting, to the same tree with as many comments; and
// formatting again changes nothing.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ast/print.h"
#include "base/assert.h"
#include "parser/parse.h"

using namespace strc;

namespace {

void checkMessages(const base::Context& context, std::size_t size) {
    for (const auto& message : context.diags.all()) {
        STRC_ASSERT(message.range.valid(), "a message without a place");
        STRC_ASSERT(message.range.begin <= message.range.end && message.range.end <= size,
                    "a message outside of the text");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    base::Context context;
    const auto buffer = context.sources.add("fuzz.str", text);
    const ast::Unit& unit = parser::parse(context, buffer);
    checkMessages(context, size);
    if (context.diags.hasErrors()) return 0;

    const std::string formatted = ast::format(unit, context.sources);
    base::Context again;
    const ast::Unit& second = parser::parse(again, again.sources.add("again.str", formatted));
    STRC_ASSERT(!again.diags.hasErrors(), "the formatted text does not parse");
    STRC_ASSERT(ast::dump(unit) == ast::dump(second), "the formatted text is another program");
    STRC_ASSERT(unit.comments.size() == second.comments.size(), "formatting lost a comment");
    STRC_ASSERT(ast::format(second, again.sources) == formatted, "formatting is not stable");
    return 0;
}
