/// Puts a file through a library in blocks of up to 64 items while the kernel ends the process at any call but read, write
/// and exit: sealed IN. What comes out goes to standard output.
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host.h"

enum { kBlock = 64, kRoom = 1 << 16 };

int main(int argc, char** argv) {
    if (argc != 2) die("sealed IN");
    block in = read_all(argv[1]);
    int status = 77;
    OF(handle)* handle = OF(create)(&status);
    unsigned char* out = malloc((size_t)kRoom * kOutSize);
    if (!handle || !out) die("create");
    size_t taken = 0, given = 0;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) die("no seal");
    while (status == OF(OK) && taken < in.items) {
        size_t more_in = 0, more_out = 0;
        size_t items = in.items - taken < kBlock ? in.items - taken : kBlock;
        status = OF(process)(handle, (const void*)(in.bytes + taken * kInSize), items,
                             (void*)(out + given * kOutSize), kRoom - given, &more_in, &more_out);
        taken += more_in;
        given += more_out;
    }
    size_t left = given * kOutSize;
    for (ssize_t n = 1; n > 0 && left > 0; left -= (size_t)n)
        n = write(STDOUT_FILENO, out + given * kOutSize - left, left);
    syscall(SYS_exit, status);
}
