#include "session/detail/inputs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

#include "io/devices.h"
#include "io/items.h"
#include "io/tensors.h"

namespace strc::session {

using base::Diag;
using types::Type;
using types::TypeKind;

namespace {

struct Word {
    std::string_view word;
    TypeKind kind;
};
constexpr std::array kElements{Word{"float", TypeKind::Float}, Word{"double", TypeKind::Double},
                               Word{"half", TypeKind::Half},   Word{"bfloat16", TypeKind::BFloat16},
                               Word{"int8", TypeKind::Int8},   Word{"int", TypeKind::Int},
                               Word{"long", TypeKind::Long},   Word{"boolean", TypeKind::Boolean}};

constexpr const char* kForm = "extents are numbers, or '_' for any, with 'x' between them";

/// Takes an extent from the beginning. Empty: there is none.
std::optional<std::int64_t> takeExtent(std::string_view& text) {
    if (text[0] == '_') {
        text.remove_prefix(1);
        return types::kDynamic;
    }
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || extent < 0 || text[0] == '-') return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return extent;
}

/// Empty: fine. Else why not.
std::string parseShape(std::string_view text, std::vector<std::int64_t>& dims) {
    while (!text.empty()) {
        const std::optional<std::int64_t> extent = takeExtent(text);
        if (!extent) return kForm;
        dims.push_back(*extent);
        if (text.empty()) break;
        if (text[0] != 'x' || text.size() == 1) return kForm;
        text.remove_prefix(1);
    }
    return {};
}

const Type* parse(base::Context& context, std::string_view text, types::TypeTable& types) {
    const std::size_t colon = text.find(':');
    const std::string_view word = colon == text.npos ? "float" : text.substr(colon + 1);
    const Word* element = nullptr;
    for (const Word& each : kElements)
        if (each.word == word) element = &each;
    std::vector<std::int64_t> dims;
    std::string why = parseShape(text.substr(0, colon), dims);
    const Type* type = nullptr;
    if (why.empty() && !element) why = "'" + std::string(word) + "' is no type of elements";
    if (why.empty()) type = types.tensor(types.scalar(element->kind), std::move(dims));
    if (why.empty() && isConcrete(type) && types::countElements(type) > INT32_MAX)
        why = "it has more than 2147483647 elements";
    if (why.empty()) return type;
    context.diags.add(Diag::InputShape) << text << why;
    return nullptr;
}

/// What a pipe gives is gone once it has been read: such a file says nothing before the program runs.
bool givesOnlyOnce(const std::string& file) {
    std::error_code error;
    const auto status = std::filesystem::status(io::pathOf(file), error);
    return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
           !std::filesystem::is_directory(status);
}

/// What a file has is such an item, or several.
bool fill(base::Context& context, const Type& pattern, elab::GivenInput& given,
          types::TypeTable& types) {
    const Type* item = io::itemIn(given.type, &pattern, types);
    if (!item)
        context.diags.add(Diag::ItemShape) << given.file << types::toString(given.type)
                                           << "'--input'" << types::toString(&pattern);
    given = {item, {}};
    return item;
}

}  // namespace

bool findInputs(base::Context& context, const std::vector<std::string>& said,
                const std::vector<std::string>& files, const Type* declared,
                types::TypeTable& types, std::vector<elab::GivenInput>& found) {
    std::vector<const Type*> patterns;
    for (const std::string& text : said)
        if (const Type* type = parse(context, text, types)) patterns.push_back(type);
    if (patterns.size() != said.size()) return false;
    const bool isOpen = !std::all_of(patterns.begin(), patterns.end(), types::isConcrete);
    if (!said.empty() && (!isOpen || files.empty())) {
        for (const Type* pattern : patterns) found.push_back({pattern, {}});
        return true;
    }
    for (const std::string& file : files) {
        if (givesOnlyOnce(file)) continue;
        const io::Format named = io::formatOf(file).value_or(io::Format::Npy);
        const io::Format format = io::knowsTensors(named) ? named : io::Format::Npy;
        const Type* wanted = isOpen ? patterns[found.size() % patterns.size()] : declared;
        auto inside = io::typesIn({file, format}, wanted, types);
        if (!inside) {
            base::report(context.diags, inside.failure());
            return false;
        }
        for (const Type* type : *inside) found.push_back({type, file});
    }
    for (std::size_t k = 0; k < found.size() && isOpen; ++k)
        if (!fill(context, *patterns[k % patterns.size()], found[k], types)) return false;
    return true;
}

namespace {

elab::GivenSound findDevice(const std::string& name, const std::string& mend) {
    const base::Result<int> rate = io::deviceRate(name);
    if (!rate) return {.why = rate.error() + mend};
    return {*rate, 0, "'" + name + "' has as many channels as its items have samples" + mend};
}

}  // namespace

elab::GivenSound findSound(const std::string& file) {
    const std::string mend = "; an argument says what it is then";
    if (file.empty())
        return {.why = "no sound is the input yet, as with 'strc run --in a.wav'" + mend};
    if (io::isSoundDevice(file)) return findDevice(file, mend);
    if (givesOnlyOnce(file)) return {.why = "'" + file + "' is read only once" + mend};
    const types::TypeTable types;
    auto reader = io::openReader(file, io::soundFormatOf(file), types.scalar(TypeKind::Float));
    if (!reader) return {.why = reader.error()};
    const io::StreamInfo info = (*reader)->info();
    return {info.sampleRate, info.channels, {}};
}

}  // namespace strc::session
