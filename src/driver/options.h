#pragma once
/// The command line as data: what each command and option means stands in docs/command-line.md and,
/// shorter, in the help texts of options.cpp.

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/passes.h"
#include "io/items.h"
#include "session/products.h"
#include "session/settings.h"

namespace strc::driver {

enum class Command : std::uint8_t {
    Run,
    Build,
    Check,
    Graph,
    Schedule,
    Fmt,
    Explain,
    Repl,
    Version
};
enum class When : std::uint8_t { Auto, Always, Never };
using Emit = session::Product;

enum class GraphFormat : std::uint8_t { Dot, Svg, Json, Text };

struct ReportOptions {
    bool json = false;
    When colour = When::Auto;
};

struct FileOptions {
    std::string name = "-";
    std::optional<io::Format> format;
    bool given = false;  ///< by any option about this file: the first of them is `option`
    std::string option;
};

struct Options : session::Settings {
    Command command = Command::Version;
    std::vector<std::string> arguments;  ///< source files; of explain: names
    ReportOptions report;

    // ---- run
    std::optional<std::int64_t> iterations;
    std::optional<std::int64_t> limit;
    std::optional<double> seconds;
    bool loopInput = false;
    bool padTail = false;
    bool cFormat = false;
    bool noInterpret = false;  ///< what cannot be compiled is an error
    std::optional<std::int64_t> bisectLimit;  ///< --opt-bisect-limit
    bool timePasses = false;
    bool stats = false;
    FileOptions in, out;
    io::StreamInfo outInfo;

    // ---- repl
    bool json = false;
    bool events = false;  ///< with json
    bool plain = false;  ///< without the line editor

    // ---- output of commands
    std::optional<Emit> emit;
    std::optional<base::Pass> emitAfter;
    std::string output;  ///< -o FILE, or empty: standard output; of build: the product
    GraphFormat graphFormat = GraphFormat::Dot;
    bool fold = true;
    bool write = false;  ///< fmt
    bool check = false;  ///< fmt
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
