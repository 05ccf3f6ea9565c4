#pragma once
/// Fault injection: for each row of passes.def a small program on which it does something, and a wrong version of it, whose
/// result is broken as a bug of that row would break it. The right one is accepted by the verifier and by a run before and
/// after; the wrong one is refused by the verifier or found by the runs. Each file of a level tells here which rows it has.

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/pass.h"
#include "base/passes.h"

namespace strc::faults {

std::vector<base::Pass> ofStages();
std::vector<base::Pass> ofKernels();
std::vector<base::Pass> ofPrograms();
std::vector<base::Pass> ofPlans();
std::vector<base::Pass> ofCode();

template <typename Cases>
std::vector<base::Pass> passesOf(const Cases& cases) {
    std::vector<base::Pass> passes;
    for (const auto& each : cases) passes.push_back(each.pass);
    return passes;
}

/// A case is called after its pass, as far as names of tests may be.
template <typename Info>
std::string testName(const Info& info) {
    std::string name(base::info(info.param.pass).name);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

/// The text with the first match of a regular expression replaced, which there has to be.
inline std::string brokenText(const std::string& text, const std::string& from,
                              const std::string& to) {
    const std::regex pattern(from);
    EXPECT_TRUE(std::regex_search(text, pattern)) << "no " << from << " in\n" << text;
    return std::regex_replace(text, pattern, to, std::regex_constants::format_first_only);
}

}  // namespace strc::faults
