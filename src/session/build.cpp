#include "session/build.h"

#include <algorithm>
#include <filesystem>

#include "base/pass.h"
#include "codegen/object.h"
#include "dynamic_shapes/program.h"
#include "executable/bundle.h"
#include "executable/library.h"
#include "executable/link.h"
#include "executable/tables.h"
#include "io/picture_libraries.h"
#include "session/detail/device.h"
#include "session/detail/host_files.h"
#include "session/detail/lanes.h"
#include "session/detail/operator_library.h"
#include "session/detail/own_library.h"
#include "session/detail/ranks.h"
#include "session/detail/split.h"
#include "session/detail/threads.h"
#include "session/engine.h"
#include "session/products.h"
#include "session/tuning.h"
#include "strc/beside.h"
#include "strc/lanes.h"

namespace strc::session {

using base::Diag;

namespace {

constexpr const char* kSymbolic = "libstrc_symbolic.so";

class Build {
public:
    Build(Compilation& made, const Settings& wanted, const Building& how)
        : program(made), settings(wanted), building(how), host(wanted.host) {}

    std::optional<std::string> object() {
        if (!canBeCompiled()) return std::nullopt;
        const executable::Program parts = this->parts();
        const bool fine =
            settings.isShared ? executable::checkLibrary(parts) : executable::checkFormats(parts);
        if (!fine) return std::nullopt;
        if (host.areWanted() && !host.describe(parts, program.annotations)) return std::nullopt;
        codegen::Options how = codegenOptions(settings);
        how.native = nativesBySymbol(program);
        how.mapsWeights = parts.readsWeights;
        how.interrupted = [this] { return isInterrupted(); };
        how.device = devicePart(program, settings, how, DeviceFor::Executable);
        how.kernels = kernelLibrary(program, settings, KernelsFor::Executable);
        how.lanes = lanes = lanesPart(program, settings);
        how.ordersSums = lanes != nullptr;
        tellThreads(program, settings);
        if (isMesh())
            checkMesh(program, settings);
        else if (settings.ranks != 0)
            ranks = findRanks(program, settings);
        if (diags().hasErrors()) return std::nullopt;
        const plan::Plan& plan = how.device ? how.device->parts->plan : *program.plan;
        codegen::Module module =
            codegen::lower(program.context, *program.program.types, program.module, plan, how);
        checkKernels(program, how, module);
        checkSplit(program, settings);
        if (module.kernelCount() != 0) libraries = kernelFiles(settings);
        codegen::optimize(module, how);
        auto tables = executable::tables(this->parts(), module, codegen::processorFeatures(how));
        auto made = codegen::emitObject(std::move(module), how, tables, executable::kTables);
        if (made) {
            stackBytes = made->stackBytes;
            return std::move(made->file);
        }
        if (!isInterrupted()) diags().add(Diag::InternalError) << made.error();
        return std::nullopt;
    }

    /// Else what the program is made of would be destroyed, or what it needs.
    bool sparesWeights(const std::string& output) {
        namespace fs = std::filesystem;
        const fs::path weights = program.weights ? program.weights->path() : std::string();
        if (weights.empty()) return true;
        const bool isCopied = !settings.bundle.empty() && parts().readsWeights;
        std::error_code ignored;
        const bool isFile = !host.areWanted() && fs::equivalent(weights, placeOf(output), ignored);
        const bool isSame =
            isFile || (isCopied && weights.filename() == fs::path(output).filename());
        if (isSame)
            diags().add(Diag::ConflictingOptions)
                << "-o " + output << "the file with the weights of that name";
        return !isSame;
    }

    bool link(const std::string& object, const std::string& output) {
        base::Timing timing(program.context.passes, base::Pass::Link);
        const std::string folder = host.areWanted() ? output : settings.bundle;
        executable::Bundle bundle(folder);
        base::Status linked = folder.empty() ? base::ok() : bundle.fill(bundledFiles());
        if (linked) linked = executable::link(object, placeOf(output), linkOptions(output));
        if (linked)
            bundle.keep();
        else
            reportFailure(linked.failure());
        return static_cast<bool>(linked);
    }

private:
    base::Diagnostics& diags() { return program.context.diags; }
    bool isInterrupted() const { return building.interrupted && building.interrupted(); }

    executable::Program parts() {
        return {program.context,
                *program.plan,
                program.repetitions,
                program.module,
                std::string(program.main->name.text()),
                building.printed,
                program.weights.get(),
                settings.externalWeights && !settings.isShared && program.weights &&
                    !program.weights->path().empty(),
                settings.isShared,
                !settings.bundle.empty(),
                !settings.isStatic && settings.target.empty(),
                &program.elaboration.graph,
                shapesLibrary(),
                settings.isShared ? settings.bound : std::nullopt,
                settings.profile && !settings.isShared ? &program.firingQuota() : nullptr,
                tuningKey(program, settings),
                program.elaboration.mainRate,
                host.audio(),
                lanes && lanes->plan->stateSize <= STRC_LANES_ON_STACK
                    ? static_cast<std::uint64_t>(lanes->plan->stateSize)
                    : 0,
                settings.isShared ? settings.callThreads : 1,
                ranks ? &*ranks : nullptr,
                settings.network,
                isMesh()};
    }

    bool isMesh() const { return settings.ranks != 0 && settings.split; }

    /// What runs filters whose shapes only the run knows.
    std::string shapesLibrary() const {
        if (!program.elaboration.dynamicShape) return {};
        const std::filesystem::path path = ownLibrary(kSymbolic);
        if (!settings.bundle.empty()) return STRC_BESIDE + path.filename().string();
        return std::filesystem::absolute(path).string();
    }

    /// A sentence; null: it can.
    const char* whyNoSymbolic() const {
        if (!program.elaboration.dynamicShape) return nullptr;
        if (settings.isShared) return "a library of it has no memory for that";
        if (settings.isStatic) return "static executables cannot load what finds it out";
        if (!settings.target.empty())
            return "there is nothing for another machine that finds it out";
        const dynamic_shapes::Program& filters = *program.compiledForm().dynamicFilters;
        if (dynamic_shapes::callsNatives(filters))
            return "a filter that finds it out calls native code";
        if (dynamic_shapes::hasOpenConstants(filters))
            return "a filter that finds it out has a parameter that is left open";
        return nullptr;
    }

    std::string placeOf(const std::string& output) const {
        if (host.areWanted()) return output + "/" + host.library();
        if (settings.bundle.empty()) return output;
        return settings.bundle + "/" + std::filesystem::path(output).filename().string();
    }

    /// What the product needs, but for itself.
    std::vector<std::string> bundledFiles() {
        if (host.areWanted()) return {};  // natives are found where they are
        std::vector<std::string> files = settings.natives;
        if (parts().readsWeights && !program.weights->uses().empty())
            files.push_back(program.weights->path());
        files.insert(files.end(), libraries.begin(), libraries.end());
        if (program.elaboration.dynamicShape) files.push_back(ownLibrary(kSymbolic));
        if (executable::mayLoadLibraries(parts())) {
            const std::vector<std::string> pictures = io::pictureLibraries();
            files.insert(files.end(), pictures.begin(), pictures.end());
        }
        return files;
    }

    bool canBeCompiled() {
        const char* why = settings.stepLimit ? "a compiled program has no limit of steps"
                          : settings.lenient ? "a compiled program has no lenient rates"
                                             : nullptr;
        if (why) reportCannotCompile(program, why);
        if (why || !session::canBeCompiled(program)) return false;
        why = whyNoSymbolic();
        if (why)
            reportCannotCompile(program,
                                elab::whyDynamicShape(program.elaboration) + ", and " + why);
        return !why;
    }

    std::string linker() const {
        if (!settings.linker.empty()) return settings.linker;
        return settings.target.empty() ? "cc" : settings.target + "-gcc";
    }

    executable::LinkOptions linkOptions(const std::string& output) {
        executable::LinkOptions how{
            linker(), settings.isStatic, settings.natives, !settings.target.empty(), {},
            {},       settings.bundle};
        if (!settings.isShared) return how;
        const std::string text = executable::libraryHeader(parts(), stackBytes);
        if (host.areWanted()) {
            how.exports = host.exports();
            how.companions = host.files(output, text);
            return how;
        }
        how.exports = executable::libraryFunctions(std::string(program.main->name.text()),
                                                   settings.callThreads > 1);
        how.companions = {{settings.header.empty() ? headerOf(output) : settings.header, text}};
        return how;
    }

    void reportFailure(const base::Failure& failure) {
        if (isInterrupted()) return;  // and so was the linker
        base::Diagnostic& diag = base::report(diags(), failure);
        if (failure.id != Diag::ToolMissing) return;
        std::string package = settings.target.empty() ? "gcc" : "gcc-" + settings.target;
        std::replace(package.begin(), package.end(), '_', '-');
        diag.note(Diag::Hint) << "it is the C compiler, in Debian's package " + package +
                                     "; '--linker PATH' names another one";
    }

    Compilation& program;
    const Settings& settings;
    const Building& building;
    HostFiles host;
    std::vector<std::string> libraries;  ///< that the executable loads
    std::shared_ptr<const codegen::LanesPart> lanes;
    std::optional<plan::Ranks> ranks;
    std::uint64_t stackBytes = 0;  ///< codegen::Object
};

}  // namespace

std::optional<std::string> objectFile(Compilation& program, const Settings& settings,
                                      const Building& building) {
    return Build(program, settings, building).object();
}

bool build(Compilation& program, const Settings& settings, const Building& building,
           const std::string& output) {
    Build build(program, settings, building);
    if (!build.sparesWeights(output)) return false;
    const std::optional<std::string> object = build.object();
    return object && build.link(*object, output);
}

std::string headerOf(const std::string& library) {
    const bool isUsual = library.ends_with(".so");
    return library.substr(0, library.size() - (isUsual ? 3 : 0)) + ".h";
}

}  // namespace strc::session
