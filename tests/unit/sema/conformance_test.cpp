#include "fixture.h"
#include "support/programs.h"

namespace strc::sema::test {
namespace {

namespace fs = std::filesystem;
using strc::test::programsUnder;
using strc::test::read;
using strc::test::standardLibrary;

bool isInvalid(const fs::path& path) { return path.parent_path().filename() == "invalid"; }

/// Programs that stand in several files: an example's folder has them all, and a folder of its own. What says the same as a program
/// in C++ is whole.
std::string beside(const fs::path& path) {
    std::string text;
    if (path.parent_path().parent_path().filename() != "examples") return text;
    if (fs::exists(fs::path(path).replace_extension(".cpp"))) return text;
    for (const auto& entry : fs::directory_iterator(path.parent_path()))
        if (entry.path().extension() == ".str" && entry.path() != path) text += read(entry.path());
    return text;
}

TEST(Conformance, ValidProgramsHaveNoErrors) {
    std::string library = standardLibrary();
    for (const char* folder : {"tests/conformance/programs", "tests/stdlib", "examples"})
        for (const fs::path& path : programsUnder(folder)) {
            bool needsLibrary = std::string_view(folder) != "tests/conformance/programs";
            if (isInvalid(path)) continue;
            Checked checked(read(path) + beside(path), needsLibrary ? library : std::string());
            EXPECT_FALSE(checked.ctx.diags.hasErrors()) << path << "\n" << checked.rendered();
        }
}

/// Faults that only show once the graph is built.
bool isLater(const std::string& name) {
    static const char* const prefixes[] = {"deadlock_",
                                           "rate_inconsistent",
                                           "rate_peeks_too_far",
                                           "rate_pops_too",
                                           "rate_pushes_too",
                                           "recursion_",
                                           "const_negative_array_size",
                                           "stream_nothing_takes",
                                           "stream_number_of_weights",
                                           "stream_source_in_the_middle",
                                           "stream_type_of_pipeline_input",
                                           "stream_types_in"};
    return std::any_of(std::begin(prefixes), std::end(prefixes),
                       [&](const char* prefix) { return name.starts_with(prefix); });
}

TEST(Conformance, InvalidProgramsAreRefusedOnTheRightLine) {
    for (const fs::path& path : programsUnder("tests/conformance/programs/invalid")) {
        std::string source = read(path);
        std::size_t comment = source.find("// error:");
        std::string name = path.stem().string();
        if (isLater(name)) continue;
        Checked checked(source);
        if (source.find("// error-anywhere:") != std::string::npos) {
            EXPECT_EQ(findMain(checked.ctx, checked.program, {}), nullptr) << name;
            continue;
        }
        ASSERT_NE(comment, std::string::npos) << name;
        auto line = std::count(source.begin(),
                               source.begin() + static_cast<std::ptrdiff_t>(comment), '\n') +
                    1;
        std::string prefix = std::to_string(line) + ": ";
        auto faults = checked.faults();
        bool isHandle = std::any_of(faults.begin(), faults.end(), [&](const std::string& fault) {
            return fault.starts_with(prefix) && !fault.ends_with("(w)");
        });
        EXPECT_TRUE(isHandle) << name << " line " << line << "\n" << checked.rendered();
    }
}

}  // namespace
}  // namespace strc::sema::test
