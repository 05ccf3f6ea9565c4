/// After LATENCY items each block that goes in brings a block.
#include "host.h"

int main(void) {
    static OF(in) in[1000];
    static OF(out) out[1000];
    OF(handle)* handle = OF(create)(NULL);
    size_t taken, given, total = 0;
    OF(process)(handle, in, OF(LATENCY), out, 1000, &taken, &given);
    total += given;
    for (size_t k = 1; k < 50; ++k) {
        OF(process)(handle, in, OF(BLOCK_IN), out, 1000, &taken, &given);
        total += given;
        if (taken != OF(BLOCK_IN) || total < k * OF(BLOCK_OUT)) die("late");
    }
    OF(destroy)(handle);
    return 0;
}
