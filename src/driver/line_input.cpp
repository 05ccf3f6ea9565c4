#include "driver/detail/line_input.h"

#include <array>
#include <poll.h>
#include <unistd.h>

namespace strc::driver {

namespace {

constexpr std::size_t kLongestLine = 1 << 16;

}  // namespace

bool LineInput::readMore() {
    std::array<char, 4096> piece{};
    const ssize_t got = read(STDIN_FILENO, piece.data(), piece.size());
    isOver = got <= 0;
    if (isOver) return false;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > kLongestLine && text.find('\n') == text.npos) text.clear();
    return true;
}

std::vector<std::string> LineInput::wait(int milliseconds) {
    std::vector<std::string> lines;
    pollfd waiting{STDIN_FILENO, POLLIN, 0};
    if (poll(&waiting, isOver ? 0 : 1, milliseconds) <= 0 || !readMore()) return lines;
    for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
        lines.push_back(text.substr(0, end));
        text.erase(0, end + 1);
    }
    return lines;
}

}  // namespace strc::driver
