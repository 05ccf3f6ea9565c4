#pragma once
/// Values as people and tools read them. Private to repl.

#include <cstdint>
#include <string>
#include <vector>

#include "types/value.h"

namespace strc::repl {

/// Items of one type, or tensors of several.
struct Items {
    const types::Type* type = nullptr;  ///< of the first
    std::string bytes;  ///< of one after the other

    void add(const types::Value&);
    std::uint64_t count() const;
    bool areAlike() const { return places.empty(); }
    /// "int"
    std::string typeText() const;
    types::Value operator[](std::uint64_t k) const;
    std::vector<types::Value> first(std::uint64_t most) const;

private:
    /// Type and offset of one item, if items have different types.
    struct FieldOffset {
        const types::Type* type;
        std::size_t begin;
    };
    std::size_t bytesOfOne() const;

    std::vector<FieldOffset> places;
};

/// As the language would write it: `{1, 2}`, `1.5`, `P{x = 1, y = 2}`; of long arrays the beginning.
std::string toText(const types::Value&, bool isWhole = false);
/// One line for a few; numbers of one type in columns, each row with the place of its first.
std::string toTable(const std::vector<types::Value>&, std::size_t width);
/// The same items for programs: rows of ten with a blank between them, or a line each. Text comes when a row is
/// complete.
class Rows {
public:
    std::string add(const types::Value&);
    std::string end();

private:
    std::string row;
    std::size_t count = 0;
};
/// So many of them: `float[4]` becomes `float[n][4]`.
std::string arrayOf(const types::Type* item, std::size_t count);
/// JSON: numbers, booleans, arrays, objects; complex as [re, im]; NaN and infinities as strings.
std::string toJson(const types::Value&);
/// A number as a double; of a complex its absolute value, of an array its items one after the other.
void appendNumbers(const types::Value&, std::vector<double>&);
/// Element `k` of an array.
types::Value element(const types::Value&, std::int64_t k);
/// The part of an array or a struct at an offset.
types::Value part(const types::Value&, std::int64_t offset, const types::Type*);
/// Number `k` of a complex or a vector.
float component(const types::Value&, std::size_t k);

}  // namespace strc::repl
