#pragma once
/// Collects the faults that verification finds in a plan: sentences, as many as help.

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace strc::plan {

class VerifyFaults {
public:
    template <typename... Args>
    void add(fmt::format_string<Args...> format, Args&&... args) {
        if (!areEnough()) list.push_back(fmt::format(format, std::forward<Args>(args)...));
    }
    bool isEmpty() const { return list.empty(); }
    /// Nothing more is collected.
    bool areEnough() const { return list.size() >= kMostFaults; }
    void replaceBy(std::vector<std::string> others) { list = std::move(others); }
    std::vector<std::string> take() { return std::move(list); }

private:
    static constexpr std::size_t kMostFaults = 20;
    std::vector<std::string> list;
};

}  // namespace strc::plan
