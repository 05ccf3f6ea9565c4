// Every row of passes.def has a wrong version that is found (unit/opt/faults.h).
#include "unit/opt/faults.h"

#include <map>

#include <gmock/gmock.h>

namespace strc::faults {
namespace {

using base::Pass;
using ::testing::UnorderedElementsAreArray;

/// Rows that have none yet, and why. Nothing is added here: a new pass comes with its wrong version.
const std::map<Pass, std::string> kWithout = {
    {Pass::DeviceDistribution, "its code runs on a device alone"},
    {Pass::DeviceTeams, "its code runs on a device alone"},
    {Pass::DeviceAttention, "its code runs on a device alone"},
    {Pass::DevicePersistent, "its code runs on a device alone"},
    {Pass::DeviceTensorCores, "its code runs on a device alone"},
    {Pass::DeviceOverlap, "its code runs on a device alone"},
    {Pass::LibraryOperators, "its code runs with a library of operators alone"},
    {Pass::MachineCode, "it hands on no text"},
    {Pass::Link, "it hands on no text"},
};

TEST(Faults, EachRowHasAWrongVersion) {
    std::vector<Pass> covered;
    for (const auto& rows : {ofStages(), ofKernels(), ofPrograms(), ofPlans(), ofCode()})
        covered.insert(covered.end(), rows.begin(), rows.end());
    for (const auto& [pass, why] : kWithout) {
        EXPECT_FALSE(why.empty());
        covered.push_back(pass);
    }
    std::vector<std::string> names, all;
    for (Pass pass : covered) names.emplace_back(base::info(pass).name);
    for (int id = 0; id < static_cast<int>(Pass::Count); ++id)
        all.emplace_back(base::info(static_cast<Pass>(id)).name);
    EXPECT_THAT(names, UnorderedElementsAreArray(all)) << "each row once";
}

}  // namespace
}  // namespace strc::faults
