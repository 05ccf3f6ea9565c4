#pragma once
/// The command line as data: what each command and option means stands in docs/command-line.md and,
/// shorter, in the help texts of options.cpp.

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "strc/strc.h"

namespace strc::driver {

enum class Command : std::uint8_t {
    Run,
    Live,
    Build,
    Check,
    Graph,
    Schedule,
    Fmt,
    Opt,
    Explain,
    Repl,
    Completion,
    Man,
    Controls,
    Version
};
enum class When : std::uint8_t { Auto, Always, Never };
enum class Tail : std::uint8_t { Drop, Pad, Drain };

struct ReportOptions {
    bool json = false;
    When colour = When::Auto;
};

/// Of strc_compiler_set: an option that the compiler knows.
struct Setting {
    std::string name;
    std::optional<std::string> value;
};

struct FileOptions {
    std::optional<std::string> name;  ///< the last one
    std::vector<std::string> names;  ///< all: those of streams of tensors take turns
    std::optional<std::string> format;
};

struct Options {
    Command command = Command::Version;
    std::vector<std::string> arguments;  ///< source files; of explain: names
    ReportOptions report;
    std::vector<Setting> settings;

    bool has(std::string_view setting) const { return find(setting) != nullptr; }
    /// What the last of them says, or empty.
    std::string valueOf(std::string_view setting) const {
        const Setting* found = find(setting);
        return found ? found->value.value_or("") : "";
    }

    // ---- run
    std::optional<std::int64_t> iterations;
    std::optional<std::int64_t> limit;
    std::optional<double> seconds;
    bool loopInput = false;
    std::optional<Tail> tail;  ///< none: by the program's inputs
    bool cFormat = false;
    bool stats = false;
    int workers = 0;  ///< 0: not given
    bool sharesAlways = false;  ///< --no-tune
    bool profile = false;
    std::string profileFile;  ///< of --profile=FILE; empty: the table alone
    FileOptions in, out;
    std::optional<std::string> outSample;
    int outRate = 0, outChannels = 0, outWidth = 0, outHeight = 0;  ///< 0: not given

    // ---- live
    int fade = 0;  ///< items

    // ---- repl
    bool json = false;
    bool events = false;  ///< with json
    bool plain = false;  ///< without the line editor

    // ---- controls
    std::optional<std::int64_t> oscPort;
    std::string midiFile;  ///< empty: none
    std::vector<std::string> knobs;  ///< --cc

    // ---- output of commands
    std::optional<strc_product> emit;
    std::string output;  ///< -o FILE, or empty: standard output; of build: the product
    strc_product picture = STRC_GRAPH_DOT;
    bool write = false;  ///< fmt
    bool check = false;  ///< fmt

private:
    const Setting* find(std::string_view name) const;
};

enum class Parsed : std::uint8_t {
    Run,  ///< the options say what to do
    Done,  ///< help was asked for and is printed
    Wrong  ///< reported
};

/// `report` is set as early as can be, so that faults of the call are shown as it asks for.
Parsed parseOptions(int argc, const char* const* argv, Options&, base::Diagnostics&,
                    std::ostream& out);

}  // namespace strc::driver
