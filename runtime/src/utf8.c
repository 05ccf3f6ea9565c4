#include "strc/utf8.h"

size_t strc_utf8_length(const unsigned char *text) {
    static const struct {
        unsigned char first, last, lowest, highest;  // of the first byte and of the second one
        size_t length;
    } forms[] = {
        {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
        {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
        {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    if (text[0] < 0x80) return 1;
    for (size_t k = 0; k < sizeof forms / sizeof *forms; ++k) {
        if (text[0] < forms[k].first || text[0] > forms[k].last) continue;
        if (text[1] < forms[k].lowest || text[1] > forms[k].highest) return 0;
        for (size_t i = 2; i < forms[k].length; ++i)
            if ((text[i] & 0xC0) != 0x80) return 0;
        return forms[k].length;
    }
    return 0;
}
