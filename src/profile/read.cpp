#include "profile/read.h"

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>

#include <nlohmann/json.hpp>

namespace strc::profile {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr double kLongest = 1e15;  ///< ns

base::Failure malformed(const std::string& file, const std::string& why) {
    return base::failure(base::Diag::MalformedInput, {file, "profile", why});
}

base::Result<std::string> textOf(const std::string& file) {
    errno = 0;
    std::ifstream in(file, std::ios::binary);
    if (!in) return base::failure(base::Diag::CannotOpenFile, {file, std::strerror(errno)});
    std::string text;
    char part[1 << 16];
    while (in.read(part, sizeof part) || in.gcount() > 0) {
        text.append(part, static_cast<std::size_t>(in.gcount()));
        if (text.size() > kMostBytes) return malformed(file, "it is larger than 1 GiB");
    }
    if (in.bad() || (!in.eof() && in.fail()))
        return base::failure(base::Diag::CannotReadFile, {file, std::strerror(errno)});
    return text;
}

/// The object of our own in it, without the events, which may be many.
Json figuresOf(const std::string& text, std::string& why) {
    auto skip = [](int depth, Json::parse_event_t event, Json& parsed) {
        return !(depth == 1 && event == Json::parse_event_t::key && parsed == "traceEvents");
    };
    try {
        Json whole = Json::parse(text, skip);
        if (whole.is_object() && whole.contains("strc")) return std::move(whole["strc"]);
        why = "it has no figures of strc, which '--profile=FILE' writes";
    } catch (const Json::parse_error& error) {
        why = "it is no JSON from byte " + std::to_string(error.byte) + " on";
    }
    return {};
}

/// A sentence about a row that is none; empty: it has been taken.
std::string take(const Json& row, Measured& to) {
    const bool isRow = row.is_object() && row.contains("path") && row["path"].is_string() &&
                       row.contains("firings") && row["firings"].is_number_unsigned() &&
                       row.contains("seconds") && row["seconds"].is_number();
    if (!isRow) return "a row of its filters lacks 'path', 'firings' or 'seconds'";
    const auto firings = row["firings"].get<double>();
    const double ns = row["seconds"].get<double>() * 1e9;
    if (!(ns >= 0) || ns > kLongest) return "a filter has a time that cannot be";
    // What was too quick to be timed is not for nothing all the same.
    if (firings > 0 && ns > 0) to.firings[row["path"].get<std::string>()] = ns / firings;
    return {};
}

}  // namespace

base::Result<Measured> readProfile(const std::string& file) {
    const base::Result<std::string> text = textOf(file);
    if (!text) return text.failure();
    std::string why;
    const Json figures = figuresOf(*text, why);
    if (!why.empty()) return malformed(file, why);
    const bool isOurs = figures.is_object() && figures.value("format", Json()) == "strc-profile" &&
                        figures.contains("filters") && figures["filters"].is_array();
    if (!isOurs) return malformed(file, "it has no figures of strc, which '--profile=FILE' writes");
    if (figures.value("version", Json()) != 1)
        return malformed(file, "its version is not 1, the one that is known here");
    Measured made;
    const Json program = figures.value("program", Json());
    if (program.is_string()) made.program = program.get<std::string>();
    for (const Json& row : figures["filters"])
        if (std::string fault = take(row, made); !fault.empty()) return malformed(file, fault);
    return made;
}

}  // namespace strc::profile
