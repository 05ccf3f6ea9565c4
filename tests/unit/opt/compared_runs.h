#pragma once
/// Runs before and after a step of the compiler, as fault injection compares them (unit/opt/faults.h).

#include <cmath>
#include <functional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "unit/codegen/compiled.h"

namespace strc::faults {

/// All numbers of a text; passes that round otherwise have others in the last digits.
inline std::vector<double> numbersOf(const std::string& text) {
    static const std::regex number("-?(inf|nan|[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?)");
    std::vector<double> all;
    for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at)
        all.push_back(std::stod(at->str()));
    return all;
}

/// The same numbers, but for 0.0001 of the largest.
inline bool areNear(const std::string& first, const std::string& second) {
    const std::vector<double> a = numbersOf(first), b = numbersOf(second);
    if (a.size() != b.size()) return false;
    double largest = 0, worst = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        largest = std::max(largest, std::abs(a[k]));
        const double difference = std::abs(a[k] - b[k]);
        if (std::isnan(difference)) return false;
        worst = std::max(worst, difference);
    }
    return worst <= 1e-4 * largest;
}

class FaultTest : public testing::CompiledTest {
protected:
    void SetUp() override { request.optimise = pass::Options{true}; }

    /// What the program prints and reports while it runs.
    std::string told(const std::function<void()>& runIt) {
        printed.clear();
        runIt();
        std::string text = std::exchange(printed, "");
        const std::vector<std::string> all = faults();
        for (std::size_t k = reported; k < all.size(); ++k) text += all[k] + "\n";
        reported = all.size();
        return text;
    }
    std::string interpreted(std::int64_t steady) {
        return told([&] { interpret(testing::iterations(steady)); });
    }
    std::string compiled(std::int64_t steady) {
        return told([&] { run(testing::iterations(steady)); });
    }
    /// The program up to that stage; passes that have something to do are in `applied`.
    void compileTo(session::Stage last, const std::string& text,
                   const std::vector<base::Pass>& without = {}) {
        std::destroy_at(&program);
        std::construct_at(&program);
        for (base::Pass pass : without) program.context.passes.disable(pass);
        noteApplied();
        request.sources = {{"test.str", text}};
        ASSERT_EQ(session::compile(program, request, library, last), last)
            << ::testing::PrintToString(faults());
        reported = faults().size();
    }
    void noteApplied() {
        program.context.passes.bisect(-1, [this](std::string_view line) {
            const std::string_view name = line.substr(line.find(") ") + 2);
            applied.emplace(name.substr(0, name.find(" on ")));
        });
    }
    void stopNoting() { program.context.passes.bisect(-1, {}); }
    bool isApplied(base::Pass pass) const {
        return applied.contains(std::string(base::info(pass).name));
    }

    std::set<std::string> applied;

private:
    std::size_t reported = 0;  ///< diagnostics that a run before has left
};

}  // namespace strc::faults
