#include "lower/lower.h"

#include <algorithm>

#include "base/assert.h"
#include "ir/verify.h"
#include "lower/detail/program.h"

namespace strc::lower {

using detail::ModuleScope;

namespace {

/// Functions and natives have their places before anything calls them.
void declareFunctions(ModuleScope& m) {
    for (const sema::FunctionInfo* function : m.program.packageFunctions) {
        m.module.functions.emplace_back();
        m.module.functionNames.push_back(function->package.str() + "." + function->name.str());
    }
    for (const sema::FunctionInfo* native : m.program.natives) {
        ir::Native& entry = m.module.natives.emplace_back();
        entry.package = native->package.str();
        entry.name = native->name.str();
        entry.result = native->result;
        for (const sema::Symbol* param : native->params) entry.params.push_back(param->type);
    }
}

/// True for an anonymous stream inside of a filter, which is an error: what it uses is not known.
bool standsInBroken(const sema::StreamInfo& info) {
    for (const sema::StreamInfo* around = info.enclosing; around; around = around->enclosing)
        if (around->broken) return true;
    return false;
}

/// Tells by stream whether it is lowered. Where the main stream is chosen, library streams that it does not
/// reach are left out, and under --lenient all that it does not reach: those may have errors.
std::vector<bool> wantedStreams(const ModuleScope& m) {
    const auto& streams = m.program.streams;
    bool isMarked = std::any_of(streams.begin(), streams.end(),
                                [](const auto& info) { return info.reachable; });
    std::vector<bool> wanted;
    for (const sema::StreamInfo& info : streams)
        wanted.push_back(!standsInBroken(info) &&
                         (!isMarked || info.reachable || !(info.isLibrary || m.context.lenient)));
    return wanted;
}

void lowerStreams(ModuleScope& m) {
    std::vector<bool> wanted = wantedStreams(m);
    m.module.streams.resize(wanted.size());
    for (std::size_t k = 0; k < wanted.size() && !m.failed; ++k) {
        const sema::StreamInfo* info = &m.program.streams[k];
        detail::declareStream(m, *info, wanted[k] || info->isLibrary, m.module.streams[k]);
    }
    for (std::size_t k = 0; k < wanted.size() && !m.failed; ++k)
        if (wanted[k]) detail::lowerStream(m, m.program.streams[k], m.module.streams[k]);
}

}  // namespace

ir::Module lower(base::Context& context, const sema::Program& program, const RunStatic& runStatic) {
    ir::Module module;
    ModuleScope m{context, program, *program.types, module, runStatic};
    declareFunctions(m);
    detail::lowerStatics(m);
    if (!m.failed) detail::lowerPackages(m);
    if (!m.failed) lowerStreams(m);
#ifdef STRC_CHECKED
    std::vector<std::string> faults;
    if (!m.failed) faults = ir::verify(module);
    STRC_ASSERT(faults.empty(), faults.front());
#endif
    return module;
}

}  // namespace strc::lower
