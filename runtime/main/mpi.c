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
static const size_t most = (size_t)1 << 30;  // bytes of a message; counts are ints

#define FUNCTIONS(ROW)                                                                           \
    ROW(init, "MPI_Init_thread", (int *, char ***, int required, int *provided))                 \
    ROW(rank, "MPI_Comm_rank", (handle, int *))                                                  \
    ROW(size, "MPI_Comm_size", (handle, int *))                                                  \
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

typedef struct mpi {
#define MEMBER(member, symbol, parameters) int(*member) parameters;
    FUNCTIONS(MEMBER)
#undef MEMBER
    handle world, byte;
    outgoing *under_way;
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

static int send_to(void *self, uint32_t to, const void *bytes, size_t size) {
    mpi *all = self;
    outgoing *made = size <= most ? malloc(sizeof *made + size) : NULL;
    if (!made) return -1;
    *made = (outgoing){.next = all->under_way};
    memcpy(made + 1, bytes, size);
    all->isend(made + 1, (int)size, all->byte, (int)to, kTag, all->world, &made->request);
    all->under_way = made;
    advance(all);
    return 0;
}

static void *receive(void *self, uint32_t from, size_t *size, int *ended) {
    mpi *all = self;
    int there = 0, count = 0;
    *ended = 0;  // a death ends the job
    all->iprobe((int)from, kTag, all->world, &there, all->status);
    if (!there) return NULL;
    all->count(all->status, all->byte, &count);
    void *message = malloc(count > 0 ? (size_t)count : 1);
    if (!message) return NULL;
    all->recv(message, count, all->byte, (int)from, kTag, all->world, all->status);
    *size = (size_t)count;
    return message;
}

static int gather(void *self, const void *own, uint64_t bytes, void *to) {
    const mpi *all = self;
    return bytes > most ||
           all->allgather(own, (int)bytes, all->byte, to, (int)bytes, all->byte, all->world) != 0;
}

static int exchange(void *self, const void *out, uint64_t bytes, void *in) {
    const mpi *all = self;
    return bytes > most ||
           all->alltoall(out, (int)bytes, all->byte, in, (int)bytes, all->byte, all->world) != 0;
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
    all.size(all.world, &size);
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
