// `strc fmt`.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <ostream>
#include <sys/stat.h>
#include <unistd.h>

#include "ast/print.h"
#include "driver/commands.h"
#include "driver/output.h"
#include "parser/parse.h"

namespace strc::driver {

using base::Diag;
using base::Failure;
using base::Result;
using base::Status;

namespace {

Failure cannotWrite(const std::string& file, int error) {
    return base::failure(Diag::CannotWriteFile, {file, std::strerror(error)});
}

bool writeAll(int file, std::string_view text) {
    while (!text.empty()) {
        ssize_t done = write(file, text.data(), text.size());
        if (done < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(done));
    }
    return true;
}

/// A new file takes the place of the old one at once: there is never half a program. Links and
/// permissions stay.
Status replaceFile(const std::string& name, std::string_view text) {
    std::unique_ptr<char, decltype(&std::free)> real(realpath(name.c_str(), nullptr), std::free);
    struct stat status{};
    if (!real || stat(real.get(), &status) != 0) return cannotWrite(name, errno);
    if (access(real.get(), W_OK) != 0) return cannotWrite(name, errno);
    std::string temporary = std::string(real.get()) + ".XXXXXX";
    int file = mkostemp(temporary.data(), O_CLOEXEC);
    if (file < 0) return cannotWrite(name, errno);
    bool written = writeAll(file, text) && fchmod(file, status.st_mode & 07777) == 0;
    written = close(file) == 0 && written;
    if (written && rename(temporary.c_str(), real.get()) == 0) return base::ok();
    int error = errno;
    unlink(temporary.c_str());
    return cannotWrite(name, error);
}

class Formatter {
public:
    explicit Formatter(const Call& wanted) : call(wanted), output(wanted.world.out, false) {}

    int operator()() {
        for (const std::string& name : call.options.arguments) one(name);
        output.flush();
        base::Context context;
        if (output.failed() && !output.readerGone()) base::report(context.diags, output.failure());
        call.reporter.show(context);
        if (call.reporter.hasErrors()) return call.reporter.status();
        return changes && call.options.check ? kProgramFault : kFine;
    }

private:
    void one(const std::string& name) {
        base::Context context;
        context.diags.silenceWarnings();
        Result<SourceText> source = session::readSource(name, call.world.in);
        if (source)
            format(context, *source);
        else
            base::report(context.diags, source.failure());
        call.reporter.show(context);
    }

    /// A file that is not the language is left alone.
    void format(base::Context& context, const SourceText& source) {
        const ast::Unit& unit =
            parser::parse(context, context.sources.add(source.name, source.text));
        if (context.diags.hasErrors()) return;
        std::string text = ast::format(unit, context.sources);
        bool differs = text != source.text;
        changes = changes || differs;
        if (call.options.check) {
            if (differs) output.write(source.name + "\n");
        } else if (!call.options.write) {
            output.write(text);
        } else if (differs) {
            Status replaced = replaceFile(source.name, text);
            if (!replaced) base::report(context.diags, replaced.failure());
        }
    }

    const Call& call;
    Output output;
    bool changes = false;
};

}  // namespace

int fmtCommand(const Call& call) { return Formatter(call)(); }

}  // namespace strc::driver
