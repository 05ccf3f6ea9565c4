#include "session/option_values.h"

#include <charconv>
#include <initializer_list>

#include "opt/run_on_text.h"

namespace strc::session {
namespace {

using Value = std::string_view;

constexpr std::uint64_t kMostLibraryThreads = 64;
constexpr std::uint64_t kMostRanks = 1024;

bool number(Value text, std::uint64_t most, std::uint64_t& to) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
    return error == std::errc() && end == text.data() + text.size() && to <= most;
}

bool define(Settings& settings, Value text) {
    const std::size_t equals = text.find('=');
    if (equals == Value::npos || equals == 0) return false;
    settings.defines[std::string(text.substr(0, equals))] = text.substr(equals + 1);
    return true;
}

bool choose(Value text, std::initializer_list<Value> words, std::size_t& to) {
    to = 0;
    for (Value word : words) {
        if (word == text) return true;
        ++to;
    }
    return false;
}

/// Plug-ins are libraries.
bool setHost(Settings& settings, Host host) {
    settings.host = host;
    settings.isShared = true;
    return true;
}

bool setOrder(Settings& settings, Value text) {
    std::size_t choice = 0;
    if (!choose(text, {"buffers", "single-appearance", "latency"}, choice)) return false;
    constexpr sched::Order orders[] = {sched::Order::Buffers, sched::Order::SingleAppearance,
                                       sched::Order::Latency};
    settings.order = orders[choice];
    return true;
}

bool disable(Settings& settings, Value pass) {
    const auto known = base::findPass(pass);
    if (!known || base::info(*known).kind != base::PassKind::Pass) return false;
    settings.disabledPasses.push_back(*known);
    return true;
}

bool addPass(Settings& settings, Value pass) {
    const auto known = base::findPass(pass);
    if (!known || !opt::runsOnText(*known)) return false;
    settings.passes.push_back(*known);
    return true;
}

bool setEmitAfter(Settings& settings, Value pass) {
    const auto known = base::findPass(pass);
    if (!known || base::info(*known).product == base::PassProduct::None) return false;
    settings.emitAfter = known;
    return true;
}

bool setBisectLimit(Settings& settings, Value text) {
    std::uint64_t count = 0;
    if (text != "-1" && !number(text, INT64_MAX, count)) return false;
    settings.bisectLimit = text == "-1" ? -1 : static_cast<std::int64_t>(count);
    return true;
}

bool setTarget(Settings& settings, Value name) {
    std::size_t choice = 0;
    return choose(name, {"aarch64-linux-gnu", "x86_64-linux-gnu"}, choice) &&
           (settings.target = name, true);
}

/// cpu, auto, cuda or cuda:N
bool setDevice(Settings& settings, Value name) {
    constexpr Value kNumbered = "cuda:";
    std::uint64_t ordinal = 0;
    std::size_t choice = 0;
    if (name.starts_with(kNumbered)) {
        if (!number(name.substr(kNumbered.size()), 1023, ordinal)) return false;
        settings.device = {Device::Cuda, static_cast<int>(ordinal)};
        return true;
    }
    if (!choose(name, {"cpu", "cuda", "auto"}, choice)) return false;
    settings.device = {static_cast<Device::Kind>(choice), 0};
    return true;
}

struct Unit {
    Value name;
    double factor;
};

/// A number and one of the units behind it.
bool measure(Value text, std::initializer_list<Unit> units, double& to) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
    if (error != std::errc() || !(to >= 0)) return false;
    const Value unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    for (const Unit& each : units) {
        if (each.name != unit) continue;
        to *= each.factor;
        return true;
    }
    return false;
}

/// LATENCY,PACE: "10us,10Gb"
bool setNetwork(Settings& settings, Value text) {
    const std::size_t comma = text.find(',');
    plan::Network& network = settings.network;
    return comma != Value::npos &&
           measure(text.substr(0, comma), {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}},
                   network.latency) &&
           measure(text.substr(comma + 1),
                   {{"kb", 1.25e-7},
                    {"Mb", 1.25e-4},
                    {"Gb", 0.125},
                    {"Tb", 125},
                    {"kB", 1e-6},
                    {"MB", 1e-3},
                    {"GB", 1},
                    {"TB", 1e3}},
                   network.pace) &&
           network.pace > 0;
}

/// DIM:PLACES, sums:PLACES, pairs:PLACES or auto:PARTS
bool setSplit(Settings& settings, Value text) {
    using types::TensorSplit;
    std::uint64_t dim = 0, places = 0;
    const std::size_t colon = text.find(':');
    if (colon == Value::npos || !number(text.substr(colon + 1), INT32_MAX, places) || places == 0)
        return false;
    const Value what = text.substr(0, colon);
    TensorSplit split{TensorSplit::kSums, static_cast<std::int64_t>(places)};
    if (what == "auto")
        split.dim = TensorSplit::kAuto;
    else if (what == "pairs")
        split.dim = TensorSplit::kPairs;
    else if (what != "sums" && !number(what, INT32_MAX, dim))
        return false;
    else if (what != "sums")
        split.dim = static_cast<std::int64_t>(dim);
    settings.split = split;
    return true;
}

/// RANK/COUNT
bool setMesh(Settings& settings, Value text) {
    std::uint64_t rank = 0, count = 0;
    const std::size_t slash = text.find('/');
    if (slash == Value::npos || !number(text.substr(0, slash), kMostRanks, rank) ||
        !number(text.substr(slash + 1), kMostRanks, count) || rank >= count)
        return false;
    settings.mesh =
        codegen::Mesh{static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(count)};
    return true;
}

/// Of options that are a text.
std::string* textOf(Settings& settings, Value name) {
    if (name == "top") return &settings.top;
    if (name == "input-sound") return &settings.inputSound;
    if (name == "stdlib") return &settings.stdlib;
    if (name == "weights") return &settings.weights;
    if (name == "linker") return &settings.linker;
    if (name == "header") return &settings.header;
    if (name == "bundle") return &settings.bundle;
    if (name == "march") return &settings.processor;
    if (name == "profile-use") return &settings.profileUse;
    return nullptr;
}

/// Of options that may be repeated.
std::vector<std::string>* listOf(Settings& settings, Value name) {
    if (name == "W") return &settings.warnings;
    if (name == "native") return &settings.natives;
    if (name == "keep-param") return &settings.keptParameters;
    if (name == "input") return &settings.inputs;
    if (name == "input-file") return &settings.inputFiles;
    return nullptr;
}

}  // namespace

bool setFlag(Settings& settings, Value name) {
    struct Flag {
        Value name;
        bool Settings::* field;
        bool value = true;
    };
    static constexpr Flag flags[] = {{"w", &Settings::silenceWarnings},
                                     {"lenient", &Settings::lenient},
                                     {"replaceable", &Settings::replaceable},
                                     {"open-ranges", &Settings::openRanges},
                                     {"interpret", &Settings::interpret},
                                     {"no-interpret", &Settings::noInterpret},
                                     {"g", &Settings::debug},
                                     {"fast-math", &Settings::fastMath},
                                     {"time-passes", &Settings::timePasses},
                                     {"static", &Settings::isStatic},
                                     {"shared", &Settings::isShared},
                                     {"lanes", &Settings::lanes},
                                     {"c-source", &Settings::isSource},
                                     {"external-weights", &Settings::externalWeights},
                                     {"no-torch", &Settings::noTorch},
                                     {"profile", &Settings::profile},
                                     {"partitions", &Settings::partitions},
                                     {"no-fold", &Settings::fold, false}};
    if (name == "gnuradio") return setHost(settings, Host::GnuRadio);
    for (const Flag& flag : flags) {
        if (flag.name != name) continue;
        settings.*flag.field = flag.value;
        return true;
    }
    return false;
}

bool setOption(Settings& settings, Value name, Value value) {
    std::uint64_t count = 0;
    std::size_t choice = 0;
    if (std::string* text = textOf(settings, name)) {
        *text = name == "march" && value == "native" ? Value() : value;
        return !value.empty();
    }
    if (auto* list = listOf(settings, name)) return list->emplace_back(value), !value.empty();
    if (name == "D") return define(settings, value);
    if (name == "target") return setTarget(settings, value);
    if (name == "device") return setDevice(settings, value);
    if (name == "split") return setSplit(settings, value);
    if (name == "mesh") return setMesh(settings, value);
    if (name == "chunk")
        return number(value, INT32_MAX, count) && count != 0 &&
               (settings.chunkStates = static_cast<std::int64_t>(count), true);
    if (name == "j")
        return number(value, INT32_MAX, count) &&
               (settings.threads = static_cast<unsigned>(count), true);
    if (name == "network") return setNetwork(settings, value);
    if (name == "ranks")
        return number(value, kMostRanks, count) && count != 0 &&
               (settings.ranks = static_cast<unsigned>(count), true);
    if (name == "threads")
        return number(value, kMostLibraryThreads, count) && count != 0 &&
               (settings.callThreads = static_cast<unsigned>(count), true);
    if (name == "plugin") return value == "lv2" && setHost(settings, Host::Lv2);
    if (name == "schedule") return setOrder(settings, value);
    if (name == "pass") return addPass(settings, value);
    if (name == "disable-pass") return disable(settings, value);
    if (name == "emit-after") return setEmitAfter(settings, value);
    if (name == "opt-bisect-limit") return setBisectLimit(settings, value);
    if (name == "step-limit")
        return number(value, UINT64_MAX, count) && (settings.stepLimit = count, true);
    if (name == "seed") return number(value, UINT64_MAX, count) && (settings.seed = count, true);
    if (name == "at-once")
        return number(value, INT64_MAX, count) && count != 0 &&
               (settings.atOnce = static_cast<std::int64_t>(count), true);
    if (name == "bound")
        return number(value, INT32_MAX, count) && count != 0 &&
               (settings.bound = static_cast<std::int64_t>(count), true);
    if (name == "O")
        return number(value, 3, count) && (settings.level = static_cast<int>(count), true);
    if (name == "check")
        return choose(value, {"all", "none"}, choice) && (settings.checks = choice == 0, true);
    if (name == "kernels")
        return choose(value, {"generated", "onednn", "torch", "auto"}, choice) &&
               (settings.kernels = static_cast<Kernels>(choice), true);
    if (name == "tapes") {
        constexpr plan::Tapes tapes[] = {plan::Tapes::Linear, plan::Tapes::Ring,
                                         plan::Tapes::Linear};
        if (!choose(value, {"linear", "ring", "arrays"}, choice)) return false;
        settings.tapes = tapes[choice];
        settings.lowers = choice == 2;
        return true;
    }
    return false;
}

}  // namespace strc::session
