#include "parser/detail/lexical.h"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/utf8.h"
#include "parser/detail/literals.h"

namespace strc::parser {

using base::Diag;
using base::SourceRange;

namespace {

/// Letters of other alphabets as they are, what cannot be printed as \x00.
std::string printable(std::string_view bytes) {
    std::string text;
    while (!bytes.empty()) {
        const auto length = base::utf8Length(bytes);
        const auto first = static_cast<unsigned char>(bytes[0]);
        if (length == 0 || first < 0x20 || first == 0x7F) {
            text += fmt::format("\\x{:02X}", first);
            bytes.remove_prefix(1);
        } else {
            text += bytes.substr(0, length);
            bytes.remove_prefix(length);
        }
    }
    return text;
}

class Checker {
public:
    Checker(base::Context& context, base::BufferId buffer)
        : context(context), buffer(buffer), source(context.sources.text(buffer)) {}

    void check(const Token& token) {
        const SourceRange range{buffer, static_cast<std::uint32_t>(token.getStartIndex()),
                                static_cast<std::uint32_t>(token.getStopIndex() + 1)};
        const auto text = source.substr(range.begin, range.end - range.begin);
        switch (token.getType()) {
            case Grammar::LINE_COMMENT: result.comments.push_back({range, false}); break;
            case Grammar::BLOCK_COMMENT: result.comments.push_back({range, true}); break;
            case Grammar::OPEN_COMMENT:
                report(Diag::UnterminatedComment, {buffer, range.begin, range.begin + 2});
                result.openText = true;
                break;
            case Grammar::BAD_CHARACTER:
                report(Diag::IllegalCharacter, range) << printable(text);
                break;
            case Grammar::BAD_NUMBER: report(Diag::MalformedNumber, range) << text; break;
            case Grammar::OPEN_STRING:
            case Grammar::OPEN_CHARACTER:
                report(Diag::UnterminatedString, range);
                result.openText = true;
                break;
            case Grammar::STRING: checkEscapes(text, range); break;
            case Grammar::CHARACTER:
                if (checkEscapes(text, range) &&
                    unescape(text.substr(1, text.size() - 2)).size() != 1)
                    report(Diag::MalformedCharacter, range);
                break;
            default: break;
        }
    }

    LexicalResult result;

private:
    /// As many as are ever shown; a sink for the rest.
    base::Diagnostic& report(Diag id, SourceRange range) {
        if (reports++ <= context.limits.errors) return context.diags.add(id, range);
        unreported = {};
        return unreported;
    }

    bool checkEscapes(std::string_view text, SourceRange range) {
        bool good = true;
        for (std::size_t i = text.find('\\'); i != text.npos; i = text.find('\\', i)) {
            const std::size_t length = escapeLength(text.substr(i));
            if (length == 0) {
                const auto begin = static_cast<std::uint32_t>(range.begin + i);
                report(Diag::InvalidEscape, {buffer, begin, begin + 2})
                    << printable(text.substr(i, 2));
                good = false;
            }
            i += length ? length : 2;
        }
        return good;
    }

    base::Context& context;
    base::BufferId buffer;
    std::string_view source;
    std::size_t reports = 0;
    base::Diagnostic unreported{};
};

}  // namespace

LexicalResult checkTokens(base::Context& context, base::BufferId buffer,
                          antlr4::BufferedTokenStream& tokens) {
    Checker checker(context, buffer);
    for (std::size_t i = 0; i < tokens.size(); i++) checker.check(*tokens.get(i));
    return std::move(checker.result);
}

}  // namespace strc::parser
