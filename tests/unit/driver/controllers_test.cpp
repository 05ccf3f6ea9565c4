#include "driver/detail/controllers.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace strc::driver {
namespace {

/// Sends packets to this machine.
class Sender {
public:
    Sender() : number(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}
    ~Sender() { ::close(number); }
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    std::uint16_t freePort() const {
        sockaddr_in address = local(0);
        socklen_t size = sizeof address;
        auto* where = reinterpret_cast<sockaddr*>(&address);
        const int probe = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        EXPECT_EQ(::bind(probe, where, size), 0);
        EXPECT_EQ(::getsockname(probe, where, &size), 0);
        ::close(probe);
        return ntohs(address.sin_port);
    }

    void send(std::uint16_t port, std::string_view packet) const {
        const sockaddr_in address = local(port);
        const auto* where = reinterpret_cast<const sockaddr*>(&address);
        EXPECT_EQ(::sendto(number, packet.data(), packet.size(), 0, where, sizeof address),
                  static_cast<ssize_t>(packet.size()));
    }

private:
    static sockaddr_in local(std::uint16_t port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return address;
    }

    int number;
};

TEST(Controllers, TakeAllPacketsThatAreThere) {
    using namespace std::string_view_literals;
    const Sender sender;
    const std::uint16_t port = sender.freePort();
    Options options;
    options.oscPort = port;
    base::Diagnostics diags;
    Controllers controllers(options, diags);
    controllers.open(diags);
    ASSERT_FALSE(diags.hasErrors());
    for (int k = 0; k < 50; ++k) {
        sender.send(port, "/a\0\0,i\0\0\0\0\0\7"sv);
        sender.send(port, ""sv);  // which is no end
    }
    const std::vector<controls::Change> changes = controllers.wait(1000);
    ASSERT_EQ(changes.size(), 50U);
    EXPECT_EQ(changes.back(), (controls::Change{"a", 7}));
    EXPECT_TRUE(controllers.wait(0).empty());
    EXPECT_TRUE(controllers.areOpen());
}

}  // namespace
}  // namespace strc::driver
