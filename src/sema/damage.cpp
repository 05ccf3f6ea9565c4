#include "sema/detail/damage.h"

#include <algorithm>

namespace strc::sema {
namespace {

bool isBefore(const base::SourceRange& a, const base::SourceRange& b) {
    return a.buffer == b.buffer ? a.begin < b.begin : a.buffer.index < b.buffer.index;
}

bool beginsWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isInWord(char c) { return beginsWord(c) || (c >= '0' && c <= '9'); }

/// Those that were read, in order of place.
std::vector<const ast::Decl*> declarations(const ast::Unit& unit) {
    std::vector<const ast::Decl*> found;
    for (const ast::Decl* decl : unit.decls)
        if (decl->kind != ast::DeclKind::Error) found.push_back(decl);
    return found;
}

}  // namespace

Damage::Damage(const base::Context& ctx, std::span<const ast::Unit* const> units) {
    findPlaces(ctx.diags);
    for (const ast::Unit* unit : units)
        if (isBetween(unit->buffer, 0, UINT32_MAX)) assess(*unit, ctx.sources.text(unit->buffer));
}

void Damage::findPlaces(const base::Diagnostics& diags) {
    for (const base::Diagnostic& each : diags.all()) {
        const base::DiagInfo& info = base::info(each.id);
        if (info.area == "syntax" && info.severity == base::Severity::Error && each.range.valid())
            ranges.push_back(each.range);
    }
    std::sort(ranges.begin(), ranges.end(), isBefore);
}

bool Damage::isBetween(base::BufferId buffer, std::uint32_t begin, std::uint32_t end) const {
    auto first =
        std::lower_bound(ranges.begin(), ranges.end(), ErrorRange{buffer, begin, begin}, isBefore);
    return first != ranges.end() && first->buffer == buffer && first->begin <= end;
}

/// An error between two declarations counts as one of the first: where a brace too many has ended
/// it early, what follows is its rest.
void Damage::assess(const ast::Unit& unit, std::string_view text) {
    const std::vector<const ast::Decl*> decls = declarations(unit);
    anyLost |= decls.empty() || decls.size() < unit.decls.size();
    std::uint32_t unread = 0;
    for (std::size_t i = 0; i < decls.size(); ++i) {
        const base::SourceRange range = decls[i]->range;
        std::uint32_t next = i + 1 < decls.size() ? decls[i + 1]->range.begin : UINT32_MAX;
        if (isBetween(unit.buffer, range.begin, next)) {
            damaged.insert(decls[i]);
            anyLost |= !isKnown(*decls[i]);
        } else {
            collectWords(text.substr(unread, range.begin - unread));
            unread = range.end;
        }
    }
    collectWords(text.substr(unread));
}

void Damage::collectWords(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        std::size_t begin = at++;
        if (!isInWord(text[begin])) continue;
        while (at < text.size() && isInWord(text[at])) ++at;
        if (beginsWord(text[begin])) words.insert(text.substr(begin, at - begin));
    }
}

bool Damage::isKnown(const ast::Decl& decl) const {
    if (!has(&decl)) return true;
    auto* stream = ast::tryAs<ast::StreamDecl>(&decl);
    return stream && !isBetween(stream->range.buffer, stream->range.begin, stream->header.end);
}

}  // namespace strc::sema
