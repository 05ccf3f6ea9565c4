#pragma once
/// `--limit` on printed lines.

#include <cstdint>
#include <optional>
#include <string_view>

namespace strc::interp {

class LineLimit {
public:
    explicit LineLimit(std::optional<std::int64_t> lines) : lines(lines) {}

    /// As much of the text as the limit lets through.
    std::string_view take(std::string_view text) {
        if (!lines) return text;
        std::size_t end = 0;
        while (seen < *lines) {
            std::size_t newline = text.find('\n', end);
            if (newline == std::string_view::npos) return text;
            end = newline + 1;
            ++seen;
        }
        return text.substr(0, end);
    }
    bool isReached() const { return lines && seen >= *lines; }

private:
    std::optional<std::int64_t> lines;
    std::int64_t seen = 0;
};

}  // namespace strc::interp
