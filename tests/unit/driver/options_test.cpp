#include "driver/detail/options.h"

#include <sstream>

#include <gmock/gmock.h>

namespace strc::driver {
namespace {

using base::Diag;
using testing::ElementsAre;

struct Outcome {
    Options options;
    base::Diagnostics diags;
    Parsed parsed = Parsed::Run;
};

void parse(std::vector<const char*> words, Outcome& result) {
    words.insert(words.begin(), "strc");
    std::ostringstream out;
    result.parsed = parseOptions(static_cast<int>(words.size()), words.data(), result.options,
                                 result.diags, out);
}

std::vector<std::string> valuesOf(const Options& options, std::string_view name) {
    std::vector<std::string> values;
    for (const Setting& setting : options.settings)
        if (setting.name == name) values.push_back(setting.value.value());
    return values;
}

class OptionsTest : public testing::Test {
protected:
    const Options& good(const std::vector<const char*>& words) {
        result = std::make_unique<Outcome>();
        parse(words, *result);
        for (const base::Diagnostic& diag : result->diags.all())
            ADD_FAILURE() << base::message(diag.id, diag.args);
        EXPECT_EQ(result->parsed, Parsed::Run);
        return result->options;
    }

    std::string fault(const std::vector<const char*>& words) {
        result = std::make_unique<Outcome>();
        parse(words, *result);
        EXPECT_EQ(result->parsed, Parsed::Wrong);
        const auto& all = result->diags.all();
        return all.empty() ? "" : base::message(all[0].id, all[0].args);
    }

    std::unique_ptr<Outcome> result;
};

TEST_F(OptionsTest, FilesMayStandAnywhere) {
    const Options& options = good({"run", "a.str", "-i", "5", "b.str", "--top", "X", "-"});
    EXPECT_EQ(options.command, Command::Run);
    EXPECT_THAT(options.arguments, ElementsAre("a.str", "b.str", "-"));
    EXPECT_EQ(options.iterations, 5);
    EXPECT_EQ(options.valueOf("top"), "X");
}

TEST_F(OptionsTest, ValuesFollowABlankOrAnEqualsSign) {
    EXPECT_EQ(good({"run", "--limit=7", "a"}).limit, 7);
    EXPECT_EQ(good({"run", "--limit", "7", "a"}).limit, 7);
    EXPECT_EQ(good({"run", "-i7", "a"}).iterations, 7);
    EXPECT_EQ(good({"run", "--iterations=0", "a"}).iterations, 0);
    EXPECT_EQ(good({"run", "--seconds=0.5", "a"}).seconds, 0.5);
    EXPECT_EQ(good({"check", "--step-limit=9", "a"}).valueOf("step-limit"), "9");
}

TEST_F(OptionsTest, TheLastOfRepeatedValuesCounts) {
    EXPECT_EQ(good({"run", "-i", "1", "-i", "2", "a"}).iterations, 2);
    EXPECT_EQ(good({"run", "--top", "A", "--top", "B", "a"}).valueOf("top"), "B");
}

TEST_F(OptionsTest, DefinesCollect) {
    const Options& options = good({"check", "-D", "n=1", "a.str", "-Dname=x=y", "-D", "empty="});
    EXPECT_THAT(valuesOf(options, "D"), ElementsAre("n=1", "name=x=y", "empty="));
    EXPECT_THAT(options.arguments, ElementsAre("a.str"));
}

TEST_F(OptionsTest, WarningsKeepTheirOrder) {
    const Options& options =
        good({"check", "-Wall", "-Wno-unused-stream", "-Werror=deadlock", "a.str", "-w"});
    EXPECT_THAT(valuesOf(options, "W"), ElementsAre("all", "no-unused-stream", "error=deadlock"));
    EXPECT_TRUE(options.has("w"));
}

TEST_F(OptionsTest, WordsChoose) {
    EXPECT_EQ(good({"run", "--tail=pad", "a"}).tail, Tail::Pad);
    EXPECT_EQ(good({"run", "--tail=drain", "a"}).tail, Tail::Drain);
    EXPECT_EQ(good({"run", "--tail=drop", "a"}).tail, Tail::Drop);
    EXPECT_TRUE(good({"run", "--print-format=c", "a"}).cFormat);
    EXPECT_EQ(good({"check", "--schedule=latency", "a"}).valueOf("schedule"), "latency");
    EXPECT_EQ(good({"check", "--schedule", "single-appearance", "a"}).valueOf("schedule"),
              "single-appearance");
    EXPECT_EQ(good({"check", "--colour=never", "a"}).report.colour, When::Never);
    EXPECT_EQ(good({"run", "--emit=ir", "a"}).emit, STRC_IR);
}

TEST_F(OptionsTest, FlagsAreOffUnlessGiven) {
    const Options& without = good({"run", "a"});
    EXPECT_FALSE(without.loopInput || without.has("lenient") || without.stats || without.tail ||
                 without.cFormat);
    EXPECT_FALSE(without.iterations || without.limit || without.seconds || without.emit ||
                 without.has("step-limit"));
    const Options& with = good({"run", "--loop-input", "--lenient", "--stats", "--interpret", "a"});
    EXPECT_TRUE(with.loopInput && with.has("lenient") && with.stats && with.has("interpret"));
}

TEST_F(OptionsTest, FilesHaveFormats) {
    const Options& options =
        good({"run", "--in=a.wav", "--in-format=text", "--out", "b.png", "--out-width=3",
              "--out-height=4", "--out-channels=1", "--out-rate=8000", "--out-sample=16", "a.str"});
    EXPECT_EQ(options.in.name, "a.wav");
    EXPECT_EQ(options.in.format, "text");
    EXPECT_EQ(options.out.name, "b.png");
    EXPECT_FALSE(options.out.format);
    EXPECT_EQ(options.outWidth, 3);
    EXPECT_EQ(options.outHeight, 4);
    EXPECT_EQ(options.outChannels, 1);
    EXPECT_EQ(options.outRate, 8000);
    EXPECT_EQ(options.outSample, "16");
    EXPECT_EQ(good({"run", "--out-sample=double", "a"}).outSample, "double");
    EXPECT_FALSE(good({"run", "a"}).in.name);
}

TEST_F(OptionsTest, GraphsTakeTheirFormatFromTheFile) {
    EXPECT_EQ(good({"graph", "a"}).picture, STRC_GRAPH_DOT);
    EXPECT_EQ(good({"graph", "-o", "x.svg", "a"}).picture, STRC_GRAPH_SVG);
    EXPECT_EQ(good({"graph", "-o", "x.svg", "--format=json", "a"}).picture, STRC_GRAPH_JSON);
    EXPECT_FALSE(good({"graph", "a"}).has("no-fold"));
    EXPECT_TRUE(good({"graph", "--no-fold", "a"}).has("no-fold"));
    EXPECT_EQ(fault({"graph", "-o", "x.bmp", "a"}), "the format of 'x.bmp' is not known");
    EXPECT_EQ(fault({"graph", "-o", "x", "a"}), "the format of 'x' is not known");
}

TEST_F(OptionsTest, WrongValuesAreReportedWithWhatIsNeeded) {
    EXPECT_EQ(fault({"run", "-i", "many", "a"}),
              "'many' is not a value for -i: a number from 0 to 9223372036854775807 is needed");
    EXPECT_EQ(fault({"run", "-i", "-3", "a"}),
              "'-3' is not a value for -i: a number from 0 to 9223372036854775807 is needed");
    EXPECT_EQ(fault({"run", "--limit=99999999999999999999", "a"}),
              "'99999999999999999999' is not a value for --limit: a number from 0 to "
              "9223372036854775807 is needed");
    EXPECT_EQ(fault({"run", "--seconds=soon", "a"}),
              "'soon' is not a value for --seconds: a number of seconds is needed");
    EXPECT_EQ(fault({"run", "--seconds=nan", "a"}),
              "'nan' is not a value for --seconds: a number of seconds is needed");
    EXPECT_EQ(fault({"run", "--tail=cut", "a"}),
              "'cut' is not a value for --tail: drop, pad or drain is needed");
    EXPECT_EQ(
        fault({"check", "--schedule=fast", "a"}),
        "'fast' is not a value for --schedule: buffers, single-appearance or latency is needed");
    EXPECT_EQ(fault({"check", "--diagnostics=xml", "a"}),
              "'xml' is not a value for --diagnostics: text or json is needed");
    EXPECT_EQ(fault({"check", "-D", "n", "a"}), "'n' is not a value for -D: NAME=VALUE is needed");
    EXPECT_EQ(fault({"check", "-D", "=n", "a"}),
              "'=n' is not a value for -D: NAME=VALUE is needed");
    EXPECT_EQ(fault({"check", "--emit=code", "a"}),
              "'code' is not a value for --emit: ast, ir, graph, schedule, program, plan, llvm, "
              "asm, obj or c "
              "is needed");
    EXPECT_EQ(fault({"run", "--out-width=0", "a"}),
              "'0' is not a value for --out-width: a number from 1 to 2147483647 is needed");
    EXPECT_EQ(fault({"run", "--in-format=mp3", "a"}).find("'mp3' is not a value for --in-format"),
              0u);
    EXPECT_EQ(fault({"run", "--out-sample=12", "a"}).find("'12' is not a value for --out-sample"),
              0u);
}

TEST_F(OptionsTest, WrongCallsAreReported) {
    EXPECT_EQ(fault({"run"}), "no source file given");
    EXPECT_EQ(fault({"opt"}), "no source file given");
    EXPECT_EQ(fault({"opt", "a.ir", "b.ir"}), "'b.ir' is one argument too many");
    EXPECT_EQ(fault({"fmt"}), "no source file given");
    EXPECT_EQ(fault({"run", "--frobnicate", "a"}), "unknown option '--frobnicate'");
    EXPECT_EQ(fault({"run", "-z", "a"}), "unknown option '-z'");
    EXPECT_EQ(fault({"--frobnicate"}), "unknown option '--frobnicate'");
    EXPECT_EQ(fault({"version", "more"}), "'more' is one argument too many");
    EXPECT_EQ(fault({"run", "-", "-"}), "'-' and a second '-' exclude each other");
    EXPECT_EQ(fault({"run", "--interpret", "--check=none", "a"}),
              "--interpret and --check=none exclude each other");
    EXPECT_EQ(fault({"run", "--interpret", "--tapes=ring", "a"}),
              "--interpret and --tapes=ring exclude each other");
    EXPECT_EQ(fault({"run", "--tapes=round", "a"}),
              "'round' is not a value for --tapes: linear, ring or arrays is needed");
    EXPECT_EQ(fault({"fmt", "--write", "--check", "a"}), "--write and --check exclude each other");
    EXPECT_EQ(fault({"fmt", "--write", "-"}), "--write and '-' exclude each other");
    EXPECT_EQ(fault({"run", "-o", "x", "a"}), "-o needs --emit");
    EXPECT_NE(fault({"run", "a", "--top"}), "");
    EXPECT_EQ(fault({"run", "a", "--top", ""}), "there is no value after '--top'");
    EXPECT_EQ(fault({"check", "-i", "3", "a"}), "unknown option '-i'");
}

TEST_F(OptionsTest, ASuggestionForMistypedOptions) {
    fault({"run", "--limt=3", "a"});
    ASSERT_EQ(result->diags.all()[0].notes.size(), 1u);
    EXPECT_THAT(result->diags.all()[0].notes[0].args, ElementsAre("--limit"));
}

}  // namespace
}  // namespace strc::driver
