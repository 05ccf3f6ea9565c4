#pragma once
/// Operations that say much in their text: modules are read, and verified.

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ir/text.h"
#include "ir/verify.h"

namespace strc::ir {

class TextTest : public testing::Test {
protected:
    Module read(const std::string& text) {
        auto module = parse(text, types, names);
        EXPECT_TRUE(module) << module.error();
        return module ? std::move(*module) : Module{};
    }
    std::vector<std::string> faults(const std::string& text) {
        Module module = read(text);
        const StreamCode& code = module.streams.at(0);
        return verify(module, &code, *code.work);
    }
    static std::string replaced(std::string text, const std::string& from, const std::string& to) {
        return text.replace(text.find(from), from.size(), to);
    }

    types::TypeTable types;
    base::NameTable names;
};

}  // namespace strc::ir
