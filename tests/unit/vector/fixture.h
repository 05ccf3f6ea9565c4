#pragma once
/// Filters given as IR text, run firing by firing and as passes have made them: what they push has to be the same, to the bit.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "eval/eval.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "vector/firings.h"

namespace strc::testing {

class VectorTest : public ::testing::Test {
protected:
    /// A filter from and to items of that type: members and the body of `work`.
    void filter(const std::string& item, std::int64_t pop, std::int64_t peek, std::int64_t push,
                const std::string& text) {
        auto made = ir::parse("filter F " + item + "->" + item + " {\nsetup {\n}\n" + text + "}\n",
                              types, names);
        ASSERT_TRUE(made) << made.error();
        module = std::move(*made);
        ASSERT_EQ(ir::verify(module), std::vector<std::string>{});
        rates = {graph::fixedRate(pop), graph::fixedRate(peek), graph::fixedRate(push)};
    }

    ir::StreamCode& code() { return module.streams[0]; }
    const ir::Body& work() { return *code().work; }

    vector::FiringFacts facts() {
        return {code().input, code().output, rates,
                true,         true,          [this](const ir::Instr&) { return areSafe; }};
    }

    ir::Body inLanes(vector::FiringShape shape) {
        const ir::Varying varying = ir::findVarying(work());
        EXPECT_EQ(varying.whyNot, "");
        return vector::vectoriseFirings(types, work(), varying, facts(), shape);
    }

    /// Small numbers in some order; bytes are 0 or 1.
    template <typename Item>
    std::vector<Item> items(std::size_t count) {
        std::vector<Item> all;
        for (std::size_t k = 0; k < count; ++k) {
            const int number = static_cast<int>(k * 37 % 11) - 5;
            all.push_back(static_cast<Item>(sizeof(Item) == 1 ? number & 1 : number));
        }
        return all;
    }

    /// What `body` pushes when it runs so often, with that window and state.
    std::string run(const ir::Body& body, const std::string& input, int times,
                    std::string* state = nullptr) {
        EXPECT_EQ(ir::verify(module, &code(), body), std::vector<std::string>{}) << ir::print(body);
        const auto inBytes = static_cast<std::uint32_t>(types::sizeOf(code().input));
        eval::Tape in(inBytes), out(static_cast<std::uint32_t>(types::sizeOf(code().output)));
        std::memcpy(in.append(input.size() / inBytes), input.data(), input.size());
        eval::Instance instance;
        instance.module = &module;
        instance.code = &code();
        instance.input = &in;
        instance.output = &out;
        instance.host = &host;
        std::int64_t size = 0;
        for (const ir::Variable& field : code().fields) {
            instance.fieldTypes.push_back(field.type);
            instance.fieldOffsets.push_back(size);
            size += (types::sizeOf(field.type) + 63) / 64 * 64;
        }
        instance.state.resize(static_cast<std::size_t>(size));
        if (state) std::memcpy(instance.state.data(), state->data(), state->size());
        const auto compiled = eval::compile(module, &code(), body, types, instance.fieldOffsets);
        for (int k = 0; k < times; ++k) {
            eval::Firing firing;
            const eval::RunResult result = machine.run(*compiled, instance, firing);
            EXPECT_FALSE(result.trap) << base::message(result.trap->id, result.trap->args);
            returned = result.value && result.value->toInt() != 0;
        }
        if (state)
            state->assign(reinterpret_cast<const char*>(instance.state.data()), state->size());
        return {reinterpret_cast<const char*>(out.at(0)), out.size() * out.bytesPerItem()};
    }

    /// Firing by firing, and in lanes: both push the same.
    template <typename Item>
    void expectSame(const vector::FiringShape& shape) {
        const auto count = static_cast<std::size_t>(vector::windowOf(rates, shape.lanes));
        const std::vector<Item> window = items<Item>(count);
        const std::string input(reinterpret_cast<const char*>(window.data()), count * sizeof(Item));
        const std::string expected = run(work(), input, static_cast<int>(shape.lanes));
        EXPECT_FALSE(expected.empty());
        const ir::Body made = inLanes(shape);
        EXPECT_EQ(run(made, input, 1), expected) << ir::print(made);
        EXPECT_TRUE(returned);
    }

    types::TypeTable types;
    base::NameTable names;
    ir::Module module;
    graph::Rates rates;
    base::Limits limits;
    eval::Host host;
    eval::Machine machine{limits};
    bool areSafe = true;  ///< no check of the body fails
    bool returned = false;  ///< by the body that ran last
};

}  // namespace strc::testing
