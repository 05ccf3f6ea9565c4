#include "plugins/annotations.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/spelling.h"
#include "plugins/detail/comment_lines.h"

namespace strc::plugins {
namespace {

using base::Diag;

constexpr std::string_view kWords[] = {"@range", "@label", "@smooth", "@title", "@uri"};
constexpr std::string_view kTimes = "a number and 'ms' or 's'";

std::optional<double> number(std::string_view text) {
    double value = 0;
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool isWhole = error == std::errc() && end == text.data() + text.size();
    return isWhole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

bool isScalar(const ast::TypeExpr& type) {
    if (type.kind != ast::TypeExprKind::Primitive) return false;
    switch (type.primitive) {
        case ast::Primitive::Boolean:
        case ast::Primitive::Bit:
        case ast::Primitive::Int:
        case ast::Primitive::Float:
        case ast::Primitive::Double: return true;
        default: return false;
    }
}

/// Absolute, as URIs of plug-ins are, without what Turtle would end it by.
bool isUri(std::string_view text) {
    const std::size_t colon = text.find(':');
    return colon != text.npos && colon > 0 && colon + 1 < text.size() &&
           text.find_first_of("<>\"{}|^`\\") == text.npos;
}

class Reader {
public:
    Reader(base::Context& wanted, const ast::StreamDecl& declared)
        : context(wanted), stream(declared) {}

    Annotations read(const std::vector<Line>& lines) {
        for (const Line& line : lines)
            if (line.word(0) == "@range") addRange(line);
        for (const Line& line : lines) add(line);
        std::sort(result.ranges.begin(), result.ranges.end(), [&](const Range& a, const Range& b) {
            return placeOf(a.parameter) < placeOf(b.parameter);
        });
        findRate();
        return std::move(result);
    }

private:
    void refuse(const Line& line, const std::string& why) {
        context.diags.add(Diag::BadAnnotation, line.range) << line.word(0) << why;
    }

    std::size_t placeOf(std::string_view name) const {
        const auto found =
            std::find_if(stream.params.begin(), stream.params.end(),
                         [&](const ast::Parameter& each) { return each.name.name.text() == name; });
        return static_cast<std::size_t>(found - stream.params.begin());
    }

    void add(const Line& line) {
        const std::string_view word = line.word(0);
        if (word == "@label") return setLabel(line);
        if (word == "@smooth") return setSmooth(line);
        if (word == "@title") return setTitle(line);
        if (word == "@uri") return setUri(line);
        if (word == "@range") return;
        // Words of other tools (@param, @return, @author) are theirs.
        base::SpellingSearch search(word);
        for (std::string_view known : kWords) search.consider(known);
        if (!search.best().empty())
            (context.diags.add(Diag::BadAnnotation, line.range)
             << word << "no annotation is called so")
                    .note(Diag::DidYouMean)
                << search.best();
    }

    /// Null after reporting that no parameter is called so.
    const ast::Parameter* parameterOf(const Line& line) {
        const std::string_view name = line.word(1);
        const std::size_t place = placeOf(name);
        if (place < stream.params.size()) return &stream.params[place];
        refuse(line, name.empty() ? std::string("the name of a parameter is missing behind it")
                                  : fmt::format("'{}' has no parameter '{}'",
                                                stream.name.name.text(), name));
        return nullptr;
    }

    void addRange(const Line& line) {
        const ast::Parameter* parameter = parameterOf(line);
        if (!parameter) return;
        const std::string name(parameter->name.name.text());
        if (!isScalar(*parameter->type))
            return refuse(line, fmt::format("parameter '{}' is not a number", name));
        if (result.has(name))
            return refuse(line, fmt::format("parameter '{}' has a range already", name));
        Range range;
        range.parameter = range.label = name;
        range.place = line.range;
        const ast::Primitive type = parameter->type->primitive;
        range.isToggle = type == ast::Primitive::Boolean || type == ast::Primitive::Bit;
        range.isInteger = type == ast::Primitive::Int;
        if (range.isToggle && line.words.size() == 2) return result.ranges.push_back(range);
        const auto low = number(line.word(2)), high = number(line.word(3));
        if (!low || !high || !(*low < *high))
            return refuse(line,
                          "the least and the greatest value are needed, in this order: "
                          "'@range cutoff 20 20000 Hz log'");
        range.low = *low;
        range.high = *high;
        if (readUnit(line, range)) result.ranges.push_back(range);
    }

    /// What stands behind the two numbers: a unit, "log", or both.
    bool readUnit(const Line& line, Range& range) {
        std::size_t at = 4;
        if (line.word(at) != "log") range.unit = line.word(at++);
        range.isLogarithmic = line.word(at) == "log";
        if (range.isLogarithmic) ++at;
        std::string why;
        if (at < line.words.size())
            why =
                fmt::format("'{}' is too much: behind the range stand a unit of one word and 'log'",
                            line.word(at));
        else if (range.isLogarithmic && range.low <= 0)
            why = "a logarithmic range lies above 0";
        else if (range.isInteger &&
                 (range.low != std::floor(range.low) || range.high != std::floor(range.high)))
            why = fmt::format("'{}' is an int, and the range has others", range.parameter);
        else if (range.isInteger && (range.low < INT32_MIN || range.high > INT32_MAX))
            why =
                fmt::format("'{}' is an int of 32 bits, and the range is larger", range.parameter);
        if (!why.empty()) refuse(line, why);
        return why.empty();
    }

    /// Null after reporting that the parameter has no range.
    Range* rangeOf(const Line& line) {
        const ast::Parameter* parameter = parameterOf(line);
        if (!parameter) return nullptr;
        const std::string_view name = parameter->name.name.text();
        for (Range& range : result.ranges)
            if (range.parameter == name) return &range;
        if (!context.diags.hasErrors())
            refuse(line, fmt::format("parameter '{}' has no '@range'", name));
        return nullptr;
    }

    void setLabel(const Line& line) {
        Range* range = rangeOf(line);
        if (!range) return;
        if (line.words.size() < 3) return refuse(line, "the text is missing");
        range->label = line.from(2);
    }

    void setSmooth(const Line& line) {
        Range* range = rangeOf(line);
        if (!range) return;
        const auto time = number(line.word(2));
        const bool isMilliseconds = line.word(3) == "ms";
        if (!time || *time <= 0 || !(isMilliseconds || line.word(3) == "s") ||
            line.words.size() > 4)
            return refuse(line, fmt::format("a time is needed, {}", kTimes));
        range->smooth = isMilliseconds ? *time / 1000 : *time;
    }

    void setTitle(const Line& line) {
        result.title = line.from(1);
        if (result.title.empty()) refuse(line, "the text is missing");
    }

    void setUri(const Line& line) {
        result.uri = line.word(1);
        if (!isUri(result.uri) || line.words.size() > 2)
            refuse(line,
                   "a URI is needed, such as 'https://example.org/reverb' or 'urn:me:reverb'");
    }

    void findRate() {
        for (const ast::Parameter& each : stream.params) {
            const auto* call = ast::tryAs<ast::CallExpr>(each.defaultValue);
            if (call && call->callee.name.text() == "sampleRate")
                result.rateParameters.emplace_back(each.name.name.text());
        }
    }

    base::Context& context;
    const ast::StreamDecl& stream;
    Annotations result;
};

}  // namespace

bool Annotations::has(std::string_view parameter) const {
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](const Range& each) { return each.parameter == parameter; });
}

Annotations annotationsOf(base::Context& context, const ast::Unit& unit,
                          const ast::StreamDecl& stream) {
    return Reader(context, stream).read(annotationLines(context.sources, unit, stream));
}

}  // namespace strc::plugins
