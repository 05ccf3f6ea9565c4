#pragma once
/// Files of which somebody wants to know when they have been written anew.

#include <cstdint>
#include <string>
#include <vector>

namespace strc::driver {

class WatchedFiles {
public:
    explicit WatchedFiles(std::vector<std::string> files);

    /// Is one of them another than when this was true last, and are all of them there? What is still being written is not looked at: nothing
    /// has changed between this question and the one before.
    bool haveChanged();

private:
    struct Stamp {
        bool isThere = false;
        std::int64_t seconds = 0, nanoseconds = 0, size = 0;
        std::uint64_t number = 0;  ///< editors write another file and give it the name
        bool operator==(const Stamp&) const = default;
    };
    static Stamp stampOf(const std::string& file);
    std::vector<Stamp> look() const;

    std::vector<std::string> files;
    std::vector<Stamp> known, last;
};

}  // namespace strc::driver
