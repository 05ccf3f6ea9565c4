#pragma once
/// The questions of Op::FileNumber and Op::ReadItems about a file.

#include "types/builtin_streams.h"
#include "types/type.h"

namespace strc::ir {

/// The second operand of FileNumber in the place of a default value that is not given.
constexpr std::int32_t kNoDefault = INT32_MIN;
/// The channel that stands for all of them, in turn.
constexpr std::int32_t kAllChannels = -1;
/// The channel of a file that is to have no others.
constexpr std::int32_t kOnlyChannel = INT32_MIN;

struct FileQuestion {
    /// Items: how many the channel that the second operand names has. Rate and Channels: of a sound, or what the second
    /// operand says if nothing is known of it.
    enum What : std::uint8_t { Items, Rate, Channels };
    What what = Items;
    /// Says the format. None, of Rate and Channels: the input of the program, whatever the file operand says.
    types::BuiltinStream reader = types::BuiltinStream::None;
    types::TypeKind element = types::TypeKind::Float;  ///< of Items

    /// As Instr::index.
    std::uint32_t index() const {
        return static_cast<std::uint32_t>(what) | static_cast<std::uint32_t>(reader) << 8 |
               static_cast<std::uint32_t>(element) << 16;
    }
    static FileQuestion at(std::uint32_t index) {
        return {static_cast<What>(index & 0xff),
                static_cast<types::BuiltinStream>(index >> 8 & 0xff),
                static_cast<types::TypeKind>(index >> 16)};
    }
};

}  // namespace strc::ir
