#include "types/builtin_streams.h"

#include "base/assert.h"

namespace strc::types {
namespace {

constexpr BuiltinParameter fileOnly[] = {{"file", true, std::nullopt}};
constexpr BuiltinParameter display[] = {{"width", false, std::nullopt},
                                        {"height", false, std::nullopt}};
/// A parameter that is 0 takes the value of the sound that the program reads.
constexpr BuiltinParameter sound[] = {{"file", true, std::nullopt},
                                      {"rate", false, 0},
                                      {"channels", false, 0},
                                      {"bits", false, 0},
                                      {"floating", false, 0}};
constexpr BuiltinParameter image[] = {{"file", true, std::nullopt},
                                      {"width", false, 0},
                                      {"height", false, 0},
                                      {"channels", false, 1}};

/// A parameter that is not 0 is required of the sound.
constexpr BuiltinParameter soundIn[] = {
    {"file", true, std::nullopt}, {"rate", false, 0}, {"channels", false, 0}};

using enum BuiltinStream;

constexpr BuiltinStreamInfo table[] = {
    {BuiltinStream::Identity, "Identity", BuiltinRole::Identity, true, {}},
    {FileReader, "FileReader", BuiltinRole::Reader, true, fileOnly},
    {FileWriter, "FileWriter", BuiltinRole::Writer, true, fileOnly},
    {ImageDisplay, "ImageDisplay", BuiltinRole::Display, true, display},
    {WavReader, "WavReader", BuiltinRole::Reader, false, soundIn},
    {WavWriter, "WavWriter", BuiltinRole::Writer, false, sound},
    {NpyReader, "NpyReader", BuiltinRole::Reader, false, fileOnly},
    {NpyWriter, "NpyWriter", BuiltinRole::Writer, false, fileOnly},
    {CsvReader, "CsvReader", BuiltinRole::Reader, false, fileOnly},
    {CsvWriter, "CsvWriter", BuiltinRole::Writer, false, fileOnly},
    {PcmReader, "PcmReader", BuiltinRole::Reader, false, fileOnly},
    {PcmWriter, "PcmWriter", BuiltinRole::Writer, false, fileOnly},
    {ImageReader, "ImageReader", BuiltinRole::Reader, false, fileOnly},
    {ImageWriter, "ImageWriter", BuiltinRole::Writer, false, image},
};

/// By the names that --in-format has.
constexpr FileFunction files[] = {{"wav", WavReader}, {"text", CsvReader}, {"csv", CsvReader},
                                  {"npy", NpyReader}, {"pcm", PcmReader},  {"raw", FileReader}};

}  // namespace

std::span<const FileFunction> fileFunctions() { return files; }

std::span<const BuiltinStreamInfo> builtinStreams() { return table; }

const BuiltinStreamInfo& info(BuiltinStream id) {
    STRC_ASSERT(id != None, "no built-in stream");
    return table[static_cast<int>(id) - 1];
}

BuiltinStream findBuiltinStream(std::string_view name) {
    for (const BuiltinStreamInfo& row : table)
        if (row.name == name) return row.id;
    return None;
}

}  // namespace strc::types
