// What came of a program: graph, schedule, code, the types of its ends.
#include "api/compiler.h"
#include "graph/picture.h"

using strc::session::Product;
using strc::session::Stage;

namespace {

Stage neededFor(strc_product product) {
    switch (product) {
        case STRC_AST: return Stage::Parsed;
        case STRC_IR: return Stage::Lowered;
        case STRC_GRAPH: return Stage::Balanced;
        case STRC_GRAPH_JSON:
        case STRC_GRAPH_DOT:
        case STRC_SCHEDULE: return Stage::Scheduled;
        case STRC_PLAN:
        case STRC_LLVM:
        case STRC_ASSEMBLY:
        case STRC_OBJECT: return Stage::Planned;
    }
    return Stage::Planned;
}

std::string picture(strc_compiler& compiler, strc_product product) {
    const strc::graph::Graph& graph = compiler.program.elaboration.graph;
    const std::vector<std::int64_t> capacity = strc::session::capacities(compiler.program);
    const strc::graph::Annotations notes{&compiler.program.quota, &capacity};
    return product == STRC_GRAPH_JSON ? strc::graph::toJson(graph, notes)
                                      : strc::graph::toDot(graph, notes);
}

/// Empty if it was interrupted; a program always has some object file.
std::string objectOf(strc_compiler& compiler) {
    auto made = strc::session::objectFile(compiler.program, compiler.settings, compiler.building());
    strc::api::tell(compiler.program.context, compiler.told);
    return made.value_or("");
}

std::string textOf(strc_compiler& compiler, strc_product product) {
    strc::codegen::Options how = strc::session::codegenOptions(compiler.settings);
    how.native = strc::session::nativesBySymbol(compiler.program);
    auto text = [&](Product wanted) {
        return strc::session::textOf(wanted, compiler.program, how);
    };
    switch (product) {
        case STRC_AST: return text(Product::Ast);
        case STRC_IR: return text(Product::Ir);
        case STRC_GRAPH: return text(Product::Graph);
        case STRC_GRAPH_JSON:
        case STRC_GRAPH_DOT: return picture(compiler, product);
        case STRC_SCHEDULE: return text(Product::Schedule);
        case STRC_PLAN: return text(Product::Plan);
        case STRC_LLVM: return text(Product::Llvm);
        case STRC_ASSEMBLY: return text(Product::Asm);
        case STRC_OBJECT: return objectOf(compiler);
    }
    return {};
}

bool canShow(const strc_compiler& compiler, strc_product product) {
    if (product < STRC_AST || product > STRC_OBJECT) return false;
    if (compiler.stage < neededFor(product)) return false;
    if (product < STRC_PLAN) return true;
    const strc::session::Compilation& program = compiler.program;
    if (!program.plan) return false;
    return product == STRC_PLAN || strc::codegen::whyNot(program.module, *program.plan).empty();
}

strc_status itemsOf(strc_compiler* compiler, strc_items* to, bool isInput) {
    if (!compiler || !to || compiler->stage < Stage::Elaborated) return STRC_WRONG_CALL;
    return strc::api::guarded(compiler, [&] {
        const strc::graph::Graph& graph = compiler->program.elaboration.graph;
        const strc::graph::EdgeId edge = isInput ? graph.input : graph.output;
        *to = {nullptr, 0};
        if (edge == strc::graph::kNone) return STRC_OK;
        const strc::types::Type* type = graph.edges[edge].type;
        std::string& name = isInput ? compiler->inputType : compiler->outputType;
        name = strc::types::toString(type);
        *to = {name.c_str(), static_cast<size_t>(strc::types::sizeOf(type))};
        return STRC_OK;
    });
}

}  // namespace

const char* strc_compiler_text(strc_compiler* compiler, strc_product product, size_t* size) {
    if (size) *size = 0;
    if (!compiler || !canShow(*compiler, product)) return nullptr;
    const std::string* made = nullptr;
    const strc_status status = strc::api::guarded(compiler, [&] {
        auto known = compiler->texts.find(product);
        if (known == compiler->texts.end())
            known = compiler->texts.emplace(product, textOf(*compiler, product)).first;
        made = &known->second;
        return STRC_OK;
    });
    if (status != STRC_OK || made->empty()) return nullptr;
    if (size) *size = made->size();
    return made->c_str();
}

strc_status strc_compiler_input(strc_compiler* compiler, strc_items* to) {
    return itemsOf(compiler, to, true);
}

strc_status strc_compiler_output(strc_compiler* compiler, strc_items* to) {
    return itemsOf(compiler, to, false);
}
