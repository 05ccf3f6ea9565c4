#pragma once
/// The kind of a piece of a program that stands alone, as it is typed at a prompt.

#include <cstdint>
#include <string_view>

namespace strc::parser {

enum class FragmentKind : std::uint8_t {
    Declaration,
    Variables,  ///< `int n = 3, m`
    Statement,
    Expression,
    Stream  ///< an anonymous one or an arrow, with or without more behind it: the language has no such fragment
};

/// In: a text, in which the last `;` may be missing, and how deeply it may be nested (Limits::nesting). Out: the kind
/// of the rule of the grammar that reads most of it, so that a text with faults has the kind that was meant; faults
/// are not reported. `interrupt` as for `parse`.
FragmentKind kindOfFragment(std::string_view text, std::size_t nesting,
                            const volatile bool* interrupt = nullptr);

}  // namespace strc::parser
