#include "dsl/syntax.h"

#include "ast/print.h"
#include "ast/write.h"
#include "dsl/detail/streams.h"
#include "parser/parse.h"

namespace strc::dsl {

Syntax syntaxOf(base::Context& context, const Tree& tree, NodeNumber main) {
    Maker maker(context, tree);
    const Shapes shapes(tree, main);
    Streams streams(maker, shapes);
    const std::vector<const ast::Decl*> decls = streams.declarations();
    Syntax made;
    made.unit = context.arena.make<ast::Unit>(maker.places.first(), maker.copy(decls),
                                              std::span<const ast::Comment>());
    made.main = streams.mainName();
    made.isOpen = streams.isOpen(main);
    return made;
}

std::string textOf(const ast::Unit& unit) {
    const std::string plain = ast::write(unit);
    base::Context context;
    const base::BufferId buffer = context.sources.add("<recorded>", plain);
    const ast::Unit& read = parser::parse(context, buffer);
    return context.diags.hasErrors() ? plain : ast::format(read, context.sources);
}

}  // namespace strc::dsl
