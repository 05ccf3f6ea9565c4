// The handle, and the functions of the header: items in pieces of any size, as runtime/src/flow.c does it for all programs.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "csource/literals.h"
#include "csource/source.h"

namespace strc::csource {
namespace {

using types::TypeKind;

constexpr std::int64_t kMessageBytes = 1024;  ///< as runtime/library/message.h
constexpr std::int64_t kRunBytes = 128;  ///< at most: of the numbers in a handle
constexpr std::int64_t kAlignment = 64;

/// Items that stay in front of the next firing; a window, which the last items of one piece and the first ones of the next are
/// put together in, has room for two such.
std::int64_t windowItems(const Counts& counts) {
    const std::int64_t look =
        std::max({counts.firstIn, counts.firstIn - counts.firstPop + counts.in, counts.look});
    return look;
}

std::string number(std::int64_t n) { return std::to_string(n) + "u"; }

std::int64_t pendingItems(const Counts& counts) { return std::max(counts.out, counts.firstOut); }

/// What of the interface a program has.
struct Shape {
    explicit Shape(const Source& source)
        : counts(countsOf(source.kernel)),
          hasInput(source.program.elaboration.graph.input != graph::kNone),
          hasOutput(source.program.elaboration.graph.output != graph::kNone),
          hasPrework(source.kernel.code.prework.has_value()),
          startsLate(source.kernel.code.startsLate),
          begins(hasPrework || startsLate),
          takesItems(hasInput && windowItems(counts) > 0),
          givesItems(hasOutput && pendingItems(counts) > 0) {}
    Counts counts;
    bool hasInput, hasOutput, hasPrework;
    bool startsLate;  ///< setup and init run before the first firing
    bool begins;  ///< something is done once before the others
    bool takesItems, givesItems;
};

bool asksIteration(const Functions& functions) {
    for (const auto& function : functions.all())
        for (const ir::Block& block : function->body->blocks)
            for (const ir::Instr& instr : block.instrs)
                if (instr.op == ir::Op::Iter && function->liveness->isLive(instr)) return true;
    return false;
}

bool recurses(const Functions& functions) {
    return std::any_of(functions.all().begin(), functions.all().end(),
                       [](const auto& each) { return each->isRecursive; });
}

/// Texts with @ for the prefix of all names.
std::string named(const Source& source, std::string_view text) {
    std::string made;
    for (const char c : text) {
        if (c == '@')
            made += source.program.mainStream;
        else
            made += c;
    }
    return made;
}

// ---- the handle

std::string parameterFields(Source& source) {
    std::string text;
    const auto& values = source.program.elaboration.openValues;
    for (std::size_t k = 0; k < values.size(); ++k)
        text += "    " + source.types.variable(values[k].type, source.parameters[k]) + ";\n";
    return text.empty()
               ? text
               : named(source, "/* As the caller sets them. */\ntypedef struct @_parameters {\n") +
                     text + named(source, "} @_parameters;\n\n");
}

std::string runFields(const Source& source, const Functions& functions, const Shape& shape,
                      bool fails) {
    std::string text;
    if (source.helpers.needsRandom()) text += "    uint64_t random;\n";
    if (recurses(functions))
        text += "    uint32_t depth; /* of functions that call themselves */\n";
    if (asksIteration(functions)) text += "    uint32_t iteration; /* firings that are done */\n";
    if (shape.takesItems)
        text += fmt::format(
            "    /* Items that came and are still to be looked at. */\n"
            "    {} window[{}];\n    size_t held;\n",
            source.own("in"), windowItems(shape.counts));
    if (shape.givesItems)
        text += fmt::format(
            "    /* Items for which the caller had no room. */\n"
            "    {} pending[{}];\n    size_t pending_first, pending_count;\n",
            source.own("out"), pendingItems(shape.counts));
    if (shape.begins) text += "    uint8_t has_begun; /* what is done once is done */\n";
    if (shape.startsLate)
        text += "    uint8_t changed; /* a parameter on which fields depend has been set */\n";
    text += "    uint8_t is_draining;\n";
    if (fails)
        text += fmt::format("    uint8_t has_failed;\n    char message[{}];\n", kMessageBytes);
    return text;
}

bool isZero(std::string_view bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
}

/// The fields that do not begin as zeros.
std::string initialFields(Source& source) {
    std::string text;
    const std::string& state = *source.program.elaboration.states[0];
    for (std::size_t k = 0; k < source.fields.size(); ++k) {
        const Type* type = source.kernel.fieldTypes[k];
        const char* bytes = state.data() + source.kernel.fieldOffsets[k];
        const auto size = static_cast<std::size_t>(types::sizeOf(type));
        const std::string& name = source.fields[k];
        if (name.empty() || isZero({bytes, size})) continue;
        if (!type->isAggregate())
            text +=
                fmt::format("    self->{} = {};\n", name, scalarLiteral(source.types, type, bytes));
        else
            text += fmt::format(
                "    memcpy({}self->{}, {}{}, sizeof self->{});\n",
                type->is(TypeKind::Struct) ? "&" : "", name, type->is(TypeKind::Struct) ? "&" : "",
                source.table(type, bytes, source.fieldNames[k] + "_at_first"), name);
    }
    return text;
}

std::string resetText(Source& source) {
    const bool hasParameters = !source.parameters.empty();
    std::string text = "void @_reset(@_handle *self) {\n    if (!self) return;\n";
    if (hasParameters) text += "    const @_parameters parameters = self->parameters;\n";
    text += "    memset(self, 0, sizeof *self);\n";
    if (hasParameters) text += "    self->parameters = parameters;\n";
    if (source.helpers.needsRandom())
        text += fmt::format("    self->random = UINT64_C({});\n",
                            source.program.elaboration.random.state);
    return named(source, text) + initialFields(source) + "}\n\n";
}

constexpr std::string_view kMake = R"(@_handle *@_make(void *memory) {
    @_handle *self = memory;
    if (!self) return NULL;
@BEGIN    @_reset(self);
    return self;
}

@_handle *@_create(int *status) {
    for (size_t k = 0; k < @_HANDLES; ++k) {
        if (@_used[k]) continue;
        @_used[k] = 1;
        if (status) *status = @_OK;
        return @_make(&@_handles[k]);
    }
    if (status) *status = @_MEMORY;
    return NULL;
}

void @_destroy(@_handle *self) {
    for (size_t k = 0; k < @_HANDLES; ++k)
        if (self == &@_handles[k]) @_used[k] = 0;
}

)";

std::string makeText(Source& source) {
    std::string begin;
    const auto& values = source.program.elaboration.openValues;
    for (std::size_t k = 0; k < values.size(); ++k)
        begin += fmt::format("    self->parameters.{} = {};\n", source.parameters[k],
                             scalarLiteral(source.types, values[k].type, values[k].bytes.data()));
    std::string text(kMake);
    text.replace(text.find("@BEGIN"), 6, begin);
    return named(source, text);
}

// ---- faults

constexpr std::string_view kFault = R"(
/* Keeps why a check failed, with the numbers in the place of \001. */
static int @_fault(@_handle *self, int site, int64_t first, int64_t second) {
    const int64_t numbers[2] = {first, second};
    const char *text = @_sites[site];
    char *to = self->message, *const end = to + sizeof self->message - 1;
    int used = 0;
    for (; *text && to < end; ++text) {
        if (*text != '\001') {
            *to++ = *text;
            continue;
        }
        const int64_t number = numbers[used++];
        uint64_t rest = number < 0 ? 0u - (uint64_t)number : (uint64_t)number;
        char digits[24];
        int count = 0;
        do digits[count++] = (char)('0' + rest % 10);
        while ((rest /= 10) != 0);
        if (number < 0) digits[count++] = '-';
        while (count > 0 && to < end) *to++ = digits[--count];
    }
    *to = '\0';
    self->has_failed = 1;
    return 1;
}

)";

std::string faultText(const Source& source) {
    std::string sites;
    for (const std::string& text : source.siteTexts())
        sites += "    " + stringLiteral(text) + ",\n";
    return named(source, "static const char *const @_sites[] = {\n" + sites + "};\n") +
           named(source, kFault);
}

// ---- items in pieces

/// A call of a firing, which looks at `in` and writes to `out`.
std::string firing(const Function& function, std::string_view in, std::string_view out) {
    std::string list;
    auto add = [&](bool isThere, std::string_view argument) {
        if (isThere) list += fmt::format("{}{}", list.empty() ? "" : ", ", argument);
    };
    add(function.usesSelf, "self");
    add(function.usesInput, in);
    add(function.usesOutput, out);
    return fmt::format("{}({})", function.name, list);
}

/// Does a firing, of which `count` items come, and returns 1 if it failed.
std::string fired(const Function& function, std::int64_t count, const std::string& margin) {
    const std::string call = firing(function, "in", "to");
    std::string text;
    if (count > 0) {
        text += fmt::format("const int has_room = capacity - *given >= {};\n", number(count));
        if (function.usesOutput)
            text += "@_out *const to = has_room ? out + *given : self->pending;\n";
    }
    text += function.fails ? fmt::format("if ({}) return 1;\n", call) : call + ";\n";
    if (count > 0)
        text +=
            fmt::format("if (has_room)\n    *given += {0};\nelse\n    self->pending_count = {0};\n",
                        number(count));
    std::string indented;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t next = text.find('\n', at) + 1;
        indented += margin + text.substr(at, next - at);
        at = next;
    }
    return indented;
}

/// The bodies that initialise a filter which starts late.
std::vector<const Function*> starters(const Source& source, const Functions& functions) {
    std::vector<const Function*> all;
    const ir::StreamCode& code = source.kernel.code;
    if (code.startsLate) all.push_back(&functions.of(code.setup));
    if (code.startsLate && code.init) all.push_back(&functions.of(*code.init));
    return all;
}

std::string startCalls(const Source& source, const Functions& functions,
                       const std::string& margin) {
    std::string text;
    for (const Function* each : starters(source, functions)) text += fired(*each, 0, margin);
    return text;
}

/// `NAME_fire`: the next firing.
std::string fireText(const Source& source, const Functions& functions, const Shape& shape) {
    const ir::StreamCode& code = source.kernel.code;
    const Function& work = functions.of(*code.work);
    const Function* prework = code.prework ? &functions.of(*code.prework) : nullptr;
    auto either = [&](bool Function::* what) { return work.*what || (prework && prework->*what); };
    std::string parameters = "@_handle *self";
    if (shape.takesItems) parameters += ", const @_in *in";
    if (shape.givesItems) parameters += ", @_out *out, size_t capacity, size_t *given";
    std::string text =
        "/* The next firing. What it gives is kept if there is no room for all of it. Not 0 after "
        "a fault. */\n"
        "static int @_fire(" +
        parameters + ") {\n";
    if (shape.takesItems && !either(&Function::usesInput)) text += "    (void)in;\n";
    if (shape.givesItems && !either(&Function::usesOutput)) text += "    (void)out;\n";
    const bool usesSelf =
        either(&Function::usesSelf) || shape.givesItems || shape.begins || asksIteration(functions);
    if (!usesSelf) text += "    (void)self;\n";
    if (shape.begins) text += "    if (!self->has_begun) {\n        self->has_begun = 1;\n";
    if (shape.startsLate) text += startCalls(source, functions, "        ");
    if (prework) text += fired(*prework, shape.hasOutput ? shape.counts.firstOut : 0, "        ");
    if (shape.begins) text += "        return 0;\n    }\n";
    text += fired(work, shape.hasOutput ? shape.counts.out : 0, "    ");
    if (asksIteration(functions)) text += "    ++self->iteration;\n";
    return named(source, text + "    return 0;\n}\n\n");
}

constexpr std::string_view kHandOver = R"(/* Gives items that had no room before. */
static void @_hand_over(@_handle *self, @_out *out, size_t capacity, size_t *given) {
    const size_t room = capacity - *given;
    const size_t count = self->pending_count < room ? self->pending_count : room;
    if (count == 0) return;
    memcpy(out + *given, self->pending + self->pending_first, count * sizeof *out);
    *given += count;
    self->pending_count -= count;
    self->pending_first = self->pending_count == 0 ? 0 : self->pending_first + count;
}

)";

/// What all calls begin with.
std::string entry(bool fails, bool isDrain) {
    std::string text;
    if (!isDrain) text += "    if (consumed) *consumed = 0;\n";
    text += "    if (produced) *produced = 0;\n    if (!self";
    if (!isDrain) text += " || (!in && in_count != 0)";
    text += " || (!out && out_capacity != 0)) return @_CALL;\n";
    if (fails) text += "    if (self->has_failed) return @_FAULT;\n";
    if (!isDrain) text += "    if (self->is_draining) return @_CALL;\n";
    return text;
}

/// What has been set is seen from now on.
std::string followText(const Shape& shape, bool fails) {
    if (!shape.startsLate) return {};
    return fmt::format(
        "    if (self->has_begun && self->changed{}\n    self->changed = 0;\n",
        fails ? " && @_compute_again(self, 1)) return @_FAULT;" : ") @_compute_again(self, 1);");
}

/// The beginning of each round; leaves the loop where there is no room.
std::string roundText(const Shape& shape) {
    if (!shape.givesItems) return {};
    return "        @_hand_over(self, out, out_capacity, &given);\n"
           "        if (self->pending_count != 0) break;\n";
}

/// A firing on items at `in`, which leaves the loop after a fault.
std::string fireCall(const Shape& shape, bool fails, std::string_view in) {
    const std::string call =
        fmt::format("@_fire(self{}{})", shape.takesItems ? fmt::format(", {}", in) : "",
                    !shape.givesItems ? ""
                    : shape.takesItems && !in.starts_with("self")
                        ? ", out, is_apart ? out_capacity : given, &given"
                        : ", out, out_capacity, &given");
    if (!fails) return "        " + call + ";\n";
    return fmt::format(
        "        if ({}) {{\n            status = @_FAULT;\n            break;\n        }}\n",
        call);
}

/// That nothing comes in may not keep it going for ever.
std::string fullText(const Shape& shape) {
    if (shape.counts.in != 0) return {};
    const std::string begun = shape.begins ? "self->has_begun" : "";
    if (shape.counts.out == 0)
        return begun.empty() ? "        break;\n" : fmt::format("        if ({}) break;\n", begun);
    return fmt::format("        if ({}given == out_capacity) break;\n",
                       begun.empty() ? "" : begun + " && ");
}

std::string processHead(const Shape& shape, bool fails) {
    return fmt::format(
               "int @_process(@_handle *self, const {} *in, size_t in_count, {} *out, size_t "
               "out_capacity,\n"
               "              size_t *consumed, size_t *produced) {{\n",
               shape.hasInput ? "@_in" : "void", shape.hasOutput ? "@_out" : "void") +
           entry(fails, false) + followText(shape, fails) + "    size_t given = 0;\n" +
           (fails ? "    int status = @_OK;\n" : "");
}

/// Of a program that takes no items.
std::string processSource(const Shape& shape, bool fails) {
    std::string text = processHead(shape, fails);
    if (shape.givesItems) text += "    for (;;) {\n" + roundText(shape) + fullText(shape);
    if (shape.givesItems) text += fireCall(shape, fails, "") + "    }\n";
    return text + "    if (produced) *produced = given;\n    return " +
           (fails ? "status" : "@_OK") + ";\n}\n\n";
}

constexpr std::string_view kWindow = R"(        const @_in *window;
        if (self->held + (in_count - next) < LOOK) {
            lacks_items = 1;
            break;
        }
        if (self->held == 0) { /* all of it stands in `in` */
            window = in + next;
            next += MOVES;
        } else {
            window = self->window;
            if (self->held < LOOK) {
                memcpy(self->window + self->held, in + next, (LOOK - self->held) * sizeof *in);
                next += LOOK - self->held;
                self->held = LOOK;
            }
        }
        const int is_inside = self->held != 0;
)";

constexpr std::string_view kMove = R"(        if (is_inside) {
            self->held -= MOVES;
            if (self->held <= next) {
                next -= self->held;
                self->held = 0;
            } else {
                memmove(self->window, self->window + MOVES, self->held * sizeof *in);
            }
        }
)";

std::string replaced(std::string text, std::string_view word, const std::string& by) {
    for (std::size_t at = text.find(word); at != std::string::npos;
         at = text.find(word, at + by.size()))
        text.replace(at, word.size(), by);
    return text;
}

/// LOOK and MOVES: of the next firing.
std::string lookText(const Shape& shape, std::string_view text) {
    const Counts& counts = shape.counts;
    const std::int64_t kept = counts.firstIn - counts.firstPop;
    if (!shape.begins)
        return replaced(replaced(std::string(text), "LOOK", number(kept + counts.in)), "MOVES",
                        number(counts.in));
    return replaced(replaced(std::string(text), "LOOK", "look"), "MOVES", "moves");
}

constexpr std::string_view kApart =
    R"(    /* If the arrays overlap, a firing writes when it has seen its items. */
    const int is_apart = (uintptr_t)(in + in_count) <= (uintptr_t)out || (uintptr_t)(out + out_capacity) <= (uintptr_t)in;
)";

std::string processItems(const Shape& shape, bool fails) {
    const Counts& counts = shape.counts;
    const std::int64_t kept = counts.firstIn - counts.firstPop;
    std::string text = processHead(shape, fails);
    text += "    size_t next = 0; /* items of `in` that are over, or in the window */\n";
    if (shape.givesItems) text += kApart;
    if (kept > 0) text += "    int has_fired = 0;\n";
    text += "    int lacks_items = 0;\n    for (;;) {\n" + roundText(shape) + fullText(shape);
    if (shape.begins)
        text += fmt::format(
            "        const size_t look = self->has_begun ? {} : {}, moves = self->has_begun ? {} : "
            "{};\n",
            number(kept + counts.in), number(counts.firstIn), number(counts.in),
            number(counts.firstPop));
    text += lookText(shape, kWindow);
    if (kept > 0) text += "        has_fired = 1;\n";
    text += fireCall(shape, fails, "window") + lookText(shape, kMove) + "    }\n";
    text += kept > 0 ? fmt::format(
                           "    /* What later firings look at goes into the window: all, or what "
                           "they look at again. */\n"
                           "    const size_t again = has_fired && self->held == 0 ? {} : 0;\n"
                           "    const size_t rest = lacks_items ? in_count - next : again;\n",
                           number(kept))
                     : "    /* What is too little for a firing waits in the window. */\n"
                       "    const size_t rest = lacks_items ? in_count - next : 0;\n";
    text +=
        "    if (rest != 0) {\n        memcpy(self->window + self->held, in + next, rest * sizeof "
        "*in);\n"
        "        self->held += rest;\n        next += rest;\n    }\n";
    return text +
           "    if (consumed) *consumed = next;\n    if (produced) *produced = given;\n    "
           "return " +
           (fails ? "status" : "@_OK") + ";\n}\n\n";
}

/// Whatever can still fire does.
std::string drainText(const Shape& shape, bool fails) {
    const Counts& counts = shape.counts;
    std::string text =
        fmt::format(
            "int @_drain(@_handle *self, {} *out, size_t out_capacity, size_t *produced) {{\n",
            shape.hasOutput ? "@_out" : "void") +
        entry(fails, true) + followText(shape, fails) +
        "    self->is_draining = 1;\n    size_t given = 0;\n";
    const std::int64_t kept = counts.firstIn - counts.firstPop;
    const bool canFire =
        shape.takesItems && counts.in > 0 &&
        ((shape.hasPrework && counts.firstLook < counts.firstIn) || counts.look < kept + counts.in);
    if (!canFire) {
        if (shape.givesItems) text += "    @_hand_over(self, out, out_capacity, &given);\n";
        return text + "    if (produced) *produced = given;\n    return @_OK;\n}\n\n";
    }
    if (fails) text += "    int status = @_OK;\n";
    text += "    for (;;) {\n" + roundText(shape);
    if (shape.hasPrework)
        text += fmt::format(
            "        const size_t look = self->has_begun ? {} : {}, moves = self->has_begun ? {} : "
            "{};\n",
            number(counts.look), number(counts.firstLook), number(counts.in),
            number(counts.firstPop));
    else
        text += fmt::format("        const size_t look = {}, moves = {};\n", number(counts.look),
                            number(counts.in));
    text += "        if (self->held < look) break;\n" + fireCall(shape, fails, "self->window") +
            "        self->held -= moves;\n"
            "        memmove(self->window, self->window + moves, self->held * sizeof "
            "self->window[0]);\n    }\n";
    return text + "    if (produced) *produced = given;\n    return " +
           (fails ? "status" : "@_OK") + ";\n}\n\n";
}

// ---- parameters

/// Does anything that setup and init compute depend on the parameter?
bool isFollowed(const Source& source, std::size_t parameter) {
    ir::Marks marks = 0;
    for (const ir::Marks each : source.kernel.derived) marks |= each;
    return source.kernel.code.startsLate &&
           (marks & ir::markOf(static_cast<std::uint32_t>(parameter))) != 0;
}

constexpr std::string_view kComputeAgain =
    R"(/* Does again what depends on parameters, beside the fields, which get of it what is theirs if they are to keep it. */
static int @_compute_again(@_handle *self, int keeps) {
@FAILED    self->beside = self->fields;
    memset(&self->fields, 0, sizeof self->fields);
@CALLS    if (keeps) {
@COPIES    }
    self->fields = self->beside;
    return @RESULT;
}

)";

/// Random numbers go on as if nothing had been done again.
std::string computeAgainText(Source& source, const Functions& functions, bool fails) {
    if (!source.kernel.code.startsLate) return {};
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
                    (fails ? std::string("    int failed = 0;\n") : "") +
                        (draws ? "    const uint64_t random = self->random;\n" : ""));
    text =
        replaced(std::move(text), "@CALLS", calls + (draws ? "    self->random = random;\n" : ""));
    text = replaced(std::move(text), "@COPIES", copies);
    return named(source, replaced(std::move(text), "@RESULT", fails ? "failed" : "0"));
}

/// One case of `NAME_set`.
std::string setterCase(const Source& source, std::size_t k, bool fails) {
    const types::Value& value = source.program.elaboration.openValues[k];
    const std::string place = "self->parameters." + source.parameters[k];
    const bool isTruth = value.type->is(TypeKind::Boolean) || value.type->is(TypeKind::Bit);
    std::string text = fmt::format(
        "        case @_parameter_{}:\n            if (size != sizeof {}) return @_CALL;\n",
        source.program.module.open[k].name, place);
    text += isTruth ? fmt::format("            {} = *(const uint8_t *)value != 0;\n", place)
                    : fmt::format("            memcpy(&{}, value, size);\n", place);
    if (!isFollowed(source, k)) return text + "            return @_OK;\n";
    if (fails) return text + "            break;\n";
    return text + "            self->changed = 1;\n            return @_OK;\n";
}

constexpr std::string_view kTry = R"(    if (!@_compute_again(self, 0)) {
        self->changed = 1;
        return @_OK;
    }
    self->parameters = before;
    self->has_failed = 0;
    return @_FAULT;
)";

std::string setterText(Source& source, bool fails) {
    const auto& values = source.program.elaboration.openValues;
    if (values.empty()) return {};
    std::string cases, setters;
    bool tries = false;
    for (std::size_t k = 0; k < values.size(); ++k) {
        tries = tries || (fails && isFollowed(source, k));
        cases += setterCase(source, k, fails);
        setters += fmt::format(
            "int @_set_{0}(@_handle *self, {1} value) {{\n    return @_set(self, @_parameter_{0}, "
            "&value, sizeof value);\n}}\n\n",
            source.program.module.open[k].name, source.types.name(values[k].type));
    }
    return named(
        source,
        "int @_set(@_handle *self, int parameter, const void *value, size_t size) {\n"
        "    if (!self || !value) return @_CALL;\n" +
            std::string(tries ? "    const @_parameters before = self->parameters;\n" : "") +
            "    switch (parameter) {\n" + cases + "        default: return @_CALL;\n    }\n" +
            std::string(tries ? kTry : "") + "}\n\n" + setters);
}

}  // namespace

Counts countsOf(const elab::Kernel& kernel) {
    Counts counts;
    counts.in = kernel.work.pop.max;
    counts.look = std::max(kernel.work.peek.max, counts.in);
    counts.out = kernel.work.push.max;
    counts.firstIn = counts.look - counts.in;
    if (!kernel.prework) return counts;
    counts.firstPop = kernel.prework->pop.max;
    counts.firstLook = std::max(kernel.prework->peek.max, counts.firstPop);
    counts.firstOut = kernel.prework->push.max;
    counts.firstIn = std::max(counts.firstLook, counts.firstPop + counts.firstIn);
    return counts;
}

std::int64_t handleBytes(const elab::Elaboration& program) {
    const graph::Graph& graph = program.graph;
    const elab::Kernel& kernel = program.kernels[graph.nodes[0].kernel];
    const Counts counts = countsOf(kernel);
    std::int64_t bytes = kernel.stateSize + kMessageBytes + kRunBytes;
    if (kernel.code.startsLate) bytes += kernel.stateSize + 2 * kAlignment;
    for (const types::Value& value : program.openValues) bytes += types::sizeOf(value.type) + 8;
    if (graph.input != graph::kNone)
        bytes += windowItems(counts) * types::sizeOf(graph.edges[graph.input].type) + 8;
    if (graph.output != graph::kNone)
        bytes += pendingItems(counts) * types::sizeOf(graph.edges[graph.output].type) + 8;
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::string printHandle(Source& source, const Functions& functions, bool fails) {
    std::string fields;
    for (std::size_t k = 0; k < source.fieldNames.size(); ++k)
        if (!source.fieldNames[k].empty())
            fields += "    " +
                      source.types.variable(source.kernel.fieldTypes[k], source.fieldNames[k]) +
                      ";\n";
    if (fields.empty() && source.kernel.code.startsLate) fields = "    uint8_t none;\n";
    const bool isLate = source.kernel.code.startsLate;
    std::string text = parameterFields(source);
    if (isLate)
        text += named(source, "/* The filter's fields. */\ntypedef struct @_fields {\n" + fields +
                                  "} @_fields;\n\n");
    text += named(source, "struct @_handle {\n");
    if (!source.parameters.empty()) text += named(source, "    @_parameters parameters;\n");
    if (isLate)
        text += named(source, "    @_fields fields, beside;\n");
    else if (!fields.empty())
        text += "    /* The filter's fields. */\n" + fields;
    text += runFields(source, functions, Shape(source), fails) + "};\n";
    return text +
           named(
               source,
               "_Static_assert(sizeof(struct @_handle) <= @_BYTES, \"a handle is too large\");\n\n"
               "#ifndef @_HANDLES\n#define @_HANDLES 1\n#endif\n"
               "static @_handle @_handles[@_HANDLES];\nstatic uint8_t @_used[@_HANDLES];\n");
}

std::string printInterface(Source& source, const Functions& functions, bool fails) {
    const Shape shape(source);
    std::string text;
    if (shape.givesItems) text += named(source, kHandOver);
    text += computeAgainText(source, functions, fails) + fireText(source, functions, shape);
    text +=
        named(source, shape.takesItems ? processItems(shape, fails) : processSource(shape, fails));
    text += named(source, drainText(shape, fails));
    text += resetText(source) + makeText(source) + setterText(source, fails);
    return text +
           named(source, fmt::format("const char *@_message(const @_handle *self) {{\n    {}\n}}\n",
                                     fails ? "return self ? self->message : \"\";"
                                           : "(void)self;\n    return \"\";"));
}

std::string printFaults(const Source& source) { return faultText(source); }

}  // namespace strc::csource
