#pragma once
/// What a program of tensors prints, which no pass may change.

#include "unit/codegen/compiled.h"

namespace strc::testing {

class ComparedTest : public CompiledTest {
protected:
    void SetUp() override { request.optimise = pass::Options{}; }

    /// Of the code, which are the interpreter's.
    std::string outputs() {
        printed.clear();
        EXPECT_EQ(interpret(iterations(2)).end, interp::End::Iterations);
        const std::string interpreted = std::exchange(printed, "");
        EXPECT_EQ(run(iterations(2)).end, interp::End::Iterations);
        EXPECT_EQ(printed, interpreted);
        EXPECT_THAT(printed, ::testing::HasSubstr("6")) << "all zero";
        return printed;
    }
};

}  // namespace strc::testing
