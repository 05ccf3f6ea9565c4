#pragma once
/// Programs written by hand and a world that remembers what they did.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "strc/runtime.h"

namespace strc::testing {

/// Functions of the runtime called outside of any program.
class RuntimeTest : public ::testing::Test {
protected:
    RuntimeTest() {
        host.self = this;
        host.print = [](void* self, const char* text, std::uint64_t size) {
            auto& test = *static_cast<RuntimeTest*>(self);
            test.printed.append(text, size);
            ++test.prints;
            return test.printStops ? 1 : 0;
        };
        host.supply = [](void* self, std::uint32_t input, std::uint64_t items, int must) {
            return static_cast<RuntimeTest*>(self)->supply(input, items, must);
        };
        host.read = [](void* self, std::uint32_t input, void* to, std::uint64_t items) {
            auto& at = static_cast<RuntimeTest*>(self)->inputs[input];
            for (std::uint64_t i = 0; i < items; ++i) static_cast<int*>(to)[i] = at[i];
            at.erase(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(items));
            return static_cast<RuntimeTest*>(self)->readStops ? 1 : 0;
        };
        host.write = [](void* self, std::uint32_t, const void* from, std::uint64_t items) {
            auto* first = static_cast<const int*>(from);
            auto& test = *static_cast<RuntimeTest*>(self);
            test.written.insert(test.written.end(), first, first + items);
            return test.writeStops ? 1 : 0;
        };
        host.begin = [](void* self) { static_cast<RuntimeTest*>(self)->begin(); };
        host.commit = [](void* self) {
            auto& test = *static_cast<RuntimeTest*>(self);
            test.calls += "commit ";
            return test.commitStops ? 1 : 0;
        };
        host.rollback = [](void* self) { static_cast<RuntimeTest*>(self)->rollback(); };
        env.host = &host;
        env.interrupt = &interrupt;
    }
    ~RuntimeTest() override {
        run([](strc_env*) {});  // gives back the strings that a test left
    }

    int supply(std::uint32_t input, std::uint64_t items, int must) {
        (must ? demanded : asked).push_back(items);
        if (supplyInterrupts) interrupt = 1;
        return inputs[input].size() < items;
    }

    void begin() {
        calls += "begin ";
        before = {inputs, written, printed};
    }
    void rollback() {
        calls += "rollback ";
        inputs = before.inputs;
        written = before.written;
        printed = before.printed;
    }

    /// What `body` prints as the init of a program.
    std::string print(std::function<void(strc_env*)> body) {
        printed.clear();
        EXPECT_EQ(run(std::move(body)), STRC_END_ITERATIONS);
        return printed;
    }
    strc_end run(std::function<void(strc_env*)> body) {
        strc_program program{};
        program.state_size = sizeof body;
        program.init.run = [](strc_env* environment, void*) {
            static_cast<RuntimeTest*>(environment->host->self)->init(environment);
        };
        init = std::move(body);
        alignas(64) char state[sizeof body];
        return strc_execute(&program, &env, state, 0, nullptr);
    }

    strc_host host{};
    strc_env env{};
    volatile unsigned char interrupt = 0;
    std::function<void(strc_env*)> init;
    std::string printed;
    int prints = 0;
    bool printStops = false, readStops = false, writeStops = false, supplyInterrupts = false;
    std::vector<std::vector<int>> inputs;
    std::vector<int> written;
    struct {
        std::vector<std::vector<int>> inputs;
        std::vector<int> written;
        std::string printed;
    } before;  ///< the transaction
    bool commitStops = false;
    std::string calls;  ///< of begin, commit and rollback
    std::vector<std::uint64_t> asked, demanded;  ///< of supply
};

inline std::string textOf(const strc_string* string) { return {string->text, string->size}; }

}  // namespace strc::testing
