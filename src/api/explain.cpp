// The pages of docs/diagnostics, which are inside the library.
#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "base/embedded.h"
#include "embedded/diagnosticPages.h"
#include "strc/strc.h"

namespace strc::api {
namespace {

std::string_view severityWord(base::Severity severity) {
    return severity == base::Severity::Error ? "error" : "warning";
}

/// The text of a message; angle brackets stand around what differs.
std::string messageOf(const base::DiagInfo& row) {
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
std::string render(std::string_view page, const base::DiagInfo& row) {
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

std::string_view pageOf(std::string_view code) {
    for (const base::EmbeddedFile& file : embedded::diagnosticPages())
        if (file.name.substr(0, file.name.rfind('.')) == code) return file.text;
    return {};
}

std::string list() {
    std::string text;
    for (int i = 0; i < static_cast<int>(base::Diag::Count); ++i) {
        const base::DiagInfo& row = base::info(static_cast<base::Diag>(i));
        if (row.severity == base::Severity::Note) continue;
        text +=
            fmt::format("{:<28} {:<7}  {}\n", row.name, severityWord(row.severity), messageOf(row));
    }
    return text;
}

/// Empty: there is none.
std::string explanation(const char* code) {
    if (!code) return list();
    const base::Diag known = base::findDiag(code);
    if (known == base::Diag::Count) return {};
    const std::string_view page = pageOf(code);
    return page.empty() ? std::string() : render(page, base::info(known));
}

}  // namespace
}  // namespace strc::api

size_t strc_explain(const char* code, char* to, size_t room) {
    if (room > 0 && to) *to = '\0';
    try {
        const std::string text = strc::api::explanation(code);
        if (room > 0 && to) to[text.copy(to, room - 1)] = '\0';
        return text.size();
    } catch (const std::exception&) {  // memory has run out
        return 0;
    }
}
