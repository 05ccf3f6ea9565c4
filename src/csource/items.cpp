// Items in pieces of any size, as runtime/src/flow.c does it for all programs.
#include <algorithm>

#include <fmt/format.h>

#include "csource/detail/interface.h"

namespace strc::csource {
namespace {

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

std::string startCalls(const Source& source, const Functions& functions,
                       const std::string& margin) {
    std::string text;
    for (const Function* each : starters(source, functions)) text += fired(*each, 0, margin);
    return text;
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
    text += "    if (produced) *produced = 0;\n    if (!self) return @_CALL;\n    if (";
    if (!isDrain) text += "(!in && in_count != 0) || ";
    text += "(!out && out_capacity != 0)) return @_refuse(self, \"an array of items is NULL\");\n";
    if (fails) text += "    if (self->has_failed) return @_tell(self, &self->end);\n";
    if (!isDrain)
        text +=
            "    if (self->is_draining) return @_refuse(self, \"the input is over until a "
            "reset\");\n";
    return text + "    self->message = \"\";\n";
}

/// What has been set is seen from now on.
std::string followText(const Shape& shape) {
    if (!shape.follows) return {};
    return fmt::format("    if (self->has_begun && self->changed{}\n    self->changed = 0;\n",
                       shape.fails
                           ? " && @_compute_again(self, self->changed, 1)) return @_fail(self);"
                           : ") @_compute_again(self, self->changed, 1);");
}

/// The beginning of each round; leaves the loop where there is no room.
std::string roundText(const Shape& shape) {
    if (!shape.givesItems) return {};
    return "        @_hand_over(self, out, out_capacity, &given);\n"
           "        if (self->pending_count != 0) break;\n";
}

/// A firing on items at `in`, which leaves the loop after a fault.
std::string fireCall(const Shape& shape, std::string_view in) {
    const std::string call =
        fmt::format("@_fire(self{}{})", shape.takesItems ? fmt::format(", {}", in) : "",
                    !shape.givesItems ? ""
                    : shape.takesItems && !in.starts_with("self")
                        ? ", out, is_apart ? out_capacity : given, &given"
                        : ", out, out_capacity, &given");
    if (!shape.fails) return "        " + call + ";\n";
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

std::string processHead(const Shape& shape) {
    return fmt::format(
               "int @_process(@_handle *self, const {} *in, size_t in_count, {} *out, size_t "
               "out_capacity,\n"
               "              size_t *consumed, size_t *produced) {{\n",
               shape.hasInput ? "@_in" : "void", shape.hasOutput ? "@_out" : "void") +
           entry(shape.fails, false) + followText(shape) + "    size_t given = 0;\n" +
           (shape.fails ? "    int status = @_OK;\n" : "");
}

/// Of a program that takes no items.
std::string processSource(const Shape& shape) {
    std::string text = processHead(shape);
    if (shape.givesItems) text += "    for (;;) {\n" + roundText(shape) + fullText(shape);
    if (shape.givesItems) text += fireCall(shape, "") + "    }\n";
    return text + "    if (produced) *produced = given;\n    return " +
           (shape.fails ? "status == @_OK ? @_OK : @_fail(self)" : "@_OK") + ";\n}\n\n";
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

/// Items behind a full output are taken as far as no firing comes of them.
std::string fullRest(const Shape& shape) {
    std::string text = "    if (is_full) {\n";
    if (shape.begins)
        text += "        const size_t look = self->has_begun ? " +
                number(shape.counts.firstIn - shape.counts.firstPop + shape.counts.in) + " : " +
                number(shape.counts.firstIn) + ";\n";
    return text +
           "        const size_t room = LOOK != 0 && self->held < LOOK ? LOOK - 1 - self->held : "
           "0;\n"
           "        rest = in_count - next < room ? in_count - next : room;\n    }\n";
}

std::string processItems(const Shape& shape) {
    const Counts& counts = shape.counts;
    const std::int64_t kept = counts.firstIn - counts.firstPop;
    std::string text = processHead(shape);
    text += "    size_t next = 0; /* items of `in` that are over, or in the window */\n";
    if (shape.givesItems) text += kApart;
    if (kept > 0) text += "    int has_fired = 0;\n";
    text += "    int lacks_items = 0;\n";
    if (shape.givesItems) text += "    int is_full = 0;\n";
    text += "    for (;;) {\n" +
            replaced(roundText(shape), "break;",
                     "{\n            is_full = 1;\n            break;\n        }") +
            fullText(shape);
    if (shape.begins)
        text += fmt::format(
            "        const size_t look = self->has_begun ? {} : {}, moves = self->has_begun ? {} : "
            "{};\n",
            number(kept + counts.in), number(counts.firstIn), number(counts.in),
            number(counts.firstPop));
    text += lookText(shape, kWindow);
    if (kept > 0) text += "        has_fired = 1;\n";
    text += fireCall(shape, "window") + lookText(shape, kMove) + "    }\n";
    text += kept > 0 ? fmt::format(
                           "    /* What later firings look at goes into the window: all, or what "
                           "they look at again. */\n"
                           "    const size_t again = has_fired && self->held == 0 ? {} : 0;\n"
                           "    size_t rest = lacks_items ? in_count - next : again;\n",
                           number(kept))
                     : "    /* What is too little for a firing waits in the window. */\n"
                       "    size_t rest = lacks_items ? in_count - next : 0;\n";
    if (shape.givesItems) text += lookText(shape, fullRest(shape));
    text +=
        "    if (rest != 0) {\n        memcpy(self->window + self->held, in + next, rest * sizeof "
        "*in);\n"
        "        self->held += rest;\n        next += rest;\n    }\n";
    return text +
           "    if (consumed) *consumed = next;\n    if (produced) *produced = given;\n    "
           "return " +
           (shape.fails ? "status == @_OK ? @_OK : @_fail(self)" : "@_OK") + ";\n}\n\n";
}

}  // namespace

/// `NAME_fire`: the next firing.
std::string printFiring(const Source& source, const Functions& functions, const Shape& shape) {
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
    const bool usesSelf = either(&Function::usesSelf) || shape.givesItems || shape.begins ||
                          shape.asksIteration || source.kernel.drain;
    if (!usesSelf) text += "    (void)self;\n";
    if (shape.begins) text += "    if (!self->has_begun) {\n        self->has_begun = 1;\n";
    if (shape.startsLate) text += startCalls(source, functions, "        ");
    if (prework) text += fired(*prework, shape.hasOutput ? shape.counts.firstOut : 0, "        ");
    if (shape.begins) text += "        return 0;\n    }\n";
    text += fired(work, shape.hasOutput ? shape.counts.out : 0, "    ");
    if (shape.asksIteration) text += "    ++self->iteration;\n";
    if (source.kernel.drain) text += "    ++self->done;\n";
    const std::string before = shape.givesItems ? named(source, kHandOver) : "";
    return before + named(source, text + "    return 0;\n}\n\n");
}

std::string printProcess(const Source& source, const Shape& shape) {
    return named(source, shape.takesItems ? processItems(shape) : processSource(shape));
}

std::string printDrainEntry(const Shape& shape) {
    return entry(shape.fails, true) + followText(shape);
}

/// Whatever can still fire does.
std::string printDrain(const Source& source, const Shape& shape) {
    const Counts& counts = shape.counts;
    std::string text =
        fmt::format(
            "int @_drain(@_handle *self, {} *out, size_t out_capacity, size_t *produced) {{\n",
            shape.hasOutput ? "@_out" : "void") +
        printDrainEntry(shape) + "    self->is_draining = 1;\n    size_t given = 0;\n";
    const std::int64_t kept = counts.firstIn - counts.firstPop;
    const bool canFire =
        shape.takesItems && counts.in > 0 &&
        ((shape.hasPrework && counts.firstLook < counts.firstIn) || counts.look < kept + counts.in);
    if (!canFire) {
        if (shape.givesItems) text += "    @_hand_over(self, out, out_capacity, &given);\n";
        return named(source,
                     text + "    if (produced) *produced = given;\n    return @_OK;\n}\n\n");
    }
    if (shape.fails) text += "    int status = @_OK;\n";
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
    text += "        if (self->held < look) break;\n" + fireCall(shape, "self->window") +
            "        self->held -= moves;\n"
            "        memmove(self->window, self->window + moves, self->held * sizeof "
            "self->window[0]);\n    }\n";
    return named(source, text + "    if (produced) *produced = given;\n    return " +
                             (shape.fails ? "status == @_OK ? @_OK : @_fail(self)" : "@_OK") +
                             ";\n}\n\n");
}

}  // namespace strc::csource
