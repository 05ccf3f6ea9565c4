#include "repl/detail/output.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/limits.h"

namespace strc::repl {

namespace {

/// A fault in terms of what was typed; what it is about in `args`.
Message faultAt(const Input& input, base::Diag id, const std::vector<std::string>& args,
                bool colour) {
    base::SourceManager sources;
    const base::BufferId buffer = sources.add(input.name, std::string(input.typed));
    base::Diagnostics diags;
    base::Diagnostic& fault = diags.add(id, {buffer, static_cast<std::uint32_t>(input.begin),
                                             static_cast<std::uint32_t>(input.end)});
    for (const std::string& each : args) fault << each;
    return toMessage(diags.all().front(), sources, colour);
}

}  // namespace

void Output::begin(Answer& answer) {
    present = &answer;
    unsaid = 0;
}

void Output::end() {
    if (unsaid > 0) {
        base::Diagnostic more{base::Diag::MoreErrors, base::Severity::Note, {}, {}, {}, {}, {}};
        more << static_cast<std::int64_t>(unsaid);
        present->messages.push_back(toMessage(more, base::SourceManager(), callbacks.colour));
    }
    present = nullptr;
}

void Output::lackMemory(const Input& input) {
    add({faultAt(input, base::Diag::LimitExceeded,
                 {"the memory that this needs", std::to_string(base::Limits().totalBytes)},
                 callbacks.colour)});
}

void Output::failAt(const Input& input, std::size_t begin, std::size_t end, std::string_view what) {
    const Input place{input.typed, input.name, begin, end};
    add({faultAt(place, base::Diag::PromptCommand, {std::string(what)}, callbacks.colour)});
    throw Failed();
}

void Output::fail(const Input& input, std::string_view what) {
    failAt(input, input.begin, input.end, what);
}

void Output::add(std::vector<Message> messages) {
    constexpr std::size_t kMostMessages = 20;
    for (Message& each : messages) {
        if (present->messages.size() < kMostMessages)
            present->messages.push_back(std::move(each));
        else if (each.severity == base::Severity::Error)
            ++unsaid;
    }
}

void Output::keepMessages(std::size_t count) {
    auto& messages = present->messages;
    messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(count), messages.end());
}

void Output::remark(std::string_view text) {
    if (isQuiet) return;
    if (callbacks.isTerse)
        present->messages.push_back({base::Severity::Note, {}, std::string(text), {}});
    else
        callbacks.show(text);
}

void Output::check(std::vector<Message> messages) {
    bool isFine = true;
    for (const Message& each : messages) isFine = isFine && each.severity != base::Severity::Error;
    add(std::move(messages));
    if (!isFine) throw Failed();
}

void Output::give(const types::Value& value) {
    if (callbacks.wantsValues) {
        present->type = types::toString(value.type);
        present->value = toJson(value);
    }
    show(toText(value, callbacks.isTerse) + "\n");
}

void Output::give(const Items& results) {
    constexpr std::uint64_t kMostShown = 1000;
    constexpr std::uint64_t kMostValues = 1'000'000;
    const std::uint64_t count = results.count();
    if (count == 0) return;
    if (callbacks.wantsValues) {
        present->type = results.typeText();
        present->value.clear();
        for (std::uint64_t k = 0; k < count && count <= kMostValues; ++k)
            present->value += (k == 0 ? "[" : ",") + toJson(results[k]);
        if (!present->value.empty()) present->value += "]";
    }
    if (callbacks.isTerse) {
        Rows rows;
        for (std::uint64_t k = 0; k < count; ++k) show(rows.add(results[k]));
        return show(rows.end());
    }
    show(toTable(results.first(kMostShown), callbacks.width));
    if (count > kMostShown) show(fmt::format("… {} more\n", count - kMostShown));
}

}  // namespace strc::repl
