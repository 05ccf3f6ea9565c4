// Ranks as processes of this machine, with a socket between rank 0 and each other one, and between neighbours: nobody else has anything
// to say to each other.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "transport.h"

/// A message that is on its way out; its bytes follow it.
typedef struct outgoing {
    struct outgoing *next;
    size_t size, done;
} outgoing;

typedef struct peer {
    int socket;  ///< -1: there is none
    pid_t process;  ///< of a child
    int has_ended;
    outgoing *first, *last;
    uint64_t length;  ///< of the message that comes in
    size_t got;  ///< bytes of its length, then of itself
    unsigned char *message;
} peer;

typedef struct processes {
    uint32_t rank, size;
    peer *peers;
} processes;

static int is_later(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

static int give(peer *to) {
    while (to->first) {
        outgoing *next = to->first;
        const char *bytes = (const char *)(next + 1);
        const ssize_t done = send(to->socket, bytes + next->done, next->size - next->done,
                                  MSG_NOSIGNAL | MSG_DONTWAIT);
        if (done < 0 && is_later()) return 1;
        if (done < 0) to->has_ended = 1;
        next->done += done < 0 ? next->size - next->done : (size_t)done;
        if (next->done < next->size) continue;
        to->first = next->next;
        if (!to->first) to->last = NULL;
        free(next);
    }
    return 0;
}

static int advance(void *self) {
    processes *all = self;
    int any = 0;
    for (uint32_t k = 0; k < all->size; ++k)
        if (all->peers[k].socket >= 0) any |= give(&all->peers[k]);
    return any;
}

static int send_to(void *self, uint32_t to, const void *bytes, size_t size) {
    processes *all = self;
    peer *other = &all->peers[to];
    if (other->socket < 0) return -1;
    const uint64_t length = size;
    outgoing *made = malloc(sizeof *made + sizeof length + size);
    if (!made) return -1;
    *made = (outgoing){.size = sizeof length + size};
    memcpy(made + 1, &length, sizeof length);
    memcpy((char *)(made + 1) + sizeof length, bytes, size);
    if (other->last)
        other->last->next = made;
    else
        other->first = made;
    other->last = made;
    give(other);
    return 0;
}

/// Bytes that are there; 0: none, or the end.
static size_t take(peer *from, void *to, size_t size) {
    const ssize_t got = recv(from->socket, to, size, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && !is_later())) from->has_ended = 1;
    return got > 0 ? (size_t)got : 0;
}

static void *receive(void *self, uint32_t from, size_t *size, int *ended) {
    peer *other = &((processes *)self)->peers[from];
    if (other->socket < 0) return NULL;
    if (other->has_ended) {
        *ended = 1;
        return NULL;
    }
    while (!other->message) {
        const size_t got =
            take(other, (char *)&other->length + other->got, sizeof other->length - other->got);
        if (got == 0) {
            *ended = other->has_ended;
            return NULL;
        }
        other->got += got;
        if (other->got < sizeof other->length) continue;
        other->got = 0;
        other->message = malloc(other->length ? other->length : 1);
        if (!other->message) {  // what follows is not understood without it
            *ended = other->has_ended = 1;
            return NULL;
        }
    }
    while (other->got < other->length) {
        const size_t got = take(other, other->message + other->got, other->length - other->got);
        if (got == 0) {
            *ended = other->has_ended;
            return NULL;
        }
        other->got += got;
    }
    void *made = other->message;
    *size = other->length;
    other->message = NULL;
    other->got = 0;
    return made;
}

static void close_if(int socket) {
    if (socket >= 0) close(socket);
}

static void close_all(void *self) {
    processes *all = self;
    while (advance(all)) usleep(100);
    for (uint32_t k = 0; k < all->size; ++k) close_if(all->peers[k].socket);
}

static void abort_all(void *self, int status) {
    (void)self;  // who finds its sockets closed ends, too
    _exit(status);
}

/// What a child has of its parent's sockets: its own to rank 0, and to its neighbours.
static void keep_own(processes *all, uint32_t rank, int to_first, int to_before, int to_behind) {
    for (uint32_t k = 1; k < rank; ++k) close(all->peers[k].socket);
    for (uint32_t k = 0; k < all->size; ++k) all->peers[k].socket = -1;
    all->rank = rank;
    all->peers[0].socket = to_first;
    if (to_before >= 0) all->peers[rank - 1].socket = to_before;
    if (to_behind >= 0) all->peers[rank + 1].socket = to_behind;
    // Nobody else goes on with its files while it still has them.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static int make_pair(int pair[2]) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
}

/// Starts one after the other, so that a process has no more sockets than there are ranks. Nonzero: errno says why, and those that
/// have been started end, as their sockets close with this process.
static int start_children(processes *all) {
    int before = -1;  // of the next child to the one before it, which has the other end
    for (uint32_t k = 1; k < all->size; ++k) {
        int star[2], behind[2] = {-1, -1};
        if (make_pair(star) != 0 || (k + 1 < all->size && make_pair(behind) != 0)) return -1;
        const pid_t process = fork();
        if (process < 0) return -1;
        if (process == 0) {
            close(star[0]);
            close_if(behind[1]);
            keep_own(all, k, star[1], before, behind[0]);
            return 0;
        }
        close(star[1]);
        close_if(before);
        close_if(behind[0]);
        before = behind[1];
        all->peers[k].socket = star[0];
        all->peers[k].process = process;
    }
    return 0;
}

int strc_transport_fork(strc_transport *transport, uint32_t size, char why[STRC_TRANSPORT_WHY]) {
    processes *all = calloc(1, sizeof *all);
    peer *peers = calloc(size, sizeof *peers);
    if (!all || !peers) {
        snprintf(why, STRC_TRANSPORT_WHY, "no memory");
        return -1;
    }
    *all = (processes){.size = size, .peers = peers};
    for (uint32_t k = 0; k < size; ++k) peers[k].socket = -1;
    fflush(NULL);
    if (start_children(all) != 0) {
        snprintf(why, STRC_TRANSPORT_WHY, "%s", strerror(errno));
        return -1;
    }
    *transport = (strc_transport){.rank = all->rank,
                                  .size = size,
                                  .beside = size,
                                  .self = all,
                                  .send = send_to,
                                  .receive = receive,
                                  .advance = advance,
                                  .close = close_all,
                                  .abort = abort_all};
    return 0;
}

int strc_transport_join(strc_transport *transport) {
    processes *all = transport->self;
    int worst = 0;
    if (transport->send != send_to || all->rank != 0) return 0;
    for (uint32_t k = 1; k < all->size; ++k) {
        int status = 0;
        while (waitpid(all->peers[k].process, &status, 0) < 0 && errno == EINTR) continue;
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (code > worst) worst = code;
    }
    return worst;
}
