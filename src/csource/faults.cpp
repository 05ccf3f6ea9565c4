// Messages of checks that fail.
#include "csource/interface.h"
#include "csource/literals.h"

namespace strc::csource {
namespace {

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

}  // namespace

std::string printFaults(const Source& source) {
    std::string sites;
    for (const std::string& text : source.siteTexts())
        sites += "    " + stringLiteral(text) + ",\n";
    return named(source, "static const char *const @_sites[] = {\n" + sites + "};\n") +
           named(source, kFault);
}

}  // namespace strc::csource
