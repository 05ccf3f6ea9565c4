#include "sema/detail/calls.h"
#include "sema/detail/expressions.h"
#include "sema/detail/scopes.h"
#include "sema/detail/tensors.h"

namespace strc::sema {
namespace {

using types::MathFn;
using types::TypeKind;

constexpr std::string_view kVectorLibrary = "StreamItVectorLib";

CallTarget& targetOf(Checker& c, ast::NodeId id, CallKind kind) {
    CallTarget& target = c.tables.calls[id.index];
    target.kind = kind;
    return target;
}

// ---------------------------------------------------------------- vectors

enum class Shape : std::uint8_t { Vector, Scalar };
struct VectorFunction {
    std::string_view name;    ///< without the number of components
    std::string_view sizes;   ///< those it exists for
    int args;
    Shape second;
    TypeKind result;          ///< Void: the vector's type
};
constexpr VectorFunction kVectorFunctions[] = {
    {"add", "234", 2, Shape::Vector, TypeKind::Void},
    {"sub", "234", 2, Shape::Vector, TypeKind::Void},
    {"mul", "234", 2, Shape::Vector, TypeKind::Void},
    {"div", "234", 2, Shape::Vector, TypeKind::Void},
    {"addScalar", "234", 2, Shape::Scalar, TypeKind::Void},
    {"subScalar", "234", 2, Shape::Scalar, TypeKind::Void},
    {"scale", "234", 2, Shape::Scalar, TypeKind::Void},
    {"scaleInv", "234", 2, Shape::Scalar, TypeKind::Void},
    {"neg", "234", 1, Shape::Vector, TypeKind::Void},
    {"floor", "234", 1, Shape::Vector, TypeKind::Void},
    {"normalize", "234", 1, Shape::Vector, TypeKind::Void},
    {"sqrtDist", "234", 2, Shape::Vector, TypeKind::Float},
    {"max", "23", 2, Shape::Vector, TypeKind::Void},
    {"min", "23", 2, Shape::Vector, TypeKind::Void},
    {"dot", "3", 2, Shape::Vector, TypeKind::Float},
    {"cross", "3", 2, Shape::Vector, TypeKind::Void},
    {"greaterThan", "3", 2, Shape::Vector, TypeKind::Boolean},
    {"lessThan", "3", 2, Shape::Vector, TypeKind::Boolean},
    {"equals", "3", 2, Shape::Vector, TypeKind::Boolean},
};

const VectorFunction* findVectorFunction(std::string_view name) {
    if (name.empty()) return nullptr;
    for (const VectorFunction& each : kVectorFunctions)
        if (name.substr(0, name.size() - 1) == each.name &&
            each.sizes.find(name.back()) != std::string_view::npos)
            return &each;
    return nullptr;
}

Target argumentTarget(const Type* type, Name function, std::size_t position) {
    Target target;
    target.type = type;
    target.site = Site::Argument;
    target.subject = function;
    target.position = static_cast<std::uint32_t>(position);
    return target;
}

// ---------------------------------------------------------------- mathematics

bool hasComplexForm(MathFn fn) {
    switch (fn) {
        case MathFn::Exp:
        case MathFn::Sin:
        case MathFn::Cos:
        case MathFn::Log:
        case MathFn::Sqrt:
        case MathFn::Pow:
        case MathFn::Csqrt: return true;
        default: return false;
    }
}

/// floor(v) and normalize(v) of a vector.
Typed checkVectorCall(Checker& c, const ast::CallExpr& call, const Type* type) {
    targetOf(c, call.id, CallKind::VectorMath).vectorFunction = call.callee.name;
    return {type, {}, false};
}

Typed checkMath(Checker& c, const ast::CallExpr& call, MathFn fn) {
    std::vector<Typed> args;
    for (const ast::Expr* arg : call.args) args.push_back(checkValue(c, *arg));
    auto needed = static_cast<std::size_t>(types::arguments(fn));
    std::string_view name = call.callee.name.text();
    if (checkArgumentCount(c, call.callee.range, {"function", name}, {needed, needed, args.size()}))
        return failed(c);
    for (const Typed& arg : args)
        if (arg.type->is(TypeKind::Tensor)) return checkTensorMath(c, call, fn, args);
    if (fn == MathFn::Floor && args[0].type->isFloatN())
        return checkVectorCall(c, call, args[0].type);
    bool isComplex = fn == MathFn::Csqrt || fn == MathFn::Arg;
    for (const Typed& arg : args) isComplex |= arg.type->is(TypeKind::Complex);
    bool toReal = isComplex && (fn == MathFn::Abs || fn == MathFn::Arg);
    bool toComplex = isComplex && hasComplexForm(fn);
    const Type* wanted = toReal || toComplex ? c.types.complex() : c.types.doubleType();
    for (std::size_t i = 0; i < args.size(); ++i) {
        Target target = argumentTarget(wanted, call.callee.name, i + 1);
        if (!promotes(args[i].type, wanted) && wanted->is(TypeKind::Double))
            target.type = c.types.floatType();
        convert(c, *call.args[i], args[i], target);
    }
    CallKind kind = toComplex ? CallKind::ComplexMath
                    : toReal  ? CallKind::ComplexToReal
                              : CallKind::RealMath;
    targetOf(c, call.id, kind).math = fn;
    return {toComplex ? c.types.complex() : c.types.floatType(), {}, false};
}

Typed checkNormalize(Checker& c, const ast::CallExpr& call) {
    std::vector<Typed> args;
    for (const ast::Expr* arg : call.args) args.push_back(checkValue(c, *arg));
    std::string_view name = call.callee.name.text();
    if (checkArgumentCount(c, call.callee.range, {"function", name}, {1, 1, args.size()}))
        return failed(c);
    if (args[0].type->isFloatN()) return checkVectorCall(c, call, args[0].type);
    convert(c, *call.args[0], args[0],
            argumentTarget(c.types.scalar(TypeKind::Float3), call.callee.name, 1));
    return failed(c);
}

// ---------------------------------------------------------------- printing, random, files

bool isPrintable(const Type* type) {
    return type->isNumeric() || type->is(TypeKind::Boolean) || type->is(TypeKind::Char) ||
           type->is(TypeKind::String) || type->is(TypeKind::Tensor) || type->isError();
}

void checkPrinted(Checker& c, const ast::Expr& expr) {
    Typed value = checkExpr(c, expr);
    if (value.type->is(TypeKind::Void)) {
        requireValue(c, expr, value);
    } else if (!isPrintable(value.type)) {
        c.error(Diag::PrintType, expr.range) << types::toString(value.type);
    }
}

Typed checkPrint(Checker& c, const ast::CallExpr& call, bool newLine) {
    targetOf(c, call.id, newLine ? CallKind::Println : CallKind::Print);
    for (const ast::Expr* arg : call.args) checkPrinted(c, *arg);
    checkArgumentCount(c, call.callee.range, {"function", call.callee.name.text()},
                       {newLine ? 0u : 1u, 1, call.args.size()});
    if (c.body->place == CodeKind::Composite) c.warn(Diag::PrintInComposite, call.range);
    return {c.types.voidType(), {}, false};
}

Typed checkRequire(Checker& c, const ast::CallExpr& call) {
    targetOf(c, call.id, CallKind::Require);
    std::vector<Typed> args;
    for (const ast::Expr* arg : call.args) args.push_back(checkValue(c, *arg));
    if (!checkArgumentCount(c, call.callee.range, {"function", "require"}, {2, 2, args.size()})) {
        convert(c, *call.args[0], args[0], argumentTarget(c.types.boolean(), call.callee.name, 1));
        convert(c, *call.args[1], args[1], argumentTarget(c.types.string(), call.callee.name, 2));
    }
    if (isOutsideStream(c)) c.error(Diag::RequirePlace, call.range);
    return {c.types.voidType(), {}, false};
}

Typed checkRandom(Checker& c, const ast::CallExpr& call) {
    targetOf(c, call.id, CallKind::Random);
    for (const ast::Expr* arg : call.args) checkValue(c, *arg);
    checkArgumentCount(c, call.callee.range, {"function", "random"}, {0, 0, call.args.size()});
    reportNotFixed(c, call.range, "random()");
    return {c.types.floatType(), {}, false};
}

/// `character(65)` is the 'A' of a text.
Typed checkCharacter(Checker& c, const ast::CallExpr& call) {
    targetOf(c, call.id, CallKind::Character);
    std::vector<Typed> args;
    for (const ast::Expr* arg : call.args) args.push_back(checkValue(c, *arg));
    if (checkArgumentCount(c, call.callee.range, {"function", "character"}, {1, 1, args.size()}))
        return failed(c);
    convert(c, *call.args[0], args[0], argumentTarget(c.types.intType(), call.callee.name, 1));
    return {c.types.scalar(TypeKind::Char), {}, false};
}

/// The element type of an array file's builtin, or null.
const Type* arrayFileElement(Checker& c, std::string_view name) {
    if (name == "init_array_1D_int") return c.types.intType();
    return name == "init_array_1D_float" ? c.types.floatType() : nullptr;
}

Typed checkMisplacedArrayFile(Checker& c, const ast::CallExpr& call) {
    for (const ast::Expr* arg : call.args) checkValue(c, *arg);
    c.error(Diag::ArrayFilePlacement, call.range) << call.callee.name;
    return failed(c);
}

Typed unknownFunction(Checker& c, const ast::CallExpr& call) {
    for (const ast::Expr* arg : call.args) checkValue(c, *arg);
    Diagnostic& diag = c.error(Diag::UnknownFunction, call.callee.range) << call.callee.name;
    if (!c.maySuggest()) return failed(c);
    base::SpellingSearch search(call.callee.name.text());
    considerBuiltins(search);
    if (c.body->package)
        for (auto& [name, each] : c.body->package->functions) search.consider(name.text());
    if (c.body->scope)
        for (auto& [name, each] : c.body->scope->names->functions) search.consider(name.text());
    c.suggest(diag, call.callee.range, search.best());
    return failed(c);
}

constexpr std::string_view kOtherBuiltins[] = {
    "print",
    "println",
    "random",
    "character",
    "require",
    "normalize",
    "init_array_1D_int",
    "init_array_1D_float",
};

}  // namespace

bool isVectorLibrary(Name package) { return package.text() == kVectorLibrary; }

void considerBuiltins(base::SpellingSearch& search) {
    for (int i = 0; i < static_cast<int>(MathFn::Count); ++i)
        search.consider(types::name(static_cast<MathFn>(i)));
    for (std::string_view name : kOtherBuiltins) search.consider(name);
    considerFileFunctions(search);
    for (int i = 0; i < static_cast<int>(types::TensorFn::Count); ++i) {
        const types::TensorFnInfo& row = types::info(static_cast<types::TensorFn>(i));
        if (row.form != types::TensorForm::Operator) search.consider(row.name);
    }
}

Typed checkVectorLibrary(Checker& c, const ast::PackageCallExpr& call, ast::NodeId id) {
    const VectorFunction* function = findVectorFunction(call.callee.name.text());
    if (!function) {
        for (const ast::Expr* arg : call.args) checkValue(c, *arg);
        c.error(Diag::UnknownPackageFunction, call.callee.range)
            << call.package.name << call.callee.name;
        return failed(c);
    }
    int components = call.callee.name.text().back() - '0';
    const Type* vector =
        c.types.scalar(static_cast<TypeKind>(static_cast<int>(TypeKind::Float2) + components - 2));
    auto needed = static_cast<std::size_t>(function->args);
    std::string_view name = call.callee.name.text();
    bool isWrong = checkArgumentCount(c, call.callee.range, {"function", name},
                                      {needed, needed, call.args.size()});
    for (std::size_t i = 0; i < call.args.size(); ++i) {
        bool isScalar = i == 1 && function->second == Shape::Scalar;
        Typed value = checkValue(c, *call.args[i]);
        const Type* wanted = isScalar ? c.types.floatType() : vector;
        if (!isWrong)
            convert(c, *call.args[i], value, argumentTarget(wanted, call.callee.name, i + 1));
    }
    targetOf(c, id, CallKind::VectorMath).vectorFunction = call.callee.name;
    return {
        function->result == TypeKind::Void ? vector : c.types.scalar(function->result), {}, false};
}

Typed checkBuiltinCall(Checker& c, const ast::CallExpr& call) {
    std::string_view name = call.callee.name.text();
    if (MathFn fn = types::findMathFn(name); fn != MathFn::Count) return checkMath(c, call, fn);
    if (name == "print" || name == "println") return checkPrint(c, call, name == "println");
    if (name == "random") return checkRandom(c, call);
    if (name == "character") return checkCharacter(c, call);
    if (name == "require") return checkRequire(c, call);
    if (name == "normalize") return checkNormalize(c, call);
    if (arrayFileElement(c, name)) return checkMisplacedArrayFile(c, call);
    if (std::optional<Typed> file = checkFileCall(c, call)) return *file;
    if (std::optional<Typed> tensor = checkTensorCall(c, call)) return *tensor;
    return unknownFunction(c, call);
}

bool checkArrayFile(Checker& c, const ast::Expr& expr, const Target& to) {
    auto* call = ast::tryAs<ast::CallExpr>(&expr);
    if (!call || findFunction(c, call->callee.name)) return false;
    const Type* element = arrayFileElement(c, call->callee.name.text());
    if (!element) return false;
    targetOf(c, call->id, CallKind::InitArray);
    c.setType(call->id, c.types.error());
    bool isWrong = checkArgumentCount(c, call->callee.range, {"function", call->callee.name.text()},
                                      {2, 2, call->args.size()});
    std::int64_t extent = types::kDynamic;
    for (std::size_t i = 0; i < call->args.size(); ++i) {
        Typed value = checkValue(c, *call->args[i]);
        const Type* wanted = i == 0 ? c.types.string() : c.types.intType();
        if (!isWrong)
            convert(c, *call->args[i], value, argumentTarget(wanted, call->callee.name, i + 1));
        if (i == 1 && value.constant.isInteger() && value.constant.integer >= 0)
            extent = value.constant.integer;
    }
    if (isWrong) return true;
    const Type* type = c.types.array(element, extent);
    c.setType(call->id, type);
    convert(c, expr, {type, {}, false}, to);
    return true;
}

}  // namespace strc::sema
