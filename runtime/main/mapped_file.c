#define _GNU_SOURCE
#include "mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "signals.h"

static struct {
    int file;
    struct stat about;  ///< when it was opened
    uintptr_t begin, end;  ///< of whole pages
    uintptr_t page;  ///< bytes of one
} mapped;

/// In whatever thread has read: nothing is called here but the system.
static void on_bus_error(int which, siginfo_t *about, void *context) {
    (void)context;
    const uintptr_t at = (uintptr_t)about->si_addr, first = at - at % mapped.page;
    const int error = errno;
    if (at < mapped.begin || at >= mapped.end ||
        mmap((void *)first, mapped.end - first, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
             -1, 0) == MAP_FAILED)
        signal(which, SIG_DFL);  // happens again, and ends the process
    else
        strc_signals_lost(about->si_addr);
    errno = error;
}

static void guard(const void *bytes, size_t size) {
    mapped.page = (uintptr_t)sysconf(_SC_PAGESIZE);
    mapped.begin = (uintptr_t)bytes;
    mapped.end = mapped.begin + (size + mapped.page - 1) / mapped.page * mapped.page;
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

const void *strc_map_file(const char *name, uint64_t *size, const char **why) {
    struct stat *about = &mapped.about;
    void *bytes = MAP_FAILED;
    *why = NULL;
    int file = mapped.file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, about) != 0)
        *why = strerror(errno);
    else if (!S_ISREG(about->st_mode))
        *why = "it is no regular file";
    else if (about->st_size == 0)
        *why = "it is empty";
    else if ((bytes = mmap(NULL, (size_t)about->st_size, PROT_READ, MAP_PRIVATE, file, 0)) ==
             MAP_FAILED)
        *why = strerror(errno);
    if (*why) return NULL;
    *size = (uint64_t)about->st_size;
    guard(bytes, (size_t)*size);
    return bytes;
}

void strc_mapped_file_forget(void) {
    madvise((void *)mapped.begin, mapped.end - mapped.begin, MADV_DONTNEED);
}

const char *strc_mapped_file_fault(void) {
    struct stat now;
    const struct timespec *then = &mapped.about.st_mtim;
    if (fstat(mapped.file, &now) != 0) return strerror(errno);
    if (strc_lost() || now.st_size < mapped.about.st_size)
        return "it has been made shorter while it was in use";
    const int is_same = now.st_size == mapped.about.st_size && now.st_mtim.tv_sec == then->tv_sec &&
                        now.st_mtim.tv_nsec == then->tv_nsec;
    return is_same ? NULL : "it has been written while it was in use";
}
