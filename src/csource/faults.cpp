// Messages of checks that fail.
#include <fmt/format.h>

#include "csource/detail/interface.h"
#include "csource/detail/literals.h"

namespace strc::csource {
namespace {

constexpr std::string_view kFault = R"(
/* Keeps which check failed, with the numbers for the places of \001 in its text. */
static int @_fault(@_handle *self, int site, int64_t first, int64_t second) {
    self->fault = (@_failure){site, 0, {first, second}};
    return 1;
}

)";

constexpr std::string_view kFaultIn = R"(/* Keeps whose firing it was. */
static int @_fault_in(@_handle *self, int instance) {
    self->fault.instance = instance;
    return 1;
}

)";

constexpr std::string_view kTell =
    R"(static char *@_put(@_handle *self, char *to, const char *text) {
    while (*text && to < self->text + sizeof self->text - 1) *to++ = *text++;
    *to = '\0';
    return to;
}

/* Makes the message. */
static int @_tell(@_handle *self, const @_failure *fault) {
    const char *text = @_sites[fault->site];
    char *to = self->text;
    int used = 0;
    self->message = self->text;
@PLACE    for (; *text; ++text) {
        if (*text != '\001') {
            to = @_put(self, to, (const char[]){*text, '\0'});
            continue;
        }
        const int64_t number = fault->numbers[used++];
        uint64_t rest = number < 0 ? 0u - (uint64_t)number : (uint64_t)number;
        char digits[24];
        int at = (int)sizeof digits - 1;
        digits[at] = '\0';
        do digits[--at] = (char)('0' + rest % 10);
        while ((rest /= 10) != 0);
        if (number < 0) digits[--at] = '-';
        to = @_put(self, to, digits + at);
    }
@WHO    return @_FAULT;
}

/* Ends the run. */
static int @_fail(@_handle *self) {
    self->has_failed = 1;
    self->end = self->fault;
    return @_tell(self, &self->end);
}

)";

std::string tableOf(const Source& source, std::string_view name,
                    const std::vector<std::string>& texts) {
    std::string rows;
    for (const std::string& text : texts) rows += "    " + stringLiteral(text) + ",\n";
    return named(source,
                 fmt::format("static const char *const @_{}[] = {{\n", name) + rows + "};\n");
}

}  // namespace

std::string printFaults(const Source& source) {
    const bool tellsWho = !source.instanceTexts().empty();
    std::string text = tableOf(source, "sites", source.siteTexts()) + named(source, kFault);
    if (tellsWho)
        text += tableOf(source, "places", source.instancePlaces()) +
                tableOf(source, "instances", source.instanceTexts()) + named(source, kFaultIn);
    std::string tell = replaced(
        std::string(kTell), "@PLACE",
        tellsWho ? "    if (*text == ':') to = @_put(self, to, @_places[fault->instance]);\n" : "");
    tell = replaced(std::move(tell), "@WHO",
                    tellsWho ? "    (void)@_put(self, to, @_instances[fault->instance]);\n"
                             : "    (void)to;\n");
    return text + named(source, tell);
}

std::string printRefusal(const Source& source) {
    return named(source, R"(static int @_refuse(@_handle *self, const char *why) {
    self->message = why;
    return @_CALL;
}

)");
}

}  // namespace strc::csource
