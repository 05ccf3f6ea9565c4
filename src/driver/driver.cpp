#include "driver/driver.h"

#include <ostream>
#include <string_view>

namespace strc::driver {

int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
    if (argc == 2 && std::string_view(argv[1]) == "version") {
        out << "strc " STRC_VERSION "\n";
        return 0;
    }
    err << "usage: strc version\n";
    return 2;
}

}  // namespace strc::driver
