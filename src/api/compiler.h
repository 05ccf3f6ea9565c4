#pragma once
/// What is behind the handle of strc/strc.h, and the border that no exception passes.

#include <deque>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "session/engine.h"
#include "session/load.h"
#include "session/products.h"
#include "strc/strc.h"

namespace strc::api {

/// A diagnostic with texts that stay.
struct Told {
    base::Severity severity = base::Severity::Error;
    std::string code, message, file, instance, text, json;
    bool hasFile = false;
    strc_place begin{}, end{};
    unsigned instances = 1;
};

/// Moves what the context has to say to the end of `told`; did it hold errors?
bool tell(base::Context&, std::deque<Told>& told);

}  // namespace strc::api

struct strc_compiler {
    strc::session::Settings settings;
    std::vector<strc::session::SourceText> sources;
    strc::session::Compilation program;
    strc::session::Stage stage = strc::session::Stage::Nothing;
    const volatile bool* interrupt = nullptr;
    bool isCompiled = false;  ///< strc_compiler_compile has been called
    bool hasFailed = false;
    std::deque<strc::api::Told> told;
    std::map<strc_product, std::string> texts;
    std::string inputType, outputType;
    bool triedCode = false;
    std::optional<strc::session::Code> code;
};

namespace strc::api {

/// Does `work`, whose value is a status; memory that runs out is one, too.
template <typename Work>
strc_status guarded(Work work) noexcept {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return STRC_NO_MEMORY;
    }
}

}  // namespace strc::api
