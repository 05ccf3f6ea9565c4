#pragma once
/// Names that are wished for, made different from each other and from the words of the language.

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace strc::dsl {

/// The names of a scope and of those around it, as long as it lives.
class Names {
public:
    explicit Names(const Names* around = nullptr) : around(around) {}

    /// The wish itself if it is free and an identifier, else something like it.
    std::string take(std::string_view wish);
    /// Nobody else gets that name.
    void reserve(std::string_view name) { taken.emplace(name); }
    bool isTaken(const std::string& name) const;

private:
    const Names* around;
    std::unordered_set<std::string> taken;
};

/// A keyword, or a name that the language has given.
bool isWord(std::string_view);

}  // namespace strc::dsl
