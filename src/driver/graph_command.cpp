// `strc graph`.
#include <cerrno>
#include <cstring>

#include "driver/commands.h"
#include "graph/picture.h"
#include "io/subprocess.h"
#include "session/products.h"

namespace strc::driver {

using base::Diag;
using base::Result;

namespace {

/// Graphviz draws; without it there is still the text that it would draw.
Result<std::string> draw(const std::string& dot) { return io::runTool({"dot", "-Tsvg"}, dot); }

void reportTool(base::Diagnostics& diags, const std::string& reason) {
    if (reason.find(std::strerror(ENOENT)) == std::string::npos) {
        diags.add(Diag::CannotWriteFile) << "SVG" << reason;
        return;
    }
    base::Diagnostic& diag = diags.add(Diag::ToolMissing) << "--format svg" << "dot";
    diag.note(Diag::Hint) << "it belongs to Graphviz; --format dot needs no tool";
}

}  // namespace

int graphCommand(const Call& call) {
    Compilation program;
    auto noPrint = [](std::string_view) {};
    if (compileFiles(call, program, Stage::Scheduled, noPrint) < Stage::Scheduled)
        return statusOfFailure(call);
    const graph::Graph& graph = program.elaboration.graph;
    std::vector<std::int64_t> capacity = session::capacities(program);
    const graph::Annotations notes{&program.quota, &capacity};
    graph::Folding folding;
    folding.fold = call.options.fold;
    switch (call.options.graphFormat) {
        case GraphFormat::Text: return printResult(call, graph::toText(graph, notes));
        case GraphFormat::Json: return printResult(call, graph::toJson(graph, notes));
        case GraphFormat::Dot: return printResult(call, graph::toDot(graph, notes, folding));
        case GraphFormat::Svg: break;
    }
    Result<std::string> picture = draw(graph::toDot(graph, notes, folding));
    if (picture) return printResult(call, *picture);
    reportTool(program.context.diags, picture.error());
    call.reporter.show(program.context);
    return call.reporter.status();
}

}  // namespace strc::driver
