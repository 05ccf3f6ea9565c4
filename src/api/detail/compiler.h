#pragma once
/// What is behind the handle of strc/strc.h, and the border that no exception passes.

#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "session/build.h"
#include "session/engine.h"
#include "session/load.h"
#include "session/products.h"
#include "strc/strc.h"

namespace strc::api {

/// A diagnostic; its texts are made when they are asked for, and stay.
struct Told {
    explicit Told(base::Diagnostic found) : diag(std::move(found)) {}

    base::Diagnostic diag;
    bool hasTexts = false;
    std::string message, text, json;
};

}  // namespace strc::api

struct strc_compiler {
    strc::session::Settings settings;
    std::vector<strc::session::SourceText> sources;
    strc::session::Compilation program;
    strc::session::Stage stage = strc::session::Stage::Nothing;
    const volatile bool* interrupt = nullptr;
    strc_print* log = nullptr;
    void* logUser = nullptr;
    bool hasColour = false;
    bool lacksSource = false;  ///< one could not be read
    bool isCompiled = false;  ///< strc_compiler_compile has been called
    bool hasFailed = false;
    std::deque<strc::api::Told> told;
    std::size_t errors = 0;  ///< among them
    std::size_t toldByCompilation = 0;  ///< the first of them
    std::map<strc_product, std::string> texts;
    std::string formatted, times;
    std::unique_ptr<strc::profile::Gathered> profile;  ///< of the last run, if it was wanted
    std::string profileText;
    std::string recorded;  ///< the text of a program that came as a tree
    std::uint32_t recordedBuffers =
        0;  ///< of the sources, the first: places of such a program in another language
    bool isOpen = false;  ///< that program has an input or an output
    std::string inputType, outputType, inputLayout, outputLayout;
    std::string printed;  ///< while the graph was built
    std::vector<strc::weights::GivenValues> weights;
    bool triedCode = false;
    std::optional<strc::session::Code> code;
    bool codeShares = true;  ///< what it was made for

    strc::session::Building building() const;
    /// Makes `code` if that has not been tried, until `isOver`.
    /// `shares`: as codegen::Options::shares. Code that shares does for runs that need not.
    void makeCode(const std::function<bool()>& isOver, bool shares = true);
    bool isInterrupted() const { return interrupt && *interrupt; }
    /// Moves what the context has to say to the end of `told`; did it hold errors?
    bool tell();
    bool isKnown(const strc::base::Diagnostic&) const;
    void withoutRecordedFixes(std::vector<strc::base::Fix>&) const;
};

namespace strc::api {

/// A fault of the compiler itself becomes a diagnostic; afterwards the compiler is of no more use.
void tellInternal(strc_compiler&, const char* what);

/// Does `work`, whose value is a status. No exception gets further: memory that runs out is a status, too,
/// and everything else a fault of the compiler.
template <typename Work>
strc_status guarded(strc_compiler* compiler, Work work) noexcept {
    try {
        try {
            return work();
        } catch (const std::bad_alloc&) {
            return STRC_NO_MEMORY;
        } catch (const std::exception& fault) {
            tellInternal(*compiler, fault.what());
        } catch (...) {
            tellInternal(*compiler, "an exception of unknown type");
        }
    } catch (...) {
        return STRC_NO_MEMORY;
    }
    return STRC_FAILED;
}

}  // namespace strc::api
