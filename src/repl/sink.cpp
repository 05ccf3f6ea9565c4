#include "repl/detail/sink.h"

#include <fmt/format.h>

#include "types/tensor_text.h"

namespace strc::repl {

using types::Value;

namespace {

/// The limit for items that are kept to be shown, drawn or put into a variable.
constexpr std::size_t kMostKeptBytes = 64ull << 20;

}  // namespace

bool Sink::take(const std::vector<Value>& items) {
    std::string text;
    bool isFine = true;
    for (const Value& item : items) {
        const Value each = writer ? item : meaning(item);
        isFine = writer ? write(each) : keep(each);
        if (!isFine) break;
        ++count;
        if (showsRows()) text += rows.add(each);
    }
    if (!text.empty()) show(text);
    return isFine;
}

void Sink::end() {
    if (const std::string last = rows.end(); !last.empty()) show(last);
}

bool Sink::write(const Value& item) {
    if (item.type->is(types::TypeKind::Tensor)) {  // one whose shape only the run knows
        const types::Type* memory = memories.array(memories.scalar(item.type->element->kind),
                                                   types::countElements(item.type));
        if (auto fits = writer->expect(item.type, memory); !fits) failure = fits.failure();
        if (failure) return false;
    }
    auto written = writer->write(reinterpret_cast<const std::byte*>(item.bytes.data()), 1);
    if (!written) failure = written.failure();
    return !failure;
}

bool Sink::keep(const Value& item) {
    if (isCut) return true;
    if (kept.bytes.size() + item.bytes.size() <= kMostKeptBytes) return kept.add(item), true;
    if (showsRows()) {
        kept = {};
        return isCut = true;
    }
    failure = base::Failure{fmt::format(
        "more than {} items are not kept; '-> \"out.npy\"' writes any number of them to a file",
        count)};
    return false;
}

}  // namespace strc::repl
