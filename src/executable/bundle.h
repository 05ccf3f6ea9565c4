#pragma once
/// The folder of an executable and all that it needs.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace strc::executable {

class Bundle {
public:
    explicit Bundle(std::string folder);
    /// Without keep, what was not there before goes.
    ~Bundle();
    Bundle(const Bundle&) = delete;
    Bundle& operator=(const Bundle&) = delete;

    /// Makes the folder if there is none, and copies of the files in it; each appears when it is complete.
    base::Status fill(const std::vector<std::string>& files);
    void keep() { brought.clear(); }

private:
    base::Status makeFolder();

    std::filesystem::path folder;
    std::vector<std::filesystem::path> brought;  ///< folders before what is in them
};

}  // namespace strc::executable
