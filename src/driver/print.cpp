// The results of commands.
#include <cerrno>
#include <cstring>
#include <fstream>

#include "driver/commands.h"
#include "driver/output.h"

namespace strc::driver {

int statusOfFailure(const Call& call) {
    return call.interrupted() ? kInterrupted : call.reporter.status();
}

int printText(const Call& call, std::string_view text) {
    base::Diagnostics diags;
    Output output(call.world.out, false);
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
    errno = 0;
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out)
        base::report(diags,
                     base::failure(base::Diag::CannotWriteFile, {file, std::strerror(errno)}));
    call.reporter.show(diags);
    return call.reporter.status();
}

}  // namespace strc::driver
