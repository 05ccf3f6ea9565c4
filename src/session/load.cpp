#include "session/load.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/pass.h"
#include "base/spelling.h"
#include "codegen/object.h"
#include "codegen/target_model.h"
#include "session/detail/measured.h"

namespace strc::session {

namespace {

constexpr std::uint64_t kRandomBits = (std::uint64_t{1} << 48) - 1;  ///< of the generator's state

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

bool isName(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// One that nothing in the texts goes by.
std::string freeName(const std::vector<SourceText>& sources, std::string name) {
    auto occurs = [&](const SourceText& source) {
        const ScannedNames names = scanNames(source.text);
        return names.declared.contains(name) || names.used.contains(name);
    };
    while (std::any_of(sources.begin(), sources.end(), occurs)) name += '_';
    return name;
}

/// `--top 'Fir(3, {1, 2, 1})'`: what a pipeline would add is the program, with the types it has.
void startFromCreation(Request& request) {
    const std::string creation = request.top;
    request.top = freeName(request.sources, "Top");
    request.topFindsTypes = true;
    request.sources.push_back(
        {"<top>", "void->void pipeline " + request.top + " {\nadd " + creation + "\n;\n}\n"});
}

/// Those that were asked for, else of the file that has the program's name.
std::unique_ptr<weights::Source> weightsOf(base::Context& context, const Settings& settings,
                                           const std::vector<SourceText>& sources) {
    if (settings.weights.empty()) {
        const bool hasName = !sources.empty() && !sources[0].name.starts_with('<');
        if (!hasName) return nullptr;
        const std::filesystem::path program = sources[0].name;
        return weights::openLater(
            std::filesystem::path(program).replace_extension("safetensors").string());
    }
    auto opened = weights::fromOption(settings.weights, context.limits);
    if (opened) return std::move(*opened);
    base::report(context.diags, opened.failure());
    return nullptr;
}

}  // namespace

std::optional<pass::Options> optimisations(const Settings& settings) {
    const bool isPlain =
        settings.debug || settings.replaceable || settings.tapes == plan::Tapes::Ring;
    if (settings.level < 2 || isPlain) return std::nullopt;
    return pass::Options{settings.fastMath, settings.device.kind != Device::Cpu, settings.split};
}

void apply(base::Context& context, const Settings& settings) {
    context.lenient = settings.lenient;
    context.keepsStages = settings.debug;
    if (settings.stepLimit) context.limits.elaborationSteps = *settings.stepLimit;
    base::Diagnostics& diags = context.diags;
    // Who starts from a part of a program leaves the rest out on purpose.
    if (!settings.top.empty()) diags.setWarning("unused-stream", false);
    for (const std::string& word : settings.warnings) {
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
    if (settings.silenceWarnings) diags.silenceWarnings();
    for (base::Pass pass : settings.disabledPasses) context.passes.disable(pass);
    // What is known only when the program starts cannot be computed with.
    if (settings.externalWeights) context.passes.disable(base::Pass::FoldTensors);
    // Each filter has a count of firings and queues of its own, by which another program finds them.
    if (settings.replaceable) context.passes.disable(base::Pass::Regions);
    // Layouts and tiles are the processor's.
    if (settings.device.kind != Device::Cpu) {
        context.passes.disable(base::Pass::LayoutPropagation);
        context.passes.disable(base::Pass::BatchTiling);
    }
    // Libraries are asked for convolutions of the language's layout, and for all of a batch.
    if (settings.kernels != Kernels::Generated) {
        context.passes.disable(base::Pass::LayoutPropagation);
        context.passes.disable(base::Pass::BatchTiling);
    }
    // C compilers make vectors themselves, of plain loops.
    if (settings.isSource)
        for (base::Pass pass :
             {base::Pass::HorizontalFusion, base::Pass::VectoriseSplitjoins,
              base::Pass::DelaysToWindows, base::Pass::RemoveRoundRobins, base::Pass::Scaling,
              base::Pass::LayoutPropagation, base::Pass::ImageBlocking, base::Pass::FuseEpilogues,
              base::Pass::BatchTiling})
            context.passes.disable(pass);
    if (settings.noTorch && settings.kernels == Kernels::Torch)
        diags.add(base::Diag::ConflictingOptions) << "--no-torch" << "--kernels=torch";
    if (settings.externalWeights && weights::areMadeUp(settings.weights))
        diags.add(base::Diag::ConflictingOptions)
            << "--external-weights" << "--weights random:SEED";
    if (settings.emitAfter) context.passes.emitAfter(*settings.emitAfter);
    if (settings.timePasses) context.passes.measure();
    if (!settings.processor.empty() &&
        !codegen::knowsProcessor(codegenOptions(settings), settings.processor))
        diags.add(base::Diag::UnknownProcessor) << settings.processor;
}

namespace {

/// Ranks that share products, which all of them have to come to in the same order.
bool isMesh(const Settings& settings) { return settings.ranks != 0 && settings.split; }

/// Libraries belong to their caller's thread and do what he asks for, and who follows a program line by line wants one.
bool isDoneAhead(const Settings& settings) {
    return !(isMesh(settings) || settings.isShared || settings.isSource || settings.atOnce ||
             settings.debug || settings.device.kind != Device::Cpu);
}

/// Calls of libraries and streams are taken back as far as that takes (runtime/src/flow.c).
bool canTakeMessagesBack(const Settings& settings) {
    return (settings.isShared || settings.atOnce) && !settings.isSource && !settings.debug &&
           settings.device.kind == Device::Cpu;
}

}  // namespace

Stage load(Compilation& result, const Settings& settings, std::vector<SourceText> sources,
           const Loading& loading) {
    base::Context& context = result.context;
    if (settings.bisectLimit) context.passes.bisect(*settings.bisectLimit, loading.log);
    if (!result.weights) result.weights = weightsOf(context, settings, sources);
    Request request;
    request.sources = std::move(sources);
    request.top = settings.top;
    if (!isName(request.top)) startFromCreation(request);
    request.defines = settings.defines;
    request.keptParameters = settings.keptParameters;
    request.opensRate = settings.host != Host::None;
    request.opensRanges = request.opensRate || settings.openRanges;
    request.inputs = settings.inputs;
    request.inputFiles = settings.inputFiles;
    request.inputSound = settings.inputSound;
    request.order = settings.order;
    request.tapes = settings.tapes;
    request.lowers = settings.lowers;
    request.forDevice = settings.device.kind == Device::Cuda;
    request.undoes = isDoneAhead(settings);
    request.undoesMessages = canTakeMessagesBack(settings);
    request.ranks = settings.ranks != 0 && !isMesh(settings);
    request.chunks = request.undoes && (request.ranks || settings.threads != 1);
    request.chunkStates = settings.chunkStates;
    const profile::Measured measured = measuredOf(context, settings);
    request.measured = measured.firings;
    if (settings.isShared || settings.atOnce)
        request.threads = settings.mesh ? 1 : settings.callThreads;
    request.planIfPossible = loading.last == Stage::Planned && !settings.noInterpret;
    request.optimise = optimisations(settings);
    if (settings.atOnce) {
        request.mostItems = *settings.atOnce;
    } else if (settings.isShared) {
        request.mostItems = kMostAtOnce;
        request.manyStates = kFramesAtOnce;
    }
    if (settings.seed) request.random.state = *settings.seed & kRandomBits;
    request.print = loading.print;
    request.interrupt = loading.interrupt;
    base::Result<Library> library = settings.stdlib.empty()
                                        ? base::Result<Library>(Library::builtIn())
                                        : Library::ofFolder(settings.stdlib);
    if (!library) base::report(context.diags, library.failure());
    for (const std::string& file : settings.natives)
        if (base::Status opened = result.natives.open(file); !opened)
            base::report(context.diags, opened.failure());
    if (context.diags.hasErrors()) return Stage::Nothing;
    if (loading.last == Stage::Planned)
        request.target = codegen::targetModel(codegenOptions(settings));
    const Stage reached =
        compile(result, request, *library, settings.lowers ? Stage::Planned : loading.last);
    checkMeasured(result, settings, measured);
    return reached;
}

codegen::Options codegenOptions(const Settings& settings) {
    codegen::Options made;
    made.level = settings.level;
    made.checks = settings.checks;
    made.inPieces = settings.isShared || settings.atOnce.has_value();
    // A stream has the parts of a mesh also where it is alone.
    if (isMesh(settings)) made.mesh = codegen::Mesh{};
    if (settings.split && settings.atOnce) made.mesh = settings.mesh.value_or(codegen::Mesh{0, 1});
    made.bound = settings.bound;
    made.debug = settings.debug;
    made.fastMath = settings.fastMath;
    made.processor = settings.processor;
    made.target = settings.target;
    made.profile = settings.profile;
    return made;
}

}  // namespace strc::session
