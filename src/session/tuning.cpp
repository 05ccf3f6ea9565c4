#include "session/tuning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strc/safetensors.h"

namespace strc::session {
namespace {

std::string optionsText(const Settings& settings) {
    std::string text = fmt::format("{}\n{}\n{}\n{}\n{}\n", STRC_VERSION, settings.top,
                                   fmt::join(settings.keptParameters, " "),
                                   fmt::join(settings.inputs, " "), settings.processor);
    for (const auto& [name, value] : settings.defines) text += name + '=' + value + '\n';
    for (base::Pass pass : settings.disabledPasses) text += fmt::format("-{} ", int(pass));
    return text + fmt::format("{} {} {} {} {} {}", settings.level, settings.chunkStates,
                              int(settings.checks), int(settings.fastMath), int(settings.order),
                              int(settings.kernels));
}

}  // namespace

std::uint64_t tuningKey(const Compilation& program, const Settings& settings) {
    // A profile looks at what is there already, and is slower.
    if (!program.plan || !program.plan->chunk || settings.profile) return 0;
    std::string text = optionsText(settings);
    const plan::Chunk& chunk = *program.plan->chunk;
    text += fmt::format("\nchunk {} {} {} {} {}", chunk.iterations, chunk.slices, chunk.usual,
                        chunk.segments.size(), chunk.work);
    const base::SourceManager& sources = program.context.sources;
    for (std::uint32_t k = 0; k < sources.size(); ++k) {
        text += '\n';
        text += sources.text(base::BufferId{k});
    }
    return strc_safe_hash(text.data(), text.size()) | 1;
}

}  // namespace strc::session
