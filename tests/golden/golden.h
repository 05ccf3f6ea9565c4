#pragma once
/// Texts that a test expects, kept in files. `tests/update_goldens.py` rewrites them from what the
/// compiler says now; then `git diff` shows what has changed.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "support/programs.h"

namespace strc::golden {

inline std::filesystem::path folder() {
    return std::filesystem::path(STRC_SOURCE_DIR) / "tests" / "golden";
}

/// The text must be that of the file. Under STRC_UPDATE_GOLDENS it becomes that of the file.
inline void expect(const std::filesystem::path& path, std::string_view text) {
    if (std::getenv("STRC_UPDATE_GOLDENS")) {
        std::ofstream(path, std::ios::binary) << text;
        return;
    }
    ASSERT_TRUE(std::filesystem::exists(path))
        << path << " is missing: tests/update_goldens.py makes it";
    EXPECT_EQ(test::read(path), text) << "tests/update_goldens.py rewrites " << path;
}

}  // namespace strc::golden
