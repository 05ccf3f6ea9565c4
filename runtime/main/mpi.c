// Ranks of MPI. Its library is loaded when a launcher has started the process, so nothing is linked with it. The functions are those
// of the standard (MPI 3.1); what implementations differ in are handles: Open MPI has addresses of its objects, MPICH, and all
// that share its ABI, have numbers. Both fit into a register, and are passed as such.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "transport.h"

typedef uintptr_t handle;  // MPI_Comm, MPI_Datatype

enum { kSerialized = 2, kTag = 0, kStatusBytes = 256 };
static const handle mpich_world = 0x44000000, mpich_byte = 0x4c00010d;

#define FUNCTIONS(ROW)                                                                           \
    ROW(init, "MPI_Init_thread", (int *, char ***, int required, int *provided))                 \
    ROW(rank, "MPI_Comm_rank", (handle, int *))                                                  \
    ROW(ranks, "MPI_Comm_size", (handle, int *))                                                 \
    ROW(isend, "MPI_Isend", (const void *, int, handle, int to, int tag, handle, void *request)) \
    ROW(test, "MPI_Test", (void *request, int *done, void *status))                              \
    ROW(iprobe, "MPI_Iprobe", (int from, int tag, handle, int *there, void *status))             \
    ROW(count, "MPI_Get_count", (const void *status, handle, int *))                             \
    ROW(recv, "MPI_Recv", (void *, int, handle, int from, int tag, handle, void *status))        \
    ROW(allgather, "MPI_Allgather", (const void *, int, handle, void *, int, handle, handle))    \
    ROW(alltoall, "MPI_Alltoall", (const void *, int, handle, void *, int, handle, handle))      \
    ROW(finalize, "MPI_Finalize", (void))                                                        \
    ROW(abort, "MPI_Abort", (handle, int status))

/// A send that is under way; its bytes follow it.
typedef struct outgoing {
    struct outgoing *next;
    uintptr_t request;  ///< an address or an int
} outgoing;

/// What has come of the next message of a rank.
typedef struct incoming {
    unsigned char *message;
    uint64_t got;
} incoming;

typedef struct mpi {
#define MEMBER(member, symbol, parameters) int(*member) parameters;
    FUNCTIONS(MEMBER)
#undef MEMBER
    handle world, byte;
    uint32_t size;
    outgoing *under_way;
    incoming *incoming;  ///< by rank
    size_t most;  ///< bytes of a message of MPI
    _Alignas(16) unsigned char status[kStatusBytes];
} mpi;

static int has(const char *name) {
    const char *value = getenv(name);
    return value && atoi(value) > 1;
}

static int is_open_mpi(void) { return getenv("OMPI_COMM_WORLD_SIZE") != NULL; }

int strc_transport_has_mpi(void) { return has("OMPI_COMM_WORLD_SIZE") || has("PMI_SIZE"); }

static void *load(char why[STRC_TRANSPORT_WHY]) {
    static const char *const open_mpi[] = {"libmpi.so.40", "libmpi.so", NULL};
    static const char *const mpich[] = {"libmpich.so.12", "libmpi.so.12", "libmpich.so", NULL};
    const char *asked = getenv("STRC_MPI_LIB");
    const char *const only[] = {asked, NULL};
    const char *const *names = asked && *asked ? only : is_open_mpi() ? open_mpi : mpich;
    const char *first = NULL;
    for (; *names; ++names) {
        void *library =
            dlopen(*names, RTLD_NOW | RTLD_GLOBAL);  // Open MPI's own modules look for it
        if (library) return library;
        const char *error = dlerror();
        if (first) continue;
        first = error;
        snprintf(why, STRC_TRANSPORT_WHY, "%s", error ? error : *names);
    }
    return NULL;
}

static int find(mpi *all, void *library, char why[STRC_TRANSPORT_WHY]) {
#define FIND(member, symbol, parameters)                                          \
    *(void **)(&all->member) = dlsym(library, symbol);                            \
    if (!all->member) {                                                           \
        snprintf(why, STRC_TRANSPORT_WHY, "its library has no function " symbol); \
        return -1;                                                                \
    }
    FUNCTIONS(FIND)
#undef FIND
    void *world = dlsym(library, "ompi_mpi_comm_world"), *byte = dlsym(library, "ompi_mpi_byte");
    all->world = world ? (handle)world : mpich_world;
    all->byte = byte ? (handle)byte : mpich_byte;
    return 0;
}

static int advance(void *self) {
    mpi *all = self;
    for (outgoing **next = &all->under_way; *next;) {
        int done = 0;
        all->test(&(*next)->request, &done, all->status);
        outgoing *each = *next;
        if (!done) {
            next = &each->next;
            continue;
        }
        *next = each->next;
        free(each);
    }
    return all->under_way != NULL;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/// Counts of MPI are ints, so a message may be several of it. Behind each piece stands the length of the whole.
static int send_piece(mpi *all, uint32_t to, const void *bytes, size_t size, uint64_t length) {
    outgoing *made = malloc(sizeof *made + size + sizeof length);
    if (!made) return -1;
    *made = (outgoing){.next = all->under_way};
    char *const piece = (char *)(made + 1);
    memcpy(piece, bytes, size);
    memcpy(piece + size, &length, sizeof length);
    all->isend(piece, (int)(size + sizeof length), all->byte, (int)to, kTag, all->world,
               &made->request);
    all->under_way = made;
    return 0;
}

static int send_to(void *self, uint32_t to, const void *bytes, size_t size) {
    mpi *all = self;
    size_t done = 0;
    do {
        const size_t next = least(size - done, all->most);
        if (send_piece(all, to, (const char *)bytes + done, next, size) != 0) return -1;
        done += next;
    } while (done < size);
    advance(all);
    return 0;
}

/// Room for a piece behind what has come, and for the length behind it. Nonzero: there is none.
static int make_room(incoming *in, size_t size) {
    unsigned char *more = realloc(in->message, in->got + size);
    if (!more) return -1;
    in->message = more;
    return 0;
}

static void *receive(void *self, uint32_t from, size_t *size, int *ended) {
    mpi *all = self;
    incoming *in = &all->incoming[from];
    *ended = 0;  // a death ends the job
    for (;;) {
        int there = 0, count = 0;
        uint64_t length;
        all->iprobe((int)from, kTag, all->world, &there, all->status);
        if (!there) return NULL;
        all->count(all->status, all->byte, &count);
        if (make_room(in, (size_t)count) != 0) {  // what follows is not understood without it
            *ended = 1;
            return NULL;
        }
        unsigned char *piece = in->message + in->got;
        all->recv(piece, count, all->byte, (int)from, kTag, all->world, all->status);
        in->got += (size_t)count - sizeof length;
        memcpy(&length, in->message + in->got, sizeof length);
        if (in->got == length) break;
    }
    void *message = in->message;
    *size = in->got;
    *in = (incoming){0};
    return message;
}

// ---- collectives, which go on in slices where counts would not do

typedef int collective(const mpi *, const void *from, size_t size, void *to);

static int gather_slice(const mpi *all, const void *own, size_t size, void *to) {
    return all->allgather(own, (int)size, all->byte, to, (int)size, all->byte, all->world);
}

static int exchange_slice(const mpi *all, const void *out, size_t size, void *in) {
    return all->alltoall(out, (int)size, all->byte, in, (int)size, all->byte, all->world);
}

/// Copies a slice between blocks of `bytes` and blocks of `size` beside each other.
static void copy_slice(const mpi *all, char *blocks, uint64_t bytes, char *slice, size_t size,
                       int gathers) {
    for (uint32_t k = 0; k < all->size; ++k) {
        char *block = blocks + k * bytes, *part = slice + k * size;
        memcpy(gathers ? part : block, gathers ? block : part, size);
    }
}

/// `from` has a block for all, or `for_each` has one.
static int in_slices(const mpi *all, collective *one, int for_each, const void *from,
                     uint64_t bytes, void *to) {
    if (bytes <= all->most) return one(all, from, bytes, to) != 0;
    char *const given = malloc(2 * all->most * all->size), *const come =
                                                               given + all->most * all->size;
    int failed = !given;
    for (uint64_t done = 0; done < bytes && !failed; done += all->most) {
        const size_t size = least(bytes - done, all->most);
        const char *next = (const char *)from + done;
        if (for_each) copy_slice(all, (char *)next, bytes, given, size, 1);
        failed = one(all, for_each ? given : next, size, come) != 0;
        if (!failed) copy_slice(all, (char *)to + done, bytes, come, size, 0);
    }
    free(given);
    return failed;
}

static int gather(void *self, const void *own, uint64_t bytes, void *to) {
    return in_slices(self, gather_slice, 0, own, bytes, to);
}

static int exchange(void *self, const void *out, uint64_t bytes, void *in) {
    return in_slices(self, exchange_slice, 1, out, bytes, in);
}

static void close_all(void *self) {
    mpi *all = self;
    while (advance(all)) usleep(100);
    all->finalize();
}

static void abort_all(void *self, int status) {
    mpi *all = self;
    all->abort(all->world, status);
    _exit(status);
}

/// As launchers say; 1 if they do not.
static uint32_t ranks_beside(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        const char *value = getenv(names[k]);
        if (value && atoi(value) > 0) return (uint32_t)atoi(value);
    }
    return 1;
}

/// Of a message of MPI: counts are ints, and some implementations count those of all ranks in one. STRC_TEST_MESSAGE says less.
static size_t most_bytes(uint32_t ranks) {
    const char *text = getenv("STRC_TEST_MESSAGE");
    const long long asked = text ? atoll(text) : 0;
    return asked > 0 ? (size_t)asked : ((size_t)1 << 30) / ranks;
}

int strc_transport_mpi(strc_transport *transport, char why[STRC_TRANSPORT_WHY]) {
    static mpi all;
    void *library = load(why);
    int rank = 0, size = 0, provided = 0;
    if (!library || find(&all, library, why) != 0) return -1;
    if (all.init(NULL, NULL, kSerialized, &provided) != 0 || provided < kSerialized) {
        snprintf(why, STRC_TRANSPORT_WHY, "it does not serve several threads, one at a time");
        return -1;
    }
    all.rank(all.world, &rank);
    all.ranks(all.world, &size);
    all.size = (uint32_t)size;
    all.most = most_bytes(all.size);
    all.incoming = calloc(all.size, sizeof *all.incoming);
    if (!all.incoming) {
        snprintf(why, STRC_TRANSPORT_WHY, "no memory");
        return -1;
    }
    *transport = (strc_transport){.rank = (uint32_t)rank,
                                  .size = (uint32_t)size,
                                  .beside = ranks_beside(),
                                  .self = &all,
                                  .send = send_to,
                                  .receive = receive,
                                  .advance = advance,
                                  .gather = gather,
                                  .exchange = exchange,
                                  .close = close_all,
                                  .abort = abort_all};
    return 0;
}
