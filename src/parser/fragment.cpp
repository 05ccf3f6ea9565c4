#include "parser/fragment.h"

#include <algorithm>
#include <memory>
#include <string>

#include "parser/detail/antlr.h"
#include "parser/detail/bounded_parser.h"
#include "parser/detail/byte_stream.h"
#include "parser/detail/lexer.h"
#include "parser/detail/token_walk.h"

namespace strc::parser {

namespace {

constexpr std::size_t kAll = SIZE_MAX;

/// Gives up at the first fault and remembers where that is.
class FirstFault final : public antlr4::BailErrorStrategy {
public:
    void recover(antlr4::Parser* parser, std::exception_ptr fault) override {
        try {
            std::rethrow_exception(fault);
        } catch (const antlr4::RecognitionException& e) {
            at = e.getOffendingToken()->getTokenIndex();
        }
        BailErrorStrategy::recover(parser, fault);
    }
    Token* recoverInline(antlr4::Parser* parser) override {
        at = parser->getCurrentToken()->getTokenIndex();
        return BailErrorStrategy::recoverInline(parser);
    }

    std::size_t at = 0;  ///< index of the token
};

/// A text that rules of the grammar are tried on.
class Trial {
public:
    Trial(std::string_view text, std::size_t nesting, const volatile bool* interrupt)
        : bytes(text),
          lexer(&bytes, interrupt),
          tokens(&lexer),
          parser(&tokens, nesting, interrupt) {
        lexer.removeErrorListeners();
        parser.removeErrorListeners();
        parser.setBuildParseTree(false);
        parser.setErrorHandler(strategy);
        parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
            antlr4::atn::PredictionMode::SLL);
        tokens.fill();
    }

    /// The index of the first token that the rule cannot read; kAll if it reads the text.
    template <typename Context>
    std::size_t read(Context* (Grammar::*rule)()) {
        parser.reset();
        parser.tooDeep = nullptr;
        try {
            (parser.*rule)();
            const Token* next = parser.getCurrentToken();
            return next->getType() == Token::EOF ? kAll : next->getTokenIndex();
        } catch (const antlr4::ParseCancellationException&) {
            return parser.tooDeep ? parser.tooDeep->getTokenIndex() : strategy->at;
        }
    }

    /// The kind of the statement that was read last, as far as it goes. One that is a place alone is an expression.
    FragmentKind statementKind() const {
        // singleStatement, substatement, statement, plainStatement, simpleStatement and a part of that.
        auto* simple = dynamic_cast<const Grammar::SimpleStatementContext*>(parser.opened(4));
        if (!simple) return FragmentKind::Statement;
        const bool declares =
            simple->builtin || simple->typeArgument || !simple->items.empty() ||
            dynamic_cast<const Grammar::DeclaratorContext*>(parser.opened(5)) != nullptr;
        if (declares) return FragmentKind::Variables;
        const Grammar::PlaceContext* place = simple->target;
        const bool steps =
            simple->step || (place && !place->suffixes.empty() && place->suffixes.back()->step);
        return simple->op || steps ? FragmentKind::Statement : FragmentKind::Expression;
    }

    bool isAssignmentAt(std::size_t token) { return isAssignment(tokens.get(token)); }

    /// Does it begin as no type does, or does a word for streams stand before a name, ahead of any body?
    bool hasDeclarationHead() {
        switch (tokens.get(0)->getType()) {
            case Grammar::STRUCT:
            case Grammar::STATIC:
            case Grammar::NATIVE:
            case Grammar::HELPER: return true;
            default: break;
        }
        for (std::size_t k = 0; k + 1 < tokens.size(); ++k) {
            const std::size_t type = tokens.get(k)->getType();
            if (type == Grammar::LEFT_BRACE) return false;
            if (type >= Grammar::FILTER && type <= Grammar::FEEDBACKLOOP)
                return tokens.get(k + 1)->getType() == Grammar::ID;
        }
        return false;
    }

private:
    ByteStream bytes;
    Lexer lexer;
    antlr4::CommonTokenStream tokens;
    std::shared_ptr<FirstFault> strategy = std::make_shared<FirstFault>();
    BoundedParser parser;
};

}  // namespace

FragmentKind kindOfFragment(std::string_view text, std::size_t nesting,
                            const volatile bool* interrupt) {
    Trial plain(text, nesting, interrupt);
    const std::size_t declaration = plain.read(&Grammar::singleDeclaration);
    if (declaration == kAll) return FragmentKind::Declaration;
    const std::string withEnd = std::string(text) + "\n;";
    Trial ended(withEnd, nesting, interrupt);
    const std::size_t statement = ended.read(&Grammar::singleStatement);
    const FragmentKind kind = ended.statementKind();
    if (statement == kAll) return kind;
    const std::size_t expression = plain.read(&Grammar::singleExpression);
    if (expression == kAll) return FragmentKind::Expression;
    const std::size_t furthest = std::max({declaration, statement, expression});
    if (declaration == furthest && plain.hasDeclarationHead()) return FragmentKind::Declaration;
    if (ended.read(&Grammar::creator) > furthest) return FragmentKind::Stream;
    if (expression == furthest)
        return plain.isAssignmentAt(expression) ? FragmentKind::Statement
                                                : FragmentKind::Expression;
    return statement == furthest ? kind : FragmentKind::Stream;
}

}  // namespace strc::parser
