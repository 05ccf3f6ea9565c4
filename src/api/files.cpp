#include "api/detail/files.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "graph/turns.h"
#include "io/tensors.h"
#include "io/turns.h"

namespace strc::api {

using base::Diag;
using base::Result;
using base::Status;

namespace {

class Reader : public io::ItemReader {
public:
    explicit Reader(const strc_run_options& wanted) : options(wanted) {}
    Result<std::size_t> read(std::byte* to, std::size_t count) override {
        return options.read ? std::min(options.read(options.user, to, count), count)
                            : std::size_t{0};
    }
    bool rewind() override { return false; }

private:
    const strc_run_options& options;
};

class Writer : public io::ItemWriter {
public:
    explicit Writer(const strc_run_options& wanted) : options(wanted) {}
    Status write(const std::byte* from, std::size_t count) override {
        if (!options.write || options.write(options.user, from, count) == 0) return base::ok();
        enough = true;
        return base::failure(Diag::CannotWriteFile, {"the output", "enough"});
    }
    Status flush() override { return base::ok(); }
    Status close() override { return base::ok(); }
    bool readerGone() const override { return enough; }

private:
    const strc_run_options& options;
    bool enough = false;
};

struct Sample {
    std::string_view word;
    int bits;
    bool floating;
};
constexpr std::array kSamples{Sample{"8", 8, false},     Sample{"16", 16, false},
                              Sample{"24", 24, false},   Sample{"32", 32, false},
                              Sample{"float", 32, true}, Sample{"double", 64, true}};

const Sample* sampleOf(const char* word) {
    if (!word) return nullptr;
    const auto* found = std::find_if(kSamples.begin(), kSamples.end(),
                                     [&](const Sample& each) { return each.word == word; });
    return found == kSamples.end() ? nullptr : found;
}

/// By the names of the command line; null: nothing was asked for.
const char* givenAboutInput(const strc_run_options& options) {
    if (options.in) return "--in";
    return options.in_format ? "--in-format" : nullptr;
}

const char* givenAboutOutput(const strc_run_options& options) {
    if (options.out) return "--out";
    if (options.out_format) return "--out-format";
    if (options.out_rate != 0) return "--out-rate";
    if (options.out_channels != 0) return "--out-channels";
    if (options.out_width != 0) return "--out-width";
    if (options.out_height != 0) return "--out-height";
    return options.out_sample ? "--out-sample" : nullptr;
}

/// The last one, or all.
template <typename FormatOf>
std::vector<io::TensorFile> filesOf(const char* single, const char* const* several,
                                    std::size_t count, FormatOf formatOf) {
    if (count == 0) return {{single, formatOf(single)}};
    std::vector<io::TensorFile> files;
    for (std::size_t k = 0; k < count; ++k) files.push_back({several[k], formatOf(several[k])});
    return files;
}

/// With how many items of each follow each other.
std::vector<io::TurnFile> inTurns(const std::vector<io::TensorFile>& files,
                                  const std::vector<std::uint64_t>& turns) {
    std::vector<io::TurnFile> all;
    for (std::size_t k = 0; k < files.size(); ++k)
        all.push_back({files[k].name, files[k].format, turns[k]});
    return all;
}

bool isSameFile(const char* first, const char* second) {
    const std::string one(io::pathOf(first)), other(io::pathOf(second));
    std::error_code error;
    return std::filesystem::is_regular_file(one, error) &&
           std::filesystem::equivalent(one, other, error);
}

std::vector<const char*> namesOf(const char* single, const char* const* several,
                                 std::size_t count) {
    std::vector<const char*> names(several, several + count);
    if (single) names.push_back(single);
    return names;
}

bool isAmong(const std::vector<const char*>& files, const char* file) {
    return std::any_of(files.begin(), files.end(),
                       [&](const char* each) { return isSameFile(each, file); });
}

bool reads(const strc_run_options& options, const char* file) {
    return isAmong(namesOf(options.in, options.in_files, options.in_count), file);
}

bool overwrites(const strc_run_options& options, const char* file) {
    return isAmong(namesOf(options.out, options.out_files, options.out_count), file);
}

/// Standard input is read once.
bool readsTwice(const strc_run_options& options) {
    int count = 0;
    for (std::size_t k = 0; k < options.in_count; ++k)
        if (std::strcmp(options.in_files[k], "-") == 0) ++count;
    return count > 1;
}

bool overwritesInput(const strc_run_options& options) {
    const auto written = namesOf(options.out, options.out_files, options.out_count);
    return std::any_of(written.begin(), written.end(),
                       [&](const char* out) { return reads(options, out); });
}

bool overwritesWeights(const strc_run_options& options, const weights::Source* weights) {
    return weights && !weights->path().empty() && overwrites(options, weights->path().c_str());
}

/// All files are written in turn; a device may be one of them more than once.
bool writesTwice(const strc_run_options& options) {
    std::error_code error;
    std::set<std::string> seen;
    for (std::size_t k = 0; k < options.out_count; ++k) {
        const std::string name = options.out_files[k];
        const bool isDevice =
            std::filesystem::exists(name, error) && !std::filesystem::is_regular_file(name, error);
        if (!isDevice && !seen.insert(name).second) return true;
    }
    return false;
}

}  // namespace

bool areFilesKnown(const strc_run_options& options) {
    auto isFormat = [](const char* word) { return !word || io::findFormat(word); };
    const int least =
        std::min({options.out_rate, options.out_channels, options.out_width, options.out_height});
    return isFormat(options.in_format) && isFormat(options.out_format) && least >= 0 &&
           (!options.out_sample || sampleOf(options.out_sample));
}

Ports::Ports(strc_compiler& made, const strc_run_options& wanted, std::function<void()> wait)
    : compiler(made),
      diags(made.program.context.diags),
      options(wanted),
      waiting(std::move(wait)) {}

bool Ports::open() {
    const graph::Graph& graph = compiler.program.elaboration.graph;
    const bool hasInput = checkSide(givenAboutInput(options), graph.input != graph::kNone, "input");
    const bool hasOutput =
        checkSide(givenAboutOutput(options), graph.output != graph::kNone, "output");
    if (overwritesInput(options))
        diags.add(Diag::ConflictingOptions) << "--in" << "--out with the same file";
    if (overwritesWeights(options, compiler.program.weights.get()))
        diags.add(Diag::ConflictingOptions)
            << "the file with the weights" << "--out with the same file";
    checkFilters();
    if (hasInput) checkCount(options.in_count, true);
    if (hasOutput) checkCount(options.out_count, false);
    if (readsTwice(options))
        diags.add(Diag::ConflictingOptions) << "'--in -'" << "another '--in -'";
    if (hasOutput && options.out_count > 1 && writesTwice(options))
        diags.add(Diag::ConflictingOptions) << "--out" << "another --out with the same file";
    if (diags.hasErrors()) return false;
    if (hasInput) openInput(graph.edges[graph.input]);
    if (hasOutput && !diags.hasErrors()) openOutput(graph.edges[graph.output]);
    return !diags.hasErrors();
}

/// A filter would read what the program writes, or write what it reads.
void Ports::checkFilters() {
    const elab::Elaboration& program = compiler.program.elaboration;
    for (graph::NodeId id = 0; id < program.graph.nodes.size(); ++id) {
        const graph::Node& node = program.graph.nodes[id];
        if (node.file.empty()) continue;
        const auto role = types::info(program.kernels[node.kernel].builtin).role;
        const std::string path = graph::path(program.graph, id);
        if (role == types::BuiltinRole::Reader && overwrites(options, node.file.c_str()))
            diags.add(Diag::FileReadAndWritten) << node.file << path;
        if (role == types::BuiltinRole::Writer && reads(options, node.file.c_str()))
            diags.add(Diag::FileReadAndWritten, node.range).in(path) << node.file << "--in";
    }
}

bool Ports::checkSide(const char* option, bool isThere, std::string_view side) {
    if (!isThere && option)
        diags.add(Diag::MainStreamSide) << option << compiler.program.main->name << side;
    return isThere;
}

/// Several files are one for each of the inputs or outputs.
void Ports::checkCount(std::size_t files, bool isInput) {
    const graph::Graph& graph = compiler.program.elaboration.graph;
    const std::size_t ends = std::max<std::size_t>(turnsOf(isInput).size(), 1);
    if (graph::hasTensors(graph.edges[isInput ? graph.input : graph.output]) || files <= 1 ||
        files == ends)
        return;
    (diags.add(Diag::NumberOfFiles)
     << (isInput ? "'--in'" : "'--out'") << static_cast<std::int64_t>(files)
     << compiler.program.main->name
     << fmt::format("{} {}{}", ends, isInput ? "input" : "output", ends == 1 ? "" : "s"))
            .note(Diag::Hint)
        << STRC_ENDS_HINT;
}

std::optional<io::Format> Ports::formatOf(const char* file, const char* format,
                                          std::string_view option) {
    auto known = format ? io::findFormat(format) : io::formatOf(file);
    if (!known)
        (diags.add(Diag::UnknownFormat) << file).note(Diag::Hint)
            << "'" + std::string(option) + "' says what it is";
    return known;
}

/// Executables alone read items that bring their extents: here files have said them, if there are any.
bool Ports::isKnown(const graph::Edge& input) {
    if (std::all_of(input.tensors.begin(), input.tensors.end(), types::isConcrete)) return true;
    (diags.add(Diag::TensorUnknown, input.range) << "the shape of the program's input")
            .note(Diag::Hint)
        << "what '--input' leaves open the files of '--in' say that have shapes and are no pipes: "
           ".npy, .safetensors and pictures; executables ('strc build') read any";
    return false;
}

void Ports::openInput(const graph::Edge& edge) {
    if (!isKnown(edge)) return;
    if (!options.in) {
        reader = std::make_unique<Reader>(options);
        return;
    }
    auto format = formatOf(options.in, options.in_format, "--in-format");
    if (!format) return;
    auto each = [&](const char* file) {
        return formatOf(file, options.in_format, "--in-format").value_or(*format);
    };
    const auto files = filesOf(options.in, options.in_files, options.in_count, each);
    if (diags.hasErrors()) return;
    auto opened =
        !edge.tensors.empty() ? io::openTensorReader(files, {edge.tensors, graph::memoryOf(edge)},
                                                     "the main stream", waiting)
        : files.size() > 1 ? io::openTurnsReader(inTurns(files, turnsOf(true)), edge.type, waiting)
                           : io::openReader(options.in, *format, edge.type, waiting);
    if (opened)
        reader = std::move(*opened);
    else
        base::report(diags, opened.failure());
}

/// Tensors on standard output are shown, unless another format is asked for.
void Ports::openOutput(const graph::Edge& edge) {
    if (!options.out) {
        if (types::isConcrete(graph::memoryOf(edge)))
            writer = std::make_unique<Writer>(options);
        else
            diags.add(Diag::TensorUnknown, edge.range)
                << "the shape of what the program gives, which goes to no file,";
        return;
    }
    auto formatFor = [&](const char* file) {
        const bool isShown =
            graph::hasTensors(edge) && !options.out_format && std::strcmp(file, "-") == 0;
        if (isShown) return std::optional(io::Format::Csv);
        return formatOf(file, options.out_format, "--out-format");
    };
    auto format = formatFor(options.out);
    if (!format) return;
    auto each = [&](const char* file) { return formatFor(file).value_or(*format); };
    const auto files = filesOf(options.out, options.out_files, options.out_count, each);
    if (diags.hasErrors()) return;
    auto opened =
        graph::hasTensors(edge)
            ? io::openTensorWriter(files, {edge.tensors, graph::memoryOf(edge)}, outInfo())
        : files.size() > 1
            ? io::openTurnsWriter(inTurns(files, turnsOf(false)), edge.type, saidInfo())
            : io::openWriter(options.out, *format, edge.type,
                             io::isSound(*format) ? saidInfo() : outInfo());
    if (opened)
        writer = std::move(*opened);
    else
        base::report(diags, opened.failure());
}

std::vector<std::uint64_t> Ports::turnsOf(bool isInput) const {
    return graph::turnsOf(compiler.program.elaboration.graph, isInput);
}

/// Only that which was asked for: the rest of a sound is up to all that the program reads.
io::StreamInfo Ports::saidInfo() const {
    const Sample* sample = sampleOf(options.out_sample);
    io::StreamInfo info;
    info.bits = sample ? sample->bits : 0;
    info.floating = sample && sample->floating;
    info.sampleRate = options.out_rate;
    info.channels = options.out_channels;
    info.width = options.out_width;
    info.height = options.out_height;
    return info;
}

/// What was not asked for is as the input has it.
io::StreamInfo Ports::outInfo() const {
    const io::StreamInfo from = reader ? reader->info() : io::StreamInfo{};
    io::StreamInfo info = saidInfo();
    if (info.bits == 0) {
        info.bits = from.bits;
        info.floating = from.floating;
    }
    if (info.channels == 0) info.channels = from.channels;
    if (info.width == 0) info.width = from.width;
    return info;
}

}  // namespace strc::api

int strc_is_format(const char* name) {
    return name && strc::io::findFormat(name).has_value() ? 1 : 0;
}
