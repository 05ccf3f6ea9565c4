// What came of a program: graph, schedule, code.
#include "api/detail/compiler.h"

using strc::session::Product;
using strc::session::Stage;

namespace {

bool isProduct(strc_product product) { return product >= STRC_AST && product <= STRC_PROGRAM; }

Product productOf(strc_product product) {
    switch (product) {
        case STRC_AST: return Product::Ast;
        case STRC_IR: return Product::Ir;
        case STRC_GRAPH: return Product::Graph;
        case STRC_GRAPH_JSON: return Product::GraphJson;
        case STRC_GRAPH_DOT: return Product::GraphDot;
        case STRC_GRAPH_SVG: return Product::GraphSvg;
        case STRC_SCHEDULE: return Product::Schedule;
        case STRC_PLAN: return Product::Plan;
        case STRC_LLVM: return Product::Llvm;
        case STRC_ASSEMBLY: return Product::Asm;
        case STRC_OBJECT: return Product::Object;
        case STRC_AFTER_PASS: return Product::AfterPass;
        case STRC_MEMORY: return Product::Memory;
        case STRC_MEMORY_JSON: return Product::MemoryJson;
        case STRC_C_SOURCE: return Product::CSource;
        case STRC_C_HEADER: return Product::CHeader;
        case STRC_PROGRAM: return Product::Program;
    }
    return Product::Object;
}

Stage stageFor(const strc_compiler& compiler, strc_product product) {
    return strc::session::stageOf(productOf(product), compiler.settings);
}

/// A graph without schedule has no buffers, but can be seen.
bool isLateEnough(const strc_compiler& compiler, strc_product product) {
    const Stage needed = product == STRC_GRAPH ? Stage::Balanced : stageFor(compiler, product);
    const bool lacks = product == STRC_SCHEDULE && compiler.program.schedules.empty();
    return needed != Stage::Nothing && compiler.stage >= needed && !lacks;
}

std::optional<std::string> textOf(strc_compiler& compiler, strc_product product) {
    auto made =
        product == STRC_OBJECT
            ? strc::session::objectFile(compiler.program, compiler.settings, compiler.building())
            : strc::session::textOf(productOf(product), compiler.program, compiler.settings);
    compiler.tell();
    return made;
}

}  // namespace

const char* strc_compiler_text(strc_compiler* compiler, strc_product product, size_t* size) {
    if (size) *size = 0;
    if (!compiler || !isProduct(product) || !isLateEnough(*compiler, product)) return nullptr;
    const std::string* made = nullptr;
    strc::api::guarded(compiler, [&] {
        auto known = compiler->texts.find(product);
        if (known == compiler->texts.end()) {
            std::optional<std::string> text = textOf(*compiler, product);
            if (!text) return STRC_FAILED;
            known = compiler->texts.emplace(product, std::move(*text)).first;
        }
        made = &known->second;
        return STRC_OK;
    });
    if (made && size) *size = made->size();
    return made ? made->c_str() : nullptr;
}

strc_stage strc_compiler_stage_for(const strc_compiler* compiler, strc_product product) {
    if (!compiler || !isProduct(product)) return STRC_STAGE_NOTHING;
    return static_cast<strc_stage>(stageFor(*compiler, product));
}
