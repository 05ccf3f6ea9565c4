#include "base/own_stack.h"

#include <cstddef>
#include <exception>
#include <pthread.h>
#include <signal.h>

namespace strc::base {

namespace {

constexpr std::size_t kStack = std::size_t{1} << 30;  ///< bytes
constexpr std::size_t kLeast = std::size_t{1} << 23;

struct Call {
    const std::function<void()>& work;
    std::exception_ptr thrown;
};

void* start(void* at) {
    auto& call = *static_cast<Call*>(at);
    try {
        call.work();
    } catch (...) {
        call.thrown = std::current_exception();
    }
    return nullptr;
}

void join(pthread_t thread) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_join(thread, nullptr);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

void onOwnStack(const std::function<void()>& work) {
    Call call{work, nullptr};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_t thread;
    bool runs = false;
    // Where memory is short it is less: whoever asks for more of it is told, other than on a stack without a known end.
    for (std::size_t size = kStack; !runs && size >= kLeast; size /= 2) {
        pthread_attr_setstacksize(&attributes, size);
        runs = pthread_create(&thread, &attributes, start, &call) == 0;
    }
    pthread_attr_destroy(&attributes);
    if (!runs) return work();
    join(thread);
    if (call.thrown) std::rethrow_exception(call.thrown);
}

}  // namespace strc::base
