// Memory of messages from the heap.
#include "letters.h"

#include <stdlib.h>

#include "messages.h"

/// 0: there is room for one more at the end.
static int make_room(strc_mailbox *box) {
    if (box->end < box->room) return 0;
    if (box->first > box->room / 2) {
        strc_mailbox_close_up(box);
        return 0;
    }
    if (box->room > UINT32_MAX / 2) return -1;
    uint32_t room = box->room ? 2 * box->room : 8;
    strc_letter **larger = realloc(box->letters, room * sizeof *larger);
    if (!larger) return -1;
    box->letters = larger;
    box->room = room;
    return 0;
}

static strc_letter *take_new(strc_mailbox *box, uint64_t bytes) {
    return make_room(box) == 0 ? malloc(sizeof(strc_letter) + bytes) : NULL;
}

static void free_letter(strc_mailbox *box, strc_letter *letter) {
    (void)box;
    free(letter);
}

void strc_mail_begin(strc_env *env, const strc_program *program, void *state) {
    static const strc_letters letters = {take_new, free_letter};
    env->letters = &letters;
    env->most_letters = UINT32_MAX;
    env->bytes_left = program->most_bytes;
    strc_mailboxes_begin(env, program, state);
}

void strc_mail_end(strc_env *env, const strc_program *program) {
    for (uint32_t k = 0; k < program->mailbox_count; ++k) {
        strc_mailbox *box = &env->mailboxes[k];
        free(box->open);
        while (box->first < box->end) free(box->letters[box->first++]);
        free(box->letters);
    }
}
