#include "base/render.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/detail/json.h"
#include "base/utf8.h"

namespace strc::base {

namespace {

constexpr std::size_t kTabStop = 4;
constexpr std::size_t kWidth = 100;        ///< of the part of a source line that is shown
constexpr std::size_t kContext = 30;       ///< columns kept to the left of the caret when cut
constexpr std::size_t kQuotedText = 60;    ///< longer replaced texts are not repeated
constexpr std::size_t kFar = 1000;  ///< bytes of a long line that are looked at, each side
constexpr std::string_view kCut = "...";

constexpr std::string_view kReset = "\x1b[0m";
constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kMagenta = "\x1b[1;35m";
constexpr std::string_view kCyan = "\x1b[1;36m";
constexpr std::string_view kGreen = "\x1b[1;32m";

std::string_view severityName(Severity severity) {
    switch (severity) {
        case Severity::Note: return "note";
        case Severity::Warning: return "warning";
        case Severity::Error: return "error";
    }
    return {};
}

std::string_view severityColour(Severity severity) {
    switch (severity) {
        case Severity::Note: return kCyan;
        case Severity::Warning: return kMagenta;
        case Severity::Error: return kRed;
    }
    return {};
}

/// One column of output for each character; what could move the cursor or is no text is replaced.
std::string_view printable(std::string_view text, std::size_t length) {
    if (length == 0) return kReplacementCharacter;
    unsigned char first = static_cast<unsigned char>(text[0]);
    bool control = first < 0x20 || first == 0x7F || (first == 0xC2 && (text[1] & 0xE0) == 0x80);
    return control ? kReplacementCharacter : text.substr(0, length);
}

/// Messages stay on one line and free of control characters whatever their arguments hold.
std::string sanitized(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        std::size_t length = utf8Length(text);
        if (text[0] == '\n' || text[0] == '\t')
            result += ' ';
        else
            result += printable(text, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result;
}

// ---------------------------------------------------------------- the picture

/// A source line as columns: text[i] is what column i shows; marks are column numbers.
struct Picture {
    bool cutLeft = false;
    bool cutRight = false;
    std::vector<std::string_view> columns;
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// Lines of data may be megabytes long: only the surroundings of [begin, end) are looked at.
void trimLine(std::string_view& line, std::size_t& begin, std::size_t& end, Picture& picture) {
    begin = std::min(begin, line.size());
    end = std::min({end, line.size(), begin + kFar});
    if (line.size() - end > kFar) {
        line = line.substr(0, end + kFar);
        picture.cutRight = true;
    }
    if (begin > kFar) {
        std::size_t skip = begin - kFar;
        while (skip < begin && (line[skip] & 0xC0) == 0x80) ++skip;
        line.remove_prefix(skip);
        begin -= skip;
        end -= skip;
        picture.cutLeft = true;
    }
}

/// Bytes [begin, end) of the line are marked. A character partly inside is marked as a whole.
Picture layOut(std::string_view line, std::size_t begin, std::size_t end) {
    Picture picture;
    trimLine(line, begin, end, picture);
    picture.begin = SIZE_MAX;
    std::size_t offset = 0;
    while (offset < line.size()) {
        std::string_view rest = line.substr(offset);
        std::size_t length = utf8Length(rest);
        std::size_t next = offset + std::max<std::size_t>(length, 1);
        if (picture.begin == SIZE_MAX && begin < next) picture.begin = picture.columns.size();
        if (rest[0] == '\t') {
            do picture.columns.emplace_back(" ");
            while (picture.columns.size() % kTabStop != 0);
        } else {
            picture.columns.push_back(printable(rest, length));
        }
        if (offset < end) picture.end = picture.columns.size();
        offset = next;
    }
    picture.begin = std::min(picture.begin, picture.columns.size());
    picture.end = std::max(picture.end, picture.begin + 1);
    return picture;
}

class TextRenderer {
public:
    TextRenderer(const SourceManager& texts, RenderOptions wanted)
        : sources(texts), options(wanted) {}

    std::string run(const Diagnostic& diag) {
        heading(diag.range, diag.severity, message(diag.id, diag.args), info(diag.id).name);
        picture(diag.range, severityColour(diag.severity));
        instances(diag);
        for (const DiagNote& note : diag.notes) {
            heading(note.range, Severity::Note, message(note.id, note.args), {});
            if (note.range != diag.range) picture(note.range, severityColour(Severity::Note));
        }
        for (const Fix& fix : diag.fixes) suggestion(fix);
        return std::move(out);
    }

private:
    void put(std::string_view colour, std::string_view text) {
        if (options.colour) out += colour;
        out += text;
        if (options.colour) out += kReset;
    }

    void place(SourceRange range) {
        LineColumn at = sources.position(range.buffer, range.begin);
        std::string file = sanitized(sources.name(range.buffer));
        put(kBold, fmt::format("{}:{}:{}:", file, at.line, at.column));
        out += ' ';
    }

    void heading(SourceRange range, Severity severity, const std::string& text,
                 std::string_view name) {
        if (range.valid())
            place(range);
        else if (severity != Severity::Note)
            out += "strc: ";
        put(severityColour(severity), fmt::format("{}:", severityName(severity)));
        out += ' ';
        put(severity == Severity::Note ? "" : kBold, sanitized(text));
        if (!name.empty()) out += fmt::format(" [{}]", name);
        out += '\n';
    }

    void picture(SourceRange range, std::string_view colour) {
        if (!range.valid()) return;
        LineColumn at = sources.position(range.buffer, range.begin);
        std::string_view line = sources.lineText(range.buffer, at.line);
        std::size_t begin = at.column - 1;
        Picture shown = layOut(line, begin, begin + (range.end - range.begin));
        bool cutLeft = shown.cutLeft || (shown.end > kWidth && shown.begin > kContext);
        std::size_t first = cutLeft ? shown.begin - kContext : 0;
        std::size_t last = std::min(shown.columns.size(), first + kWidth);

        out += fmt::format("{:5} | ", at.line);
        if (cutLeft) out += kCut;
        std::string text;
        for (std::size_t i = first; i < last; ++i) text += shown.columns[i];
        text.erase(text.find_last_not_of(' ') + 1);
        out += text;
        if (last < shown.columns.size() || shown.cutRight) out += kCut;
        out += "\n      | ";
        out.append(shown.begin - first + (cutLeft ? kCut.size() : 0), ' ');
        std::size_t marked = std::min(shown.end, std::max(last, shown.begin + 1)) - shown.begin;
        put(colour, "^" + std::string(marked - 1, '~'));
        out += '\n';
    }

    void instances(const Diagnostic& diag) {
        if (diag.instance.empty()) return;
        std::string text =
            diag.instances > 1
                ? message(Diag::InInstances, {std::to_string(diag.instances), diag.instance})
                : message(Diag::InInstance, {diag.instance});
        heading({}, Severity::Note, text, {});
    }

    void suggestion(const Fix& fix) {
        if (fix.range.valid()) place(fix.range);
        put(kGreen, "help:");
        std::string_view old = fix.range.valid() ? sources.text(fix.range) : std::string_view();
        bool quotable = old.size() <= kQuotedText && old.find('\n') == std::string_view::npos;
        std::string was = quotable ? fmt::format("'{}'", sanitized(old)) : "this";
        if (fix.replacement.empty())
            out += fmt::format(" remove {}\n", was);
        else if (old.empty())
            out += fmt::format(" insert '{}'\n", sanitized(fix.replacement));
        else
            out += fmt::format(" write '{}' instead of {}\n", sanitized(fix.replacement), was);
    }

    const SourceManager& sources;
    RenderOptions options;
    std::string out;
};

// ---------------------------------------------------------------- JSON

std::string jsonPosition(BufferId buffer, std::uint32_t offset, const SourceManager& sources) {
    LineColumn at = sources.position(buffer, offset);
    return fmt::format(R"({{"line":{},"column":{},"offset":{}}})", at.line, at.column, offset);
}

/// The members "file" and "range", both null for what has no place.
std::string jsonPlace(SourceRange range, const SourceManager& sources) {
    if (!range.valid()) return R"("file":null,"range":null)";
    return fmt::format(R"("file":{},"range":{{"start":{},"end":{}}})",
                       jsonString(sources.name(range.buffer)),
                       jsonPosition(range.buffer, range.begin, sources),
                       jsonPosition(range.buffer, range.end, sources));
}

template <typename Item, typename Show>
std::string jsonArray(const std::vector<Item>& items, Show show) {
    std::string result = "[";
    for (const Item& item : items) {
        if (result.size() > 1) result += ',';
        result += show(item);
    }
    return result += ']';
}

}  // namespace

std::string renderText(const Diagnostic& diag, const SourceManager& sources,
                       RenderOptions options) {
    return TextRenderer(sources, options).run(diag);
}

std::string renderJson(const Diagnostic& diag, const SourceManager& sources) {
    auto note = [&](const DiagNote& each) {
        return fmt::format(R"({{"code":{},"message":{},{}}})", jsonString(info(each.id).name),
                           jsonString(message(each.id, each.args)), jsonPlace(each.range, sources));
    };
    auto fix = [&](const Fix& each) {
        return fmt::format(R"({{"replacement":{},{}}})", jsonString(each.replacement),
                           jsonPlace(each.range, sources));
    };
    return fmt::format(R"({{"severity":"{}","code":{},"message":{},{},"notes":{},"fixes":{},)"
                       R"("instance":{},"instances":{}}})",
                       severityName(diag.severity), jsonString(info(diag.id).name),
                       jsonString(message(diag.id, diag.args)), jsonPlace(diag.range, sources),
                       jsonArray(diag.notes, note), jsonArray(diag.fixes, fix),
                       diag.instance.empty() ? "null" : jsonString(diag.instance), diag.instances) +
           '\n';
}

}  // namespace strc::base
