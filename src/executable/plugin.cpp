#include "executable/plugin.h"

#include <algorithm>

#include <fmt/format.h>

#include "executable/library.h"

namespace strc::executable {
namespace {

using base::Diag;
using graph::kNone;
using types::Type;
using types::TypeKind;

constexpr std::int64_t kMostChannels = 64;
constexpr const char* kRate = "rate";  ///< of all streams of the library: samples a second

double numberOf(const types::Value& value) {
    switch (value.type->kind) {
        case TypeKind::Int: return value.toInt();
        case TypeKind::Float: return value.as<float>();
        case TypeKind::Double: return value.as<double>();
        default: return value.bytes.empty() || value.bytes[0] == 0 ? 0 : 1;
    }
}

class AudioDescription {
public:
    AudioDescription(const Program& wanted, const plugins::Annotations& said)
        : program(wanted), graph(wanted.plan.program->graph), annotations(said) {}

    std::optional<plugins::Plugin> make() {
        result.title = annotations.title.empty() ? program.mainStream : annotations.title;
        result.uri = annotations.uri.empty() ? "urn:strc:" + program.mainStream : annotations.uri;
        result.inputs = channelsOf(graph.input, "takes");
        result.outputs = channelsOf(graph.output, "gives");
        checkRates();
        for (std::uint32_t slot = 0; slot < program.module.open.size(); ++slot) addParameter(slot);
        if (result.rateSlot < 0) findFixedRate();
        if (!fine) return std::nullopt;
        return std::move(result);
    }

private:
    base::SourceRange mainRange() const {
        return graph.composites.empty() ? graph.nodes[0].range : graph.composites[0].header;
    }

    void refuse(const std::string& why) {
        fine = false;
        program.context.diags.add(Diag::PluginEnds, mainRange())
            << program.mainStream << "an audio plug-in" << why;
    }

    static bool isSample(const Type* type) {
        return type->is(TypeKind::Float) || type->is(TypeKind::Double);
    }

    std::uint32_t channelsOf(graph::EdgeId edge, const char* does) {
        if (edge == kNone) return 0;
        const Type* type = graph.edges[edge].type;
        if (isSample(type)) return 1;
        const bool isFrame = type->is(TypeKind::Array) && isSample(type->element);
        const std::int64_t channels =
            isFrame ? types::sizeOf(type) / types::sizeOf(type->element) : 0;
        if (isFrame && channels <= kMostChannels) return static_cast<std::uint32_t>(channels);
        refuse(
            fmt::format("it {} items of type '{}', and the frames of a plug-in are float (mono), "
                        "float[2] (stereo), or an array of up to {} floats or doubles",
                        does, types::toString(type), kMostChannels));
        return 0;
    }

    void checkRates() {
        if (program.plan.demand)
            return refuse(
                "how many items it gives depends on them, and a host wants as many "
                "frames as it brings, each time");
        const Rates rates = ratesOf(program.plan);
        result.latency = rates.latency();
        const bool hasBoth = graph.input != kNone && graph.output != kNone;
        if (hasBoth && rates.in != rates.out)
            refuse(
                fmt::format("it gives {} items for {}, and a host wants as many frames as it "
                            "brings",
                            rates.out, rates.in));
    }

    void addParameter(std::uint32_t slot) {
        const std::string& name = program.module.open[slot].name;
        const auto range =
            std::find_if(annotations.ranges.begin(), annotations.ranges.end(),
                         [&](const plugins::Range& each) { return each.parameter == name; });
        if (range == annotations.ranges.end()) {
            const auto& rates = annotations.rateParameters;
            const bool isRate =
                name == kRate || std::find(rates.begin(), rates.end(), name) != rates.end();
            if (isRate) setRate(slot);
            if (!isRate)
                refuse(
                    fmt::format("its parameter '{}' is kept open without a range: "
                                "'/// @range {} LOW HIGH' before the stream says one",
                                name, name));
            return;
        }
        const types::Value& value = program.plan.program->openValues[slot];
        const bool isSingle = value.type->is(types::TypeKind::Float);
        addControl(*range, slot, isSingle ? onRange(*range, numberOf(value)) : numberOf(value));
    }

    void setRate(std::uint32_t slot) {
        if (result.rateSlot >= 0)
            refuse(fmt::format(
                "its parameters '{}' and '{}' are both the host's rate, which one takes: the "
                "other one can be computed from that in a stream inside",
                program.module.open[static_cast<std::size_t>(result.rateSlot)].name,
                program.module.open[slot].name));
        result.rateSlot = slot;
    }

    /// A float that is one of the ends in floats is that end.
    static double onRange(const plugins::Range& range, double value) {
        if (value == static_cast<double>(static_cast<float>(range.low))) return range.low;
        return value == static_cast<double>(static_cast<float>(range.high)) ? range.high : value;
    }

    void addControl(const plugins::Range& range, std::uint32_t slot, double initial) {
        if (!(initial >= range.low && initial <= range.high)) {
            fine = false;
            program.context.diags.add(Diag::BadAnnotation, range.place)
                << "@range"
                << fmt::format("the value of '{}', {}, lies outside of it", range.parameter,
                               initial);
        }
        result.controls.push_back({range.parameter, range.label, range.unit, range.low, range.high,
                                   initial, range.smooth, range.isLogarithmic, range.isInteger,
                                   range.isToggle, slot});
    }

    /// A rate that is not open is part of the program.
    void findFixedRate() {
        const graph::Graph& whole = *program.whole;
        if (program.mainRate)
            result.fixedRate = *program.mainRate;
        else if (whole.assumedRate != 0)
            result.fixedRate = whole.assumedRate;
        else if (whole.soundRates.size() == 1)
            result.fixedRate = whole.soundRates.front();
    }

    const Program& program;
    const graph::Graph& graph;
    const plugins::Annotations& annotations;
    plugins::Plugin result;
    bool fine = true;
};

}  // namespace

std::optional<plugins::Plugin> pluginOf(const Program& program,
                                        const plugins::Annotations& annotations) {
    return AudioDescription(program, annotations).make();
}

}  // namespace strc::executable
