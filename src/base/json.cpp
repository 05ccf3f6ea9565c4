#include "base/detail/json.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.h"

namespace strc::base {

std::string jsonString(std::string_view text) {
    std::string result = "\"";
    while (!text.empty()) {
        std::size_t length = utf8Length(text);
        unsigned char first = static_cast<unsigned char>(text[0]);
        if (length == 0)
            result += kReplacementCharacter;
        else if (first == '"' || first == '\\')
            result += {'\\', text[0]};
        else if (first < 0x20 || first == 0x7F)
            result += fmt::format("\\u{:04x}", first);
        else
            result += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result += '"';
}

}  // namespace strc::base
