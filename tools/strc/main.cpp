#include <iostream>
#include <signal.h>
#include <unistd.h>

#include "driver/driver.h"

namespace {

volatile bool interrupted = false;
volatile sig_atomic_t received = SIGINT;

/// The first signal asks the run to end, the next one ends the process.
void catchSignal(int signal) {
    struct sigaction action{};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) return;  // as nohup wants it
    action.sa_handler = [](int which) {
        received = which;
        interrupted = true;
    };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    catchSignal(SIGINT);
    catchSignal(SIGTERM);
    signal(SIGPIPE, SIG_IGN);  // a closed pipe is a failed write
    signal(SIGXFSZ, SIG_IGN);  // so is a file that may not grow
    int status = strc::driver::run(argc, argv,
                                   {std::cin, std::cout, std::cerr, isatty(1) != 0, isatty(2) != 0,
                                    &interrupted, isatty(0) != 0});
    return status == strc::driver::kInterrupted ? 128 + received : status;
}
