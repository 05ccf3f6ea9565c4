// What is told of a run, in the same words as strc tells it.
#include "driver/detail/progress.h"

#include <fstream>
#include <regex>

#include <gtest/gtest.h>

extern "C" {
#include "progress.h"
#include "strc/processor.h"
}

namespace strc::testing {
namespace {

TEST(Progress, IsToldAsTheCompilerTellsIt) {
    for (std::uint64_t done : {0, 1, 500, 999, 1000, 123456789})
        for (std::uint64_t total : {1000ull, 1000000000000ull, 0ull})
            for (double seconds : {0.0, 0.01, 1.0, 59.9, 3599.0, 86400.0, 1e7}) {
                char line[200];
                strc_progress_line(line, sizeof line, done, total, seconds);
                EXPECT_EQ(line, driver::progressLine(done, total, seconds));
            }
}

TEST(Progress, CountsAreRoundedAsTheCompilerRoundsThem) {
    for (double count :
         {0.0, 0.4, 999.4, 9999.4, 9999.5, 12345.0, 999499.0, 999500.0, 1234567.0, 999.5e6, 5e12}) {
        char text[40];
        strc_rounded_count(text, sizeof text, count);
        EXPECT_EQ(text, driver::roundedCount(count));
    }
}

#if defined(__x86_64__)

/// By the rows of processor_features.def, as the system calls them.
const char* const kNames[] = {
#define STRC_FEATURE(name, leaf, part, bit, state) name,
#include "strc/processor_features.def"
#undef STRC_FEATURE
};

TEST(Processor, HasWhatTheSystemSays) {
    std::ifstream information("/proc/cpuinfo");
    std::string line;
    while (std::getline(information, line) && !line.starts_with("flags")) {
    }
    line += ' ';
    for (std::size_t row = 0; row < std::size(kNames); ++row) {
        std::string name = kNames[row];
        name = name == "sse3" ? "pni" : name == "bmi" ? "bmi1" : name == "lzcnt" ? "abm" : name;
        name = std::regex_replace(name, std::regex("\\."), "_");
        for (const char* end : {"vbmi2", "vnni", "bitalg", "vpopcntdq"})
            if (name == std::string("avx512") + end) name = std::string("avx512_") + end;
        bool has = line.find(" " + name + " ") != std::string::npos;
        const char* missing = strc_missing_feature(std::uint64_t{1} << row);
        EXPECT_EQ(missing == nullptr, has) << name;
        if (missing) {
            EXPECT_STREQ(missing, kNames[row]);
        }
    }
    EXPECT_EQ(strc_missing_feature(0), nullptr);
}

#endif

}  // namespace
}  // namespace strc::testing
