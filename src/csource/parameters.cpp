// Parameters that are set, and what follows them.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "csource/detail/interface.h"

namespace strc::csource {
namespace {

using types::TypeKind;

/// Does anything that setup and init compute depend on the parameter?
bool isFollowed(const Source& source, std::size_t parameter) {
    if (!source.kernel.updates.empty()) return source.kernel.updates[parameter] != ir::kNone;
    ir::Marks marks = 0;
    for (const ir::Marks each : source.kernel.derived) marks |= each;
    return source.kernel.code.startsLate &&
           (marks & ir::markOf(static_cast<std::uint32_t>(parameter))) != 0;
}

/// The bit of a parameter among those that have been set; those behind the last share one.
std::uint32_t markOf(std::size_t parameter) {
    return std::uint32_t{1} << std::min<std::size_t>(parameter, 31);
}

constexpr std::string_view kUpdateAgain =
    R"(/* Does again what depends on parameters, beside the fields, which get of it what is theirs if they are to keep it. */
static int @_compute_again(@_handle *self, uint32_t changed, int keeps) {
@CALLS    return @RESULT;
}

)";

/// Of a program that was lowered. Random numbers go on as if nothing had been done again.
std::string printUpdates(Source& source, const Functions& functions) {
    std::map<std::uint32_t, std::uint32_t> marks;  // by function
    for (std::size_t k = 0; k < source.kernel.updates.size(); ++k)
        if (source.kernel.updates[k] != ir::kNone) marks[source.kernel.updates[k]] |= markOf(k);
    std::string calls;
    bool fails = false;
    for (const auto& [update, mark] : marks) {
        const Function& function = functions.of(source.kernel.code.functions[update]);
        const std::string call = callOf(function, "", "", "(uint8_t)keeps");
        fails = fails || function.fails;
        calls += function.fails
                     ? fmt::format("    if ((changed & {}u) && !failed) failed = {};\n", mark, call)
                     : fmt::format("    if (changed & {}u) {};\n", mark, call);
    }
    if (fails) calls = "    int failed = 0;\n" + calls;
    if (source.helpers.needsRandom())
        calls =
            "    const uint64_t random = self->random;\n" + calls + "    self->random = random;\n";
    std::string text = replaced(std::string(kUpdateAgain), "@CALLS", calls);
    return named(source, replaced(std::move(text), "@RESULT", fails ? "failed" : "0"));
}

constexpr std::string_view kComputeAgain =
    R"(/* Does again what depends on parameters, beside the fields, which get of it what is theirs if they are to keep it. */
static int @_compute_again(@_handle *self, uint32_t changed, int keeps) {
    (void)changed;
@FAILED    self->beside = self->fields;
    memset(&self->fields, 0, sizeof self->fields);
@CALLS    if (keeps) {
@COPIES    }
    self->fields = self->beside;
    return @RESULT;
}

)";

/// One case of `NAME_set`.
std::string setterCase(const Source& source, std::size_t k, bool fails) {
    const types::Value& value = source.program.elaboration.openValues[k];
    const std::string place = "self->parameters." + source.parameters[k];
    const bool isTruth = value.type->is(TypeKind::Boolean) || value.type->is(TypeKind::Bit);
    std::string text = fmt::format(
        "        case @_parameter_{}:\n            if (size != sizeof {}) return @_refuse(self, "
        "\"the value is not as large as the parameter\");\n",
        source.program.module.open[k].name, place);
    text += isTruth ? fmt::format("            {} = *(const uint8_t *)value != 0;\n", place)
                    : fmt::format("            memcpy(&{}, value, size);\n", place);
    if (!isFollowed(source, k))
        return text + "            self->message = \"\";\n            return @_OK;\n";
    if (fails)
        return text + fmt::format("            mark = {}u;\n            break;\n", markOf(k));
    return text + fmt::format(
                      "            self->changed |= {}u;\n            self->message = \"\";\n      "
                      "      return @_OK;\n",
                      markOf(k));
}

constexpr std::string_view kTry = R"(    if (!@_compute_again(self, mark, 0)) {
        self->changed |= mark;
        self->message = "";
        return @_OK;
    }
    self->parameters = before;
@DEPTH    return @_tell(self, &self->fault);
)";

}  // namespace

/// Random numbers go on as if nothing had been done again.
std::string printAgain(Source& source, const Functions& functions, const Shape& shape) {
    if (shape.follows && !shape.startsLate) return printUpdates(source, functions);
    if (!shape.startsLate) return {};
    const bool draws = source.helpers.needsRandom();
    std::string calls, copies;
    for (const Function* each : starters(source, functions)) {
        const std::string call = firing(*each, "in", "to");
        calls +=
            each->fails ? fmt::format("    failed = failed || {};\n", call) : "    " + call + ";\n";
    }
    for (std::size_t k = 0; k < source.fieldNames.size(); ++k) {
        const std::string& name = source.fieldNames[k];
        if (source.kernel.derived[k] == 0 || name.empty()) continue;
        if (source.kernel.fieldTypes[k]->is(TypeKind::Array))
            copies += fmt::format(
                "        memcpy(self->beside.{0}, self->fields.{0}, sizeof self->fields.{0});\n",
                name);
        else
            copies += fmt::format("        self->beside.{0} = self->fields.{0};\n", name);
    }
    std::string text(kComputeAgain);
    text = replaced(std::move(text), "@FAILED",
                    (shape.fails ? std::string("    int failed = 0;\n") : "") +
                        (draws ? "    const uint64_t random = self->random;\n" : ""));
    text =
        replaced(std::move(text), "@CALLS", calls + (draws ? "    self->random = random;\n" : ""));
    text = replaced(std::move(text), "@COPIES", copies);
    return named(source, replaced(std::move(text), "@RESULT", shape.fails ? "failed" : "0"));
}

std::string printSetters(Source& source, const Shape& shape) {
    const auto& values = source.program.elaboration.openValues;
    if (values.empty()) return {};
    std::string cases, setters;
    bool tries = false;
    for (std::size_t k = 0; k < values.size(); ++k) {
        tries = tries || (shape.fails && isFollowed(source, k));
        cases += setterCase(source, k, shape.fails);
        setters += fmt::format(
            "int @_set_{0}(@_handle *self, {1} value) {{\n    return @_set(self, @_parameter_{0}, "
            "&value, sizeof value);\n}}\n\n",
            source.program.module.open[k].name, source.types.name(values[k].type));
    }
    return named(
        source,
        "int @_set(@_handle *self, int parameter, const void *value, size_t size) {\n"
        "    if (!self) return @_CALL;\n"
        "    if (!value) return @_refuse(self, \"the value is NULL\");\n" +
            std::string(tries ? "    const @_parameters before = self->parameters;\n"
                                "    uint32_t mark = 0;\n"
                              : "") +
            "    switch (parameter) {\n" + cases +
            "        default: return @_refuse(self, \"there is no such parameter\");\n    }\n" +
            (tries ? replaced(std::string(kTry), "@DEPTH",
                              shape.recurses ? "    self->depth = 0;\n" : "")
                   : "") +
            "}\n\n" + setters);
}

}  // namespace strc::csource
