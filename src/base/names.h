#pragma once
/// Interned identifiers: equal texts give equal Names, so comparing is comparing pointers.

#include <compare>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace strc::base {

class Name {
public:
    Name() = default;
    std::string_view text() const {
        return string ? std::string_view(*string) : std::string_view();
    }
    const std::string& str() const { return *string; }
    explicit operator bool() const { return string != nullptr; }
    bool operator==(const Name& other) const { return string == other.string; }

private:
    friend class NameTable;
    friend struct std::hash<Name>;
    explicit Name(const std::string* s) : string(s) {}
    const std::string* string = nullptr;
};

class NameTable {
public:
    Name intern(std::string_view text) { return Name(&*strings.emplace(text).first); }

private:
    std::unordered_set<std::string> strings;
};

}  // namespace strc::base

/// For look-up tables only: never iterate over one where the order can be seen.
template <>
struct std::hash<strc::base::Name> {
    std::size_t operator()(const strc::base::Name& name) const noexcept {
        return std::hash<const void*>()(name.string);
    }
};
