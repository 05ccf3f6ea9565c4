#include "io/subprocess.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern char** environ;

namespace strc::io {
namespace {

constexpr std::size_t kMostComplaint = 400;  ///< characters of a tool's complaint that are told

class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number(number) {}
    Descriptor(Descriptor&& other) noexcept : number(std::exchange(other.number, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number, other.number);
        return *this;
    }
    ~Descriptor() { close(); }
    void close() {
        if (number >= 0) ::close(std::exchange(number, -1));
    }
    int get() const { return number; }
    bool isOpen() const { return number >= 0; }

private:
    int number = -1;
};

struct Pair {
    Descriptor ours, theirs;
};

/// Sockets instead of pipes: writing to a tool that has gone fails instead of raising a signal.
bool makePair(Pair& pair) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
    pair = {Descriptor(ends[0]), Descriptor(ends[1])};
    return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

class Tool {
public:
    explicit Tool(const std::vector<std::string>& command) : command(command) {}

    ToolEnd run(std::string_view input) {
        for (Pair& pair : ends) {
            if (!makePair(pair)) return {false, false, {}, std::strerror(errno)};
        }
        if (const int error = start()) return {false, error == ENOENT, {}, std::strerror(error)};
        for (Pair& pair : ends) pair.theirs.close();
        exchange(input);
        int status = 0;
        while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
        }
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            return {true, false, std::move(texts[1]), {}};
        return {false, false, {}, complaint(status)};
    }

private:
    int start() {
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        for (int i = 0; i < 3; ++i) {
            posix_spawn_file_actions_adddup2(&actions,
                                             ends[static_cast<std::size_t>(i)].theirs.get(), i);
        }
        std::vector<char*> arguments;
        for (const std::string& word : command)
            arguments.push_back(const_cast<char*>(word.c_str()));
        arguments.push_back(nullptr);
        const int error =
            posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }

    /// Writes and reads as the tool is ready to, so that neither waits for the other for ever.
    void exchange(std::string_view input) {
        while (ends[1].ours.isOpen() || ends[2].ours.isOpen()) {
            if (input.empty()) ends[0].ours.close();
            std::array<pollfd, 3> polled{};
            for (std::size_t i = 0; i < 3; ++i) {
                polled[i] = {ends[i].ours.get(), static_cast<short>(i == 0 ? POLLOUT : POLLIN), 0};
            }
            if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) return;
            if (polled[0].revents != 0) write(input);
            for (std::size_t i : {1, 2}) {
                if (polled[i].revents != 0) read(i);
            }
        }
    }

    void write(std::string_view& input) {
        const ssize_t sent = send(ends[0].ours.get(), input.data(), input.size(), MSG_NOSIGNAL);
        if (sent >= 0) {
            input.remove_prefix(static_cast<std::size_t>(sent));
        } else if (errno != EAGAIN && errno != EINTR) {
            ends[0].ours.close();  // it does not want to know more
            input = {};
        }
    }

    void read(std::size_t which) {
        char buffer[1 << 16];
        const ssize_t got = ::read(ends[which].ours.get(), buffer, sizeof buffer);
        if (got > 0) {
            texts[which].append(buffer, static_cast<std::size_t>(got));
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            ends[which].ours.close();
        }
    }

    std::string complaint(int status) const {
        const std::string& text = texts[2];
        if (!text.empty()) return text.substr(0, std::min(text.find('\n'), kMostComplaint));
        if (WIFSIGNALED(status)) return strsignal(WTERMSIG(status));
        return "it ended with status " + std::to_string(WEXITSTATUS(status));
    }

    const std::vector<std::string>& command;
    std::array<Pair, 3> ends;  ///< of its standard input, output and error
    std::array<std::string, 3> texts;
    pid_t process = 0;
};

}  // namespace

ToolEnd callTool(const std::vector<std::string>& command, std::string_view input) {
    return Tool(command).run(input);
}

base::Result<std::string> runTool(const std::vector<std::string>& command, std::string_view input) {
    ToolEnd end = callTool(command, input);
    if (end.fine) return std::move(end.output);
    return base::Failure{"cannot run '" + command[0] + "': " + end.complaint};
}

}  // namespace strc::io
