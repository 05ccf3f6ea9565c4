#pragma once
/// Identifiers of C. Private to csource, but for isReservedWord.

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace strc::csource {

/// A word that C or C++ would not take as the name of a field.
bool isReservedWord(std::string_view);

/// The names that can be seen at a place of a function, and of the blocks around it.
class Names {
public:
    Names() : scopes(1) {}

    void enter() { scopes.emplace_back(); }
    void leave() { scopes.pop_back(); }
    /// `wanted`, or with a number behind it if that means something there already.
    std::string take(std::string_view wanted);
    /// From now on nothing gets that name.
    void reserve(std::string name) { scopes.back().insert(std::move(name)); }
    /// A name of the innermost scope belongs to the scope that is entered next.
    void release(const std::string& name) { scopes.back().erase(name); }

private:
    bool isTaken(const std::string&) const;
    std::vector<std::set<std::string>> scopes;
};

}  // namespace strc::csource
