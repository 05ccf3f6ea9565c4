#include "sema/check.h"

#include <algorithm>

#include "sema/detail/declare.h"

namespace strc::sema {
namespace {

/// "That name means nothing", or not what it should.
bool isAboutMeaning(Diag id) {
    switch (id) {
        case Diag::UnknownStream:
        case Diag::UnknownVariable:
        case Diag::UnknownPackage:
        case Diag::UnknownPackageFunction:
        case Diag::UnknownType:
        case Diag::NotAVariable:
        case Diag::PortalClass:
        case Diag::LatencyOnCall: return true;
        default: return false;
    }
}

/// It will still be there when the text is mended. Warnings may follow from what is missing.
bool isCertain(const Diagnostic& found, const Damage& damage) {
    if (base::info(found.id).severity != base::Severity::Error) return false;
    if (!isAboutMeaning(found.id)) return true;
    return !damage.isAnyLost() &&
           std::none_of(found.args.begin(), found.args.end(),
                        [&](const std::string& name) { return damage.mayDeclare(name); });
}

/// Adds to the syntax errors what checking has found beside them.
void reportCertain(base::Diagnostics& diags, base::Diagnostics syntax, const Damage& damage) {
    std::swap(diags, syntax);
    const std::deque<Diagnostic>& found = syntax.all();
    for (std::size_t i = diags.all().size(); i < found.size(); ++i)
        if (isCertain(found[i], damage)) diags.add(found[i].id, found[i].range) = found[i];
    diags.sortByPlace(0);
}

}  // namespace

Program check(base::Context& ctx, std::span<const ast::Unit* const> units,
              std::span<const std::string_view> others) {
    Program program;
    program.tables = std::make_shared<Program::Tables>();
    program.units.assign(units.begin(), units.end());
    program.tables->types.resize(ctx.nextNodeId);
    program.tables->symbols.resize(ctx.nextNodeId);
    Checker checker{ctx, program, *program.tables, *program.types};
    checker.others = others;
    const Damage damage(ctx, units);
    base::Diagnostics syntax;
    if (damage.any()) {
        syntax = ctx.diags;
        checker.damage = &damage;
    }
    declareBuiltins(checker);
    for (bool library : {true, false})  // the library's globals have values before the program's
        for (const ast::Unit* unit : units)
            if (ctx.sources.isLibrary(unit->buffer) == library) declareUnit(checker, *unit);
    std::vector<DeclRecord*> records;
    for (DeclRecord& record : program.tables->decls) records.push_back(&record);
    checkRecords(checker, records);
    publish(checker);
    if (damage.any()) reportCertain(ctx.diags, std::move(syntax), damage);
    return program;
}

}  // namespace strc::sema
