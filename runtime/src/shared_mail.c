#include "shared_mail.h"

#include <stdlib.h>
#include <string.h>

#include "message_memory.h"

/// What one partition sends to a filter of another one.
typedef struct post_box {
    strc_pending *given[STRC_MOST_SLICES];  ///< lists, by slice, in the order in which they are due
    void *memory;  ///< of its messages
} post_box;

struct strc_shared_mail {
    const strc_program *program;
    const strc_partitioning *parts;
    const strc_message_memory *memory;
    uint32_t bound;
    strc_mailbox *
        boxes;  ///< by partition, then by mailbox: a partition uses those that it owns, and those to which it sends
    post_box *posts;
};

static strc_mailbox *box_of(strc_shared_mail *mail, uint32_t partition, uint32_t box) {
    return &mail->boxes[(size_t)partition * mail->program->mailbox_count + box];
}

static strc_mailbox *sent_by(strc_shared_mail *mail, const strc_post *post) {
    return box_of(mail, post->from, post->box);
}

void strc_shared_mail_drop(strc_shared_mail *mail) {
    for (uint64_t k = 0; k < mail->parts->post_count; ++k) {
        const strc_post *post = &mail->parts->posts[k];
        memset(mail->posts[k].given, 0, sizeof mail->posts[k].given);
        strc_bounded_box_begin(mail->program, post->box, mail->bound, sent_by(mail, post),
                               mail->posts[k].memory);
    }
}

/// Nonzero: there is no memory.
static int make_boxes(strc_shared_mail *mail) {
    const strc_partitioning *parts = mail->parts;
    mail->boxes = calloc((size_t)parts->count * mail->program->mailbox_count, sizeof *mail->boxes);
    mail->posts = calloc(parts->post_count + 1, sizeof *mail->posts);
    if (!mail->boxes || !mail->posts) return 1;
    for (uint64_t k = 0; k < parts->post_count; ++k) {
        const uint64_t bytes =
            strc_bounded_box_bytes(mail->program, parts->posts[k].box, mail->bound);
        mail->posts[k].memory = calloc(1, bytes);  // all of it is there from now on
        if (!mail->posts[k].memory) return 1;
    }
    strc_shared_mail_drop(mail);
    return 0;
}

strc_shared_mail *strc_shared_mail_new(const strc_flow *flow) {
    strc_shared_mail *mail = malloc(sizeof *mail);
    if (!mail) return NULL;
    *mail = (strc_shared_mail){.program = flow->facts->program,
                               .parts = flow->facts->program->partitioning,
                               .memory = flow->env.message_memory,
                               .bound = (uint32_t)flow->facts->bound};
    if (make_boxes(mail) == 0) return mail;
    strc_shared_mail_free(mail);
    return NULL;
}

void strc_shared_mail_free(strc_shared_mail *mail) {
    if (!mail) return;
    for (uint64_t k = 0; mail->posts && k < mail->parts->post_count; ++k)
        free(mail->posts[k].memory);
    free(mail->posts);
    free(mail->boxes);
    free(mail);
}

strc_mailbox *strc_shared_mail_of(strc_shared_mail *mail, uint32_t partition) {
    return box_of(mail, partition, 0);
}

/// Who sends takes the receiver to be where it is now: it never finds that a message is too late then, and none is.
void strc_shared_mail_begin(strc_shared_mail *mail, const strc_env *env) {
    for (uint32_t box = 0; box < mail->program->mailbox_count; ++box)
        *box_of(mail, mail->parts->owners[box], box) = env->mailboxes[box];
    for (uint64_t k = 0; k < mail->parts->post_count; ++k) {
        const strc_post *post = &mail->parts->posts[k];
        sent_by(mail, post)->fired = env->mailboxes[post->box].fired;
    }
}

void strc_shared_mail_end(strc_shared_mail *mail, strc_env *env) {
    for (uint32_t box = 0; box < mail->program->mailbox_count; ++box)
        env->mailboxes[box] = *box_of(mail, mail->parts->owners[box], box);
    for (uint64_t k = 0; k < mail->parts->post_count; ++k) {
        strc_mailbox *box = sent_by(mail, &mail->parts->posts[k]);
        for (uint32_t slice = 0; slice < mail->parts->slices; ++slice) {
            strc_pending *message = mail->posts[k].given[slice];
            mail->posts[k].given[slice] = NULL;
            while (message) {
                strc_pending *next = message->next;
                mail->memory->give_back(box, message);
                message = next;
            }
        }
    }
}

// ---- slices

static int put_copies(strc_shared_mail *mail, strc_env *env, strc_mailbox *box,
                      const strc_pending *message) {
    for (; message; message = message->next) {
        if (box->end - box->first == mail->bound) return 1;
        const uint64_t bytes = message->bytes - STRC_LETTER;
        strc_pending *copy = mail->memory->take(env, box, bytes);
        if (!copy) return 1;
        memcpy(copy, message, sizeof *message + bytes);
        strc_mailbox_put(box, copy);
    }
    return 0;
}

/// Slices of the sender that belong to one of the receiver: the same, or all if either has one alone.
static int take_from(strc_shared_mail *mail, strc_env *env, uint64_t number, uint64_t slice) {
    const strc_post *post = &mail->parts->posts[number];
    const uint32_t sent = mail->parts->partitions[post->from].slices,
                   taken = mail->parts->partitions[post->to].slices;
    uint64_t from = slice, to = slice + 1;
    if (sent != taken) {
        from = 0;
        to = slice == 0 ? sent : 0;
    }
    for (; from < to; ++from)
        if (put_copies(mail, env, box_of(mail, post->to, post->box),
                       mail->posts[number].given[from]) != 0)
            return 1;
    return 0;
}

int strc_shared_mail_take(strc_shared_mail *mail, strc_env *env, uint32_t partition,
                          uint64_t slice) {
    for (uint64_t k = 0; k < mail->parts->post_count; ++k)
        if (mail->parts->posts[k].to == partition && take_from(mail, env, k, slice) != 0) return 1;
    return 0;
}

void strc_shared_mail_give(strc_shared_mail *mail, uint32_t partition, uint64_t slice) {
    for (uint64_t k = 0; k < mail->parts->post_count; ++k) {
        if (mail->parts->posts[k].from != partition) continue;
        strc_mailbox *box = sent_by(mail, &mail->parts->posts[k]);
        strc_pending *next = NULL;
        while (box->first < box->end) {
            strc_pending *message = box->messages[--box->end];
            message->next = next;
            next = message;
        }
        box->first = box->end = 0;
        mail->posts[k].given[slice] = next;
    }
}
