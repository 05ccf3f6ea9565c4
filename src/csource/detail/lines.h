#pragma once
/// The lines of a function's body. Private to csource.

#include <string>
#include <string_view>

namespace strc::csource {

class Lines {
public:
    void add(std::string_view line) {
        text.append(static_cast<std::size_t>(depth) * 4, ' ').append(line).append("\n");
    }
    /// "line {", and the lines of the block from now on.
    void open(std::string_view line) {
        add(std::string(line) + (line.empty() ? "{" : " {"));
        ++depth;
    }
    void close(std::string_view after = "") {
        --depth;
        add("}" + std::string(after));
    }
    /// Takes away all from a place on.
    std::string cut(std::size_t from) {
        std::string rest = text.substr(from);
        text.resize(from);
        return rest;
    }
    std::size_t size() const { return text.size(); }
    std::string margin() const { return std::string(static_cast<std::size_t>(depth) * 4, ' '); }

    std::string text;
    int depth = 1;
};

}  // namespace strc::csource
