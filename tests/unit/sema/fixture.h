#pragma once
/// Source in, "line: kebab-name" out.

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/context.h"
#include "base/render.h"
#include "parser/parse.h"
#include "sema/check.h"

namespace strc::sema::test {

/// A program that was checked, with what it takes to ask it questions.
class Checked {
public:
    explicit Checked(const std::string& source, const std::string& library = {},
                     bool lenient = false, bool allWarnings = false) {
        ctx.lenient = lenient;
        if (allWarnings) ctx.diags.setWarning("all", true);
        if (!library.empty()) parse("<stdlib>/test.str", library, true);
        parse("test.str", source, false);
        program = check(ctx, units);
    }

    /// What was reported so far, in order of place: "3: unknown-variable"; warnings end in " (w)".
    std::vector<std::string> faults() const {
        std::vector<std::pair<std::uint32_t, std::string>> found;
        for (const base::Diagnostic& each : ctx.diags.all()) {
            std::uint32_t line =
                each.range.valid() ? ctx.sources.position(each.range.buffer, each.range.begin).line
                                   : 0;
            std::string text = std::to_string(line) + ": " + std::string(base::info(each.id).name);
            if (each.severity == base::Severity::Warning) text += " (w)";
            found.emplace_back(each.range.valid() ? each.range.begin : 0, text);
        }
        std::stable_sort(found.begin(), found.end(),
                         [](auto& a, auto& b) { return a.first < b.first; });
        std::vector<std::string> result;
        for (auto& [at, text] : found) result.push_back(text);
        return result;
    }

    std::string rendered() const {
        std::string text;
        for (const base::Diagnostic& each : ctx.diags.all())
            text += base::renderText(each, ctx.sources);
        return text;
    }

    const StreamInfo& stream(std::string_view name) {
        auto found = program.streamByName.find(ctx.names.intern(name));
        EXPECT_NE(found, program.streamByName.end()) << name;
        return *found->second;
    }

    const ast::Unit& parse(const std::string& name, const std::string& text, bool library) {
        const ast::Unit& unit = parser::parse(ctx, ctx.sources.add(name, text, library));
        units.push_back(&unit);
        return unit;
    }

    base::Context ctx;
    std::vector<const ast::Unit*> units;
    Program program;
};

}  // namespace strc::sema::test
