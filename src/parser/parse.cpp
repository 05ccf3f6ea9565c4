#include "parser/parse.h"

#include <memory>
#include <vector>

#include "parser/detail/antlr.h"
#include "parser/detail/bounded_parser.h"
#include "parser/detail/build_declarations.h"
#include "parser/detail/build_expressions.h"
#include "parser/detail/build_statements.h"
#include "parser/detail/byte_stream.h"
#include "parser/detail/error_strategy.h"
#include "parser/detail/lexer.h"
#include "parser/detail/lexical.h"

namespace strc::parser {

namespace {

/// While it lives, faults are found kind by kind; then they stand in the order of the text.
class InOrder {
public:
    explicit InOrder(base::Diagnostics& diags) : diags(diags), first(diags.all().size()) {}
    ~InOrder() { diags.sortByPlace(first); }
    InOrder(const InOrder&) = delete;

private:
    base::Diagnostics& diags;
    std::size_t first;
};

/// A buffer being read: its tokens and ANTLR's tree live as long as this.
class Reading {
public:
    Reading(base::Context& context, base::BufferId buffer, const volatile bool* interrupt = nullptr)
        : context(context),
          buffer(buffer),
          bytes(context.sources.text(buffer)),
          lexer(&bytes, interrupt),
          tokens(&lexer),
          parser(&tokens, context.limits.nesting, interrupt) {
        lexer.removeErrorListeners();
        parser.removeErrorListeners();
        parser.setBuildParseTree(false);  // the labels are enough
        tokens.fill();
        if (!parser.isInterrupted()) lexical = checkTokens(context, buffer, tokens);
    }

    /// Nothing but blanks and comments.
    bool isBlank() { return tokens.LA(1) == Token::EOF; }

    /// The context of a rule, or null if reading was given up. First without a word, as nearly every
    /// text is right; if it is not, once more to say what is wrong. SLL serves both times: the only
    /// decision in which LL could differ is the dangling `else`, and there the first alternative,
    /// which SLL takes, is the right one. LL would walk the whole nesting for every `else`.
    template <typename Context>
    Context* read(Context* (Grammar::*rule)()) {
        if (parser.isInterrupted()) return nullptr;
        parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
            antlr4::atn::PredictionMode::SLL);
        try {
            parser.setErrorHandler(std::make_shared<antlr4::BailErrorStrategy>());
            return (parser.*rule)();
        } catch (const antlr4::ParseCancellationException&) {
            if (parser.isInterrupted()) return nullptr;
            parser.reset();
        }
        try {
            parser.tooDeep = nullptr;
            strategy = std::make_shared<ErrorStrategy>(context, buffer, lexical.openText);
            parser.setErrorHandler(strategy);
            return (parser.*rule)();
        } catch (const antlr4::ParseCancellationException&) {
            if (parser.tooDeep) reportDepth(*parser.tooDeep);
        } catch (const antlr4::RecognitionException&) {
            // Reported; nothing could be saved.
        }
        return nullptr;
    }

    LexicalResult lexical;

private:
    void reportDepth(const Token& at) {
        const base::SourceRange where{buffer, static_cast<std::uint32_t>(at.getStartIndex()),
                                      static_cast<std::uint32_t>(at.getStopIndex() + 1)};
        context.diags.add(base::Diag::NestingTooDeep, where)
            << std::int64_t(context.limits.nesting);
    }

    base::Context& context;
    base::BufferId buffer;
    ByteStream bytes;
    Lexer lexer;
    antlr4::CommonTokenStream tokens;
    std::shared_ptr<ErrorStrategy> strategy;  ///< owns tokens that the tree refers to
    BoundedParser parser;
};

}  // namespace

const ast::Unit& parse(base::Context& context, base::BufferId buffer,
                       const volatile bool* interrupt) {
    const InOrder order(context.diags);
    Reading reading(context, buffer, interrupt);
    auto* program = reading.read(&Grammar::program);
    Builder builder(context, buffer);
    std::vector<const ast::Decl*> decls;
    if (program) {
        decls.reserve(program->declarations.size());
        for (auto* item : program->declarations) decls.push_back(declaration(builder, item));
    }
    return *context.arena.make<ast::Unit>(buffer, builder.copy(decls),
                                          builder.copy(reading.lexical.comments));
}

const ast::Decl* parseDeclaration(base::Context& context, base::BufferId buffer) {
    const InOrder order(context.diags);
    Reading reading(context, buffer);
    if (reading.isBlank()) return nullptr;
    auto* c = reading.read(&Grammar::singleDeclaration);
    Builder builder(context, buffer);
    return declaration(builder, c ? c->item : nullptr);
}

const ast::Stmt* parseStatement(base::Context& context, base::BufferId buffer) {
    const InOrder order(context.diags);
    Reading reading(context, buffer);
    if (reading.isBlank()) return nullptr;
    auto* c = reading.read(&Grammar::singleStatement);
    Builder builder(context, buffer);
    return substatement(builder, c ? c->item : nullptr);
}

const ast::Expr* parseExpression(base::Context& context, base::BufferId buffer) {
    const InOrder order(context.diags);
    Reading reading(context, buffer);
    if (reading.isBlank()) return nullptr;
    auto* c = reading.read(&Grammar::singleExpression);
    Builder builder(context, buffer);
    return expression(builder, c ? c->item : nullptr);
}

}  // namespace strc::parser
