#include "strc/files/parse_value.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int parse_int(const char *word, int32_t *to) {
    int negative = *word == '-';
    if (negative || *word == '+') ++word;
    int base = strncmp(word, "0x", 2) == 0 ? 16 : 10;
    if (base == 16) word += 2;
    if (!isxdigit((unsigned char)*word)) return 0;
    char *end;
    errno = 0;
    long long value = strtoll(word, &end, base);
    if (errno != 0 || *end || (base == 16 && tolower((unsigned char)word[1]) == 'x')) return 0;
    if (negative) value = -value;
    int wraps = base == 16 && value <= 0xFFFFFFFFll;
    if (!wraps && (value < INT32_MIN || value > INT32_MAX)) return 0;
    *to = (int32_t)(uint32_t)value;
    return 1;
}

static const char *skip_digits(const char *at, int *any) {
    for (; isdigit((unsigned char)*at); ++at) *any = 1;
    return at;
}

/// Digits with a point and an exponent, either of which may be missing.
static int is_real(const char *word) {
    int any = 0;
    if (*word == '-') ++word;
    word = skip_digits(word, &any);
    if (*word == '.') word = skip_digits(word + 1, &any);
    if (!any) return 0;
    if (*word == 'e' || *word == 'E') {
        int digits = 0;
        ++word;
        if (*word == '-' || *word == '+') ++word;
        word = skip_digits(word, &digits);
        if (!digits) return 0;
    }
    return *word == '\0';
}

/// The spellings of not-a-number and infinity of C, Python and the language.
static int parse_special(const char *word, double *to) {
    int negative = *word == '-';
    if (negative) ++word;
    if (strcasecmp(word, "nan") == 0)
        *to = NAN;
    else if (strcasecmp(word, "inf") == 0 || strcasecmp(word, "infinity") == 0)
        *to = INFINITY;
    else
        return 0;
    if (negative) *to = -*to;
    return 1;
}

/// What is beyond the range is refused.
static int parse_real(char *word, double *to) {
    if (*word == '+') ++word;
    size_t length = strlen(word);
    if (parse_special(word, to)) return 1;
    if (length > 0 && word[length - 1] == 'f') word[length - 1] = '\0';
    if (!is_real(word)) return 0;
    *to = strtod(word, NULL);
    const char *first = word + strspn(word, "-0.");
    int is_zero = !isdigit((unsigned char)*first);
    return !isinf(*to) && (*to != 0 || is_zero);
}

/// "a", "bi", "a+bi", "a-bi": the sign that splits the parts is not at the start nor after an 'e'.
static int parse_complex(char *word, double *real, double *imag) {
    size_t length = strlen(word);
    *real = *imag = 0;
    if (length == 0 || word[length - 1] != 'i') return parse_real(word, real);
    word[--length] = '\0';
    size_t split = 0;
    for (size_t k = 1; k < length; ++k)
        if ((word[k] == '+' || word[k] == '-') && tolower((unsigned char)word[k - 1]) != 'e')
            split = k;
    char second[STRC_LONGEST_WORD + 1];
    memcpy(second, word + split, length - split + 1);
    word[split] = '\0';
    return (split == 0 || parse_real(word, real)) && parse_real(second, imag);
}

int strc_parse_value(const char *text, size_t length, strc_kind kind, void *to) {
    char word[STRC_LONGEST_WORD + 1];
    if (length > STRC_LONGEST_WORD || memchr(text, '\0', length)) return 0;
    memcpy(word, text, length);
    word[length] = '\0';
    strc_number number = {0, 0, 0, 0};
    int32_t integer = 0;
    switch (kind) {
        case STRC_BOOLEAN:
        case STRC_BIT:
            integer = strcmp(word, "1") == 0 || (kind == STRC_BOOLEAN && strcmp(word, "true") == 0);
            if (!integer && strcmp(word, "0") != 0 &&
                (kind == STRC_BIT || strcmp(word, "false") != 0))
                return 0;
            *(unsigned char *)to = (unsigned char)integer;
            return 1;
        case STRC_INT:
            if (!parse_int(word, &integer)) return 0;
            memcpy(to, &integer, sizeof integer);
            return 1;
        case STRC_COMPLEX:
            if (!parse_special(word, &number.real) &&
                !parse_complex(word, &number.real, &number.imag))
                return 0;
            break;
        default:
            if (!parse_special(word, &number.real) && !parse_real(word, &number.real)) return 0;
    }
    return strc_number_store(number, kind, to);
}
