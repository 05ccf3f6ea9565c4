#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <ostream>

#include "driver/commands.h"
#include "driver/output.h"
#include "session/engine.h"
#include "session/sources.h"

namespace strc::driver {

using base::Result;

namespace {

void setUp(base::Passes& passes, const Call& call) {
    const Options& options = call.options;
    if (options.bisectLimit)
        passes.bisect(*options.bisectLimit,
                      [&call](std::string_view line) { call.world.err << line; });
    if (options.emitAfter) passes.emitAfter(*options.emitAfter);
    if (options.timePasses) passes.measure();
}

std::vector<SourceText> readSources(const Call& call, base::Diagnostics& diags) {
    std::vector<SourceText> sources;
    for (const std::string& file : call.options.arguments) {
        Result<SourceText> source = session::readSource(file, call.world.in);
        if (source)
            sources.push_back(std::move(*source));
        else
            base::report(diags, source.failure());
    }
    return sources;
}

}  // namespace

codegen::Options codegenOptions(const Options& options, Compilation& program) {
    codegen::Options made = session::codegenOptions(options);
    made.native = session::nativesBySymbol(program);
    return made;
}

Stage compileFiles(const Call& call, Compilation& result, Stage last,
                   std::function<void(std::string_view)> print, bool planIfPossible) {
    base::Context& context = result.context;
    session::apply(context, call.options);
    setUp(context.passes, call);
    session::Loading loading;
    loading.last = last;
    loading.planIfPossible = planIfPossible;
    const bool isPlain = call.options.debug || call.options.tapes == plan::Tapes::Ring;
    if (call.options.level >= 2 && !isPlain)
        loading.improve = linear::Options{call.options.fastMath};
    loading.print = std::move(print);
    loading.interrupt = call.world.interrupt;
    Stage done = session::load(result, call.options, readSources(call, context.diags), loading);
    call.reporter.show(context);
    // Warnings that count as errors let all stages have their say.
    return call.reporter.hasErrors() ? std::min(done, Stage::Parsed) : done;
}

void showTimes(const Call& call, base::Passes& passes) {
    call.world.err << passes.times() << std::flush;
    passes.forgetTimes();
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
