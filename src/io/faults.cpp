#include "io/faults.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace strc::io {
namespace {

constexpr std::array kMessages{
#define STRC_MESSAGE(Id) base::Diag::Id,
#include "strc/messages.def"
#undef STRC_MESSAGE
};

}  // namespace

Faults::Faults() : strc_reporter{&Faults::keep, &Faults::addHint} {}

std::optional<base::Failure> Faults::take() { return std::exchange(first, std::nullopt); }

int Faults::keep(const strc_reporter* self, strc_text, strc_text, strc_message_id id,
                 const char* const* arguments) {
    const auto& faults = *static_cast<const Faults*>(self);
    std::vector<std::string> texts;
    for (; *arguments; ++arguments) texts.emplace_back(*arguments);
    if (!faults.first) faults.first = base::failure(kMessages[id], std::move(texts));
    return -1;
}

/// The hints that there are all stand below the first fault: nothing goes on behind it.
void Faults::addHint(const strc_reporter* self, const char* text) {
    const auto& faults = *static_cast<const Faults*>(self);
    if (faults.first) faults.first->hint = text;
}

}  // namespace strc::io
