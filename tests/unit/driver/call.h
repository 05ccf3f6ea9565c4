#pragma once
/// A call of the driver on strings.

#include <sstream>
#include <string>
#include <vector>

#include "driver/driver.h"

namespace strc::driver {

struct Called {
    int status;
    std::string out;
    std::string err;
};

inline Called call(std::vector<std::string> words, const std::string& input = "") {
    std::vector<const char*> argv{"strc"};
    for (const std::string& word : words) argv.push_back(word.c_str());
    std::istringstream in(input);
    std::ostringstream out;
    std::ostringstream err;
    int status = run(static_cast<int>(argv.size()), argv.data(), {in, out, err});
    return {status, out.str(), err.str()};
}

}  // namespace strc::driver
