// Files that are looked at while the graph is built: as arrays, and what they tell of sounds.
#include "sema/detail/calls.h"
#include "sema/detail/expressions.h"
#include "sema/detail/scopes.h"

namespace strc::sema {
namespace {

using types::TypeKind;

const types::FileFunction* findFileFunction(std::string_view name) {
    for (const types::FileFunction& each : types::fileFunctions())
        if (each.name == name) return &each;
    return nullptr;
}

bool isFact(std::string_view name) { return name == "sampleRate" || name == "channels"; }

/// The code that runs while the program does, or may do so: there the call is too late.
std::string_view tooLatePlace(CodeKind kind) {
    switch (kind) {
        case CodeKind::Work: return "work";
        case CodeKind::Prework: return "prework";
        case CodeKind::Handler: return "a handler";
        case CodeKind::Package:
        case CodeKind::FunctionType:
        case CodeKind::Function: return "a function";
        case CodeKind::Struct: return "a struct";
        default: return {};
    }
}

void checkPlace(Checker& c, const ast::CallExpr& call) {
    const std::string_view place = tooLatePlace(c.body->place);
    if (!place.empty()) c.error(Diag::FilePlacement, call.range) << call.callee.name << place;
}

Target argumentOf(const ast::CallExpr& call, std::size_t k, const Type* type) {
    Target target;
    target.type = type;
    target.site = Site::Argument;
    target.subject = call.callee.name;
    target.position = static_cast<std::uint32_t>(k + 1);
    return target;
}

/// `wav("ir.wav", 0)`; the elements are as the context wants them, or floats.
const Type* checkArray(Checker& c, const ast::CallExpr& call, const Type* wanted) {
    CallTarget& target = c.tables.calls[call.id.index];
    target.kind = CallKind::FileArray;
    target.reader = findFileFunction(call.callee.name.text())->reader;
    std::vector<Typed> args;
    for (const ast::Expr* arg : call.args) args.push_back(checkValue(c, *arg));
    const std::size_t most = target.reader == types::BuiltinStream::WavReader ? 2 : 1;
    if (checkArgumentCount(c, call.callee.range, {"function", call.callee.name.text()},
                           {1, most, args.size()}))
        return c.setType(call.id, c.types.error());
    for (std::size_t k = 0; k < args.size(); ++k)
        convert(c, *call.args[k], args[k],
                argumentOf(call, k, k == 0 ? c.types.string() : c.types.intType()));
    checkPlace(c, call);
    const bool isNumber = wanted && wanted->isScalar() &&
                          (wanted->isNumeric() || wanted->is(TypeKind::Boolean)) &&
                          !wanted->isFloatN() && !wanted->is(TypeKind::Tensor);
    const Type* element = isNumber ? wanted : c.types.floatType();
    return c.setType(call.id, c.types.array(element, types::kDynamic));
}

/// `sampleRate("a.wav")`; `sampleRate()` and `sampleRate(44100)` of the program's input.
Typed checkFact(Checker& c, const ast::CallExpr& call) {
    c.tables.calls[call.id.index].kind =
        call.callee.name.text() == "channels" ? CallKind::Channels : CallKind::SampleRate;
    std::vector<Typed> args;
    for (const ast::Expr* arg : call.args) args.push_back(checkValue(c, *arg));
    checkPlace(c, call);
    if (checkArgumentCount(c, call.callee.range, {"function", call.callee.name.text()},
                           {0, 1, args.size()}))
        return failed(c);
    if (args.size() == 1 && !args[0].type->is(TypeKind::String))
        convert(c, *call.args[0], args[0], argumentOf(call, 0, c.types.intType()));
    return {c.types.intType(), {}, false};
}

}  // namespace

std::optional<Typed> checkFileCall(Checker& c, const ast::CallExpr& call) {
    const std::string_view name = call.callee.name.text();
    if (isFact(name)) return checkFact(c, call);
    if (!findFileFunction(name)) return std::nullopt;
    return Typed{checkArray(c, call, nullptr), {}, false};
}

bool checkFileArray(Checker& c, const ast::Expr& expr, const Target& to) {
    auto* call = ast::tryAs<ast::CallExpr>(ast::withoutParens(&expr));
    if (!call || findFunction(c, call->callee.name) || !findFileFunction(call->callee.name.text()))
        return false;
    const Type* type = checkArray(c, *call, to.type->element);
    c.setType(expr.id, type);
    if (!type->isError()) convert(c, expr, {type, {}, false}, to);
    return true;
}

void considerFileFunctions(base::SpellingSearch& search) {
    for (const types::FileFunction& each : types::fileFunctions()) search.consider(each.name);
    search.consider("sampleRate");
    search.consider("channels");
}

}  // namespace strc::sema
