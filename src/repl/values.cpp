#include "repl/detail/values.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "types/tensor_text.h"

namespace strc::repl {

using types::Type;
using types::TypeKind;
using types::Value;

namespace {

constexpr std::int64_t kMostElementsShown = 1000;  ///< elements of one array
constexpr std::size_t kMostText = 1 << 14;  ///< of an array of arrays

bool isNumber(const Type* type) {
    return type->isReal() || type->is(TypeKind::Boolean) || type->is(TypeKind::Long);
}

double toDouble(const Value& value) {
    switch (value.type->kind) {
        case TypeKind::Float: return static_cast<double>(value.as<float>());
        case TypeKind::Double: return value.as<double>();
        case TypeKind::Long: return static_cast<double>(value.as<std::int64_t>());
        default: return static_cast<double>(value.toInt());
    }
}

std::string numberJson(double number) {
    if (std::isfinite(number)) return fmt::format("{}", number);
    return std::isnan(number) ? "\"NaN\"" : number > 0 ? "\"Infinity\"" : "\"-Infinity\"";
}

std::string numberJson(float number) {
    if (std::isfinite(number)) return fmt::format("{}", number);
    return numberJson(static_cast<double>(number));
}

std::string quotedText(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (c == '\n')
            out += "\\n";
        else if (code < 0x20 || code >= 0x7F)
            out += fmt::format("\\u{:04x}", code);
        else
            out += c;
    }
    return out + '"';
}

}  // namespace

void Items::add(const Value& value) {
    if (!type) type = value.type;
    if (value.type != type && places.empty())
        for (std::uint64_t k = 0, n = count(); k < n; ++k)
            places.push_back({type, k * bytesOfOne()});
    if (value.type != type || !places.empty()) places.push_back({value.type, bytes.size()});
    bytes += value.bytes;
}

std::uint64_t Items::count() const {
    if (!places.empty()) return places.size();
    return bytes.empty() ? 0 : bytes.size() / bytesOfOne();
}

std::string Items::typeText() const { return areAlike() ? types::toString(type) : "tensor"; }

std::size_t Items::bytesOfOne() const { return static_cast<std::size_t>(types::sizeOf(type)); }

Value Items::operator[](std::uint64_t k) const {
    if (!places.empty())
        return {
            places[k].type,
            bytes.substr(places[k].begin, static_cast<std::size_t>(types::sizeOf(places[k].type)))};
    const std::size_t size = bytesOfOne();
    return {type, bytes.substr(k * size, size)};
}

std::vector<Value> Items::first(std::uint64_t most) const {
    std::vector<Value> values;
    for (std::uint64_t k = 0; k < std::min(most, count()); ++k) values.push_back((*this)[k]);
    return values;
}

std::string arrayOf(const Type* item, std::size_t count) {
    std::string text = types::toString(item);
    const std::size_t bracket = std::min(text.find('['), text.size());
    return text.insert(bracket, fmt::format("[{}]", count));
}

Value part(const Value& whole, std::int64_t offset, const Type* type) {
    return {type, whole.bytes.substr(static_cast<std::size_t>(offset),
                                     static_cast<std::size_t>(types::sizeOf(type)))};
}

float component(const Value& value, std::size_t k) {
    float number = 0;
    std::memcpy(&number, value.bytes.data() + 4 * k, sizeof number);
    return number;
}

Value element(const Value& array, std::int64_t k) {
    return part(array, k * types::sizeOf(array.type->element), array.type->element);
}

std::string toText(const Value& value, bool isWhole) {
    const Type* type = value.type;
    if (type->is(TypeKind::String)) return value.bytes;
    if (type->is(TypeKind::Tensor)) return types::toString(type, value.bytes.data());
    if (type->is(TypeKind::Array)) {
        std::string out = "{";
        std::int64_t shown = 0;
        auto isEnough = [&] { return shown == kMostElementsShown || out.size() >= kMostText; };
        for (; shown < type->extent && (isWhole || !isEnough()); ++shown)
            out += (shown == 0 ? "" : ", ") + toText(element(value, shown), isWhole);
        if (shown < type->extent) out += fmt::format(", … {} more", type->extent - shown);
        return out + "}";
    }
    if (type->is(TypeKind::Struct)) {
        std::string out = std::string(type->structure->name.text()) + "{";
        bool isFirst = true;
        for (const types::StructField& field : type->structure->fields) {
            out += fmt::format("{}{} = {}", isFirst ? "" : ", ", field.name.text(),
                               toText(part(value, field.offset, field.type), isWhole));
            isFirst = false;
        }
        return out + "}";
    }
    if (type->isFloatN()) {
        std::string out = "(";
        for (int k = 0; k < type->components(); ++k)
            out += (k == 0 ? "" : ", ") +
                   types::formatFloat(component(value, static_cast<std::size_t>(k)));
        return out + ")";
    }
    return types::toString(value);
}

namespace {

/// The element that lies at that place.
Value elementOf(const Type* tensor, const char* at) {
    static const types::TypeTable types;
    const Type* type = types.scalar(tensor->element->kind);
    return {type, {at, static_cast<std::size_t>(types::sizeOf(type))}};
}

/// Row by row; `at` goes on behind what has been written.
std::string tensorJson(const Type* tensor, std::size_t dim, const char*& at) {
    if (dim == tensor->dims.size()) {
        const Value element = elementOf(tensor, at);
        at += element.bytes.size();
        return toJson(element);
    }
    std::string out;
    for (std::int64_t k = 0; k < tensor->dims[dim]; ++k)
        out += (k == 0 ? "" : ",") + tensorJson(tensor, dim + 1, at);
    return "[" + out + "]";
}

/// Digits behind the point are aligned as well.
std::vector<std::string> aligned(const std::vector<Value>& values) {
    std::vector<std::string> texts;
    std::size_t before = 0;
    std::size_t after = 0;
    auto point = [](const std::string& text) { return std::min(text.find('.'), text.size()); };
    for (const Value& each : values) {
        texts.push_back(toText(each));
        before = std::max(before, point(texts.back()));
        after = std::max(after, texts.back().size() - point(texts.back()));
    }
    for (std::string& text : texts) {
        const std::size_t at = point(text);
        text = std::string(before - at, ' ') + text;
        text.resize(before + after, ' ');
    }
    return texts;
}

std::string inOneLine(const std::vector<Value>& values) {
    std::string line;
    for (const Value& each : values) line += (line.empty() ? "" : " ") + toText(each);
    return line + "\n";
}

constexpr std::size_t kFew = 10;  ///< items in a row

/// Others have a line each.
bool standInRows(const Type* type) { return isNumber(type) || type->is(TypeKind::Complex); }

std::string trimmed(std::string line) {
    line.resize(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

}  // namespace

std::string toTable(const std::vector<Value>& values, std::size_t width) {
    if (values.empty()) return {};
    if (!standInRows(values.front().type)) {
        std::string out;
        for (const Value& each : values) out += toText(each) + "\n";
        return out;
    }
    if (values.size() <= kFew)
        if (std::string line = inOneLine(values); line.size() <= width + 1) return line;
    const std::vector<std::string> texts = aligned(values);
    const std::size_t place = std::to_string(values.size() - 1).size() + 2;
    const std::size_t room = width > place ? width - place : 1;
    std::size_t columns = std::clamp<std::size_t>(room / (texts.front().size() + 1), 1, kFew);
    std::string out;
    for (std::size_t k = 0; k < texts.size(); k += columns) {
        std::string line = fmt::format("{:>{}}", fmt::format("[{}]", k), place);
        for (std::size_t j = k; j < std::min(k + columns, texts.size()); ++j)
            line += " " + texts[j];
        out += trimmed(std::move(line));
    }
    return out;
}

std::string Rows::add(const Value& value) {
    if (!standInRows(value.type)) return toText(value, true) + "\n";
    row += (count == 0 ? "" : " ") + toText(value);
    return ++count == kFew ? end() : std::string();
}

std::string Rows::end() {
    if (count == 0) return {};
    count = 0;
    return std::exchange(row, {}) + "\n";
}

std::string toJson(const Value& value) {
    const Type* type = value.type;
    switch (type->kind) {
        case TypeKind::Boolean: return value.toInt() != 0 ? "true" : "false";
        case TypeKind::Float: return numberJson(value.as<float>());
        case TypeKind::Double: return numberJson(value.as<double>());
        case TypeKind::Long: return std::to_string(value.as<std::int64_t>());
        case TypeKind::String: return quotedText(value.bytes);
        case TypeKind::Char: return quotedText(value.bytes);
        default: break;
    }
    if (type->isReal()) return std::to_string(value.toInt());
    if (type->is(TypeKind::Tensor)) {
        const char* at = value.bytes.data();
        return tensorJson(type, 0, at);
    }
    std::string out;
    if (type->is(TypeKind::Complex) || type->isFloatN()) {
        const std::size_t count = value.bytes.size() / sizeof(float);
        for (std::size_t k = 0; k < count; ++k)
            out += (k == 0 ? "[" : ",") + numberJson(component(value, k));
        return out + "]";
    }
    if (type->is(TypeKind::Array)) {
        for (std::int64_t k = 0; k < type->extent; ++k)
            out += (k == 0 ? "" : ",") + toJson(element(value, k));
        return "[" + out + "]";
    }
    if (type->is(TypeKind::Struct)) {
        for (const types::StructField& field : type->structure->fields)
            out += fmt::format("{}\"{}\":{}", out.empty() ? "" : ",", field.name.text(),
                               toJson(part(value, field.offset, field.type)));
        return "{" + out + "}";
    }
    return "null";
}

void appendNumbers(const Value& value, std::vector<double>& numbers) {
    const Type* type = value.type;
    if (isNumber(type)) {
        numbers.push_back(toDouble(value));
    } else if (type->is(TypeKind::Complex)) {
        numbers.push_back(std::hypot(component(value, 0), component(value, 1)));
    } else if (type->isFloatN()) {
        for (int k = 0; k < type->components(); ++k)
            numbers.push_back(static_cast<double>(component(value, static_cast<std::size_t>(k))));
    } else if (type->is(TypeKind::Array)) {
        for (std::int64_t k = 0; k < type->extent; ++k) appendNumbers(element(value, k), numbers);
    } else if (type->is(TypeKind::Tensor)) {
        const auto count = std::max<std::int64_t>(types::countElements(type), 1);
        const std::int64_t bytes = types::sizeOf(type) / count;
        for (std::int64_t k = 0; k < types::countElements(type); ++k)
            appendNumbers(elementOf(type, value.bytes.data() + k * bytes), numbers);
    }
}

}  // namespace strc::repl
