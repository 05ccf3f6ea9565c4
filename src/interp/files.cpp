#include "interp/files.h"

namespace strc::interp {
namespace {

io::Format formatOf(ir::BuiltinStream stream, const std::string& file) {
    switch (stream) {
        case ir::BuiltinStream::WavReader:
        case ir::BuiltinStream::WavWriter: return io::Format::Wav;
        case ir::BuiltinStream::NpyReader:
        case ir::BuiltinStream::NpyWriter: return io::Format::Npy;
        case ir::BuiltinStream::CsvReader:
        case ir::BuiltinStream::CsvWriter: return io::Format::Csv;
        case ir::BuiltinStream::PcmReader:
        case ir::BuiltinStream::PcmWriter: return io::Format::Pcm;
        case ir::BuiltinStream::ImageReader:
        case ir::BuiltinStream::ImageWriter:
            return io::formatOf(file) == io::Format::Png ? io::Format::Png : io::Format::Pgm;
        default: return io::Format::Raw;
    }
}

/// What the parameters of a writer tell about its file.
io::StreamInfo streamInfo(const elab::Kernel& kernel) {
    io::StreamInfo info;
    auto parameters = types::info(kernel.builtin).parameters;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        if (parameters[k].isString) continue;
        auto value = static_cast<int>(kernel.constants[k].toInt());
        if (parameters[k].name == "rate") info.sampleRate = value;
        if (parameters[k].name == "channels") info.channels = value;
        if (parameters[k].name == "width") info.width = value;
        if (parameters[k].name == "height") info.height = value;
    }
    return info;
}

}  // namespace

FileKind fileKind(const elab::Elaboration& program, graph::NodeId id) {
    const graph::Node& node = program.graph.nodes[id];
    const elab::Kernel& kernel = program.kernels[node.kernel];
    return {formatOf(kernel.builtin, node.file), streamInfo(kernel)};
}

std::unique_ptr<io::ItemReader> openReader(base::Context& context, const elab::Elaboration& program,
                                           graph::NodeId id,
                                           const std::function<void()>& beforeWaiting) {
    const graph::Node& node = program.graph.nodes[id];
    const elab::Kernel& kernel = program.kernels[node.kernel];
    auto opened =
        io::openReader(node.file, fileKind(program, id).format, kernel.output, beforeWaiting);
    if (opened) return std::move(*opened);
    base::report(context.diags, opened.failure(), node.range).in(graph::path(program.graph, id));
    return nullptr;
}

std::unique_ptr<io::ItemWriter> openWriter(base::Context& context, const elab::Elaboration& program,
                                           graph::NodeId id) {
    const graph::Node& node = program.graph.nodes[id];
    const elab::Kernel& kernel = program.kernels[node.kernel];
    const FileKind kind = fileKind(program, id);
    auto opened = io::openWriter(node.file, kind.format, kernel.input, kind.info);
    if (opened) return std::move(*opened);
    base::report(context.diags, opened.failure(), node.range).in(graph::path(program.graph, id));
    return nullptr;
}

std::uint64_t reportItemsLeft(base::Context& context, const io::Supply& input) {
    const std::uint64_t left = input.left();
    if (left > 0)
        context.diags.add(base::Diag::InputLeftOver)
            << static_cast<std::int64_t>(left) << input.name();
    return left;
}

void reportBytesLeft(base::Context& context, const io::Supply& input, bool assumed) {
    const io::ItemReader::Rest rest = input.rest();
    if (rest.bytes == 0) return;
    auto& told = context.diags.add(base::Diag::BytesLeftOver)
                 << static_cast<std::int64_t>(rest.bytes) << input.name()
                 << static_cast<std::int64_t>(rest.itemBytes);
    if (assumed)
        told.note(base::Diag::Hint) << "'--in-format' says what else it holds than raw items";
}

}  // namespace strc::interp
