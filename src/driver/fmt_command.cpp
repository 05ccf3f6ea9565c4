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

#include "driver/compiler.h"
#include "driver/output.h"

namespace strc::driver {

using base::Diag;
using base::Failure;
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
        base::Diagnostics diags;
        if (output.failed() && !output.readerGone()) base::report(diags, output.failure());
        call.reporter.show(diags);
        if (call.reporter.hasErrors()) return call.reporter.status();
        return changes && call.options.check ? kProgramFault : kFine;
    }

private:
    /// A file that is not the language is left alone.
    void one(const std::string& name) {
        Compiler compiler(call);
        compiler.set("w");
        compiler.addSource(name);
        const auto made = compiler.format();
        if (!made) return;
        changes = changes || made->changes;
        if (call.options.check) {
            if (made->changes) output.write((name == "-" ? "<stdin>" : name) + "\n");
        } else if (!call.options.write) {
            output.write(made->text);
        } else if (made->changes) {
            replace(name, made->text);
        }
    }

    void replace(const std::string& name, std::string_view text) {
        base::Diagnostics diags;
        const Status replaced = replaceFile(name, text);
        if (!replaced) base::report(diags, replaced.failure());
        call.reporter.show(diags);
    }

    const Call& call;
    Output output;
    bool changes = false;
};

}  // namespace

int fmtCommand(const Call& call) { return Formatter(call)(); }

}  // namespace strc::driver
