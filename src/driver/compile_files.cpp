#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/spelling.h"
#include "driver/commands.h"
#include "driver/output.h"

namespace strc::driver {

using base::Result;

namespace {

/// `name`: what stands after `-W`.
void reportUnknownWarning(base::Diagnostics& diags, std::string_view name) {
    for (std::string_view prefix : {"error=", "no-"})
        if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    base::Diagnostic& diag = diags.add(base::Diag::UnknownDiagnostic) << name;
    base::SpellingSearch search(name);
    for (int id = 0; id < static_cast<int>(base::Diag::Count); ++id) {
        const base::DiagInfo& row = base::info(static_cast<base::Diag>(id));
        if (row.severity == base::Severity::Warning) search.consider(row.name);
    }
    if (!search.best().empty()) diag.note(base::Diag::DidYouMean) << search.best();
}

/// Items of an open end that a library takes or gives at once: what audio callbacks bring at the least.
constexpr std::int64_t kMostAtOnce = 64;

void setUp(base::Context& context, const Options& options) {
    context.lenient = options.lenient;
    if (options.stepLimit) context.limits.elaborationSteps = *options.stepLimit;
    base::Diagnostics& diags = context.diags;
    // Who starts from a part of a program leaves the rest out on purpose.
    if (!options.top.empty()) diags.setWarning("unused-stream", false);
    for (const std::string& word : options.warnings) {
        std::string_view name = word;
        bool known = true;
        if (name == "error")
            diags.allWarningsAsErrors();
        else if (name.starts_with("error="))
            known = diags.setWarningAsError(name.substr(6));
        else if (name.starts_with("no-"))
            known = diags.setWarning(name.substr(3), false);
        else
            known = diags.setWarning(name, true);
        if (!known) reportUnknownWarning(diags, name);
    }
    if (options.silenceWarnings) diags.silenceWarnings();
}

std::vector<SourceText> readSources(const Call& call, base::Diagnostics& diags) {
    std::vector<SourceText> sources;
    for (const std::string& file : call.options.arguments) {
        Result<SourceText> source = readSource(file, call.world.in);
        if (source)
            sources.push_back(std::move(*source));
        else
            base::report(diags, source.failure());
    }
    return sources;
}

}  // namespace

codegen::Options codegenOptions(const Options& options) {
    codegen::Options made;
    made.inPieces = options.isShared;
    made.level = options.level;
    made.checks = options.checks;
    made.lanes = options.lanes;
    made.processor = options.processor;
    made.target = options.target;
    return made;
}

codegen::Options codegenOptions(const Options& options, Compilation& program) {
    codegen::Options made = codegenOptions(options);
    made.native = [&program](const ir::Native& native) {
        return codegen::NativePlace{program.natives.address(native) != nullptr, nullptr};
    };
    return made;
}

Stage compileFiles(const Call& call, Compilation& result, Stage last,
                   std::function<void(std::string_view)> print, bool planIfPossible) {
    base::Context& context = result.context;
    setUp(context, call.options);
    Request request;
    request.sources = readSources(call, context.diags);
    request.top = call.options.top;
    request.defines = call.options.defines;
    request.keptParameters = call.options.keptParameters;
    request.order = call.options.order;
    request.planIfPossible = planIfPossible;
    request.scaling = call.options.scaling;
    if (call.options.isShared) request.mostItems = kMostAtOnce;
    request.print = std::move(print);
    request.interrupt = call.world.interrupt;
    Result<Library> library = call.options.stdlib.empty() ? Result<Library>(Library::builtIn())
                                                          : Library::ofFolder(call.options.stdlib);
    if (!library) base::report(context.diags, library.failure());
    for (const std::string& file : call.options.natives)
        if (base::Status opened = result.natives.open(file); !opened)
            base::report(context.diags, opened.failure());
    Stage done = Stage::Nothing;
    if (!context.diags.hasErrors()) done = compile(result, request, *library, last);
    call.reporter.show(context);
    // Warnings that count as errors let all stages have their say.
    return call.reporter.hasErrors() ? std::min(done, Stage::Parsed) : done;
}

int statusOfFailure(const Call& call) {
    return call.interrupted() ? kInterrupted : call.reporter.status();
}

int printText(const Call& call, std::string_view text) {
    base::Context context;
    Output output(call.world.out, false);
    output.write(text);
    output.flush();
    if (output.failed() && !output.readerGone()) base::report(context.diags, output.failure());
    call.reporter.show(context);
    return call.reporter.status();
}

int printResult(const Call& call, std::string_view text) {
    const std::string& file = call.options.output;
    if (file.empty() || file == "-") return printText(call, text);
    base::Context context;
    errno = 0;
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out)
        base::report(context.diags,
                     base::failure(base::Diag::CannotWriteFile, {file, std::strerror(errno)}));
    call.reporter.show(context);
    return call.reporter.status();
}

}  // namespace strc::driver
