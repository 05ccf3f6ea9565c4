#define _GNU_SOURCE  // pthread_getattr_np
#include "thread.h"

#include <pthread.h>
#include <time.h>

const char *strc_end_of_stack(void) {
    static _Thread_local const char *end;
    if (end) return end;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return NULL;
    void *address = NULL;
    size_t size = 0;
    pthread_attr_getstack(&attributes, &address, &size);
    pthread_attr_destroy(&attributes);
    return end = address;
}

int64_t strc_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}
