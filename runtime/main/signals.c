#include "signals.h"

#include <signal.h>

volatile unsigned char strc_ended = 0;
static int received = 0;

/// Other threads look at both.
static void on_signal(int which) {
    __atomic_store_n(&received, which, __ATOMIC_RELAXED);
    __atomic_store_n(&strc_ended, 1, __ATOMIC_RELAXED);
}

static void catch_signal(int which) {
    struct sigaction action;
    sigaction(which, 0, &action);
    if (action.sa_handler == SIG_IGN) return;
    action.sa_handler = on_signal;
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(which, &action, 0);
}

void strc_signals_begin(void) {
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

static const void *lost = 0;

void strc_signals_lost(const void *address) {
    const void *none = 0;
    __atomic_compare_exchange_n(&lost, &none, address, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    __atomic_store_n(&strc_ended, 1, __ATOMIC_RELAXED);
}

const void *strc_lost(void) { return __atomic_load_n(&lost, __ATOMIC_RELAXED); }

int strc_interrupted(void) { return __atomic_load_n(&received, __ATOMIC_RELAXED); }
