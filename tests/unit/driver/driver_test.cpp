#include "driver/driver.h"

#include <sstream>
#include <vector>

#include <gtest/gtest.h>

namespace strc::driver {
namespace {

struct Result {
    int status;
    std::string out;
    std::string err;
};

Result call(std::vector<const char*> words, const std::string& input = "") {
    words.insert(words.begin(), "strc");
    std::istringstream in(input);
    std::ostringstream out;
    std::ostringstream err;
    int status = run(static_cast<int>(words.size()), words.data(), {in, out, err});
    return {status, out.str(), err.str()};
}

TEST(Driver, PrintsItsVersion) {
    Result result = call({"version"});
    EXPECT_EQ(result.status, kFine);
    EXPECT_EQ(result.out.rfind("strc ", 0), 0u);
    EXPECT_EQ(result.err, "");
}

TEST(Driver, RefusesAnUnknownCall) {
    Result result = call({"nonsense"});
    EXPECT_EQ(result.status, kWrongCall);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "strc: error: unknown command 'nonsense' [bad-command-line]\n");
}

}  // namespace
}  // namespace strc::driver
