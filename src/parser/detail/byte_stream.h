#pragma once
/// A buffer as ANTLR's stream of characters: one character a byte. So positions of tokens are byte
/// offsets, any byte may occur, and nothing is decoded or copied.

#include <algorithm>
#include <string>
#include <string_view>

#include "parser/detail/antlr.h"

namespace strc::parser {

class ByteStream final : public antlr4::CharStream {
public:
    explicit ByteStream(std::string_view bytes) : bytes(bytes) {}

    void consume() override { ++position; }
    /// A missing character is EOF, whose value is no byte's.
    std::size_t LA(ssize_t i) override {
        const auto at = static_cast<ssize_t>(position) + (i > 0 ? i - 1 : i);
        if (at < 0 || at >= static_cast<ssize_t>(bytes.size())) return EOF;
        return static_cast<unsigned char>(bytes[static_cast<std::size_t>(at)]);
    }
    ssize_t mark() override { return -1; }
    void release(ssize_t) override {}
    std::size_t index() override { return position; }
    void seek(std::size_t index) override { position = std::min(index, bytes.size()); }
    std::size_t size() override { return bytes.size(); }
    std::string getSourceName() const override { return UNKNOWN_SOURCE_NAME; }
    std::string getText(const antlr4::misc::Interval& interval) override {
        if (interval.a < 0 || interval.b < interval.a) return {};
        const auto first = std::min(static_cast<std::size_t>(interval.a), bytes.size());
        return std::string(bytes.substr(first, static_cast<std::size_t>(interval.length())));
    }
    std::string toString() const override { return std::string(bytes); }

private:
    std::string_view bytes;
    std::size_t position = 0;
};

}  // namespace strc::parser
