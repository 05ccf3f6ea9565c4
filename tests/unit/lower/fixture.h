#pragma once
/// Source in, IR out.

#include <string>
#include <vector>

#include "base/context.h"
#include "base/render.h"
#include "elab/elaborate.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "lower/lower.h"
#include "parser/parse.h"
#include "sema/check.h"

namespace strc::lower::test {

class Lowered {
public:
    explicit Lowered(const std::string& source, const std::string& library = {}) {
        if (!library.empty()) parse("<stdlib>/test.str", library, true);
        parse("test.str", source, false);
        program = sema::check(ctx, units);
        if (ctx.diags.hasErrors()) return;
        module = lower(ctx, program, [this](ir::Module& partial, const ir::Body& body) {
            return elab::runStatic(ctx, partial, body, *program.types, environment, random);
        });
    }

    std::string rendered() const {
        std::string text;
        for (const base::Diagnostic& each : ctx.diags.all())
            text += base::renderText(each, ctx.sources);
        return text;
    }

    const ir::StreamCode& stream(const std::string& name) const {
        return module.streams.at(module.find(name));
    }

    base::Context ctx;
    std::vector<const ast::Unit*> units;
    sema::Program program;
    ir::Module module;
    elab::Environment environment;
    types::Random random;

private:
    void parse(const std::string& name, const std::string& text, bool library) {
        units.push_back(&parser::parse(ctx, ctx.sources.add(name, text, library)));
    }
};

}  // namespace strc::lower::test
