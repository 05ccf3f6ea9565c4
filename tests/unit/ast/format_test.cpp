#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ast/print.h"
#include "base/context.h"
#include "base/render.h"
#include "golden/golden.h"
#include "parser/parse.h"

namespace strc::ast {
namespace {

/// A text with its tree.
struct Parsed {
    base::Context context;
    const Unit* unit;

    explicit Parsed(std::string text) {
        base::BufferId buffer = context.sources.add("test.str", std::move(text));
        unit = &parser::parse(context, buffer);
    }
    std::string format() const { return ast::format(*unit, context.sources); }
    std::string dump() const { return ast::dump(*unit); }
    std::string errors() const {
        std::string all;
        for (const base::Diagnostic& each : context.diags.all())
            if (each.severity == base::Severity::Error)
                all += base::renderText(each, context.sources);
        return all;
    }
    /// Without the blanks that formatting may change.
    std::vector<std::string> comments() const {
        std::vector<std::string> list;
        for (const Comment& each : unit->comments) {
            std::string text(context.sources.text(each.range));
            std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
            list.push_back(text);
        }
        return list;
    }
};

/// Formats, and checks what must hold of every text: the tree and the comments are the same, and
/// formatting again changes nothing.
std::string formatted(const std::string& text) {
    Parsed before(text);
    EXPECT_EQ(before.errors(), "") << text;
    if (before.context.diags.hasErrors()) return {};
    std::string result = before.format();
    Parsed after(result);
    EXPECT_EQ(after.errors(), "") << "became wrong:\n" << result;
    EXPECT_EQ(before.dump(), after.dump()) << "became another program:\n" << result;
    EXPECT_EQ(before.comments(), after.comments()) << "lost comments:\n" << result;
    EXPECT_EQ(result, after.format()) << "is not stable";
    return result;
}

/// A body formatted inside of `work`, without the lines around and their indentation.
std::string body(const std::string& statements) {
    std::string all =
        formatted("int->int filter F {\nwork pop 1 push 1 {\n" + statements + "\n}\n}\n");
    std::string result;
    std::istringstream lines(all);
    for (std::string line; std::getline(lines, line);)
        if (line.empty() || line.starts_with("        "))
            result += line.substr(std::min<std::size_t>(8, line.size())) + "\n";
    return result;
}

std::string text(std::initializer_list<std::string_view> lines) {
    std::string result;
    for (std::string_view line : lines) (result += line) += '\n';
    return result;
}

// ---------------------------------------------------------------- style

TEST(Format, PutsSpacesWhereTheyBelong) {
    EXPECT_EQ(body("x=a+b*-c-(int)d[ i ]*f( 1,2 ) ;"), "x = a + b * -c - (int)d[i] * f(1, 2);\n");
    EXPECT_EQ(body("x  +=  p?y :!z;"), "x += p ? y : !z;\n");
    EXPECT_EQ(body("int  i,j=3;portal < Gain > p;float[ n ][2] a;"),
              "int i, j = 3;\nportal<Gain> p;\nfloat[n][2] a;\n");
    EXPECT_EQ(body("x = - - y; x = - --y; x = -(-y); x = y - -z; x = ! !p;"),
              "x = - -y;\nx = - --y;\nx = -(-y);\nx = y - -z;\nx = !!p;\n");
    EXPECT_EQ(body("x = 1 . y + 0xF  .y + 2.5 .y + 3i .y + 1[ 2 ] . z + pi . y;"),
              "x = 1 .y + 0xF .y + 2.5 .y + 3i .y + 1[2].z + pi.y;\n");
    EXPECT_EQ(body("i ++; -- i; pop ( ) ; push( peek( 0 )) ; p . h ( 1 ) [ 0 : n ] ; q.h()[*];"),
              "i++;\n--i;\npop();\npush(peek(0));\np.h(1) [0:n];\nq.h() [*];\n");
}

TEST(Format, KeepsLiteralsAndParenthesesAsWritten) {
    std::string same =
        "x = (((0xFF))) + 011 + 1e6f + 2.50 + 3f + 0.5i + (a) * (b + c);\n"
        "println(\"a\\tb\\101\" + '\\n' + pi + true);\n";
    EXPECT_EQ(body(same), same);
}

TEST(Format, PutsBracesAndBodiesOnLines) {
    EXPECT_EQ(body("if(a)\n{\nx();\n}\nelse\nif(b)y();\nelse{\nz();}"),
              text({"if (a) {", "    x();", "} else if (b) y();", "else {", "    z();", "}"}));
    EXPECT_EQ(body("while(a)\nx();\ndo x();\nwhile(a);do{x();}while(a);"),
              text({"while (a)", "    x();", "do x();", "while (a);", "do { x(); } while (a);"}));
    EXPECT_EQ(body("for(;;)break;for(int i=0;i<3;i++){\n}for(i=0;;);"),
              text({"for (;;) break;", "for (int i = 0; i < 3; i++) {}", "for (i = 0;;);"}));
    EXPECT_EQ(body("{x();}{}{\n;\n}"), text({"{ x(); }", "{}", "{}"}));
}

TEST(Format, KeepsShortBodiesOnTheirLine) {
    std::string kept = text({"if (a) { x(); } else { y(); }", "if (a) x(); else y();",
                             "for (int i = 0; i < 3; i++) { x(); y(); }", "while (a) x();"});
    EXPECT_EQ(body(kept), kept);
    EXPECT_EQ(body("if (a) { x(); } else {\n y(); }"),
              text({"if (a) {", "    x();", "} else {", "    y();", "}"}));
    std::string wide(80, 'x');
    EXPECT_EQ(body("while (" + wide + ") { y(); }"),
              text({"while (" + wide + ") {", "    y();", "}"}));
    EXPECT_EQ(body("while (" + wide + ") y();"), text({"while (" + wide + ")", "    y();"}));
}

TEST(Format, FormatsDeclarations) {
    EXPECT_EQ(formatted("struct P{int x;\nfloat[2] y;};;\nvoid->int filter\nF{int n;work push 1"
                        "{push(n++);}}"),
              text({"struct P {", "    int x;", "    float[2] y;", "}",
                    "void->int filter F { int n; work push 1 { push(n++); } }"}));
    EXPECT_EQ(formatted("int->int stateful filter F(int a,float[a] b=\n{1}){\nwork pop [1,*] push *"
                        " peek 2*n{}\nhandler h(int x){}int f(){return 1;}}"),
              text({"int->int stateful filter F(int a, float[a] b = {1}) {",
                    "    work pop [1, *] push * peek 2 * n {}", "    handler h(int x) {}",
                    "    int f() { return 1; }", "}"}));
    EXPECT_EQ(formatted("void->void pipeline M{add A;\nadd B(1,n=2)to p,q;add Identity<int>();\n}"),
              text({"void->void pipeline M {", "    add A;", "    add B(1, n = 2) to p, q;",
                    "    add Identity<int>();", "}"}));
    EXPECT_EQ(formatted("global{int a;a=1;init{a=2;}}native N{int f(int a);}helper H{int g(){}}"),
              text({"global { int a; a = 1; init { a = 2; } }", "native N { int f(int a); }",
                    "helper H { int g() {} }"}));
}

TEST(Format, BracketsOfTypesStandTogether) {
    EXPECT_EQ(formatted("void->void pipeline M{add A<tensor<int>>(1>>2);add B<tensor<int> >;}"),
              "void->void pipeline M { add A<tensor<int>>(1 >> 2); add B<tensor<int>>; }\n");
}

TEST(Format, KeepsTheOptionalSemicolonOfAnonymousStreams) {
    std::string kept = text({"int->int pipeline P {", "    add pipeline {", "        add A;",
                             "    };", "    if (a) add pipeline { add A; };", "    else",
                             "        add pipeline { add B; }", "    add filter {} to p;", "}"});
    Parsed probe(kept);  // an untyped filter is no syntax error
    EXPECT_EQ(formatted(kept), kept);
}

TEST(Format, KeepsAtMostOneBlankLine) {
    EXPECT_EQ(body("\n\nint a;\n\n\nint b;\nint c;\n\n"), "int a;\n\nint b;\nint c;\n");
    EXPECT_EQ(formatted("\n\nstruct A { int x; }\n\n\n\nstruct B { int x; }\n\n\n"),
              "struct A { int x; }\n\nstruct B { int x; }\n");
}

TEST(Format, BreaksLongLines) {
    std::string x(38, 'x');
    EXPECT_EQ(body("y = " + x + " + " + x + " * 2 + " + x + ";"),
              text({"y = " + x + " + " + x + " * 2 +", "    " + x + ";"}));
    EXPECT_EQ(body("f(" + x + ", " + x + ", " + x + ");"),
              text({"f(" + x + ", " + x + ",", "    " + x + ");"}));
    EXPECT_EQ(body("if (" + x + " && " + x + " && " + x + ") { y(); }"),
              text({"if (" + x + " && " + x + " &&", "        " + x + ") {", "    y();", "}"}));
    EXPECT_EQ(body("y = " + x + " ? " + x + " : " + x + " ? a : b;"),
              text({"y = " + x + " ? " + x, "    : " + x + " ? a", "    : b;"}));
}

TEST(Format, FillsTablesAndSeparatesRows) {
    std::string numbers;
    for (int i = 0; i < 40; ++i) numbers += (i ? "," : "") + std::to_string(100 + i);
    std::string all = body("int[40] t = {" + numbers + "};");
    EXPECT_EQ(all.substr(0, all.find('\n')), "int[40] t = {");
    EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 5);
    EXPECT_NE(all.find("\n    100, 101, 102"), std::string::npos);
    EXPECT_EQ(all.substr(all.size() - 8), " 139\n};\n");
    std::string x(40, '1');
    EXPECT_EQ(
        body("int[3][2] t={{" + x + "," + x + "},{1,2},{}}, u;"),
        text({"int[3][2] t = {", "    {" + x + ", " + x + "},", "    {1, 2},", "    {}", "}, u;"}));
}

TEST(Format, KeepsTheLinesOfTables) {
    EXPECT_EQ(body("int[6] t = {1,2,\n3,4,\n\n5,6};"),
              text({"int[6] t = {", "    1, 2,", "    3, 4,", "", "    5, 6", "};"}));
    EXPECT_EQ(body("int[2][2] t = {{1,2},\n{3,4}}, u = {\n{1,2},{3,4}\n};"),
              text({"int[2][2] t = {", "    {1, 2},", "    {3, 4}", "}, u = {{1, 2}, {3, 4}};"}));
}

TEST(Format, PutsTablesAmongArgumentsOnLines) {
    std::string x(60, '1');
    EXPECT_EQ(formatted("void->void pipeline M {\nadd A({" + x + ", " + x + "}, 1);\n}"),
              text({"void->void pipeline M {", "    add A({", "        " + x + ",", "        " + x,
                    "    }, 1);", "}"}));
    EXPECT_EQ(formatted("void->void pipeline M {\nadd A(1, {" + x + ", " + x + "});\n}"),
              text({"void->void pipeline M {", "    add A(1,", "        {",
                    "            " + x + ",", "            " + x, "        });", "}"}));
}

// ---------------------------------------------------------------- comments

TEST(FormatComments, StayWhereTheyAre) {
    std::string kept =
        text({"// first", "", "// second", "struct A {  // of a", "    // of x",
              "    int x;  // behind x", "", "    /* alone */", "", "    int y; /* behind y */",
              "    // last", "}  // end of a", "", "// at the end"});
    EXPECT_EQ(formatted(kept), kept);
}

TEST(FormatComments, InsideEmptyBrackets) {
    EXPECT_EQ(
        body("{\n// nothing\n}\n{ // here\n}\n{/* or */}f(/* none */);"),
        text({"{", "    // nothing", "}", "{  // here", "}", "{ /* or */ }", "f(/* none */);"}));
    EXPECT_EQ(formatted("// only this"), "// only this\n");
    EXPECT_EQ(formatted(""), "");
}

TEST(FormatComments, BetweenArguments) {
    EXPECT_EQ(body("f(a/*x*/,/*y*/b,// z\nc);"), text({"f(a /*x*/, /*y*/ b,  // z", "    c);"}));
    EXPECT_EQ(body("f(a // one\n,b // two\n);"), text({"f(a,  // one", "    b  // two", ");"}));
    EXPECT_EQ(body("x = a // why\n;"), text({"x = a;  // why"}));
    EXPECT_EQ(body("int[4] t = {\n1, 2, // low\n3, 4 // high\n};"),
              text({"int[4] t = {", "    1, 2,  // low", "    3, 4  // high", "};"}));
    EXPECT_EQ(body("int[4] t = {\n// low\n1, 2,\n// high\n3, 4};"),
              text({"int[4] t = {", "    // low", "    1, 2,", "    // high", "    3, 4", "};"}));
}

TEST(FormatComments, AroundKeywordsAndBodies) {
    EXPECT_EQ(body("if (a) // why\nx();\n// otherwise\nelse // not\ny();"),
              text({"if (a)  // why", "    x();", "// otherwise", "else  // not", "    y();"}));
    EXPECT_EQ(body("if (a) {\nx();\n} // done\nelse {\ny();\n}"),
              text({"if (a) {", "    x();", "}  // done", "else {", "    y();", "}"}));
    EXPECT_EQ(body("while (a)\n// explain\nx();"),
              text({"while (a)", "    // explain", "    x();"}));
}

TEST(FormatComments, StayInColumnsIfTheyCan) {
    EXPECT_EQ(formatted("struct A {\n  int x;     // x\n  int[3] y;  // y\n  int zzz;// z\n}"),
              text({"struct A {", "    int x;     // x", "    int[3] y;  // y",
                    "    int zzz;  // z", "}"}));
    std::string wide(70, '-');
    EXPECT_EQ(formatted("struct A {\nint x;               // " + wide + "\n}"),
              text({"struct A {", "    int x;               // " + wide, "}"}));
    EXPECT_EQ(formatted("struct A {\nint x;                       // " + wide + "\n}"),
              text({"struct A {", "    int x;  // " + wide, "}"}));
}

TEST(FormatComments, OfSeveralLinesMoveAlong) {
    EXPECT_EQ(formatted("struct A {\n  /* a\n     b */\n  int x;\n\t/*\n\t * c\n\t */\n  int y;\n"
                        "}"),
              text({"struct A {", "    /* a", "       b */", "    int x;", "    /*", "     * c",
                    "     */", "    int y;", "}"}));
}

TEST(FormatComments, LoseCarriageReturns) {
    EXPECT_EQ(formatted("// a\r\nstruct A {\r\n    int x; /* b\r\n c */\r\n}\r\n"),
              text({"// a", "struct A {", "    int x; /* b", " c */", "}"}));
}

// ---------------------------------------------------------------- what always holds

std::vector<std::filesystem::path> programs() {
    std::vector<std::filesystem::path> result;
    for (const char* folder : {"tests/conformance/programs", "tests/golden", "tests/run",
                               "tests/stdlib", "benchmarks", "examples", "stdlib"}) {
        for (const auto& path : strc::test::programsUnder(folder)) result.push_back(path);
    }
    return result;
}

TEST(FormatAlways, HoldsForEveryProgramOfTheProject) {
    std::size_t count = 0;
    for (const auto& path : programs()) {
        std::string source = strc::test::read(path);
        if (Parsed(source).context.diags.hasErrors()) continue;
        SCOPED_TRACE(path);
        formatted(source);
        ++count;
    }
    EXPECT_GT(count, 200u);
}

/// Splits at blanks and comments, and where two tokens meet.
std::vector<std::string> tokensOf(const std::string& source) {
    std::vector<std::string> tokens;
    auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    static const std::vector<std::string> kLong = {"<<=", ">>=", "->", "++", "--", "+=", "-=",
                                                   "*=",  "/=",  "%=", "&=", "|=", "^=", "<<",
                                                   ">>",  "&&",  "||", "==", "!=", "<=", ">="};
    for (std::size_t i = 0; i < source.size();) {
        std::size_t end = i + 1;
        if (source.compare(i, 2, "//") == 0) {
            i = source.find('\n', i);
            continue;
        }
        if (source.compare(i, 2, "/*") == 0) {
            i = source.find("*/", i) + 2;
            continue;
        }
        if (std::isspace(static_cast<unsigned char>(source[i]))) {
            ++i;
            continue;
        }
        if (source[i] == '"' || source[i] == '\'') {
            while (source[end] != source[i]) end += source[end] == '\\' ? 2 : 1;
            ++end;
        } else if (isWord(source[i])) {
            bool isNumber = std::isdigit(static_cast<unsigned char>(source[i]));
            bool isHex = source.compare(i, 2, "0x") == 0;
            while (isWord(source[end]) || (isNumber && source[end] == '.') ||
                   (isNumber && !isHex && source[end] == '-' && source[end - 1] == 'e'))
                ++end;
        } else {
            for (const std::string& each : kLong)
                if (source.compare(i, each.size(), each) == 0) {
                    end = i + each.size();
                    break;
                }
        }
        tokens.push_back(source.substr(i, end - i));
        i = end;
    }
    return tokens;
}

std::string wholeLanguage() {
    return strc::test::read(golden::folder() / "ast" / "whole_language.str");
}

std::string join(const std::vector<std::string>& tokens, std::string_view between) {
    std::string result;
    for (const std::string& each : tokens) (result += each) += between;
    return result;
}

TEST(FormatAlways, HoldsWhateverTheBlanks) {
    std::vector<std::string> tokens = tokensOf(wholeLanguage());
    std::string oneLine = formatted(join(tokens, " "));
    std::string oneToken = formatted(join(tokens, "\n"));
    EXPECT_EQ(Parsed(oneLine).dump(), Parsed(wholeLanguage()).dump());
    formatted(join(tokens, "\n\n\n"));
    formatted(join(tokens, "\r\n\t "));
}

TEST(FormatAlways, HoldsWithCommentsEverywhere) {
    std::vector<std::string> tokens = tokensOf(wholeLanguage());
    for (std::string_view between :
         {" /* c */ ", " // c\n", "\n// c\n", "\n/* c */\n", " /* c */\n", "\n/* c */ ",
          "\n/* c\n  d */\n", " /* c\n d */ ", " /* c */ // d\n", "\n\n// c\n\n// d\n\n",
          " /* c *//* d */\n"}) {
        SCOPED_TRACE(between);
        formatted(join(tokens, between));
    }
}

/// The tokens with blanks and comments at random; every second time mostly blanks.
std::string scattered(const std::vector<std::string>& tokens, unsigned seed) {
    std::mt19937 random(seed);
    auto between = [&]() -> std::string {
        std::string c(random() % 4 == 0 ? random() % 60 : 1, 'c');
        switch (random() % 10) {
            case 0: return "\n";
            case 1: return "\n\n";
            case 2: return " // " + c + "\n";
            case 3: return "\n// " + c + "\n";
            case 4: return " /* " + c + " */ ";
            case 5: return " /* " + c + " */\n";
            case 6: return "\n/* " + c + " */\n";
            default: return " ";
        }
    };
    std::string source;
    for (const std::string& each : tokens)
        (source += each) += seed % 2 == 0 || random() % 8 == 0 ? between() : " ";
    return source;
}

TEST(FormatAlways, HoldsWithCommentsAnywhere) {
    std::vector<std::string> tokens = tokensOf(wholeLanguage());
    for (unsigned seed = 0; seed < 20 && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        formatted(scattered(tokens, seed));
    }
    unsigned seed = 0;
    for (const auto& path : programs()) {
        if (path.string().find("examples") == std::string::npos) continue;
        SCOPED_TRACE(path);
        formatted(scattered(tokensOf(strc::test::read(path)), ++seed));
    }
}

/// `head`, then `count` times `link`.
std::string chain(std::string head, std::string_view link, int count) {
    for (int i = 0; i < count; ++i) head += link;
    return head;
}

TEST(FormatAlways, HoldsForLongChainsAndLists) {
    std::string statements;
    statements += chain("y = x", " + x", 2000) + ";\n" + chain("y = a", " ? 1 : a", 2000) + ";\n";
    statements += chain("y = x", "[0]", 2000) + ";\n" + chain("if (a) ;", " else if (a) ;", 2000);
    statements += chain("y = ", "- ", 900) + "x;\n" + chain("y = ", "(", 900) + "x" +
                  chain("", ")", 900) + ";\n";
    statements += chain("int[100000] t = {0", ", 0", 99'999) + "};\n";
    statements += chain("", "x = x + 1;\n", 20'000);
    formatted("int->int filter F { work pop 1 push 1 {\n" + statements + "}}\n");
}

// ---------------------------------------------------------------- goldens

TEST(FormatGolden, WholeLanguage) {
    std::string source = wholeLanguage();
    EXPECT_EQ(formatted(source), source) << "the file is written in the style of the formatter";
    golden::expect(golden::folder() / "ast" / "whole_language.ast", Parsed(source).dump());
}

TEST(FormatGolden, UntidyProgram) {
    std::filesystem::path folder = golden::folder() / "format";
    golden::expect(folder / "untidy.formatted", formatted(strc::test::read(folder / "untidy.str")));
}

}  // namespace
}  // namespace strc::ast
