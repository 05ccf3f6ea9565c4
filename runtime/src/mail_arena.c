#include "mail_arena.h"

#include <stdlib.h>
#include <string.h>

enum { kBlock = 1 << 16, kUnit = 16, kFewest = 8 };

struct strc_mail_block {
    strc_mail_block *next;
    size_t size, used;
    _Alignas(kUnit) char bytes[];
};

static strc_mail_block *new_block(strc_mail_arena *arena, size_t size) {
    strc_mail_block *block = arena->spare;
    if (block && block->size >= size) {
        arena->spare = block->next;
    } else {
        const size_t room = size > kBlock ? size : kBlock;
        block = malloc(sizeof *block + room);
        if (!block) return NULL;
        block->size = room;
    }
    block->used = 0;
    block->next = arena->blocks;
    return arena->blocks = block;
}

static void *take_bytes(strc_mail_arena *arena, size_t size) {
    size = (size + kUnit - 1) / kUnit * kUnit;
    strc_mail_block *block = arena->blocks;
    if (!block || block->size - block->used < size) block = new_block(arena, size);
    if (!block) return NULL;
    block->used += size;
    return block->bytes + block->used - size;
}

static void free_blocks(strc_mail_block *block) {
    while (block) {
        strc_mail_block *next = block->next;
        free(block);
        block = next;
    }
}

void strc_mail_arena_reset(strc_mail_arena *arena) {
    while (arena->blocks) {
        strc_mail_block *block = arena->blocks;
        arena->blocks = block->next;
        block->next = arena->spare;
        arena->spare = block;
    }
}

void strc_mail_arena_free(strc_mail_arena *arena) {
    free_blocks(arena->blocks);
    free_blocks(arena->spare);
    *arena = (strc_mail_arena){NULL, NULL};
}

/// 0: there is room for one more at the end.
static int make_capacity(strc_mail_arena *arena, strc_mailbox *box) {
    if (box->end < box->capacity) return 0;
    if (box->first > box->capacity / 2) {
        strc_mailbox_close_up(box);
        return 0;
    }
    if (box->capacity > UINT32_MAX / 2) return -1;
    const uint32_t capacity = box->capacity ? 2 * box->capacity : kFewest;
    strc_pending **larger = take_bytes(arena, capacity * sizeof *larger);
    if (!larger) return -1;
    if (box->end != 0) memcpy(larger, box->messages, box->end * sizeof *larger);
    box->messages = larger;
    box->capacity = capacity;
    return 0;
}

static strc_pending *take_from_arena(strc_env *env, strc_mailbox *box, uint64_t bytes) {
    strc_mail_arena *arena = env->mail_arena;
    return make_capacity(arena, box) == 0 ? take_bytes(arena, sizeof(strc_pending) + bytes) : NULL;
}

static void keep_in_arena(strc_mailbox *box, strc_pending *message) {
    (void)box;
    (void)message;
}

const strc_message_memory strc_message_arena = {take_from_arena, keep_in_arena, 0};

void strc_mailbox_empty(strc_mailbox *box) {
    *box = (strc_mailbox){.fired = box->fired, .due = INT64_MAX};
}

int strc_mail_copy(strc_env *env, strc_mailbox *to, const strc_mailbox *from, uint32_t count) {
    for (uint32_t k = 0; k < count; ++k)
        to[k] = (strc_mailbox){.fired = from[k].fired, .due = from[k].due};
    for (uint32_t k = 0; k < count; ++k) {
        for (uint32_t i = from[k].first; i < from[k].end; ++i) {
            const strc_pending *message = from[k].messages[i];
            const uint64_t bytes = message->bytes - STRC_LETTER;
            strc_pending *copy = env->message_memory->take(env, &to[k], bytes);
            if (!copy) return -1;
            memcpy(copy, message, sizeof *message + bytes);
            to[k].messages[to[k].end++] = copy;
        }
    }
    return 0;
}

int strc_mailbox_put_before(strc_env *env, strc_mailbox *box, strc_mailbox *before) {
    const strc_mailbox own = *box;
    box->messages = before->messages;
    box->first = before->first;
    box->end = before->end;
    box->capacity = before->capacity;
    strc_mailbox_empty(before);
    for (uint32_t i = own.first; i < own.end; ++i) {
        if (make_capacity(env->mail_arena, box) != 0) return -1;
        strc_mailbox_put(box, own.messages[i]);
    }
    strc_mailbox_note_due(box);
    return 0;
}
