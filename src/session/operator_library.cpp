#include "session/detail/operator_library.h"

#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "io/subprocess.h"
#include "ir/calls.h"
#include "operators/choice.h"
#include "session/detail/own_library.h"
#include "session/products.h"
#include "strc/beside.h"

namespace strc::session {
namespace {

using base::Diag;
using operators::Provider;

constexpr const char* kOneDnn = "libdnnl.so.3";
constexpr const char* kTorch = "libstrc_torch.so";

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

/// Where `./strc setup torch` puts packages.
std::string packagesFolder() {
    if (std::string given = environment("STRC_VENV"); !given.empty()) return given;
    std::string data = environment("XDG_DATA_HOME");
    if (data.empty()) data = environment("HOME") + "/.local/share";
    return data + "/strc/venv";
}

Provider providerOf(Kernels word) {
    switch (word) {
        case Kernels::OneDnn:
        case Kernels::Auto: return Provider::OneDnn;
        case Kernels::Torch: return Provider::Torch;
        case Kernels::Generated: break;
    }
    return Provider::Generated;
}

bool isFile(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored);
}

std::string libraryPath(Provider provider) {
    if (provider == Provider::Torch) return ownLibrary(kTorch);
    std::string given = environment("STRC_ONEDNN_LIB");
    return given.empty() ? packagesFolder() + "/lib/" + kOneDnn : given;
}

void reportMissing(Compilation& program, Provider provider, const std::string& path) {
    base::Diagnostic& diag = program.context.diags.add(Diag::CannotOpenFile, mainHeader(program));
    if (provider == Provider::Torch) {
        diag << path << "what calls libtorch is not there, and '--kernels' asks for it";
        diag.note(Diag::Hint) << "'./strc setup torch' installs PyTorch and builds it";
        return;
    }
    diag << path << "oneDNN is not there, and '--kernels' asks for it";
    diag.note(Diag::Hint) << "'./strc setup torch' installs it; STRC_ONEDNN_LIB names another one";
}

/// Why a product calls no library, as a sentence; or empty.
std::string whyNone(const Settings& settings, KernelsFor who) {
    if (settings.isShared)
        return "a library allocates nothing while it runs, and calls of '--kernels' do";
    if (who != KernelsFor::Executable) return {};
    if (settings.isStatic) return "static executables cannot load what '--kernels' asks for";
    if (!settings.target.empty()) return "'--kernels' has no libraries for another machine";
    return {};
}

/// Does every machine that runs programs have it?
bool isOfSystem(const std::string& path) {
    const bool isInstalled = path.starts_with("/lib") || path.starts_with("/usr/lib");
    return isInstalled && path.find("libgomp") == std::string::npos;
}

std::string kernelText(const ir::Module& module, const elab::Kernel& kernel,
                       const std::string& path, operators::Choice choice) {
    std::string text;
    for (const ir::Body* body : ir::bodiesThatRun(module, kernel.code))
        for (const ir::Block& block : body->blocks)
            for (const ir::Instr& instr : block.instrs)
                if (instr.op == ir::Op::Contract)
                    text +=
                        "  " + path + ": " +
                        operators::print(operators::choose(*body, &kernel.code, instr, choice)) +
                        '\n';
    return text;
}

}  // namespace

std::optional<codegen::OperatorLibrary> kernelLibrary(Compilation& program,
                                                      const Settings& settings, KernelsFor who) {
    if (settings.kernels == Kernels::Generated) return std::nullopt;
    const operators::Choice choice{providerOf(settings.kernels), settings.kernels == Kernels::Auto};
    if (std::string why = whyNone(settings, who); !why.empty()) {
        if (!choice.isFree) reportCannotCompile(program, why);
        return std::nullopt;
    }
    const std::filesystem::path path = libraryPath(choice.provider);
    if ((who != KernelsFor::Looking || choice.isFree) && !isFile(path)) {
        if (!choice.isFree) reportMissing(program, choice.provider, path.string());
        return std::nullopt;
    }
    std::error_code ignored;
    const bool isBeside = who == KernelsFor::Executable && !settings.bundle.empty();
    return codegen::OperatorLibrary{choice,
                                    isBeside ? STRC_BESIDE + path.filename().string()
                                             : std::filesystem::absolute(path, ignored).string()};
}

void checkKernels(Compilation& program, const codegen::Options& how, const codegen::Module& made) {
    if (!how.kernels || how.kernels->choice.isFree || made.kernelCount() != 0) return;
    program.context.diags.add(Diag::Hint, mainHeader(program))
        << "nothing of the program is for " + operators::nameOf(how.kernels->choice.provider) +
               ": it has no products or convolutions of floats that it knows";
}

void checkKernels(Compilation& program, const Settings& settings, const std::string& why) {
    if (settings.kernels == Kernels::Generated || settings.kernels == Kernels::Auto) return;
    program.context.diags.add(Diag::Hint, mainHeader(program))
        << "nothing of the program is for " + operators::nameOf(providerOf(settings.kernels)) +
               ": it is interpreted, since " + why;
}

/// With what the loader finds for it, and other machines may lack.
std::vector<std::string> kernelFiles(const Settings& settings) {
    const std::string library = libraryPath(providerOf(settings.kernels));
    std::vector<std::string> files{library};
    const base::Result<std::string> listed = io::runTool({"ldd", library}, {});
    if (!listed) return files;
    std::istringstream lines(*listed);
    for (std::string name, arrow, path, place; lines >> name >> arrow;) {
        if (arrow != "=>") continue;
        lines >> path >> place;
        if (path.starts_with('/') && !isOfSystem(path)) files.push_back(path);
    }
    return files;
}

std::string printKernels(Compilation& program, const Settings& settings) {
    auto library = kernelLibrary(program, settings, KernelsFor::Looking);
    if (!library) return {};
    std::string text;
    const elab::Elaboration& made = *program.plan->program;
    std::set<graph::KernelId> seen;
    for (graph::NodeId id = 0; id < made.graph.nodes.size(); ++id) {
        const graph::KernelId kernel = made.graph.nodes[id].kernel;
        if (kernel != graph::kNone && seen.insert(kernel).second)
            text += kernelText(program.module, made.kernels[kernel], graph::path(made.graph, id),
                               library->choice);
    }
    return text.empty() ? text : "kernels\n" + text;
}

}  // namespace strc::session
