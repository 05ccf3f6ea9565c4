/// The other threads of the process that take part in long loops. There is one pool, made at first use; its
/// threads sleep in between and live as long as the process. Generated code calls strc_share.
#ifndef STRC_WORKERS_H
#define STRC_WORKERS_H

#include <stdint.h>

/// Does the parts from `first` up to `end`, which do not depend on any others.
typedef void strc_part(void *self, int64_t first, int64_t end);

/// Has `part` do all of 0 .. parts - 1, on at most `workers` threads, the caller being one of them. Returns when
/// all are done, or, with some undone, once `*ends` is set. The caller does all of it if the pool is at
/// work for somebody else, or if no thread can be had.
void strc_workers_share(uint32_t workers, strc_part *part, void *self, int64_t parts,
                        const volatile unsigned char *ends);

#endif
