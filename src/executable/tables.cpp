#include "executable/tables.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <map>
#include <type_traits>

#include <fmt/format.h>

#include "dynamic_shapes/pack.h"
#include "executable/library.h"
#include "graph/ending.h"
#include "graph/flow.h"
#include "graph/hierarchy.h"
#include "graph/turns.h"
#include "interp/files.h"
#include "io/item_types.h"
#include "io/tensors.h"
#include "plan/tensor_handles.h"
#include "profile/tables.h"
#include "strc/executable.h"
#include "strc/files/format.h"
#include "strc/values.h"
#include "types/tensor_text.h"

namespace strc::executable {
namespace {

using codegen::Data;
using types::Type;
using types::TypeKind;

/// By strc_format_id.
constexpr std::array<const char*, STRC_FORMATS> kFormats{
#define STRC_FORMAT(Id, name) "strc_format_" #Id,
#include "strc/formats.def"
#undef STRC_FORMAT
};

bool isCompressedSound(io::Format format) {
    return format >= io::Format::Flac && format <= io::Format::Opus;
}

bool takesLibrary(io::Format format) {
    return format == io::Format::Png || format == io::Format::Jpeg || isCompressedSound(format);
}
bool takesLibrary(std::size_t format) {
    return format == STRC_png || format == STRC_jpeg || format == STRC_tensor_png ||
           format == STRC_tensor_jpeg || format == STRC_flac || format == STRC_ogg ||
           format == STRC_opus || format == STRC_device;
}

constexpr std::array kMessages{
#define STRC_MESSAGE(Id) base::Diag::Id,
#include "strc/messages.def"
#undef STRC_MESSAGE
};

/// The arguments of a site's message are its words, then numbers that the fault brings.
std::string messageOf(const codegen::Site& site) {
    std::vector<std::string> arguments = site.words;
    arguments.insert(arguments.end(), static_cast<std::size_t>(site.numbers),
                     std::string(1, STRC_NUMBER));
    return base::message(site.id, arguments);
}

strc_kind parameterKind(TypeKind kind) {
    return kind == TypeKind::String ? STRC_TEXT : io::kindOf(kind);
}

template <typename T>
std::string bytesOf(const std::vector<T>& rows) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::string bytes(rows.size() * sizeof(T), '\0');
    if (!rows.empty()) std::memcpy(bytes.data(), rows.data(), bytes.size());
    return bytes;
}

void addRanks(const plan::Ranks& ranks, const plan::Network& network, std::vector<Data>& made,
              Data& top) {
    strc_ranks row = plan::viewOf(ranks, network);
    row.work = nullptr;
    row.may_begin = row.inputs = row.outputs = nullptr;
    row.tapes = nullptr;
    made.push_back({"strc.ranks.work", bytesOf(ranks.work), {}});
    made.push_back({"strc.ranks.may_begin", bytesOf(ranks.mayBegin), {}});
    made.push_back({"strc.ranks.tapes", bytesOf(ranks.tapes), {}});
    made.push_back({"strc.ranks.inputs", bytesOf(ranks.inputs), {}});
    made.push_back({"strc.ranks.outputs", bytesOf(ranks.outputs), {}});
    made.push_back({"strc.ranks",
                    std::string(reinterpret_cast<const char*>(&row), sizeof row),
                    {{offsetof(strc_ranks, work), "strc.ranks.work"},
                     {offsetof(strc_ranks, may_begin), "strc.ranks.may_begin"},
                     {offsetof(strc_ranks, tapes), "strc.ranks.tapes"},
                     {offsetof(strc_ranks, inputs), "strc.ranks.inputs"},
                     {offsetof(strc_ranks, outputs), "strc.ranks.outputs"}}});
    top.pointers.push_back({offsetof(strc_executable, ranks), "strc.ranks"});
}

class Tables {
public:
    Tables(const Program& program, const codegen::Module& module)
        : program(program),
          graph(program.plan.program->graph),
          sites(module.sites()),
          stored(module.stored()),
          startPanels(module.startPanels()),
          timed(module.timedSteps()) {}

    std::vector<Data> make(std::uint64_t features) {
        addSites();
        addPaths();
        addMessages();
        add("strc.inputs", bytesOf(portsOf(program.plan.inputs, true)),
            offsetof(strc_executable, inputs));
        add("strc.outputs", bytesOf(portsOf(program.plan.outputs, false)),
            offsetof(strc_executable, outputs));
        addTurns();
        add("strc.shapes", bytesOf(shapes), offsetof(strc_executable, shapes));
        add("strc.types", bytesOf(items.rows()), offsetof(strc_executable, types));
        add("strc.fields", bytesOf(items.fields()), offsetof(strc_executable, fields));
        const std::vector<double> paces = interp::pacesOf(*program.whole, program.repetitions);
        paceCount = paces.size();
        add("strc.paces", bytesOf(paces), offsetof(strc_executable, paces));
        addFormats();
        addParameters();
        addWeights();
        addWeightPanels();
        addSymbolic();
        addProfile();
        add("strc.printed", program.printed, offsetof(strc_executable, printed));
        strc_text mainStream = text(program.mainStream);
        addPlugin();
        if (program.ranks) addRanks(*program.ranks, program.network, made, top);
        if (program.ranks || program.isMesh)
            top.pointers.push_back(
                {offsetof(strc_executable, rank_services), "strc_ranks_of_executables"});
        addWaiting();
        add("strc.texts", texts, offsetof(strc_executable, texts));
        top.pointers.push_back({offsetof(strc_executable, program), "strc_program"});
        addTop(features, mainStream);
        return std::move(made);
    }

private:
    // ---------------------------------------------------------------- parts

    /// A table, and its place among the pointers.
    void add(const char* name, std::string bytes, std::size_t pointer) {
        made.push_back({name, std::move(bytes), {}});
        top.pointers.push_back({pointer, name});
    }

    /// The words behind them are never read: they link what puts items of several files in order.
    void addTurns() {
        Data table{"strc.turns", bytesOf(turns), {}};
        if (!turns.empty() && !program.isLibrary)
            for (const char* needed : {"strc_turns_open", "strc_turns_begin"}) {
                table.pointers.push_back({table.bytes.size(), needed});
                table.bytes.append(sizeof(void*), '\0');
            }
        made.push_back(std::move(table));
        top.pointers.push_back({offsetof(strc_executable, turns), "strc.turns"});
    }

    strc_text text(const std::string& wanted) {
        if (wanted.empty()) return 0;
        auto [known, isNew] = textOffsets.try_emplace(wanted, texts.size());
        if (isNew) texts += wanted + '\0';
        return known->second;
    }

    std::string offsetOf(const std::string& wanted) {
        const strc_text offset = text(wanted);
        return {reinterpret_cast<const char*>(&offset), sizeof offset};
    }

    strc_text placeOf(base::SourceRange range) {
        if (!range.valid()) return 0;
        const base::SourceManager& sources = program.context.sources;
        base::LineColumn at = sources.position(range.buffer, range.begin);
        return text(fmt::format("{}:{}:{}", sources.name(range.buffer), at.line, at.column));
    }

    void addSites() {
        std::vector<strc_site> rows;
        for (const codegen::Site& site : sites)
            rows.push_back({placeOf(site.range), text(messageOf(site)),
                            text(std::string(base::info(site.id).name)), site.above});
        add("strc.sites", bytesOf(rows), offsetof(strc_executable, sites));
    }

    /// Splitters and joiners have no code that could fail, and only queues that can be full.
    void addPaths() {
        std::vector<strc_text> rows;
        const graph::Graph& named = plan::firingProgram(program.plan).graph;
        for (graph::NodeId id = 0; id < named.nodes.size(); ++id)
            rows.push_back(named.nodes[id].kernel == graph::kNone && !program.plan.demand
                               ? 0
                               : text(graph::path(named, id)));
        add("strc.paths", bytesOf(rows), offsetof(strc_executable, paths));
        addPlaces();
    }

    void addPlaces() {
        const base::SourceManager& sources = program.context.sources;
        const graph::Graph& named = plan::firingProgram(program.plan).graph;
        std::vector<strc_text> places, notes;
        for (graph::NodeId id = 0; id < named.nodes.size(); ++id) {
            const graph::Added added = graph::addedBy(sources, named, id);
            places.push_back(placeOf(added.range));
            notes.push_back(sources.isLibrary(codeOf(id).buffer)
                                ? text(base::message(base::Diag::AddedHere, {added.name}))
                                : 0);
        }
        add("strc.places", bytesOf(places), offsetof(strc_executable, places));
        add("strc.added", bytesOf(notes), offsetof(strc_executable, added));
    }

    base::SourceRange codeOf(graph::NodeId id) const {
        const elab::Elaboration& named = plan::firingProgram(program.plan);
        const graph::KernelId kernel = named.graph.nodes[id].kernel;
        return kernel == graph::kNone ? base::SourceRange() : named.kernels[kernel].code.header;
    }

    void addMessages() {
        std::vector<strc_message> rows;
        for (base::Diag id : kMessages)
            rows.push_back(
                {text(std::string(base::info(id).text)), text(std::string(base::info(id).name))});
        add("strc.messages", bytesOf(rows), offsetof(strc_executable, messages));
    }

    // ---------------------------------------------------------------- types and files

    const graph::Edge& edgeOf(const plan::ProgramPort& port, bool isInput) const {
        if (port.node == graph::kNone) return graph.edges[isInput ? graph.input : graph.output];
        const graph::Node& node = graph.nodes[port.node];
        return graph.edges[isInput ? node.outputs[0] : node.inputs[0]];
    }

    void addShapes(strc_port& row, const graph::Edge& edge) {
        row.tensors = static_cast<std::uint32_t>(edge.tensors.size());
        row.first_shape = static_cast<std::uint32_t>(shapes.size());
        if (edge.isHandle &&
            edge.tensors.empty()) {  // any tensor, so that formats for tensors are there
            row.tensors = 1;
            shapes.insert(shapes.end(), {STRC_ELEMENT_FLOAT, 0, 0});
        }
        if (edge.tensors.empty()) return;
        const io::TensorItems items{edge.tensors, edge.type};
        row.holds_raw = !edge.isHandle && io::holdsNumbers(io::Format::Raw, items) ? 1 : 0;
        row.holds_numbers = !edge.isHandle && io::holdsNumbers(io::Format::Wav, items) ? 1 : 0;
        for (const Type* tensor : edge.tensors) {
            const std::vector<std::int64_t> words = types::shapeOf(tensor);
            shapes.insert(shapes.end(), words.begin(), words.end());
            shapes.push_back(edge.isHandle ? 0 : types::offsetIn(edge.type, tensor));
        }
    }

    std::string pathOf(const plan::ProgramPort& port) const {
        return port.node == graph::kNone ? std::string() : graph::path(graph, port.node);
    }

    std::uint64_t zerosToFlush(std::size_t input) const {
        if (program.plan.demand) return 0;
        return static_cast<std::uint64_t>(
            graph::multiplyCounts(graph::statesToFlush(*program.whole, program.repetitions),
                                  program.plan.steady.reads[input]));
    }

    /// In a file of the program.
    strc_text addedPlace(graph::NodeId id) {
        return placeOf(graph::addedBy(program.context.sources, *program.whole, id).range);
    }

    /// What stays is the same after each steady state.
    void addWaiting() {
        addWaitingPaths();
        if (program.plan.demand) return;
        const graph::Waiting waiting =
            graph::itemsWaiting(*program.whole, program.repetitions.init);
        itemsWaiting = static_cast<std::uint64_t>(waiting.items);
        if (waiting.items == 0) return;
        waitingAt = text(graph::path(*program.whole, waiting.most));
        waitingPlace = addedPlace(waiting.most);
    }

    /// Where only the run knows how much stays.
    void addWaitingPaths() {
        std::vector<strc_text> paths, places;
        if ((program.plan.drain || program.plan.demand) && !program.isLibrary) {
            for (std::string& path : graph::allPaths(*program.whole).nodes)
                paths.push_back(text(path));
            for (graph::NodeId id = 0; id < program.whole->nodes.size(); ++id)
                places.push_back(addedPlace(id));
        }
        add("strc.waiting", bytesOf(paths), offsetof(strc_executable, waiting_paths));
        add("strc.waiting.places", bytesOf(places), offsetof(strc_executable, waiting_places));
    }

    std::vector<strc_port> portsOf(const std::vector<plan::ProgramPort>& ports, bool areInputs) {
        std::vector<strc_port> rows;
        for (const plan::ProgramPort& port : ports) {
            const Type* item = edgeOf(port, areInputs).type;
            strc_port row{};
            row.node = port.node == graph::kNone ? STRC_OPEN : port.node;
            row.type = items.add(item);
            const graph::Edge& edge = edgeOf(port, areInputs);
            row.is_named = edge.isHandle ? 1 : 0;
            if (areInputs) row.flush = zerosToFlush(rows.size());
            row.steady = static_cast<std::uint64_t>(
                interp::steadyItems(*program.whole, program.repetitions, pathOf(port), areInputs));
            if (areInputs) row.mixed = interp::mixedChannels(*program.whole, pathOf(port));
            row.type_name =
                text(edge.tensors.empty() ? types::toString(item) : io::allOf(edge.tensors));
            addShapes(row, edge);
            if (port.node == graph::kNone)
                addOpenEnd(row, item, areInputs);
            else
                addFile(row, port.node, areInputs);
            rows.push_back(row);
        }
        return rows;
    }

    /// Tensors have formats of their own.
    static std::uint32_t formatOf(const strc_port& row, io::Format format, bool isInput) {
        const auto id = static_cast<strc_format_id>(format);
        return row.tensors == 0 ? id : strc_format_of_tensors(id, isInput ? 0 : 1);
    }

    void addFile(strc_port& row, graph::NodeId id, bool isInput) {
        const interp::FileKind kind = interp::fileKind(*program.plan.program, id);
        row.file = text(graph.nodes[id].file);
        row.file_parameter = graph.nodes[id].fileParameter;
        row.place = placeOf(graph.nodes[id].range);
        row.format = formatOf(row, kind.format, isInput);
        row.info = {kind.info.channels, kind.info.sampleRate, kind.info.bits,
                    kind.info.floating, kind.info.width,      kind.info.height};
        usesFormat[row.format] = true;
    }

    bool setsParameter(ir::FileQuestion::What what) const {
        const auto& sounds = program.plan.program->openSounds;
        return std::find(sounds.begin(), sounds.end(), what) != sounds.end();
    }

    void addOpenEnd(strc_port& row, const Type* item, bool isInput) {
        const std::vector<std::uint64_t> each = graph::turnsOf(*program.whole, isInput);
        row.turns = static_cast<std::uint32_t>(each.size());
        row.first_turn = static_cast<std::uint32_t>(turns.size());
        turns.insert(turns.end(), each.begin(), each.end());
        if (isInput) row.info = interp::assumedOf(*program.whole);
        if (setsParameter(ir::FileQuestion::Rate)) row.info.rate = 0;
        if (setsParameter(ir::FileQuestion::Channels)) row.info.channels = 0;
        hasOpenEnd = true;
        hasPixels |= row.tensors == 0 && io::check(io::Format::Png, item);
    }

    static bool isForTensors(std::size_t format) {
        return format == STRC_safetensors || format >= STRC_tensors;
    }

    /// The row of functions; null: no file of the program is of that format.
    const char* functionsOf(std::size_t format) const {
        if (takesLibrary(format) && !program.loadsLibraries) return nullptr;
        if (usesFormat[format]) return kFormats[format];
        if (!hasOpenEnd || (isForTensors(format) && shapes.empty())) return nullptr;
        if (format == STRC_png && !hasPixels) return "strc_format_no_png";
        if (format == STRC_jpeg && !hasPixels) return "strc_format_no_jpeg";
        return kFormats[format];
    }

    void addFormats() {
        Data formats{"strc.formats", std::string(STRC_FORMATS * sizeof(void*), '\0'), {}};
        for (std::size_t k = 0; k < STRC_FORMATS; ++k)
            if (const char* functions = program.isLibrary ? nullptr : functionsOf(k))
                formats.pointers.push_back({k * sizeof(void*), functions});
        made.push_back(std::move(formats));
        top.pointers.push_back({offsetof(strc_executable, formats), "strc.formats"});
    }

    void addParameters() {
        const std::vector<types::Value>& values = program.plan.program->openValues;
        std::vector<strc_parameter> rows;
        std::string bytes;
        for (std::uint32_t slot = 0; slot < values.size(); ++slot) {
            rows.push_back({static_cast<std::uint32_t>(parameterKind(values[slot].type->kind)),
                            text(program.module.open[slot].name),
                            text(types::toString(values[slot].type)),
                            static_cast<std::uint32_t>(program.plan.program->openSounds[slot])});
            bytes += values[slot].type->is(TypeKind::String) ? offsetOf(values[slot].bytes)
                                                             : values[slot].bytes;
            bytes.resize((slot + 1) * std::size_t{STRC_PARAMETER_BYTES});
        }
        add("strc.parameters", bytesOf(rows), offsetof(strc_executable, parameters));
        add("strc.parameter_values", std::move(bytes), offsetof(strc_executable, parameter_values));
    }

    // ---------------------------------------------------------------- weights

    /// Null: the program does not read the values from their file.
    const codegen::StoredSymbol* pointerOf(const weights::Use& use) const {
        for (const codegen::StoredSymbol& symbol : stored)
            if (symbol.isPointer && symbol.array.name == use.name) return &symbol;
        return nullptr;
    }

    /// The executable has the values, or what was computed from them: in the file they have to be the same.
    bool isBroughtAlong(const weights::Use& use) const {
        const auto& filters = program.plan.program->dynamicFilters;
        auto isIt = [&](const ir::StoredArray& array) {
            return array.isInFile && array.name == use.name;
        };
        auto hasIt = [&](const ir::StreamCode& stream) {
            return std::any_of(stream.stored.begin(), stream.stored.end(), isIt);
        };
        return use.isComputedWith || (filters && std::any_of(filters->module.streams.begin(),
                                                             filters->module.streams.end(), hasIt));
    }

    /// What is read when the program starts, and what else it has values of.
    void addWeights() {
        if (!program.readsWeights || program.weights->uses().empty()) return;
        Data rows{"strc.weights", {}, {}};
        for (const weights::Use& use : program.weights->uses()) {
            const codegen::StoredSymbol* symbol = pointerOf(use);
            if (!symbol && !isBroughtAlong(use)) continue;
            if (symbol)
                rows.pointers.push_back(
                    {rows.bytes.size() + offsetof(strc_weight, values), symbol->symbol});
            const strc_weight row = weightOf(use);
            rows.bytes.append(reinterpret_cast<const char*>(&row), sizeof row);
            ++weightCount;
        }
        made.push_back(std::move(rows));
        top.pointers.push_back({offsetof(strc_executable, weights), "strc.weights"});
        top.pointers.push_back({offsetof(strc_executable, weights_calls), "strc_weights_in_file"});
        const std::filesystem::path file = program.weights->path();
        std::error_code ignored;
        weightsFile = text(program.isBundle ? STRC_BESIDE + file.filename().string()
                                            : std::filesystem::absolute(file, ignored).string());
    }

    void addWeightPanels() {
        if (startPanels.empty()) return;
        Data rows{"strc.weight_panels", {}, {}};
        std::vector<strc_panel_loop> loops;
        for (const codegen::StartPanels& each : startPanels) {
            const std::size_t at = rows.bytes.size();
            rows.pointers.push_back({at + offsetof(strc_weight_panels, panels), each.symbol});
            rows.pointers.push_back({at + offsetof(strc_weight_panels, values), each.array});
            const strc_weight_panels row{nullptr, nullptr, loops.size(), each.panels.how};
            rows.bytes.append(reinterpret_cast<const char*>(&row), sizeof row);
            loops.insert(loops.end(), each.panels.loops.begin(), each.panels.loops.end());
        }
        made.push_back(std::move(rows));
        top.pointers.push_back({offsetof(strc_executable, weight_panels), "strc.weight_panels"});
        add("strc.panel_loops", bytesOf(loops), offsetof(strc_executable, panel_loops));
    }

    // ---------------------------------------------------------------- profiles

    void addProfile() {
        if (!program.profiled) return;
        const profile::Tables tables = profile::tablesOf(program.plan, *program.profiled, timed);
        const strc_profile_tables seen = tables.view();
        strc_profile_tables row = seen;
        row.texts = nullptr;
        row.nodes = nullptr;
        row.entries = nullptr;
        row.members = nullptr;
        row.channels = nullptr;
        Data top{"strc.profile", {reinterpret_cast<const char*>(&row), sizeof row}, {}};
        auto part = [&](const char* name, std::string bytes, std::size_t pointer) {
            made.push_back({name, std::move(bytes), {}});
            top.pointers.push_back({pointer, name});
        };
        part("strc.profile.texts", tables.texts, offsetof(strc_profile_tables, texts));
        part("strc.profile.nodes", bytesOf(tables.nodes), offsetof(strc_profile_tables, nodes));
        part("strc.profile.entries", bytesOf(tables.entries),
             offsetof(strc_profile_tables, entries));
        part("strc.profile.members", bytesOf(tables.members),
             offsetof(strc_profile_tables, members));
        part("strc.profile.channels", bytesOf(tables.channels),
             offsetof(strc_profile_tables, channels));
        made.push_back(std::move(top));
        this->top.pointers.push_back({offsetof(strc_executable, profile), "strc.profile"});
        this->top.pointers.push_back(
            {offsetof(strc_executable, profile_calls), "strc_profile_in_executable"});
    }

    // ---------------------------------------------------------------- filters without shapes

    void addSymbolic() {
        const auto& filters = program.plan.program->dynamicFilters;
        if (!filters) return;
        const base::SourceManager& sources = program.context.sources;
        dynamic_shapes::Packed packed = dynamic_shapes::pack(
            *filters, [&](base::SourceRange range) { return sources.isLibrary(range.buffer); });
        std::vector<strc_text> places;
        for (const base::SourceRange& range : packed.places) places.push_back(placeOf(range));
        const std::vector<strc_names> names = plan::handlesOf(program.plan);
        strc_symbolic_table row{};
        row.size = packed.bytes.size();
        row.name_count = names.size();
        const std::string& library = program.shapesLibrary;
        row.library = text(library);
        Data table{"strc.symbolic", {reinterpret_cast<const char*>(&row), sizeof row}, {}};
        auto part = [&](const char* name, std::string bytes, std::size_t pointer) {
            made.push_back({name, std::move(bytes), {}});
            table.pointers.push_back({pointer, name});
        };
        table.pointers.push_back({offsetof(strc_symbolic_table, load), "strc_symbolic_load"});
        part("strc.packed", std::move(packed.bytes), offsetof(strc_symbolic_table, packed));
        part("strc.names", bytesOf(names), offsetof(strc_symbolic_table, names));
        part("strc.filters", bytesOf(rowsOf(*filters)), offsetof(strc_symbolic_table, filters));
        part("strc.code_places", bytesOf(places), offsetof(strc_symbolic_table, places));
        made.push_back(std::move(table));
        top.pointers.push_back({offsetof(strc_executable, symbolic), "strc.symbolic"});
    }

    std::vector<strc_symbolic_row> rowsOf(const dynamic_shapes::Program& filters) {
        const base::SourceManager& sources = program.context.sources;
        std::vector<strc_symbolic_row> rows;
        for (const dynamic_shapes::Filter& filter : filters.filters) {
            const graph::Added added = graph::addedBy(sources, *program.whole, filter.node);
            const ir::StreamCode& code =
                filters.module.streams[filters.kernels[filter.kernel].code];
            const bool isLibrary = sources.isLibrary(code.work->header.buffer);
            rows.push_back(
                {text(graph::path(*program.whole, filter.node)), placeOf(added.range),
                 isLibrary ? text(base::message(base::Diag::AddedHere, {added.name})) : 0,
                 text(base::message(base::Diag::InBodyHere, {filter.name}))});
        }
        return rows;
    }

    strc_weight weightOf(const weights::Use& use) {
        const Type* type = use.values.type;
        strc_weight row{};
        if (isBroughtAlong(use))
            row.hash = strc_safe_hash(use.values.bytes.get(),
                                      static_cast<std::uint64_t>(types::sizeOf(type)));
        row.type = weights::fileType(type->element);
        row.rank = static_cast<std::uint32_t>(type->dims.size());
        std::copy(type->dims.begin(), type->dims.end(), row.dims);
        row.name = text(use.name);
        row.place = placeOf(use.added);
        row.instance = text(use.instance);
        return row;
    }

    // ---------------------------------------------------------------- plug-ins

    void addPlugin() {
        if (!program.plugin) return;
        const plugins::Plugin& plugin = *program.plugin;
        std::vector<strc_control> controls;
        for (const plugins::Control& each : plugin.controls)
            controls.push_back({each.slot, text(each.name), text(each.label),
                                each.isInteger || each.isToggle ? 1U : 0U, each.low, each.high,
                                each.initial, each.smooth});
        made.push_back({"strc.controls", bytesOf(controls), {}});
        strc_plugin row{};
        row.control_count = static_cast<std::uint32_t>(controls.size());
        row.rate_parameter =
            plugin.rateSlot < 0 ? STRC_NO_PARAMETER : static_cast<std::uint32_t>(plugin.rateSlot);
        row.fixed_rate = plugin.fixedRate;
        row.latency = static_cast<std::uint64_t>(plugin.latency);
        row.uri = text(plugin.uri);
        row.title = text(plugin.title);
        std::string bytes(reinterpret_cast<const char*>(&row), sizeof row);
        made.push_back({"strc.plugin",
                        std::move(bytes),
                        {{offsetof(strc_plugin, controls), "strc.controls"}}});
        top.pointers.push_back({offsetof(strc_executable, plugin), "strc.plugin"});
    }

    // ---------------------------------------------------------------- the constant

    strc_severity severityOf(base::Diag warning) const {
        base::Diagnostics scratch = program.context.diags;
        if (!scratch.isEnabled(warning)) return STRC_SILENT;
        base::Severity severity = scratch.add(warning).severity;
        return severity == base::Severity::Error ? STRC_ERROR : STRC_WARNING;
    }

    static std::uint64_t sum(const std::vector<std::int64_t>& counts) {
        std::uint64_t total = 0;
        for (std::int64_t count : counts) total += static_cast<std::uint64_t>(count);
        return total;
    }

    void addTop(std::uint64_t features, strc_text mainStream) {
        strc_executable row{};
        row.printed_size = program.printed.size();
        row.features = features;
        row.random = program.plan.program->random.state;
        row.tuning = program.tuning;
        row.identity =
            program.isLibrary || program.ranks || program.isMesh ? identityOf(program) : 0;
        row.init_firings = sum(program.repetitions.init);
        row.steady_firings = sum(program.repetitions.steady);
        row.init_writes = static_cast<std::uint64_t>(openWrites(program.plan, program.plan.init));
        row.steady_writes =
            static_cast<std::uint64_t>(openWrites(program.plan, program.plan.steady));
        row.stack_bytes = program.isLibrary ? nestingBytes(program) : 0;
        row.bound = static_cast<std::uint64_t>(program.bound.value_or(0));
        row.firing_bytes = program.bound ? firingBytes(program) : 0;
        row.can_fail = sites.empty() ? 0 : 1;
        const interp::Limited limited =
            interp::whatIsLimited(program.module, *program.plan.program);
        row.limits_files = limited == interp::Limited::FileItems ? 1 : 0;
        row.limits_nothing = limited == interp::Limited::Nothing ? 1 : 0;
        row.most_bytes = program.context.limits.totalBytes;
        row.main_stream = mainStream;
        row.weight_count = weightCount;
        row.weight_panel_count = startPanels.size();
        row.weights_file = weightsFile;
        row.left_over = severityOf(base::Diag::InputLeftOver);
        row.bytes_left_over = severityOf(base::Diag::BytesLeftOver);
        row.items_waiting = itemsWaiting;
        row.waiting_at = waitingAt;
        row.waiting_place = waitingPlace;
        row.tells_waiting = severityOf(base::Diag::ItemsWaiting);
        row.clipped_samples = severityOf(base::Diag::ClippedSamples);
        row.dropouts = severityOf(base::Diag::Dropouts);
        row.short_file = severityOf(base::Diag::ShortFile);
        row.sound_channels = severityOf(base::Diag::SoundChannels);
        row.sound_rate = severityOf(base::Diag::SoundRate);
        row.sounds.pace_count = paceCount;
        row.sounds.rate = paceCount == 0 ? 0 : program.whole->soundRates.front();
        row.sounds.keeps_samples = program.whole->keepsSamples ? 1 : 0;
        row.threads = program.threads;
        if (program.threads > 1)
            top.pointers.push_back(
                {offsetof(strc_executable, threads_calls), "strc_threads_of_handles"});
        row.parameter_count = static_cast<std::uint32_t>(program.module.open.size());
        top.name = kTables;
        top.bytes.assign(reinterpret_cast<const char*>(&row), sizeof row);
        std::sort(top.pointers.begin(), top.pointers.end(),
                  [](const Data::Pointer& a, const Data::Pointer& b) { return a.at < b.at; });
        made.push_back(std::move(top));
    }

    const Program& program;
    const graph::Graph& graph;
    const std::vector<codegen::Site>& sites;
    const std::vector<codegen::StoredSymbol>& stored;
    const std::vector<codegen::StartPanels>& startPanels;
    const std::vector<plan::TimedSteps>& timed;
    std::uint64_t weightCount = 0, paceCount = 0;
    strc_text weightsFile = 0;
    std::uint64_t itemsWaiting = 0;  ///< behind each steady state
    strc_text waitingAt = 0, waitingPlace = 0;
    std::vector<Data> made;
    Data top;
    std::string texts = std::string(1, '\0');
    std::map<std::string, strc_text> textOffsets;
    io::ItemTypes items;
    std::vector<std::int64_t> shapes;
    std::vector<std::uint64_t> turns;
    std::array<bool, STRC_FORMATS> usesFormat{};
    bool hasOpenEnd = false;
    bool hasPixels = false;  ///< items of an open end that can be in a picture
};

}  // namespace

std::vector<Data> tables(const Program& program, const codegen::Module& module,
                         std::uint64_t features) {
    return Tables(program, module).make(features);
}

bool mayLoadLibraries(const Program& program) {
    if (!program.loadsLibraries) return false;
    const auto isPossible = [&](const plan::ProgramPort& port) {
        return port.node == graph::kNone ||
               takesLibrary(interp::fileKind(*program.plan.program, port.node).format);
    };
    return std::any_of(program.plan.inputs.begin(), program.plan.inputs.end(), isPossible) ||
           std::any_of(program.plan.outputs.begin(), program.plan.outputs.end(), isPossible);
}

bool checkFormats(const Program& program) {
    const elab::Elaboration& elaboration = *program.plan.program;
    bool fine = true;
    auto check = [&](const plan::ProgramPort& port) {
        if (port.node == graph::kNone) return;
        const io::Format format = interp::fileKind(elaboration, port.node).format;
        if (!takesLibrary(format) || program.loadsLibraries) return;
        const graph::Node& node = elaboration.graph.nodes[port.node];
        base::Diagnostic& fault = program.context.diags.add(base::Diag::FormatLeftOut, node.range)
                                      .in(graph::path(elaboration.graph, port.node))
                                  << node.file << io::name(format);
        fault.note(base::Diag::Hint) << fmt::format(
            "such {} take a library that the program loads when it runs, which "
            "those made with '--static' or for another machine do not do",
            isCompressedSound(format) ? "sounds" : "pictures");
        fine = false;
    };
    for (const plan::ProgramPort& port : program.plan.inputs) check(port);
    for (const plan::ProgramPort& port : program.plan.outputs) check(port);
    return fine;
}

}  // namespace strc::executable
