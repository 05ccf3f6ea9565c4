#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "fixture.h"

namespace strc::sema::test {
namespace {

namespace fs = std::filesystem;

/// The pages of `strc explain` whose diagnostics checking gives; the rest comes from other stages.
bool isOurs(std::string_view name) {
    static const std::set<std::string_view> others = {
        "rate-on-void",      "zero-rate",          "peek-without-pop",
        "undeclared-rate",   "rate-not-int",       "rate-range",
        "tape-on-void",      "weight-not-int",     "weight-negative",
        "unused-stream",     "unused-parameter",   "unused-function",
        "needless-stateful", "missing-stateful",   "truncating-assignment",
        "unused-variable",   "hides-outer",        "large-integer",
        "large-real",        "print-in-composite", "truncating-initializer"};
    // Their examples are wrong for one instance only.
    if (name == "no-children" || name == "bound-negative") return false;
    base::Diag id = base::findDiag(name);
    if (id == base::Diag::Count) return false;
    std::string_view area = base::info(id).area;
    return area == "name" || area == "type" || area == "place" || others.contains(name);
}

struct Example {
    std::string text;
    std::string command;
};

/// The page's example of this kind, if it is a program.
Example findExample(const std::string& page, const std::string& kind) {
    std::string open = "```str " + kind + "\n";
    std::size_t begin = page.find(open);
    if (begin == std::string::npos) return {};
    Example found;
    std::size_t before = page.rfind("```", begin - 1);
    std::size_t run = page.rfind("\nrun: ", begin);
    if (run != std::string::npos && (before == std::string::npos || run > before))
        found.command = page.substr(run, begin - run);
    begin += open.size();
    found.text = page.substr(begin, page.find("\n```", begin) + 1 - begin);
    return found;
}

struct Outcome {
    std::set<std::string> names;
    std::set<std::string> errors;
    std::string text;
};

/// What follows an option on the command line, or empty.
std::string valueOf(const std::string& command, const std::string& option) {
    std::size_t at = command.find(option + " ");
    if (at == std::string::npos) return {};
    at += option.size() + 1;
    return command.substr(at, command.find_first_of(" =\n", at) - at);
}

Outcome run(const Example& example) {
    Checked checked(example.text, {}, example.command.find("--lenient") != std::string::npos, true);
    std::string top = valueOf(example.command, "--top");
    std::vector<std::string> defined{valueOf(example.command, "-D")};
    if (auto* main = findMain(checked.ctx, checked.program, top, defined))
        markReachable(checked.ctx, checked.program, *main);
    Outcome outcome;
    for (const base::Diagnostic& each : checked.ctx.diags.all()) {
        std::string name(base::info(each.id).name);
        outcome.names.insert(name);
        if (each.severity == base::Severity::Error) outcome.errors.insert(name);
    }
    outcome.text = checked.rendered();
    return outcome;
}

TEST(Pages, TheBadExampleGivesItsDiagnosticAloneAndTheGoodOneNoError) {
    int seen = 0;
    for (auto& entry : fs::directory_iterator(std::string(STRC_SOURCE_DIR) + "/docs/diagnostics")) {
        std::string name = entry.path().stem().string();
        std::ifstream in(entry.path(), std::ios::binary);
        std::stringstream buffer;
        buffer << in.rdbuf();
        std::string page = buffer.str();
        Example bad = findExample(page, "bad");
        if (!isOurs(name) || bad.text.empty()) continue;
        ++seen;
        Outcome wrong = run(bad);
        EXPECT_TRUE(wrong.names.contains(name)) << name << "\n" << wrong.text;
        wrong.errors.erase(name);
        EXPECT_TRUE(wrong.errors.empty()) << name << "\n" << wrong.text;
        Outcome right = run(findExample(page, "good"));
        EXPECT_TRUE(right.errors.empty()) << name << "\n" << right.text;
        EXPECT_FALSE(right.names.contains(name)) << name << "\n" << right.text;
    }
    EXPECT_GT(seen, 100);
}

}  // namespace
}  // namespace strc::sema::test
