#define _GNU_SOURCE  // pthread_getattr_np
#include "thread.h"

#include <pthread.h>
#include <stdlib.h>
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

void strc_delay(uint32_t *numbers) {
    if (__atomic_load_n(numbers, __ATOMIC_RELAXED) == 0) return;
    const uint32_t number = __atomic_fetch_add(numbers, 0x9e3779b9, __ATOMIC_RELAXED);
    const uint32_t mixed = (number ^ number >> 15) * 0x85ebca6b;
    if (mixed >> 28 != 0) return;
    const struct timespec time = {.tv_nsec = (mixed >> 8 & 0xff) * 1000};
    nanosleep(&time, NULL);
}

uint32_t strc_delays(void) {
    const char *text = getenv("STRC_TEST_DELAYS");
    return text ? (uint32_t)atoi(text) : 0;
}
