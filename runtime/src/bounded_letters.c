// As many messages as there may be, in memory that is there from the start.
#include "letters.h"
#include "messages.h"

/// Bytes of a letter with such arguments.
static uint64_t letter_size(int64_t bytes) {
    const uint64_t unit = _Alignof(strc_letter);
    return (sizeof(strc_letter) + (uint64_t)bytes + unit - 1) / unit * unit;
}

/// One more than may wait: that whose handler runs, and sends. As many pointers, of which the last one is unused.
static uint64_t box_size(int64_t bytes, uint32_t bound) {
    const uint64_t unit = _Alignof(strc_letter), count = (uint64_t)bound + 1;
    return count * letter_size(bytes) + (count * sizeof(strc_letter *) + unit - 1) / unit * unit;
}

uint64_t strc_bounded_mail_bytes(const strc_program *program, uint32_t bound) {
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < program->mailbox_count; ++k)
        if (program->message_bytes[k] >= 0) bytes += box_size(program->message_bytes[k], bound);
    return bytes;
}

static strc_letter *take_spare(strc_mailbox *box, uint64_t bytes) {
    (void)bytes;
    strc_letter *letter = box->spare;
    box->spare = letter->next;
    if (box->end == box->room) strc_mailbox_close_up(box);
    return letter;
}

static void keep_spare(strc_mailbox *box, strc_letter *letter) {
    letter->next = box->spare;
    box->spare = letter;
}

void strc_bounded_mail_begin(strc_env *env, const strc_program *program, void *state,
                             uint32_t bound, void *block) {
    static const strc_letters letters = {take_spare, keep_spare};
    env->letters = &letters;
    env->most_letters = bound;
    env->bytes_left = UINT64_MAX;
    strc_mailboxes_begin(env, program, state);
    char *at = block;
    for (uint32_t k = 0; k < program->mailbox_count; ++k) {
        const int64_t bytes = program->message_bytes[k];
        if (bytes < 0) continue;
        strc_mailbox *box = &env->mailboxes[k];
        char *letter = at;
        for (uint32_t count = 0; count <= bound; ++count, letter += letter_size(bytes))
            keep_spare(box, (strc_letter *)letter);
        box->letters = (strc_letter **)letter;
        box->room = bound;
        at += box_size(bytes, bound);
    }
}
