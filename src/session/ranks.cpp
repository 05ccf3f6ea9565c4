#include "session/detail/ranks.h"

#include "session/products.h"

namespace strc::session {

bool checkMesh(Compilation& program, const Settings& settings) {
    base::Diagnostics& diags = program.context.diags;
    const auto conflict = [&](const char* other) {
        diags.add(base::Diag::ConflictingOptions) << "--ranks" << other;
    };
    if (settings.isStatic) conflict("--static");
    if (settings.externalWeights) conflict("--external-weights");
    if (settings.device.kind != Device::Cpu) conflict("--device");
    if (settings.kernels != Kernels::Generated) conflict("--kernels");
    if (settings.profile) conflict("--profile");
    if (settings.lowers) conflict("--tapes=arrays");
    if (program.elaboration.dynamicShape)
        reportCannotCompile(
            program, "ranks cannot share it: the shapes of its tensors are known to the run alone");
    return !diags.hasErrors();
}

std::optional<plan::Ranks> findRanks(Compilation& program, const Settings& settings) {
    if (!checkMesh(program, settings)) return std::nullopt;
    const std::string why = plan::whyNoRanks(*program.plan);
    if (why.empty()) return plan::findRanks(*program.plan);
    reportCannotCompile(program, "ranks cannot share it: " + why);
    return std::nullopt;
}

}  // namespace strc::session
