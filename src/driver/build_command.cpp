// `strc build`: executables, libraries and object files.
#include <algorithm>
#include <ostream>

#include "driver/commands.h"
#include "executable/library.h"
#include "executable/link.h"
#include "executable/tables.h"

namespace strc::driver {

using base::Diag;

namespace {

class Build {
public:
    explicit Build(const Call& wanted) : call(wanted), options(wanted.options) {}

    int product() {
        TimesAtEnd times(call, program);
        if (!checkOptions() || !compile()) return status();
        if (auto object = makeObject()) {
            base::Timing timing(program.context.passes, base::Pass::Link);
            base::Status linked = executable::link(*object, options.output, linkOptions());
            if (!linked) reportFailure(linked.failure());
        }
        return status();
    }

    int objectFile() {
        TimesAtEnd times(call, program);
        if (!checkOptions() || !compile()) return status();
        auto object = makeObject();
        return object ? printResult(call, *object) : status();
    }

private:
    base::Diagnostics& diags() { return program.context.diags; }

    int status() {
        call.reporter.show(program.context);
        return statusOfFailure(call);
    }

    bool checkOptions() {
        if (options.processor.empty() ||
            codegen::knowsProcessor(codegenOptions(options), options.processor))
            return true;
        diags().add(Diag::UnknownProcessor) << options.processor;
        return false;
    }

    executable::LinkOptions linkOptions() {
        executable::LinkOptions how{
            options.linker, options.isStatic, options.natives, !options.target.empty(), {}, {}};
        if (!options.isShared) return how;
        how.prefix = program.main->name.text();
        how.header = {options.header, executable::libraryHeader(parts())};
        return how;
    }

    executable::Program parts() {
        return {program.context,
                *program.plan,
                program.plannedQuota(),
                program.module,
                std::string(program.main->name.text()),
                printed,
                options.isShared};
    }

    /// What a program prints while its graph is built it prints when it starts. A library does not start:
    /// whoever builds it sees it.
    bool compile() {
        auto print = [this](std::string_view text) {
            if (options.isShared)
                call.world.out << text << std::flush;
            else
                printed += text;
        };
        if (compileFiles(call, program, Stage::Planned, print) < Stage::Planned) return false;
        std::string why = codegen::whyNot(program.module, *program.plan);
        if (options.lenient) why = "a compiled program has no lenient rates";
        if (options.stepLimit) why = "a compiled program has no limit of steps";
        if (why.empty()) return true;
        const graph::Graph& graph = program.elaboration.graph;
        diags().add(Diag::CannotCompile,
                    graph.composites.empty() ? graph.nodes[0].range : graph.composites[0].header)
            << why;
        return false;
    }

    std::optional<std::string> makeObject() {
        const executable::Program parts = this->parts();
        const bool fine =
            options.isShared ? executable::checkLibrary(parts) : executable::checkFormats(parts);
        if (!fine) return std::nullopt;
        codegen::Options how = codegenOptions(options, program);
        how.interrupted = [this] { return call.interrupted(); };
        codegen::Module module =
            codegen::lower(program.context, program.module, *program.plan, how);
        codegen::optimize(module, how);
        auto tables = executable::tables(parts, module.sites(), codegen::processorFeatures(how));
        auto object = codegen::emitObject(std::move(module), how, tables, executable::kTables);
        if (object) return std::move(*object);
        if (call.interrupted()) return std::nullopt;
        diags().add(Diag::InternalError) << object.error();
        return std::nullopt;
    }

    void reportFailure(const base::Failure& failure) {
        if (call.interrupted()) return;  // and so was the linker
        base::Diagnostic& diag = base::report(diags(), failure);
        if (failure.id != Diag::ToolMissing) return;
        std::string package = options.target.empty() ? "gcc" : "gcc-" + options.target;
        std::replace(package.begin(), package.end(), '_', '-');
        diag.note(Diag::Hint) << "it is the C compiler, in Debian's package " + package +
                                     "; '--linker PATH' names another one";
    }

    const Call& call;
    const Options& options;
    Compilation program;
    std::string printed;
};

}  // namespace

int buildCommand(const Call& call) { return Build(call).product(); }

int emitObjectCommand(const Call& call) { return Build(call).objectFile(); }

}  // namespace strc::driver
