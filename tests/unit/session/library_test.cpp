#include "session/library.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdlib.h>

#include <gmock/gmock.h>

#include "parser/parse.h"

namespace strc::session {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Library small() {
    return Library(
        {{"a.str", "float->float filter Alpha { work pop 1 push 1 { push(Tools.f(pop())); } }"},
         {"b.str",
          "struct Pair { int x; }\nint->Pair filter Beta { work pop 1 push 1 { Pair p; push(p); } "
          "}"},
         {"c.str", "helper Tools { float f(float x) { return x * SCALE; } }"},
         {"d.str", "static { float SCALE = 2; }"},
         {"e.str", "float->float filter add(int n) { work pop 1 push 1 { push(pop()); } }"}});
}

std::vector<std::string> needed(const Library& library, std::string_view program) {
    std::vector<std::string> names;
    std::vector<std::string_view> texts{program};
    for (const SourceText& file : library.needed(texts)) names.push_back(file.name);
    return names;
}

TEST(ScanNames, FindsWhatIsDeclared) {
    ScannedNames names = scanNames(
        "void->void pipeline Main { add float->float filter { }; }\n"
        "/* filter Not */ // struct Not\n"
        "float[n]->float[n] stateful filter Window(int n) { }\n"
        "struct Point { int x; } helper H { } native N { }\n"
        "static { int COUNT = 3; init { } }");
    EXPECT_THAT(names.declared, UnorderedElementsAre("Main", "Window", "Point", "H", "N"));
    EXPECT_TRUE(names.globals.contains("COUNT"));
}

TEST(ScanNames, LooksNotIntoTexts) {
    ScannedNames names = scanNames(R"(init { print("Alpha \" Beta"); char c = 'G'; } // Delta
        /* Epsilon )");
    for (const char* name : {"Alpha", "Beta", "G", "Delta", "Epsilon"})
        EXPECT_FALSE(names.used.contains(name)) << name;
    EXPECT_TRUE(names.used.contains("print"));
}

TEST(ScanNames, SurvivesAnything) {
    for (const char* text : {"", "\"", "'", "/*", "/", "}}}}{", "1e", "a", "\"\\"}) scanNames(text);
}

TEST(LibraryTest, OnlyNeededFilesAreTaken) {
    EXPECT_THAT(needed(small(), "void->void pipeline Main { add X; }"), IsEmpty());
    EXPECT_THAT(needed(small(), "void->void pipeline Main { add Beta; }"), ElementsAre("b.str"));
    EXPECT_THAT(needed(small(), "int->int filter F { Pair p; }"), ElementsAre("b.str"));
}

Library ofText(std::string_view text) {
    std::vector<LibraryFile> files;
    files.push_back({"a.str", text});
    return Library(std::move(files));
}

TEST(LibraryTest, OnlyNeededDeclarationsAreTaken) {
    const std::string before = "// The first.\nint->int filter One { } /* } */\nint->int filter ";
    const std::string text = before + "Two { int x = HALF; }\n  static { int HALF = 2; }\n";
    const Library library = ofText(text);
    std::vector<std::string_view> program{"int->int pipeline Main { add Two; }"};
    const std::vector<SourceText> found = library.needed(program);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].text.size(), text.size());
    EXPECT_EQ(found[0].text.find("One"), std::string::npos);
    EXPECT_EQ(found[0].text.find("Two"), before.size());
    EXPECT_NE(found[0].text.find("static { int HALF = 2; }"), std::string::npos);
    EXPECT_EQ(std::count(found[0].text.begin(), found[0].text.end(), '\n'), 4);
}

TEST(LibraryTest, TheLibraryUsesItsOwn) {
    const Library library =
        ofText("int->int pipeline Outer { add Inner; } int->int filter Inner { }");
    std::vector<std::string_view> program{
        "int->int pipeline Main { add Outer; } int->int filter Inner { }"};
    const std::vector<SourceText> found = library.needed(program);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].text.find("filter Inner"), std::string::npos);
}

TEST(LibraryTest, FilesNeedFiles) {
    EXPECT_THAT(needed(small(), "void->void pipeline Main { add Alpha(); }"),
                ElementsAre("a.str", "c.str", "d.str"));
}

TEST(LibraryTest, WhatTheProgramDeclaresIsNotTaken) {
    EXPECT_THAT(
        needed(small(), "void->void pipeline Main { add Alpha(); } float->float filter Alpha { }"),
        IsEmpty());
}

TEST(LibraryTest, KeywordsAreNamesWhereTheyAreCreated) {
    EXPECT_THAT(needed(small(), "void->void pipeline Main { add X; add Y(1); }"), IsEmpty());
    EXPECT_THAT(needed(small(), "void->void pipeline Main { add add (1); }"), ElementsAre("e.str"));
    EXPECT_THAT(needed(small(), "void->void feedbackloop Main { body add(1); }"),
                ElementsAre("e.str"));
}

TEST(LibraryTest, EveryStreamOfTheBuiltInOneIsFound) {
    Library library = Library::builtIn();
    std::vector<std::string_view> all{"void->void pipeline Main { add LowPass(1); add Delay(3); }"};
    EXPECT_FALSE(library.needed(all).empty());
    for (const SourceText& file : library.needed(all)) {
        EXPECT_TRUE(file.name.starts_with("<stdlib>/"));
        base::Context context;
        parser::parse(context, context.sources.add(file.name, file.text, true));
        EXPECT_FALSE(context.diags.hasErrors());
    }
}

TEST(LibraryTest, AFolderIsALibrary) {
    std::string folder = testing::TempDir() + "strc-library-XXXXXX";
    ASSERT_TRUE(mkdtemp(folder.data()));
    std::ofstream(folder + "/z.str") << "int->int filter Zeta { }";
    std::ofstream(folder + "/notes.txt") << "int->int filter Eta { }";
    auto library = Library::ofFolder(folder);
    ASSERT_TRUE(library);
    EXPECT_THAT(needed(*library, "add Zeta; add Eta;"), ElementsAre(folder + "/z.str"));
    std::filesystem::remove_all(folder);
    EXPECT_FALSE(Library::ofFolder(folder));
}

}  // namespace
}  // namespace strc::session
