// What an LV2 bundle says of its plug-in: https://lv2plug.in/ns/lv2core, in Turtle.
#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "plugins/plugin.h"

namespace strc::plugins {
namespace {

constexpr const char* kManifest = R"(@prefix lv2: <http://lv2plug.in/ns/lv2core#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .

<{0}>
    a lv2:Plugin ;
    lv2:binary <{1}> ;
    rdfs:seeAlso <{2}> .
)";

constexpr const char* kHead = R"(@prefix doap: <http://usefulinc.com/ns/doap#> .
@prefix lv2: <http://lv2plug.in/ns/lv2core#> .
@prefix pprops: <http://lv2plug.in/ns/ext/port-props#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix units: <http://lv2plug.in/ns/extensions/units#> .

<{0}>
    a {1} ;
    doap:name {2} ;
    lv2:minorVersion 0 ;
    lv2:microVersion 0 ;
    lv2:optionalFeature lv2:hardRTCapable ;
    lv2:port )";

/// Units that LV2 has, by what people write.
constexpr std::pair<const char*, const char*> kUnits[] = {{"Hz", "hz"},
                                                          {"kHz", "khz"},
                                                          {"MHz", "mhz"},
                                                          {"dB", "db"},
                                                          {"s", "s"},
                                                          {"ms", "ms"},
                                                          {"min", "min"},
                                                          {"%", "pc"},
                                                          {"bpm", "bpm"},
                                                          {"BPM", "bpm"},
                                                          {"ct", "cent"},
                                                          {"oct", "oct"},
                                                          {"m", "m"},
                                                          {"cm", "cm"},
                                                          {"mm", "mm"},
                                                          {"km", "km"},
                                                          {"x", "coef"},
                                                          {"deg", "degree"},
                                                          {"semi", "semitone12TET"}};

std::string quoted(const std::string& text) {
    std::string made = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') made += '\\';
        made += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return made + "\"";
}

/// A decimal, which every reader takes, unlike numbers such as 1e-05.
std::string decimal(double value) {
    std::array<char, 512>
        text;  // 309 digits before the point at the most, or 326 characters behind it
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
    const std::string made(text.data(), end);
    return made.find('.') == made.npos ? made + ".0" : made;
}

std::string unitOf(const std::string& unit) {
    for (const auto& [written, name] : kUnits)
        if (unit == written) return fmt::format("units:{}", name);
    return fmt::format("[ a units:Unit ; rdfs:label {0} ; units:symbol {0} ; units:render {1} ]",
                       quoted(unit), quoted("%f " + unit));
}

class Ports {
public:
    explicit Ports(const Plugin& plugin) {
        for (const Control& each : plugin.controls) symbols.insert(each.name);
        addAudio(plugin.inputs, true);
        addAudio(plugin.outputs, false);
        for (const Control& each : plugin.controls) add(controlText(each));
        add(fmt::format(
            "a lv2:OutputPort , lv2:ControlPort ;{0}lv2:symbol {1} ;{0}lv2:name \"Latency\" ;{0}"
            "lv2:designation lv2:latency ;{0}lv2:portProperty lv2:reportsLatency , lv2:integer ;{0}"
            "lv2:minimum 0 ;{0}lv2:default {2} ;{0}units:unit units:frame",
            kLine, quoted(fresh("latency")), plugin.latency));
    }

    std::string text;

private:
    static constexpr const char* kLine = "\n        ";

    void add(const std::string& properties) {
        text += fmt::format("{}[\n        lv2:index {} ;{}{}\n    ]", count == 0 ? "" : " , ",
                            count, kLine, properties);
        ++count;
    }

    /// Symbols differ from those of controls.
    std::string fresh(std::string symbol) {
        while (!symbols.insert(symbol).second) symbol += "_";
        return symbol;
    }

    void addAudio(std::uint32_t channels, bool isInput) {
        for (std::uint32_t k = 0; k < channels; ++k) {
            std::string symbol = isInput ? "in" : "out", name = isInput ? "In" : "Out";
            std::string designation;
            if (channels == 2) {
                symbol += k == 0 ? "_left" : "_right";
                name += k == 0 ? " left" : " right";
            } else if (channels > 2) {
                symbol += fmt::format("_{}", k + 1);
                name += fmt::format(" {}", k + 1);
            }
            add(fmt::format("a {} , lv2:AudioPort ;{}lv2:symbol {} ;{}lv2:name {}",
                            isInput ? "lv2:InputPort" : "lv2:OutputPort", kLine,
                            quoted(fresh(symbol)), kLine, quoted(name)));
        }
    }

    static std::string controlText(const Control& control) {
        std::string made = fmt::format(
            "a lv2:InputPort , lv2:ControlPort ;{0}lv2:symbol {1} ;{0}lv2:name {2} ;{0}"
            "lv2:default {3} ;{0}lv2:minimum {4} ;{0}lv2:maximum {5}",
            kLine, quoted(control.name), quoted(control.label), decimal(control.initial),
            decimal(control.low), decimal(control.high));
        const std::pair<bool, const char*> properties[] = {
            {control.isInteger, "lv2:integer"},
            {control.isToggle, "lv2:toggled"},
            {control.isLogarithmic, "pprops:logarithmic"}};
        for (const auto& [holds, name] : properties)
            if (holds) made += fmt::format(" ;{}lv2:portProperty {}", kLine, name);
        if (!control.unit.empty())
            made += fmt::format(" ;{}units:unit {}", kLine, unitOf(control.unit));
        return made;
    }

    std::set<std::string> symbols;
    std::uint32_t count = 0;
};

}  // namespace

std::string lv2Manifest(const Plugin& plugin, const std::string& description) {
    return fmt::format(kManifest, plugin.uri, plugin.binary, description);
}

std::string lv2Description(const Plugin& plugin) {
    const char* kind = plugin.inputs == 0    ? "lv2:Plugin , lv2:GeneratorPlugin"
                       : plugin.outputs == 0 ? "lv2:Plugin , lv2:AnalyserPlugin"
                                             : "lv2:Plugin";
    return fmt::format(kHead, plugin.uri, kind, quoted(plugin.title)) + Ports(plugin).text + " .\n";
}

}  // namespace strc::plugins
