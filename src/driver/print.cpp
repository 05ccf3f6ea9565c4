// The results of commands.
#include "driver/detail/commands.h"
#include "driver/detail/output.h"
#include "driver/detail/replace_file.h"

namespace strc::driver {

int statusOfFailure(const Call& call) {
    return call.interrupted() ? kInterrupted : call.reporter.status();
}

int printText(const Call& call, std::string_view text) {
    base::Diagnostics diags;
    Output output(call.process.out, false);
    output.write(text);
    output.flush();
    if (output.failed() && !output.readerGone()) base::report(diags, output.failure());
    call.reporter.show(diags);
    return call.reporter.status();
}

int printResult(const Call& call, std::string_view text) {
    const std::string& file = call.options.output;
    if (file.empty() || file == "-") return printText(call, text);
    base::Diagnostics diags;
    const base::Status written = replaceFile(file, text);
    if (!written) base::report(diags, written.failure());
    call.reporter.show(diags);
    return call.reporter.status();
}

}  // namespace strc::driver
