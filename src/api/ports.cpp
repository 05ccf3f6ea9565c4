// The items of the main stream's ends: types, layouts, tensors.
#include "api/detail/ports.h"

#include <cstring>

#include <fmt/format.h>

#include "graph/turns.h"
#include "types/tensor_text.h"

namespace strc::api {

using types::Type;
using types::TypeKind;

const graph::Edge* endOf(const strc_compiler& compiler, bool isInput) {
    const graph::Graph& graph = compiler.program.elaboration.graph;
    const graph::EdgeId edge = isInput ? graph.input : graph.output;
    return edge == graph::kNone ? nullptr : &graph.edges[edge];
}

namespace {

struct ElementName {
    const char* name;
    TypeKind kind;
};
constexpr ElementName kElements[] = {{"float", TypeKind::Float}, {"double", TypeKind::Double},
                                     {"half", TypeKind::Half},   {"bfloat16", TypeKind::BFloat16},
                                     {"int8", TypeKind::Int8},   {"int", TypeKind::Int},
                                     {"long", TypeKind::Long},   {"boolean", TypeKind::Boolean}};

}  // namespace

const char* elementName(TypeKind kind) {
    for (const ElementName& each : kElements)
        if (each.kind == kind) return each.name;
    return nullptr;
}

TypeKind elementKind(std::string_view name) {
    for (const ElementName& each : kElements)
        if (each.name == name) return each.kind;
    return TypeKind::Error;
}

TensorItem::TensorItem(const Type* item, const Type* tensor)
    : inside(static_cast<std::size_t>(types::sizeOf(tensor))),
      size(static_cast<std::size_t>(types::sizeOf(item))),
      offset(static_cast<std::size_t>(types::offsetIn(item, tensor))) {}

void TensorItem::take(std::byte* item, const std::byte* from) const {
    if (inside != size) std::memset(item, 0, size);
    if (inside != 0) std::memcpy(item + offset, from, inside);
}

void TensorItem::give(std::byte* to, const std::byte* item) const {
    if (inside != 0) std::memcpy(to, item + offset, inside);
}

namespace {

/// As the header says about strc_compiler_input_layout.
std::string layoutOf(const Type* type) {
    if (type->is(TypeKind::Array)) {
        std::string shape;
        for (; type->is(TypeKind::Array); type = type->element)
            shape += fmt::format("{}{}", shape.empty() ? "" : ", ", type->extent);
        return fmt::format(R"({{"of": {}, "shape": [{}]}})", layoutOf(type), shape);
    }
    if (type->isFloatN())
        return fmt::format(R"({{"of": "float", "shape": [{}]}})", type->components());
    if (!type->is(TypeKind::Struct)) return fmt::format(R"("{}")", types::toString(type));
    std::string fields;
    for (const types::StructField& field : type->structure->fields)
        fields += fmt::format(R"({}{{"name": "{}", "offset": {}, "type": {}}})",
                              fields.empty() ? "" : ", ", field.name.text(), field.offset,
                              layoutOf(field.type));
    return fmt::format(R"({{"struct": [{}], "size": {}}})", fields, types::sizeOf(type));
}

strc_status itemsOf(strc_compiler* compiler, strc_items* to, bool isInput) {
    if (!compiler || !to || compiler->stage < session::Stage::Elaborated) return STRC_WRONG_CALL;
    return guarded(compiler, [&] {
        *to = {nullptr, 0};
        const graph::Edge* edge = endOf(*compiler, isInput);
        if (!edge) return STRC_OK;
        std::string& name = isInput ? compiler->inputType : compiler->outputType;
        const Type* memory = graph::memoryOf(*edge);
        name = types::toString(memory);
        const bool isKnown = types::isConcrete(memory);
        *to = {name.c_str(), isKnown ? static_cast<size_t>(types::sizeOf(memory)) : 0};
        return STRC_OK;
    });
}

const char* layoutOfPort(strc_compiler* compiler, bool isInput) {
    if (!compiler || compiler->stage < session::Stage::Elaborated) return nullptr;
    const graph::Edge* edge = endOf(*compiler, isInput);
    if (!edge) return nullptr;
    std::string& layout = isInput ? compiler->inputLayout : compiler->outputLayout;
    const strc_status made = guarded(compiler, [&] {
        layout = layoutOf(graph::memoryOf(*edge));
        return STRC_OK;
    });
    return made == STRC_OK ? layout.c_str() : nullptr;
}

strc_status tensorOf(const strc_compiler* compiler, bool isInput, size_t index, strc_tensor* to) {
    if (!compiler || !to || compiler->stage < session::Stage::Elaborated) return STRC_WRONG_CALL;
    const graph::Edge* edge = endOf(*compiler, isInput);
    if (!edge || index >= edge->tensors.size()) return STRC_WRONG_CALL;
    const Type* tensor = edge->tensors[index];
    *to = {elementName(tensor->element->kind), tensor->dims.size(), tensor->dims.data(),
           static_cast<std::size_t>(types::sizeOf(tensor))};
    return STRC_OK;
}

strc_status turnOf(const strc_compiler* compiler, bool isInput, size_t index, size_t* items) {
    if (!compiler || !items || compiler->stage < session::Stage::Elaborated) return STRC_WRONG_CALL;
    const std::vector<std::uint64_t> turns =
        graph::turnsOf(compiler->program.elaboration.graph, isInput);
    if (index >= turns.size()) return STRC_WRONG_CALL;
    *items = static_cast<size_t>(turns[index]);
    return STRC_OK;
}

}  // namespace
}  // namespace strc::api

strc_status strc_compiler_input_turn(const strc_compiler* compiler, size_t index, size_t* items) {
    return strc::api::turnOf(compiler, true, index, items);
}

strc_status strc_compiler_output_turn(const strc_compiler* compiler, size_t index, size_t* items) {
    return strc::api::turnOf(compiler, false, index, items);
}

int strc_compiler_has_output(const strc_compiler* compiler) {
    if (!compiler) return 0;
    if (compiler->stage >= strc::session::Stage::Elaborated)
        return strc::api::endOf(*compiler, false) != nullptr;
    // Before, the types of a stream that was made from arguments are not known.
    const strc::types::Type* type =
        compiler->program.main ? compiler->program.main->output : nullptr;
    return type && !type->is(strc::types::TypeKind::Void);
}

strc_status strc_compiler_input(strc_compiler* compiler, strc_items* to) {
    return strc::api::itemsOf(compiler, to, true);
}

strc_status strc_compiler_output(strc_compiler* compiler, strc_items* to) {
    return strc::api::itemsOf(compiler, to, false);
}

const char* strc_compiler_input_layout(strc_compiler* compiler) {
    return strc::api::layoutOfPort(compiler, true);
}

const char* strc_compiler_output_layout(strc_compiler* compiler) {
    return strc::api::layoutOfPort(compiler, false);
}

strc_status strc_compiler_input_tensor(const strc_compiler* compiler, size_t index,
                                       strc_tensor* to) {
    return strc::api::tensorOf(compiler, true, index, to);
}

strc_status strc_compiler_output_tensor(const strc_compiler* compiler, size_t index,
                                        strc_tensor* to) {
    return strc::api::tensorOf(compiler, false, index, to);
}
