/* Runs a stream of floats over the items of input.h, in pieces, and prints the bits of what comes out, one item a line. */
#include <string.h>
#include "board.h"
#include "input.h"
#include "stream.h"

#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define STREAM(word) JOIN(NAME, word)

enum { PIECE = 7, ROOM = 64 };

static void print(const float *items, size_t count) {
    for (size_t k = 0; k < count; ++k) {
        uint32_t bits;
        memcpy(&bits, &items[k], sizeof bits);
        for (int shift = 28; shift >= 0; shift -= 4) board_put("0123456789abcdef"[bits >> shift & 15u]);
        board_put('\n');
    }
}

int main(void) {
    static float out[ROOM];
    const size_t count = sizeof input / sizeof input[0];
    size_t consumed, produced;
    board_begin();
    STREAM(handle) *stream = STREAM(create)(NULL);
    if (!stream) return 1;
    for (size_t next = 0; next < count; next += consumed) {
        float piece[PIECE];
        const size_t size = count - next < PIECE ? count - next : PIECE;
        memcpy(piece, input + next, size * sizeof *piece);
        if (STREAM(process)(stream, piece, size, out, ROOM, &consumed, &produced) != STREAM(OK)) return 1;
        print(out, produced);
    }
    do {
        if (STREAM(drain)(stream, out, ROOM, &produced) != STREAM(OK)) return 1;
        print(out, produced);
    } while (produced == ROOM);
    return 0;
}
