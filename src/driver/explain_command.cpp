// `strc explain`: the pages of docs/diagnostics, which are inside the binary.
#include <algorithm>

#include <fmt/format.h>

#include "base/spelling.h"
#include "driver/commands.h"
#include "embedded/diagnosticPages.h"

namespace strc::driver {

using base::Diag;
using base::DiagInfo;

namespace {

constexpr std::string_view kExtension = ".md";

std::string_view severityWord(base::Severity severity) {
    return severity == base::Severity::Error ? "error" : "warning";
}

/// The text of a message; angle brackets stand around what differs.
std::string messageOf(const DiagInfo& row) {
    std::string text(row.text);
    for (std::size_t at = text.find("{s}"); at != std::string::npos; at = text.find("{s}"))
        text.replace(at, 3, "s");
    std::replace(text.begin(), text.end(), '{', '<');
    std::replace(text.begin(), text.end(), '}', '>');
    return text;
}

std::string titleOf(std::string_view language, std::string_view kind) {
    if (language == "file") return fmt::format("File {}:", kind);
    return kind == "bad" ? "Reported:" : "Mended:";
}

/// A page as text for a terminal: its fences become titles with indented text.
std::string render(std::string_view page, const DiagInfo& row) {
    std::string text =
        fmt::format("{} ({})\n  {}\n", row.name, severityWord(row.severity), messageOf(row));
    std::string_view rest = page.substr(page.find('\n') + 1);
    std::string command;
    bool inside = false;
    while (!rest.empty()) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        if (line.starts_with("```")) {
            std::size_t blank = line.find(' ');
            inside = !inside;
            if (inside && blank != std::string_view::npos)
                text += titleOf(line.substr(3, blank - 3), line.substr(blank + 1)) + "\n" +
                        std::exchange(command, {});
        } else if (inside) {
            text += fmt::format("{}{}\n", line.empty() ? "" : "    ", line);
        } else if (line.starts_with("run: ")) {
            command = fmt::format("    $ {}\n", line.substr(5));
            if (text.ends_with("\n\n")) text.pop_back();
        } else if (!line.starts_with("No example: ")) {
            text += fmt::format("{}\n", line);
        }
    }
    while (text.ends_with("\n\n")) text.pop_back();
    return text;
}

std::string list() {
    std::string text;
    for (int i = 0; i < static_cast<int>(Diag::Count); ++i) {
        const DiagInfo& row = base::info(static_cast<Diag>(i));
        if (row.severity == base::Severity::Note) continue;
        text +=
            fmt::format("{:<28} {:<7}  {}\n", row.name, severityWord(row.severity), messageOf(row));
    }
    return text;
}

}  // namespace

int explainCommand(const Call& call) {
    if (call.options.arguments.empty()) return printResult(call, list());
    std::string text;
    base::Context context;
    for (const std::string& name : call.options.arguments) {
        auto pages = embedded::diagnosticPages();
        std::string file = name + std::string(kExtension);
        auto page = std::find_if(pages.begin(), pages.end(),
                                 [&](const base::EmbeddedFile& each) { return each.name == file; });
        if (page != pages.end()) {
            if (!text.empty()) text += "\n";
            text += render(page->text, base::info(base::findDiag(name)));
            continue;
        }
        base::Diagnostic& diag = context.diags.add(Diag::UnknownDiagnostic) << name;
        base::SpellingSearch search(name);
        for (const base::EmbeddedFile& each : pages)
            search.consider(each.name.substr(0, each.name.size() - kExtension.size()));
        if (!search.best().empty()) diag.note(Diag::DidYouMean) << search.best();
    }
    call.reporter.show(context);
    return printResult(call, text);
}

}  // namespace strc::driver
