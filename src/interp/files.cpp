#include "interp/files.h"

#include <set>
#include <sys/stat.h>
#include <utility>

#include "graph/flow.h"
#include "graph/hierarchy.h"
#include "io/tensors.h"
#include "ir/calls.h"
#include "strc/turns.h"

namespace strc::interp {
namespace {

/// What the parameters of a writer tell about its file.
io::StreamInfo streamInfo(const elab::Kernel& kernel) {
    io::StreamInfo info;
    auto parameters = types::info(kernel.builtin).parameters;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        if (parameters[k].isString) continue;
        auto value = static_cast<int>(kernel.constants[k].toInt());
        if (parameters[k].name == "rate") info.sampleRate = value;
        if (parameters[k].name == "channels") info.channels = value;
        if (parameters[k].name == "bits") info.bits = value;
        if (parameters[k].name == "floating") info.floating = value != 0;
        if (parameters[k].name == "width") info.width = value;
        if (parameters[k].name == "height") info.height = value;
    }
    return info;
}

strc_stream_info asRuntime(const io::StreamInfo& info) {
    return {info.channels, info.sampleRate, info.bits, info.floating, info.width, info.height};
}

/// Device and inode: a file may have several names.
using Identity = std::pair<dev_t, ino_t>;

/// Nothing but a regular file loses what it holds when it is opened for writing.
std::optional<Identity> identityOf(const std::string& name) {
    struct stat found{};
    if (stat(std::string(io::pathOf(name)).c_str(), &found) != 0 || !S_ISREG(found.st_mode))
        return std::nullopt;
    return Identity{found.st_dev, found.st_ino};
}

/// Items on an edge in a steady state.
std::int64_t itemsOn(const graph::Graph& graph, const std::vector<std::int64_t>& steady,
                     graph::EdgeId id) {
    const graph::Edge& edge = graph.edges[id];
    return edge.to != graph::kNone
               ? graph::multiplyCounts(steady[edge.to], graph::popRate(graph, id))
               : graph::multiplyCounts(steady[edge.from], graph::pushRate(graph, id));
}

graph::NodeId nodeAt(const graph::Graph& graph, const std::string& path) {
    for (graph::NodeId id = 0; id < graph.nodes.size(); ++id)
        if (!graph.nodes[id].file.empty() && graph::path(graph, id) == path) return id;
    return graph::kNone;
}

/// The edge of a file, or (an empty path) of an open end.
graph::EdgeId edgeAt(const graph::Graph& graph, const std::string& path, bool isInput) {
    if (path.empty()) return isInput ? graph.input : graph.output;
    const graph::NodeId node = nodeAt(graph, path);
    if (node == graph::kNone) return graph::kNone;
    return isInput ? graph.nodes[node].outputs[0] : graph.nodes[node].inputs[0];
}

bool closeWriter(base::Context& context, const elab::Elaboration& program, graph::NodeId node,
                 io::ItemWriter& writer) {
    const io::ItemWriter::Dropouts dropouts = writer.dropouts();
    reportDropouts(context, dropouts.device, dropouts.frames, "silence");
    base::Status status = writer.close();
    if (const io::ItemWriter::Clipped clipped = writer.clipped(); clipped.samples > 0)
        context.diags.add(base::Diag::ClippedSamples)
            << static_cast<std::int64_t>(clipped.samples) << clipped.file;
    if (status || writer.readerGone()) return true;
    reportFile(context, program, node, status.failure());
    return false;
}

}  // namespace

FileKind fileKind(const elab::Elaboration& program, graph::NodeId id) {
    const graph::Node& node = program.graph.nodes[id];
    const elab::Kernel& kernel = program.kernels[node.kernel];
    return {io::formatOf(kernel.builtin, node.file), streamInfo(kernel)};
}

std::unique_ptr<io::ItemReader> openReader(base::Context& context, const elab::Elaboration& program,
                                           graph::NodeId id,
                                           const std::function<void()>& beforeWaiting) {
    const graph::Node& node = program.graph.nodes[id];
    const graph::Edge& edge = program.graph.edges[node.outputs[0]];
    const FileKind kind = fileKind(program, id);
    const io::Format format = kind.format;
    auto opened =
        edge.tensors.empty()
            ? io::openReader(node.file, format, edge.type, beforeWaiting)
            : io::openTensorReader({{node.file, format}}, {edge.tensors, graph::memoryOf(edge)},
                                   graph::path(program.graph, id), beforeWaiting);
    if (!opened) {
        reportFile(context, program, id, opened.failure());
        return nullptr;
    }
    const strc_stream_info asked = asRuntime(kind.info), found = asRuntime((*opened)->info());
    char why[STRC_SOUND_WHY];
    if (!strc_sound_differs(&asked, &found, why)) return std::move(*opened);
    reportFile(context, program, id, base::failure(base::Diag::CannotReadFile, {node.file, why}));
    return nullptr;
}

bool checkFiles(base::Context& context, const elab::Elaboration& program) {
    std::map<Identity, graph::NodeId> read;
    auto ofRole = [&](types::BuiltinRole role, auto&& visit) {
        for (graph::NodeId id = 0; id < program.graph.nodes.size(); ++id) {
            const graph::Node& node = program.graph.nodes[id];
            if (node.kind != graph::NodeKind::Filter) continue;
            const types::BuiltinStream builtin = program.kernels[node.kernel].builtin;
            if (builtin == types::BuiltinStream::None || types::info(builtin).role != role)
                continue;
            if (auto file = identityOf(node.file)) visit(id, *file);
        }
    };
    bool fine = true;
    ofRole(types::BuiltinRole::Reader,
           [&](graph::NodeId id, const Identity& file) { read.emplace(file, id); });
    if (read.empty()) return true;
    ofRole(types::BuiltinRole::Writer, [&](graph::NodeId id, const Identity& file) {
        auto found = read.find(file);
        if (found == read.end()) return;
        const graph::Node& node = program.graph.nodes[id];
        context.diags.add(base::Diag::FileReadAndWritten, node.range)
                .in(graph::path(program.graph, id))
            << node.file << graph::path(program.graph, found->second);
        fine = false;
    });
    return fine;
}

base::Diagnostic& reportFile(base::Context& context, const elab::Elaboration& program,
                             graph::NodeId id, const base::Failure& failure) {
    if (id == graph::kNone) return base::report(context.diags, failure);
    return base::report(context.diags, failure, program.graph.nodes[id].range)
        .in(graph::path(program.graph, id));
}

strc_stream_info assumedOf(const graph::Graph& graph) {
    strc_stream_info info{};
    info.rate = graph.assumedRate;
    info.channels = graph.assumedChannels;
    return info;
}

std::int64_t steadyItems(const graph::Graph& graph, const graph::Repetitions& repetitions,
                         const std::string& path, bool isInput) {
    const graph::EdgeId edge = edgeAt(graph, path, isInput);
    return graph.isDynamic() || edge == graph::kNone ? 0 : itemsOn(graph, repetitions.steady, edge);
}

std::uint64_t mixedChannels(const graph::Graph& graph, const std::string& path) {
    for (const graph::MixedSound& sound : graph.mixedSounds)
        if (sound.path == path) return sound.channels;
    return 0;
}

std::vector<double> pacesOf(const graph::Graph& graph, const graph::Repetitions& repetitions) {
    std::vector<double> paces;
    if (graph.soundRates.empty() || graph.isDynamic()) return paces;
    std::set<std::int64_t> counts;
    for (graph::EdgeId edge = 0; edge < graph.edges.size(); ++edge)
        counts.insert(itemsOn(graph, repetitions.steady, edge));
    for (const std::int64_t count : counts)
        for (const double rate : graph.soundRates)
            if (count > 0) paces.push_back(rate / static_cast<double>(count));
    return paces;
}

void WrittenFiles::hear(const graph::Graph& graph, graph::NodeId node, const io::ItemReader& reader,
                        const std::string& name) {
    const std::string path = node == graph::kNone ? std::string() : graph::path(graph, node);
    const std::vector<io::ItemReader::Part> parts = reader.parts();
    std::vector<std::uint64_t> turns;
    for (const io::ItemReader::Part& part : parts) turns.push_back(part.turn);
    for (std::size_t k = 0; k < parts.size(); ++k)
        if (parts[k].info.sampleRate != 0)
            sounds.push_back({path, parts[k].file, asRuntime(parts[k].info), turns, k});
    if (parts.empty() && reader.info().sampleRate != 0)
        sounds.push_back({path, name, asRuntime(reader.info()), {}, 0});
}

std::uint64_t WrittenFiles::Heard::shareOf(std::uint64_t items) const {
    return turns.empty() ? items : strc_turns_share({turns.data(), turns.size()}, place, items);
}

void WrittenFiles::compare(base::Context& context, const elab::Elaboration& program,
                           const graph::Repetitions& repetitions) {
    const graph::Graph& graph = program.graph;
    const std::vector<double> paces = pacesOf(graph, repetitions);
    const strc_sound_program about{paces.data(), paces.size(),
                                   paces.empty() ? 0 : graph.soundRates.front(),
                                   graph.keepsSamples ? 1 : 0, 0};
    char why[STRC_SOUND_WHY];
    const std::vector<Heard> all = std::exchange(sounds, {});
    for (const Heard& each : all) {
        const graph::EdgeId edge = edgeAt(graph, each.path, true);
        if (edge == graph::kNone) continue;
        const graph::NodeId node = each.path.empty() ? graph::kNone : nodeAt(graph, each.path);
        auto warn = [&](base::Diag id, std::int64_t number, const std::string& consequence) {
            (node == graph::kNone ? context.diags.add(id)
                                  : context.diags.add(id, graph.nodes[node].range).in(each.path))
                << each.name << number << consequence;
        };
        const strc_stream_info asked =
            node == graph::kNone ? assumedOf(graph) : asRuntime(fileKind(program, node).info);
        const auto items =
            static_cast<std::uint64_t>(steadyItems(graph, repetitions, each.path, true));
        const strc_sound_use use{io::samplesOf(graph.edges[edge].type), each.shareOf(items),
                                 mixedChannels(graph, each.path)};
        if (strc_sound_is_unlike(&asked, &each.info, use, &about, why))
            warn(base::Diag::SoundChannels, each.info.channels, why);
        if (strc_sound_is_off(&asked, &each.info, use, &about, why))
            warn(base::Diag::SoundRate, each.info.rate, why);
        if (strc_heard_add(&heard, &each.info, use) && asked.rate == 0)
            warn(base::Diag::SoundRate, each.info.rate,
                 "another sound is read with " + std::to_string(all.front().info.rate));
    }
    items[{}] = static_cast<std::uint64_t>(steadyItems(graph, repetitions, {}, false));
    for (graph::NodeId id = 0; id < graph.nodes.size(); ++id)
        if (!graph.nodes[id].file.empty() && !graph.nodes[id].inputs.empty()) {
            const std::string path = graph::path(graph, id);
            items[path] = static_cast<std::uint64_t>(steadyItems(graph, repetitions, path, false));
        }
}

strc_sound_use WrittenFiles::useOf(const std::string& path, const types::Type* item) const {
    const auto found = items.find(path);
    return {io::samplesOf(item), found == items.end() ? 0 : found->second, 0};
}

void WrittenFiles::complete(const types::Type* item, io::ItemWriter& output) const {
    output.complete(heard, useOf({}, item));
}

io::ItemWriter* WrittenFiles::open(base::Context& context, const elab::Elaboration& program,
                                   graph::NodeId id) {
    const graph::Node& node = program.graph.nodes[id];
    File& file = files[node.file];
    if (file.writer) return file.writer.get();
    const FileKind kind = fileKind(program, id);
    const graph::Edge& edge = program.graph.edges[node.inputs[0]];
    auto opened = !graph::hasTensors(edge)
                      ? io::openWriter(node.file, kind.format, edge.type, kind.info)
                      : io::openTensorWriter({{node.file, kind.format}},
                                             {edge.tensors, graph::memoryOf(edge)}, kind.info);
    if (opened) {
        (*opened)->complete(heard, useOf(graph::path(program.graph, id), edge.type));
        file = {std::move(*opened), id};
    } else {
        reportFile(context, program, id, opened.failure());
    }
    return file.writer.get();
}

bool WrittenFiles::flush(base::Context& context, const elab::Elaboration& program) {
    bool fine = true;
    for (auto& [name, file] : files) {
        if (!file.writer) continue;
        base::Status status = file.writer->flush();
        if (status || file.writer->readerGone()) continue;
        reportFile(context, program, file.node, status.failure());
        fine = false;
    }
    return fine;
}

bool WrittenFiles::close(base::Context& context, const elab::Elaboration& program) {
    bool fine = true;
    for (auto& [name, file] : files)
        if (file.writer) fine = closeWriter(context, program, file.node, *file.writer) && fine;
    return fine;
}

bool closeOutput(base::Context& context, const elab::Elaboration& program, io::ItemWriter& writer) {
    return closeWriter(context, program, graph::kNone, writer);
}

std::uint64_t reportItemsLeft(base::Context& context, const io::Supply& input) {
    std::uint64_t all = 0;
    for (const io::ItemReader::Part& left : input.left()) {
        all += left.items;
        if (left.items > 0)
            context.diags.add(base::Diag::InputLeftOver)
                << static_cast<std::int64_t>(left.items) << left.file;
    }
    return all;
}

Limited whatIsLimited(const ir::Module& module, const elab::Elaboration& program) {
    const graph::Graph& graph = program.graph;
    if (graph.output != graph::kNone) return Limited::Items;
    std::uint8_t effects = 0;
    std::set<graph::KernelId> printing;
    for (const graph::Node& node : graph.nodes) {
        effects |= node.effects;
        if (node.effects & graph::kPrints) printing.insert(node.kernel);
    }
    for (const graph::KernelId kernel : printing)
        if (ir::mayEndLine(module, program.kernels[kernel].code)) return Limited::Lines;
    return effects & graph::kWritesFile ? Limited::FileItems : Limited::Nothing;
}

void reportWaiting(base::Context& context, const graph::Graph& graph,
                   const graph::Waiting& waiting) {
    if (waiting.items == 0) return;
    const graph::Added added = graph::addedBy(context.sources, graph, waiting.most);
    context.diags.add(base::Diag::ItemsWaiting, added.range)
        << waiting.items << graph::path(graph, waiting.most);
}

void reportDropouts(base::Context& context, const std::string& device, std::uint64_t frames,
                    std::string_view what) {
    if (frames > 0)
        context.diags.add(base::Diag::Dropouts)
            << static_cast<std::int64_t>(frames) << device << what;
}

void reportBytesLeft(base::Context& context, const io::Supply& input, bool assumed) {
    if (const std::uint64_t missing = input.missing(); missing > 0)
        context.diags.add(base::Diag::ShortFile)
            << input.name() << std::to_string(missing) + (missing == 1 ? " byte" : " bytes");
    const io::ItemReader::Rest rest = input.rest();
    if (rest.bytes == 0) return;
    auto& told = context.diags.add(base::Diag::BytesLeftOver)
                 << static_cast<std::int64_t>(rest.bytes) << input.name()
                 << static_cast<std::int64_t>(rest.itemBytes);
    if (assumed && rest.isRaw)
        told.note(base::Diag::Hint) << "'--in-format' says what else it holds than raw items";
}

}  // namespace strc::interp
