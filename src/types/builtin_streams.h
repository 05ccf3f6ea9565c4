#pragma once
/// The streams that are there without any declaration, because they cannot be written in the
/// language: they take a type between < and >, or reach files. One table for checking, elaboration
/// and every engine.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace strc::types {

enum class BuiltinStream : std::uint8_t {
    None,
    Identity,
    FileReader,
    FileWriter,
    ImageDisplay,
    WavReader,
    WavWriter,
    NpyReader,
    NpyWriter,
    CsvReader,
    CsvWriter,
    PcmReader,
    PcmWriter,
    ImageReader,
    ImageWriter,
};

/// Identity: T->T. Reader: void->T. Writer: T->void. Display: int->void, 3 * width * height items.
enum class BuiltinRole : std::uint8_t { Identity, Reader, Writer, Display };

/// A String (the file) or an int.
struct BuiltinParameter {
    std::string_view name;
    bool isString = false;
    std::optional<std::int32_t> defaultValue;
};

struct BuiltinStreamInfo {
    BuiltinStream id;
    std::string_view name;
    BuiltinRole role;
    /// A program may not declare a stream of that name; the others are weak.
    bool reserved;
    std::span<const BuiltinParameter> parameters;

    bool takesType() const { return role != BuiltinRole::Display; }
    bool isFile() const { return role == BuiltinRole::Reader || role == BuiltinRole::Writer; }
};

/// A function that gives a file as an array while the graph is built: the items of a reader.
struct FileFunction {
    std::string_view name;
    BuiltinStream reader;
};
std::span<const FileFunction> fileFunctions();

/// All of them, in order of their ids.
std::span<const BuiltinStreamInfo> builtinStreams();
/// Not of None.
const BuiltinStreamInfo& info(BuiltinStream);
/// None if there is none of that name.
BuiltinStream findBuiltinStream(std::string_view name);

}  // namespace strc::types
