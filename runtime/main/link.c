#include "link.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kLooks = 64, kShortest = 20000, kLongest = 500000 };  // ns between two looks, later on

/// In front of each message.
typedef struct head {
    uint32_t what, unused;
    uint64_t a, b;
    int64_t sent;  ///< ns, by a clock of the machine
} head;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/// STRC_TEST_NETWORK: "LATENCY PACE", in ns and bytes in a ns.
static void read_delays(strc_link *link) {
    const char *text = getenv("STRC_TEST_NETWORK");
    if (text && sscanf(text, "%lf %lf", &link->latency, &link->pace) == 2) return;
    link->latency = link->pace = 0;
}

int strc_link_begin(strc_link *link) {
    pthread_mutex_init(&link->mutex, NULL);
    link->lost = UINT32_MAX;
    link->ended = calloc(link->transport.size, 1);
    link->busy = calloc(link->transport.size, sizeof *link->busy);
    read_delays(link);
    return link->busy && link->ended ? 0 : -1;
}

void strc_link_free(strc_message_in *message) {
    if (message) free(message->whole);
    free(message);
}

void strc_link_end(strc_link *link) {
    link->transport.close(link->transport.self);
    while (link->first) {
        strc_message_in *next = link->first->next;
        strc_link_free(link->first);
        link->first = next;
    }
    free(link->busy);
    free(link->ended);
    pthread_mutex_destroy(&link->mutex);
}

static int send_locked(strc_link *link, uint32_t to, strc_message_out message) {
    unsigned char *whole = malloc(sizeof(head) + message.size);
    if (!whole) return -1;
    const head front = {(uint32_t)message.what, 0, message.a, message.b, now()};
    memcpy(whole, &front, sizeof front);
    if (message.size != 0) memcpy(whole + sizeof front, message.bytes, message.size);
    const int status =
        link->transport.send(link->transport.self, to, whole, sizeof(head) + message.size);
    free(whole);
    return status;
}

int strc_link_send(strc_link *link, uint32_t to, strc_message_out message) {
    pthread_mutex_lock(&link->mutex);
    const int status = send_locked(link, to, message);
    pthread_mutex_unlock(&link->mutex);
    return status;
}

int strc_link_send_all(strc_link *link, strc_message_out message) {
    int status = 0;
    for (uint32_t k = 0; k < link->transport.size; ++k)
        if (k != link->transport.rank) status |= strc_link_send(link, k, message);
    return status;
}

// ---- what comes

/// When a message that was sent then would be here on a slower network.
static int64_t due(strc_link *link, uint32_t from, int64_t sent, uint64_t size) {
    if (link->latency <= 0 && link->pace <= 0) return 0;
    int64_t *busy = &link->busy[from];
    if (*busy < sent) *busy = sent;
    if (link->pace > 0) *busy += (int64_t)((double)size / link->pace);
    return *busy + (int64_t)link->latency;
}

static void abort_all(strc_link *link, uint64_t transaction) {
    if (link->aborted >= transaction) return;
    link->aborted = transaction;
    for (uint32_t k = 1; k < link->transport.size; ++k)
        send_locked(link, k, (strc_message_out){STRC_SAID_ABORT, transaction, 0, NULL, 0});
}

/// Puts it where it belongs.
static void accept(strc_link *link, strc_message_in *message) {
    const uint64_t transaction = message->a;
    if (message->what == STRC_SAID_ABORT) {
        if (transaction > link->aborted) link->aborted = transaction;
        return strc_link_free(message);
    }
    if (message->what == STRC_SAID_VOTE && message->b != 0) abort_all(link, transaction);
    if (link->last)
        link->last->next = message;
    else
        link->first = message;
    link->last = message;
}

static void poll_rank(strc_link *link, uint32_t from) {
    size_t size = 0;
    int ended = 0;
    unsigned char *whole;
    while ((whole = link->transport.receive(link->transport.self, from, &size, &ended)) != NULL) {
        strc_message_in *made = size >= sizeof(head) ? calloc(1, sizeof *made) : NULL;
        if (!made) {  // without it there is nothing to go on with
            free(whole);
            ended = 1;
            break;
        }
        head front;
        memcpy(&front, whole, sizeof front);
        *made = (strc_message_in){.due = due(link, from, front.sent, size),
                                  .from = from,
                                  .what = (strc_said)front.what,
                                  .a = front.a,
                                  .b = front.b,
                                  .bytes = whole + sizeof front,
                                  .size = size - sizeof front,
                                  .whole = whole};
        accept(link, made);
    }
    if (ended) link->ended[from] = 1;
}

static void poll_all(strc_link *link) {
    link->transport.advance(link->transport.self);
    for (uint32_t k = 0; k < link->transport.size; ++k)
        if (k != link->transport.rank) poll_rank(link, k);
}

/// What is wanted of a queue.
typedef struct wish {
    uint32_t from, what;
    int is_of_transaction;  ///< of the present one
} wish;

static int fits(const strc_link *link, const strc_message_in *message, const wish *wanted) {
    return message->from == wanted->from && (STRC_SAYS(message->what) & wanted->what) != 0 &&
           (!wanted->is_of_transaction || message->a == link->transaction);
}

/// The first that fits, if it is due.
static strc_message_in *take(strc_link *link, const wish *wanted) {
    strc_message_in *before = NULL;
    for (strc_message_in *each = link->first; each; before = each, each = each->next) {
        if (!fits(link, each, wanted)) continue;
        if (each->due != 0 && each->due > now()) return NULL;
        if (before)
            before->next = each->next;
        else
            link->first = each->next;
        if (link->last == each) link->last = before;
        each->next = NULL;
        return each;
    }
    return NULL;
}

static int is_coming(const strc_link *link, const wish *wanted) {
    for (const strc_message_in *each = link->first; each; each = each->next)
        if (fits(link, each, wanted)) return 1;
    return 0;
}

static strc_message_in *look(strc_link *link, const wish *wanted, int *is_over) {
    pthread_mutex_lock(&link->mutex);
    strc_message_in *found = take(link, wanted);
    if (!found) {
        poll_all(link);
        found = take(link, wanted);
    }
    // Who is gone may have said before what is wanted, which may be due later.
    const int is_gone = link->ended[wanted->from] && !found && !is_coming(link, wanted);
    if (is_gone) link->lost = wanted->from;
    *is_over = is_gone || (wanted->is_of_transaction && link->aborted >= link->transaction);
    pthread_mutex_unlock(&link->mutex);
    return found;
}

/// Others may need the processor.
static void rest(int *looks) {
    if (++*looks < kLooks) {
        sched_yield();
        return;
    }
    long time = kShortest * (long)(1 + *looks / kLooks);
    if (time > kLongest) time = kLongest;
    nanosleep(&(struct timespec){.tv_nsec = time}, NULL);
}

void strc_link_flush(strc_link *link) {
    for (int looks = 0;; rest(&looks)) {
        pthread_mutex_lock(&link->mutex);
        const int any = link->transport.advance(link->transport.self);
        pthread_mutex_unlock(&link->mutex);
        if (!any) return;
    }
}

static strc_message_in *wait_for(strc_link *link, wish wanted) {
    int is_over = 0, looks = 0;
    for (;;) {
        strc_message_in *found = look(link, &wanted, &is_over);
        if (found || is_over) return found;
        rest(&looks);
    }
}

strc_message_in *strc_link_wait(strc_link *link, uint32_t from, uint32_t wanted) {
    return wait_for(link, (wish){from, wanted, 0});
}

// ---- transactions

void strc_link_transaction(strc_link *link, uint64_t number, uint64_t credits) {
    pthread_mutex_lock(&link->mutex);
    link->transaction = number;
    link->credits = credits;
    strc_message_in *kept = NULL, *last = NULL;
    for (strc_message_in *each = link->first, *next; each; each = next) {
        next = each->next;
        each->next = NULL;
        const int is_old =
            (each->what == STRC_SAID_ITEMS || each->what == STRC_SAID_CREDIT) && each->a < number;
        if (is_old) {
            strc_link_free(each);
            continue;
        }
        if (last)
            last->next = each;
        else
            kept = each;
        last = each;
    }
    link->first = kept;
    link->last = last;
    pthread_mutex_unlock(&link->mutex);
}

int strc_link_has_aborted(strc_link *link) {
    pthread_mutex_lock(&link->mutex);
    const int has = link->aborted >= link->transaction;
    pthread_mutex_unlock(&link->mutex);
    return has;
}

strc_message_in *strc_link_items(strc_link *link, uint32_t from) {
    return wait_for(link, (wish){from, STRC_SAYS(STRC_SAID_ITEMS), 1});
}

int strc_link_credit(strc_link *link) {
    if (link->credits == 0) {
        strc_message_in *credit =
            wait_for(link, (wish){link->transport.rank + 1, STRC_SAYS(STRC_SAID_CREDIT), 1});
        if (!credit) return -1;
        ++link->credits;
        strc_link_free(credit);
    }
    --link->credits;
    return strc_link_has_aborted(link) ? -1 : 0;
}
