#pragma once
/// Which parts of the texts were not understood, told from the syntax errors reported so far. What
/// stands elsewhere can be checked all the same; of what is said about it, that a name means
/// nothing holds only if no declaration was lost and no such part has the name.

#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ast/nodes.h"
#include "base/context.h"

namespace strc::sema {

class Damage {
public:
    Damage(const base::Context&, std::span<const ast::Unit* const>);

    bool any() const { return !ranges.empty(); }
    /// There is a syntax error inside, or right behind: text that may have belonged to it.
    bool has(const ast::Decl* decl) const { return damaged.contains(decl); }
    /// What others see of it is as it was written.
    bool isKnown(const ast::Decl&) const;
    /// The word stands in a part that was not understood, and may have been declared there.
    bool mayDeclare(std::string_view word) const { return words.contains(word); }
    /// There is a declaration of which not even the name is certain.
    bool isAnyLost() const { return anyLost; }

private:
    using ErrorRange = base::SourceRange;

    void findPlaces(const base::Diagnostics&);
    void assess(const ast::Unit&, std::string_view text);
    bool isBetween(base::BufferId, std::uint32_t begin, std::uint32_t end) const;
    void collectWords(std::string_view text);

    bool anyLost = false;
    std::vector<ErrorRange> ranges;  ///< of the errors, in order
    std::unordered_set<const ast::Decl*> damaged;
    std::unordered_set<std::string_view> words;
};

}  // namespace strc::sema
