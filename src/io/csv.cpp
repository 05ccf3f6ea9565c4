// Numbers as text: separated by commas, semicolons, white space or ends of line; `#` begins a comment.
#include <algorithm>
#include <cctype>
#include <cstring>

#include <fmt/format.h>

#include "io/numbers.h"
#include "types/parse.h"
#include "types/value.h"

namespace strc::io {

using base::Result;
using base::Status;
using types::Type;
using types::TypeKind;
using types::Value;

namespace {

constexpr std::size_t kLongestWord = 200;  ///< longer numbers are not numbers
constexpr std::size_t kShownWord = 30;

bool isSeparator(char c) {
    return c == ',' || c == ';' || std::isspace(static_cast<unsigned char>(c));
}

/// A type whose values are one word each.
bool isWord(const Type* type) {
    switch (type->kind) {
        case TypeKind::Boolean:
        case TypeKind::Bit:
        case TypeKind::Int:
        case TypeKind::Float:
        case TypeKind::Double:
        case TypeKind::Complex: return true;
        default: return false;
    }
}

/// Calls word(offset, kind) for each word of a value, in order, while it returns true.
template <typename Word>
bool eachWord(const Type* type, std::size_t offset, const Word& word) {
    switch (type->kind) {
        case TypeKind::Array:
            for (std::int64_t i = 0; i < type->extent; ++i) {
                std::size_t at =
                    offset + static_cast<std::size_t>(i * types::sizeOf(type->element));
                if (!eachWord(type->element, at, word)) return false;
            }
            return true;
        case TypeKind::Struct:
            for (const types::StructField& field : type->structure->fields)
                if (!eachWord(field.type, offset + static_cast<std::size_t>(field.offset), word))
                    return false;
            return true;
        case TypeKind::Float2:
        case TypeKind::Float3:
        case TypeKind::Float4:
            for (int i = 0; i < type->components(); ++i)
                if (!word(offset + static_cast<std::size_t>(i) * sizeof(float), TypeKind::Float))
                    return false;
            return true;
        default: return word(offset, type->kind);
    }
}

bool isText(const Type* type) {
    if (type->is(TypeKind::Array)) return type->extent > 0 && isText(type->element);
    if (!type->is(TypeKind::Struct)) return isWord(type) || type->isVector();
    const auto& fields = type->structure->fields;
    return !fields.empty() &&
           std::all_of(fields.begin(), fields.end(), [](const auto& f) { return isText(f.type); });
}

std::string_view nameOf(TypeKind kind) {
    switch (kind) {
        case TypeKind::Boolean: return "a boolean";
        case TypeKind::Bit: return "a bit";
        case TypeKind::Int: return "an int";
        case TypeKind::Complex: return "a complex number";
        default: return "a number";
    }
}

/// The spellings of not-a-number and infinity of C, Python and this language.
bool findSpecial(std::string_view word, double& value) {
    bool negative = word.starts_with('-');
    if (negative || word.starts_with('+')) word.remove_prefix(1);
    std::string lower(word);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (lower == "nan")
        value = std::numeric_limits<double>::quiet_NaN();
    else if (lower == "inf" || lower == "infinity")
        value = std::numeric_limits<double>::infinity();
    else
        return false;
    if (negative) value = -value;
    return true;
}

class CsvReader : public ItemReader {
public:
    CsvReader(std::unique_ptr<Source> opened, const Type* type)
        : source(std::move(opened)), item(type) {
        itemSize = static_cast<std::size_t>(types::sizeOf(type));
    }

    Result<std::size_t> read(std::byte* to, std::size_t count) override {
        if (fault) return *fault;
        std::size_t done = 0;
        // After the first item only what needs no waiting.
        while (done < count && (done == 0 || lineIsBuffered())) {
            Result<bool> got = readItem(to + done * itemSize);
            if (!got && done == 0) return got.failure();
            if (!got) fault = got.failure();  // told after what was right
            if (!got || !*got) break;
            ++done;
        }
        if (done == 0 && count > 0 && !any) return noItems(*source);
        any = true;
        return done;
    }

    bool rewind() override {
        line = 1;
        return source->seek(0);
    }

private:
    /// Something up to the end of its line: for most items all they need.
    bool lineIsBuffered() const {
        auto bytes = source->buffered();
        auto isBlank = [](std::byte byte) { return isSeparator(static_cast<char>(byte)); };
        auto begin = std::find_if_not(bytes.begin(), bytes.end(), isBlank);
        return std::find(begin, bytes.end(), std::byte{'\n'}) != bytes.end();
    }

    /// False at the end; the beginning of an item there is dropped, as in every format.
    Result<bool> readItem(std::byte* to) {
        std::optional<base::Failure> failure;
        std::memset(to, 0, itemSize);
        bool whole = eachWord(item, 0, [&](std::size_t offset, TypeKind kind) {
            Result<bool> got = readWord(kind, to + offset);
            if (!got) failure = got.failure();
            return got && *got;
        });
        if (failure) return *failure;
        return whole;
    }

    Result<bool> readWord(TypeKind kind, std::byte* to) {
        Result<bool> there = skipToWord();
        if (!there || !*there) return there;
        Result<std::size_t> length = wordLength();
        if (!length) return length.failure();
        std::string_view word(reinterpret_cast<const char*>(source->buffered().data()), *length);
        if (word.size() > kLongestWord || !parse(word, kind, to)) return wrong(word, kind);
        source->take(word.size());
        return true;
    }

    /// Of the word that is buffered, at least up to the limit; waits for no more than its end.
    Result<std::size_t> wordLength() {
        std::size_t length = 0;
        while (length <= kLongestWord) {
            auto bytes = source->ask(length + 1);
            if (!bytes) return bytes.failure();
            if (bytes->size() == length) break;
            for (; length < bytes->size(); ++length) {
                char c = static_cast<char>((*bytes)[length]);
                if (isSeparator(c) || c == '#') return length;
            }
        }
        return length;
    }

    static bool parse(std::string_view word, TypeKind kind, std::byte* to) {
        double special = 0;
        if (kind >= TypeKind::Float && findSpecial(word, special))
            return store(ofReal(special), kind, to);
        if (kind == TypeKind::Boolean && (word == "0" || word == "1")) kind = TypeKind::Bit;
        Type type;
        type.kind = kind;
        std::optional<Value> value = types::parseValue(word, &type);
        if (value) std::memcpy(to, value->bytes.data(), value->bytes.size());
        return value.has_value();
    }

    /// False at the end of the file.
    Result<bool> skipToWord() {
        bool comment = false;
        while (true) {
            auto bytes = source->ask(1);
            if (!bytes) return bytes.failure();
            if (bytes->empty()) return false;
            std::size_t i = 0;
            for (; i < bytes->size(); ++i) {
                char c = static_cast<char>((*bytes)[i]);
                line += c == '\n';
                comment = c == '#' || (comment && c != '\n');
                if (!comment && !isSeparator(c)) break;
            }
            bool found = i < bytes->size();
            source->take(i);
            if (found) return true;
        }
    }

    base::Failure wrong(std::string_view word, TypeKind kind) const {
        std::string shown(word.substr(0, kShownWord));
        if (word.size() > kShownWord) shown += "...";
        return source->malformed(name(Format::Csv),
                                 fmt::format("line {}: '{}' is not {}", line, shown, nameOf(kind)));
    }

    std::unique_ptr<Source> source;
    const Type* item;
    std::size_t itemSize;
    std::optional<base::Failure> fault;
    std::uint64_t line = 1;
    bool any = false;
};

/// One item a line.
class CsvWriter : public SinkWriter {
public:
    CsvWriter(std::unique_ptr<Sink> opened, const Type* type)
        : SinkWriter(std::move(opened)), item(type) {}

    Status write(const std::byte* from, std::size_t count) override {
        auto step = static_cast<std::size_t>(types::sizeOf(item));
        for (std::size_t i = 0; i < count; ++i, from += step) {
            text.clear();
            eachWord(item, 0, [&](std::size_t offset, TypeKind kind) {
                if (!text.empty()) text += ',';
                append(kind, from + offset);
                return true;
            });
            text += '\n';
            Status written = sink->write(text.data(), text.size());
            if (!written) return written;
        }
        return base::ok();
    }

    Status close() override { return sink->closeLines(); }

private:
    void append(TypeKind kind, const std::byte* from) {
        Number number = load(kind, from);
        if (number.exact) {
            fmt::format_to(std::back_inserter(text), "{}", number.integer);
        } else if (kind == TypeKind::Complex) {
            std::string imaginary = types::formatFloat(static_cast<float>(number.imag));
            text += types::formatFloat(static_cast<float>(number.real));
            if (!imaginary.starts_with('-')) text += '+';
            text += imaginary + 'i';
        } else if (kind == TypeKind::Double) {
            text += types::formatDouble(number.real);
        } else {
            text += types::formatFloat(static_cast<float>(number.real));
        }
    }

    const Type* item;
    std::string text;
};

}  // namespace

bool holdsText(const Type* item) { return isText(item); }

Result<std::unique_ptr<ItemReader>> openCsvReader(std::unique_ptr<Source> source,
                                                  const Type* item) {
    return std::make_unique<CsvReader>(std::move(source), item);
}

Result<std::unique_ptr<ItemWriter>> openCsvWriter(std::unique_ptr<Sink> sink, const Type* item,
                                                  const StreamInfo&) {
    return std::make_unique<CsvWriter>(std::move(sink), item);
}

}  // namespace strc::io
