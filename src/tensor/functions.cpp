// Functions with tensors among their parameters or results: shapes are those of a call, so their code stands where they
// are called before anybody asks for shapes.

#include <algorithm>

#include "ir/inline.h"
#include "tensor/detail/expansion.h"

namespace strc::tensor {
namespace {

using ir::Body;
using ir::Instr;

bool handsTensors(const Body& body) {
    if (body.kind != ir::BodyKind::Function) return false;
    if (body.result && isTensor(body.result)) return true;
    auto isOne = [](const ir::Variable& parameter) { return isTensor(parameter.type); };
    return std::any_of(body.locals.begin(), body.locals.begin() + body.params, isOne);
}

std::optional<Fault> takeInto(const ir::StreamCode& code, Body& body) {
    const std::optional<Instr> call = ir::inlineChosen(code, body, handsTensors);
    if (!call) return std::nullopt;
    return Fault{false, "'" + code.functions[call->callee.index].name + "'",
                 "a function that takes or gives tensors can neither call itself nor take or give "
                 "arrays or "
                 "structures, and returns nowhere inside of a loop",
                 call->range};
}

/// An empty body for a function whose calls have all been inlined.
Body emptied(const Body& function, types::TypeTable& types) {
    Body made;
    made.name = function.name;
    made.kind = function.kind;
    made.result = types.voidType();
    made.blocks.resize(1);
    made.range = function.range;
    made.header = function.header;
    return made;
}

}  // namespace

std::optional<Fault> takeInFunctions(ir::StreamCode& code, types::TypeTable& types) {
    if (std::none_of(code.functions.begin(), code.functions.end(), handsTensors))
        return std::nullopt;
    if (std::optional<Fault> fault = takeInto(code, code.setup)) return fault;
    for (std::optional<Body>* body : {&code.init, &code.prework, &code.work, &code.body})
        if (*body)
            if (std::optional<Fault> fault = takeInto(code, **body)) return fault;
    for (Body& function : code.functions)
        if (!handsTensors(function))
            if (std::optional<Fault> fault = takeInto(code, function)) return fault;
    for (Body& function : code.functions)
        if (handsTensors(function)) function = emptied(function, types);
    return std::nullopt;
}

}  // namespace strc::tensor
