// `strc fmt`.
#include "driver/detail/compiler.h"
#include "driver/detail/output.h"
#include "driver/detail/replace_file.h"

namespace strc::driver {

using base::Status;

namespace {

class Formatter {
public:
    explicit Formatter(const Call& wanted) : call(wanted), output(wanted.process.out, false) {}

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
