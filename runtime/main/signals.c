#include "signals.h"

#include <signal.h>
#include <sys/time.h>

volatile unsigned char strc_ended = 0;
static volatile sig_atomic_t received = 0;

static void on_signal(int which) {
    received = which;
    strc_ended = 1;
}

static void on_timer(int which) {
    (void)which;
    strc_ended = 1;
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

void strc_timer_begin(double seconds) {
    struct sigaction action = {.sa_handler = on_timer};
    sigaction(SIGALRM, &action, 0);
    // It rings again, since whoever is about to wait for input may not have heard it.
    struct itimerval timer = {.it_interval = {0, 10000}, .it_value = {0, 1}};
    if (seconds > 1e-6) {
        timer.it_value.tv_sec = (long)seconds;
        timer.it_value.tv_usec = (long)((seconds - (double)timer.it_value.tv_sec) * 1e6);
    }
    setitimer(ITIMER_REAL, &timer, 0);
}

int strc_interrupted(void) { return received; }
