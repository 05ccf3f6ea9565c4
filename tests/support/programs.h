#pragma once
/// The programs and other texts of the tree.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace strc::test {

inline std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << "cannot read " << path;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// In order of their paths; at least one.
inline std::vector<std::filesystem::path> programsUnder(const std::string& folder) {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             std::filesystem::path(STRC_SOURCE_DIR) / folder))
        if (entry.path().extension() == ".str") found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    EXPECT_FALSE(found.empty()) << folder;
    return found;
}

inline std::string standardLibrary() {
    std::string text;
    for (const auto& path : programsUnder("stdlib")) text += read(path) + "\n";
    return text;
}

}  // namespace strc::test
