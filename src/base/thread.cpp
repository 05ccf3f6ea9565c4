#include "base/thread.h"

#include <signal.h>
#include <utility>

namespace strc::base {

namespace {

/// A new thread has the mask of the one that makes it.
class NoSignals {
public:
    NoSignals() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
    NoSignals(const NoSignals&) = delete;
    NoSignals& operator=(const NoSignals&) = delete;

private:
    sigset_t before{};
};

}  // namespace

std::thread threadWithoutSignals(std::function<void()> work) {
    const NoSignals none;
    return std::thread(std::move(work));
}

}  // namespace strc::base
