#pragma once
/// A program from its text to LLVM, and its run.

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "codegen/jit.h"
#include "codegen/lower.h"
#include "codegen/object.h"
#include "host/run.h"
#include "session/pipeline.h"

namespace strc::testing {

class CompiledTest : public ::testing::Test {
protected:
    /// May be done again: with another program then.
    void compile(const std::string& text) {
        std::destroy_at(&program);
        std::construct_at(&program);
        for (base::Pass pass : disabled) program.context.passes.disable(pass);
        if (shown) program.context.passes.emitAfter(*shown);
        request.sources = {{"test.str", text}};
        ASSERT_EQ(session::compile(program, request, library, session::Stage::Planned),
                  session::Stage::Planned)
            << ::testing::PrintToString(faults());
    }

    codegen::Module lower(const codegen::Options& wanted = {}) {
        const codegen::Options options = forTestedProcessor(wanted);
        return codegen::lower(program.context, *program.program.types, program.module,
                              *program.plan, options);
    }

    /// What the code does when it runs; prints are in `printed`.
    interp::Outcome run(interp::Options how, const codegen::Options& wanted = {}) {
        const codegen::Options options = forTestedProcessor(wanted);
        codegen::Module module = lower(options);
        codegen::optimize(module, options);
        return run(std::move(how), std::move(module), options);
    }
    /// Of code that is complete, made for these options.
    interp::Outcome run(interp::Options how, codegen::Module module,
                        const codegen::Options& options) {
        if (!executes(options)) {
            EXPECT_FALSE(codegen::printAssembly(module, options).empty());
            return interpret(std::move(how));
        }
        std::vector<codegen::Site> sites = module.sites();
        auto jit = codegen::Jit::load(std::move(module), options);
        EXPECT_TRUE(jit) << jit.error();
        how.print = [this](std::string_view what) { printed += what; };
        return host::run(
            program.context, *program.plan,
            {program.module, program.elaboration, program.repetitions, *program.program.types},
            jit->program(), sites, how);
    }
    /// Whether this machine executes the code that run makes; the interpreter has other limits of memory, so tests of
    /// those skip themselves where it does not. STRC_TEST_ASSEMBLED has all tests do what they do on such a machine.
    bool executes(const codegen::Options& wanted = {}) const {
        if (std::getenv("STRC_TEST_ASSEMBLED")) return false;
        const codegen::Options options = forTestedProcessor(wanted);
        return !options.target.empty() || codegen::featureMissingHere(options).empty();
    }
    /// The same, interpreted.
    interp::Outcome interpret(interp::Options how) {
        how.print = [this](std::string_view what) { printed += what; };
        return interp::run(program.context, program.module, program.interpretedProgram(),
                           program.interpretedQuota(), *program.program.types, how);
    }

    /// STRC_TEST_MARCH has all tests make code for that processor, but those that name one. Where this machine cannot
    /// execute it, the code is made and the interpreter runs instead.
    codegen::Options forTestedProcessor(codegen::Options options) const {
        const char* everywhere = std::getenv("STRC_TEST_MARCH");
        if (!options.processor.empty() || !options.target.empty()) return options;
        options.processor = !processor.empty() ? processor : everywhere ? everywhere : "";
        return options;
    }

    std::vector<std::string> faults() {
        std::vector<std::string> list;
        for (const base::Diagnostic& fault : program.context.diags.all())
            list.push_back(fault.instance + ": " + base::message(fault.id, fault.args));
        return list;
    }

    std::string processor;  ///< that this test is about; empty: it holds for any
    std::vector<base::Pass> disabled;  ///< while planning
    std::optional<base::Pass> shown;  ///< likewise: Passes::emitted has what it does
    session::Library library = session::Library::builtIn();
    session::Request request;
    session::Compilation program;
    std::string printed;
};

inline interp::Options iterations(std::int64_t count) {
    interp::Options options;
    options.iterations = count;
    return options;
}

}  // namespace strc::testing
