#include "driver/driver.h"

#include <gtest/gtest.h>

#include <sstream>

namespace strc::driver {
namespace {

TEST(Driver, PrintsItsVersion) {
    std::ostringstream out;
    std::ostringstream err;
    const char* const argv[] = {"strc", "version"};
    EXPECT_EQ(run(2, argv, out, err), 0);
    EXPECT_EQ(out.str().rfind("strc ", 0), 0u);
    EXPECT_EQ(err.str(), "");
}

TEST(Driver, RefusesAnUnknownCall) {
    std::ostringstream out;
    std::ostringstream err;
    const char* const argv[] = {"strc", "nonsense"};
    EXPECT_EQ(run(2, argv, out, err), 2);
    EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace strc::driver
