/// Messages between the ranks of a program: whole blocks of bytes, in order from one rank to another, never lost. A send does not wait.
/// Rank 0 and any other one say something to each other, and neighbours (k, k + 1) do.
#ifndef STRC_TRANSPORT_H
#define STRC_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct strc_transport {
    uint32_t rank, size;
    uint32_t beside;  ///< ranks on this machine
    void *self;
    /// Takes a copy. 0, or -1: no memory, or a rank to which there is no way.
    int (*send)(void *self, uint32_t to, const void *bytes, size_t size);
    /// The next message of a rank, if one is there, to be freed; null: there is none. `*ended`: nothing comes from it any more.
    void *(*receive)(void *self, uint32_t from, size_t *size, int *ended);
    /// Goes on with sends that are under way; nonzero: there are some.
    int (*advance)(void *self);
    /// The collectives of strc_mesh; null: there are none.
    int (*gather)(void *self, const void *own, uint64_t bytes, void *all);
    int (*exchange)(void *self, const void *out, uint64_t bytes, void *in);
    /// When all have been sent, and all ranks do the same.
    void (*close)(void *self);
    /// Ends all ranks, this one with that status.
    void (*abort)(void *self, int status);
} strc_transport;

#define STRC_TRANSPORT_WHY 256

/// So many processes of this machine: the caller becomes rank 0, and the others are its children. 0, or -1 with `why`.
int strc_transport_fork(strc_transport *, uint32_t size, char why[STRC_TRANSPORT_WHY]);
/// In rank 0, after close: waits for the others. The greatest of their exit statuses.
int strc_transport_join(strc_transport *);

/// Has an mpirun, of Open MPI or of MPICH and what has its ABI, started the process as one of several?
int strc_transport_has_mpi(void);
/// The ranks of that, with its library, which is loaded. 0, or -1 with `why`.
int strc_transport_mpi(strc_transport *, char why[STRC_TRANSPORT_WHY]);

#endif
