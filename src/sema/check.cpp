#include "sema/check.h"

#include "sema/declare.h"

namespace strc::sema {

Program check(base::Context& ctx, std::span<const ast::Unit* const> units) {
    Program program;
    program.tables = std::make_shared<Program::Tables>();
    program.units.assign(units.begin(), units.end());
    program.tables->types.resize(ctx.nextNodeId);
    program.tables->symbols.resize(ctx.nextNodeId);
    Checker checker{ctx, program, *program.tables, *program.types};
    declareBuiltins(checker);
    for (bool library : {true, false})  // the library's globals have values before the program's
        for (const ast::Unit* unit : units)
            if (ctx.sources.isLibrary(unit->buffer) == library) declareUnit(checker, *unit);
    std::vector<DeclRecord*> records;
    for (DeclRecord& record : program.tables->decls) records.push_back(&record);
    checkRecords(checker, records);
    publish(checker);
    return program;
}

}  // namespace strc::sema
