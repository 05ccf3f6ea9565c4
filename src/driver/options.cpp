#include "driver/detail/options.h"

#include <algorithm>
#include <array>
#include <functional>
#include <ostream>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/pass.h"
#include "base/passes.h"
#include "base/spelling.h"
#include "driver/detail/option_adder.h"
#include "driver/detail/product.h"
#include "driver/detail/sharing_options.h"
#include "driver/detail/table.h"

namespace strc::driver {

using base::Diag;

namespace {

constexpr std::size_t kHelpColumn = 32;
constexpr std::int64_t kMostPorts = 65535;

constexpr std::array kColours{Choice<When>{"auto", When::Auto},
                              Choice<When>{"always", When::Always},
                              Choice<When>{"never", When::Never}};
constexpr std::array kReports{Choice<bool>{"text", false}, Choice<bool>{"json", true}};
constexpr std::array kTails{Choice<Tail>{"drop", Tail::Drop}, Choice<Tail>{"pad", Tail::Pad},
                            Choice<Tail>{"drain", Tail::Drain}};
constexpr std::array kPrintFormats{Choice<bool>{"java", false}, Choice<bool>{"c", true}};
constexpr std::array kPictures{
    Choice<strc_product>{"dot", STRC_GRAPH_DOT}, Choice<strc_product>{"svg", STRC_GRAPH_SVG},
    Choice<strc_product>{"json", STRC_GRAPH_JSON}, Choice<strc_product>{"txt", STRC_GRAPH}};
constexpr std::array kEmits{
    Choice<strc_product>{"ast", STRC_AST},         Choice<strc_product>{"ir", STRC_IR},
    Choice<strc_product>{"graph", STRC_GRAPH},     Choice<strc_product>{"schedule", STRC_SCHEDULE},
    Choice<strc_product>{"program", STRC_PROGRAM}, Choice<strc_product>{"plan", STRC_PLAN},
    Choice<strc_product>{"llvm", STRC_LLVM},       Choice<strc_product>{"asm", STRC_ASSEMBLY},
    Choice<strc_product>{"obj", STRC_OBJECT},      Choice<strc_product>{"c", STRC_C_SOURCE}};

// Words that the compiler knows.
constexpr std::string_view kOrders[] = {"buffers", "single-appearance", "latency"};
constexpr std::string_view kKernels[] = {"generated", "onednn", "torch", "auto"};
constexpr std::string_view kTapes[] = {"linear", "ring", "arrays"};
constexpr std::string_view kChecks[] = {"all", "none"};
constexpr std::string_view kTargets[] = {"aarch64-linux-gnu", "x86_64-linux-gnu"};
constexpr std::string_view kPlugins[] = {"lv2"};
constexpr std::string_view kLevels[] = {"0", "1", "2", "3"};
constexpr std::string_view kShells[] = {"bash", "zsh", "fish"};
constexpr std::string_view kSamples[] = {"8", "16", "24", "32", "float", "double"};

constexpr std::string_view kRunExamples = R"(Examples:
  strc run radio.str                        until the input files are used up
  strc run -i 100 radio.str                 100 steady states
  strc run -D station=14000 radio.str       another value for a parameter of the main stream
  strc run --top Equaliser --in music.wav --out louder.wav equaliser.str
  cat numbers.txt | strc run --top Mean --in-format text --out-format text mean.str)";
constexpr std::string_view kLiveExamples = R"(Examples:
  strc live --top Voice --in voice.wav --loop-input --out - --out-format wav voice.str | aplay
  strc live --fade 4410 --top Voice voice.str < in.raw > out.raw
  strc live --keep-param cutoff --top Voice --in voice.wav --out out.wav voice.str
                                            lines on standard input: cutoff=800
  strc live --keep-param cutoff --midi /dev/snd/midiC1D0 --cc 74=cutoff:20..20000:log \
      --top Voice --in jack: --out jack: voice.str)";
constexpr std::string_view kBuildExamples = R"(Examples:
  strc build radio.str                      makes the executable radio
  strc build -O3 --march=x86-64-v3 -o receiver radio.str
  strc build --top Equaliser --static equaliser.str
  ./equaliser --in music.wav --out louder.wav
  strc build --shared --top Equaliser equaliser.str     makes libequaliser.so and libequaliser.h
  strc build --plugin=lv2 --top Equaliser equaliser.str makes equaliser.lv2
  strc build --gnuradio --top Receiver radio.str        makes gr-radio
  strc build --emit=c --top Equaliser -o equaliser.c equaliser.str     C source, and equaliser.h)";
constexpr std::string_view kCheckExamples = R"(Examples:
  strc check radio.str
  strc check --diagnostics=json *.str       for editors: one JSON object a line, on standard error
  strc check -Wmissing-stateful -Werror radio.str)";
constexpr std::string_view kGraphExamples = R"(Examples:
  strc graph -o radio.svg radio.str
  strc graph radio.str | dot -Tpng > radio.png
  strc graph --format json radio.str)";
constexpr std::string_view kScheduleExamples = R"(Examples:
  strc schedule radio.str
  strc schedule --schedule=single-appearance radio.str)";
constexpr std::string_view kFmtExamples = R"(Examples:
  strc fmt radio.str                        prints the program, formatted
  strc fmt --write *.str                    formats the files
  strc fmt --check *.str                    tells whether a file would change)";
constexpr std::string_view kOptExamples = R"(Examples:
  strc opt --pass=fold,inline radio.ir      prints what the two make of it
  strc opt radio.ir                         checks and prints it
  strc check --emit=ir radio.str > radio.ir makes such a text)";
constexpr std::string_view kExplainExamples = R"(Examples:
  strc explain deadlock
  strc explain                              lists all diagnostics)";
constexpr std::string_view kReplExamples = R"(Examples:
  strc repl
  strc repl radio.str                       with the declarations of a file
  echo 'take 3 Ramp()' | strc repl
  strc repl --json                          for notebooks and other tools)";
constexpr std::string_view kControlsExamples = R"(Examples:
  strc controls --osc 9000                  "/cutoff 800" of OSC is cutoff=800
  strc controls --midi /dev/snd/midiC1D0 --cc 74=cutoff:20..20000:log --cc 7=gain)";
constexpr std::string_view kCompletionExamples = R"(Examples:
  strc completion bash > ~/.local/share/bash-completion/completions/strc
  source <(strc completion zsh)
  strc completion fish > ~/.config/fish/completions/strc.fish)";
constexpr std::string_view kManExamples = R"(Examples:
  strc man > strc.1
  strc man build | man -l -)";
constexpr std::string_view kVersionExamples = R"(Examples:
  strc version
  strc --version)";
constexpr std::string_view kExitStatus =
    R"(Exit status: 0 fine; 1 a fault of the program or its run; 2 a wrong call;
70 a fault of the compiler; 130 interrupted, 143 terminated (with all files completed).)";

/// Help texts without marks for what can be repeated: everything can.
class Help : public CLI::Formatter {
public:
    Help() { column_width(kHelpColumn); }
    std::string make_option_opts(const CLI::Option* option) const override {
        return option->get_type_name().empty() ? "" : " " + option->get_type_name();
    }
    std::string make_usage(const CLI::App* app, std::string name) const override {
        bool hasCommands = !app->get_subcommands([](const CLI::App*) { return true; }).empty();
        std::string usage = "Usage: " + name + (hasCommands ? " COMMAND" : "") + " [OPTION...]";
        for (const CLI::Option* option :
             app->get_options([](const CLI::Option* each) { return each->get_positional(); }))
            usage += " [" + option->get_name() + "...]";
        return usage + "\n";
    }
};

void addControllers(OptionAdder& add, CLI::App& sub) {
    Options& options = add.options;
    add.value(sub, "--osc", "PORT", "take messages of Open Sound Control at this UDP port",
              [&add, &options](const std::string& text) {
                  options.oscPort = add.parseInteger("--osc", text, 1, kMostPorts);
              });
    add.value(sub, "--midi", "FILE", "take the bytes of a MIDI device, such as /dev/snd/midiC1D0",
              [&options](const std::string& text) { options.midiFile = text; });
    add.value(sub, "--cc", "NUMBER=NAME:LOW..HIGH",
              "what a MIDI control change moves; :log behind it, CHANNEL/ in front (repeatable)",
              [&options](const std::string& text) { options.knobs.push_back(text); });
}

void addBound(OptionAdder& add, CLI::App& sub, const char* help) {
    add.value(sub, "--bound", "N", help, [&add](const std::string& text) {
        if (add.parseInteger("--bound", text, 1, INT32_MAX)) add.set("bound", text);
    });
}

void addEnds(OptionAdder& add, CLI::App& sub) {
    add.integer(sub, "--limit", add.options.limit, "N",
                "stop after N items of the output, N printed lines or N items in files");
    add.value(sub, "--seconds", "S", "stop after S seconds", [&add](const std::string& text) {
        add.options.seconds = add.parseReal("--seconds", text);
    });
}

/// True for a pass of a level on which passes are functions on the body of a filter or on a program, if it has one.
bool runsOnText(const base::PassInfo& row) {
    static constexpr std::string_view functions[] = {
#define STRC_PASS(Id, kind, level, product, function, name, what) #function,
#include "base/passes.def"
#undef STRC_PASS
    };
    const base::PassLevel level = base::levelOf(row.id);
    if (level == base::PassLevel::Program)
        return functions[static_cast<std::size_t>(row.id)] != "none";
    return level == base::PassLevel::Kernel || level == base::PassLevel::Tensors ||
           level == base::PassLevel::Loops;
}

void addProfile(OptionAdder& add, CLI::App& sub) {
    add.flagOrValue(sub, "--profile",
                    "measure the run, and print on standard error what filters, threads and tapes "
                    "took; --profile=FILE also writes it to a file for Perfetto or "
                    "chrome://tracing, and for --profile-use",
                    [&add](const std::string& file) {
                        add.options.profile = true;
                        if (!file.empty()) add.options.profileFile = file;
                        if (!add.options.has("profile")) add.set("profile");
                    });
}

void addPartitions(OptionAdder& add, CLI::App& sub) {
    add.setting(sub, "--partitions",
                "show how threads share the program as it runs: segments, what they cost and what "
                "crosses between them");
    add.value(
        sub, "--threads", "N",
        "show how N threads share each call of a library (build --shared --threads N) instead",
        [&add](const std::string& text) {
            if (!add.parseInteger("--threads", text, 2, 64)) return;
            add.set("threads", text);
            add.set("shared");
            add.set("partitions");
        });
    add.setting(sub, "--profile-use", "FILE",
                "with costs that --profile=FILE has measured; default: estimates");
}

void setDevice(OptionAdder& add, const std::string& text) {
    constexpr std::string_view kNumbered = "cuda:";
    const bool isNumbered =
        text.starts_with(kNumbered) && text.size() > kNumbered.size() &&
        text.size() <= kNumbered.size() + 3 &&
        text.find_first_not_of("0123456789", kNumbered.size()) == std::string::npos;
    if (isNumbered || text == "cpu" || text == "cuda" || text == "auto")
        add.set("device", text);
    else
        add.wrongValue(text, "--device", "cpu, cuda, cuda:N or auto");
}

/// Reads the words of a call into Options: declares the commands with their options, and checks these
/// together.
class Parser {
public:
    Parser(Options& wanted, base::Diagnostics& diagnostics)
        : options(wanted), diags(diagnostics), add(wanted, diagnostics) {
        app.name("strc");
        app.description("strc compiles and runs StreamIt programs.");
        app.footer("`strc COMMAND --help` shows the options of a command, with examples.\n" +
                   std::string(kExitStatus));
        app.formatter(std::make_shared<Help>());
        app.set_help_flag("-h,--help", "print this help");
        addRun();
        addLive();
        addBuild();
        addCheck();
        addGraph();
        addSchedule();
        addFmt();
        addOpt();
        addExplain();
        addRepl();
        addControls();
        addCommand(Command::Version, "version", "print the version", kVersionExamples);
        // Scripts do these before any options are read; here they are for the help alone.
        app.add_subcommand("import", "make a program of a PyTorch or ONNX model");
        app.add_subcommand("setup", "set up the Python that imports models: strc setup torch");
        addPages();
    }

    Parsed parse(int argc, const char* const* argv, std::ostream& out) {
        std::vector<std::string> words(argv + 1, argv + argc);
        if (words.empty()) {
            out << app.help();
            return Parsed::Done;
        }
        if (words[0] == "help") words[0] = "--help";
        if (words[0] == "--help" && words.size() > 1) std::swap(words[0], words[1]);
        if (words[0] == "--version") words[0] = "version";
        // The command that a page is about is not to be done.
        if (words[0] == "man" && words.size() > 1 && isCommand(words[1]))
            words.insert(words.begin() + 1, "--");
        lookForReport(words);
        if (!words[0].starts_with('-') && !isCommand(words[0])) return unknownCommand(words[0]);
        if (!haveValues(words)) return Parsed::Wrong;
        std::reverse(words.begin(), words.end());
        try {
            app.parse(words);
        } catch (const CLI::CallForHelp&) {
            out << app.help();
            return Parsed::Done;
        } catch (const CLI::ExtrasError&) {
            return unexpected();
        } catch (const CLI::Error& error) {
            diags.add(Diag::BadCommandLine) << error.what();
        }
        warnOfFormerNames();
        if (!diags.hasErrors()) checkTogether();
        return diags.hasErrors() ? Parsed::Wrong : Parsed::Run;
    }

    CommandTable table() const {
        CommandTable result{row(app), {}};
        for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
            result.commands.push_back(row(*sub));
        return result;
    }

private:
    // ---------------------------------------------------------------- as data

    OptionRow row(const CLI::Option& option) const {
        OptionRow result;
        for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
        for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
        result.argument = option.get_type_name();
        if (auto found = add.knownValues.find(&option); found != add.knownValues.end())
            result.words = found->second;
        result.help = option.get_description();
        result.group = option.get_group();
        return result;
    }

    CommandRow row(const CLI::App& command) const {
        CommandRow result{
            command.get_name(), command.get_description(), "", {}, command.get_footer(), {}};
        // Commands without examples, which have the program's footer, are scripts that explain their options themselves.
        if (&command != &app && result.footer == app.get_footer()) {
            result.footer.clear();
            return result;
        }
        for (const CLI::Option* option : command.get_options())
            if (option->get_positional()) {
                result.argument = option->get_name();
                result.words = row(*option).words;
            } else {
                result.options.push_back(row(*option));
            }
        return result;
    }

    // ---------------------------------------------------------------- commands

    CLI::App& addCommand(Command command, const char* name, const char* help,
                         std::string_view examples) {
        CLI::App& sub = *app.add_subcommand(name, help);
        sub.footer(std::string(examples));
        sub.callback([this, command] { options.command = command; });
        sub.set_help_flag("-h,--help", "print this help");
        if (command != Command::Version) {
            add.group = "Options";
            add.choose(sub, "--diagnostics", kReports, options.report.json,
                       "errors and warnings as text (default) or json");
            add.choose(sub, "--color,--colour", kColours, options.report.colour,
                       "colours: auto (default), always or never");
        }
        return sub;
    }

    void addRun() {
        CLI::App& sub = addCommand(Command::Run, "run", "run a program", kRunExamples);
        addProgram(sub);
        add.group = "How long";
        add.integer(sub, "-i,--iterations", options.iterations, "N", "stop after N steady states");
        addEnds(add, sub);
        addFiles(sub);
        add.group = "Running";
        add.flag(sub, "--loop-input", options.loopInput, "start input files again at their end");
        add.choose(
            sub, "--tail", kTails, options.tail,
            "the end of the input: drain what has its items (default of an open input), drop what "
            "fills no steady state (default of files), or pad with zeros until all is out");
        add.choose(sub, "--print-format", kPrintFormats, options.cFormat,
                   "floats as shortest digits (java, default) or %f (c)");
        add.setting(sub, "--interpret", "interpret instead of compiling");
        add.setting(sub, "--no-interpret",
                    "refuse what cannot be compiled instead of interpreting it");
        add.value(sub, "-j,--workers", "N",
                  "threads that run the program, or share large loops of it; default: one for "
                  "each processor",
                  [this](const std::string& text) { setThreads(text); });
        add.flag(
            sub, "--no-tune", options.sharesAlways,
            "share the program among threads wherever that can be, not only where trials while "
            "it runs have shown that it pays");
        add.setting(sub, "--march", "NAME",
                    "the processor to make code for; default: the one at hand");
        addProfile(add, sub);
        add.flag(sub, "--stats", options.stats, "print firings, items and time on standard error");
        addEmit(sub);
    }

    void addLive() {
        CLI::App& sub =
            addCommand(Command::Live, "live",
                       "run a program that goes on while its files are edited", kLiveExamples);
        addProgram(sub);
        add.group = "Running";
        add.setting(sub, "--keep-param", "NAME",
                    "let lines NAME=VALUE on standard input set a parameter of the main stream "
                    "(repeatable)");
        add.positive(sub, "--fade", options.fade,
                     "mix so many items of the output of the old program into those of the new");
        add.flag(sub, "--loop-input", options.loopInput, "start input files again at their end");
        addEnds(add, sub);
        addFiles(sub);
        add.group = "Controllers";
        addControllers(add, sub);
        add.group = "Compiling";
        addBound(add, sub,
                 "items that a queue holds, of dynamic rates, and messages that wait for a filter; "
                 "default: 65536");
        add.setting(sub, "-O", "LEVEL", "how much to optimise: -O0, -O1, -O2 (default) or -O3",
                    kLevels);
        add.setting(sub, "--fast-math",
                    "floats faster and less exact: contracted, reassociated, vector functions");
        add.setting(sub, "-g", "with what debuggers need: lines, variables, instances");
    }

    void setThreads(const std::string& text) {
        const auto threads = add.parseInteger("-j", text, 1, INT32_MAX);
        if (!threads) return;
        options.workers = static_cast<int>(*threads);
        add.set("j", text);
    }

    void addBuild() {
        CLI::App& sub =
            addCommand(Command::Build, "build", "make an executable of a program", kBuildExamples);
        addProgram(sub);
        add.group = "The executable";
        add.setting(sub, "--march", "NAME", "the processor it is for; default: the one at hand");
        add.setting(sub, "--keep-param", "NAME",
                    "leave a parameter of the main stream to -D of the executable (repeatable)");
        add.setting(sub, "--target", "NAME",
                    "the kind of machine: aarch64-linux-gnu or x86_64-linux-gnu; default: this one",
                    kTargets);
        add.value(sub, "-j,--workers", "N",
                  "1: code for one thread alone; default: for as many as there will be",
                  [this](const std::string& text) { setThreads(text); });
        add.setting(sub, "--static", "put the C library into it");
        add.setting(sub, "--shared", "make a shared library instead, and a C header for it");
        add.setting(sub, "--plugin", "WORD",
                    "make a plug-in for audio programs instead, a folder: lv2", kPlugins);
        add.setting(sub, "--gnuradio", "make a block of GNU Radio instead, a folder");
        add.setting(sub, "--lanes",
                    "let --shared do many handles at once, each in a lane of vectors");
        add.value(sub, "--threads", "N",
                  "let N threads share each call of a library made by --shared",
                  [this](const std::string& text) {
                      if (add.parseInteger("--threads", text, 1, 64)) add.set("threads", text);
                  });
        sub.add_flag_callback(
               "--ranks", [this] { add.set("ranks", "1"); },
               "make an executable that can be several processes, its ranks, which share "
               "the program: under mpirun, or by its own option --ranks N")
            ->disable_flag_override();
        addNetwork(add, sub);
        add.setting(sub, "--external-weights",
                    "leave the weights in their file, which the executable reads when it starts");
        add.setting(sub, "--no-torch",
                    "insist on going without libtorch, as all executables do so far");
        add.setting(sub, "--bundle", "DIR",
                    "put it into a folder, with all files that it needs, which may be moved");
        add.setting(sub, "--profile", "let it have the option --profile, which measures runs");
        add.setting(
            sub, "--header", "FILE",
            "where the header of --shared or of the file of --emit=c goes; default: beside it");
        addBound(add, sub,
                 "let --shared have dynamic rates and messages: at most N items in a queue, and N "
                 "messages that wait for a filter");
        add.setting(sub, "--linker", "FILE",
                    "link with this C compiler; default: cc, or NAME-gcc of the target");
        addEmit(sub);
    }

    void addCheck() {
        CLI::App& sub =
            addCommand(Command::Check, "check", "look for errors without running", kCheckExamples);
        addProgram(sub);
        addEmit(sub);
    }

    void addGraph() {
        CLI::App& sub =
            addCommand(Command::Graph, "graph", "draw the stream graph", kGraphExamples);
        addProgram(sub);
        addOutput(sub);
        CLI::Option* format =
            add.value(sub, "--format", "WORD",
                      "dot (default), svg (by Graphviz), json or txt; default: as -o FILE ends",
                      [this](const std::string& text) {
                          formatGiven = find(kPictures, text, options.picture);
                          if (!formatGiven) add.wrongValue(text, "--format", valuesOf(kPictures));
                      });
        add.knownValues[format] = listOf(kPictures);
        add.setting(sub, "--no-fold", "draw all streams of a large graph");
        addPartitions(add, sub);
        add.value(
            sub, "--ranks", "N",
            "show how N ranks would share the program (build --ranks), what crosses between them "
            "and "
            "how fast that would be; in txt also what more ranks would bring, and what ends it",
            [this](const std::string& text) {
                if (add.parseInteger("--ranks", text, 1, 1024)) add.set("ranks", text);
            });
        addNetwork(add, sub);
        addSplit(add, sub);
        sub.add_flag("--memory", showsMemory,
                     "print instead what lies where in memory, and from when to when: txt "
                     "(default) or json");
    }

    void addSchedule() {
        CLI::App& sub = addCommand(Command::Schedule, "schedule",
                                   "print the order of firings and the buffers", kScheduleExamples);
        addProgram(sub);
        addPartitions(add, sub);
        addOutput(sub);
    }

    void addFmt() {
        CLI::App& sub = addCommand(Command::Fmt, "fmt", "format source files", kFmtExamples);
        sub.add_option("FILE", options.arguments, "source files; - is standard input")
            ->type_name("");
        sub.add_flag("-i,--write", options.write, "write the files instead of printing them");
        sub.add_flag("--check", options.check,
                     "print the names of files that would change, and exit with 1 then");
    }

    void addOpt() {
        CLI::App& sub = addCommand(Command::Opt, "opt",
                                   "run passes on the text of the IR, and print it", kOptExamples);
        sub.add_option("FILE", options.arguments, "a text of the IR; - is standard input")
            ->type_name("");
        add.value(sub, "--pass", "NAME[,NAME]",
                  "passes to run, in this order: " + base::passNames(runsOnText) + "; repeatable",
                  [this](const std::string& text) { addPassesOf(text); });
        addOutput(sub);
    }

    /// Names with commas between them.
    void addPassesOf(const std::string& text) {
        for (std::size_t begin = 0; begin <= text.size();) {
            const std::size_t end = std::min(text.find(',', begin), text.size());
            setPass("pass", text.substr(begin, end - begin), runsOnText);
            begin = end + 1;
        }
    }

    void addExplain() {
        CLI::App& sub =
            addCommand(Command::Explain, "explain", "explain a diagnostic", kExplainExamples);
        sub.add_option("NAME", options.arguments, "what stands in brackets after a message")
            ->type_name("");
    }

    void addRepl() {
        CLI::App& sub =
            addCommand(Command::Repl, "repl",
                       "try streams at a prompt (on a terminal also: strc alone)", kReplExamples);
        sub.add_option("FILE", options.arguments, "source files to load first")->type_name("");
        sub.add_flag("--json", options.json, "requests and answers as JSON, one a line");
        sub.add_flag("--events", options.events,
                     "with --json: write what programs print as it comes");
        sub.add_flag("--plain", options.plain, "read lines as they are, without the line editor");
        addWeights(sub);
    }

    void addControls() {
        CLI::App& sub = addCommand(Command::Controls, "controls",
                                   "print what OSC and MIDI controllers turn, as lines NAME=VALUE",
                                   kControlsExamples);
        addControllers(add, sub);
    }

    void addPages() {
        CLI::App& completion =
            addCommand(Command::Completion, "completion",
                       "print a script by which a shell completes calls", kCompletionExamples);
        CLI::Option* shell =
            completion.add_option("SHELL", options.arguments, "bash, zsh or fish")->type_name("");
        add.knownValues[shell] = {std::begin(kShells), std::end(kShells)};
        CLI::App& man = addCommand(Command::Man, "man", "print a man page", kManExamples);
        CLI::Option* page = man.add_option("COMMAND", options.arguments,
                                           "the command that it explains; default: all in short")
                                ->type_name("");
        for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
            add.knownValues[page].push_back(sub->get_name());
    }

    // ---------------------------------------------------------------- groups of options

    void addProgram(CLI::App& sub) {
        sub.add_option("FILE", options.arguments,
                       "source files, which make one program; - is standard input")
            ->type_name("");
        add.group = "Program";
        add.setting(sub, "--top", "NAME", "start from this stream");
        add.value(sub, "-D", "NAME=VALUE", "value of a parameter of the main stream",
                  [this](const std::string& text) {
                      std::size_t equals = text.find('=');
                      if (equals == 0 || equals == std::string::npos)
                          add.wrongValue(text, "-D", "NAME=VALUE");
                      else
                          add.set("D", text);
                  });
        add.setting(
            sub, "--input", "SHAPE",
            "tensors that arrive: 1x3x224x224, 2x7:long, 3x_x_ with what is open as each file "
            "has it "
            "(repeatable); default: as --in has them");
        add.setting(sub, "--lenient", "warn instead of refusing what old programs do");
        add.value(sub, "--step-limit", "N",
                  "stop after N steps of one body while the graph is built, or of one firing",
                  [this](const std::string& text) {
                      if (add.parseInteger("--step-limit", text)) add.set("step-limit", text);
                  });
        add.setting(sub, "--schedule", "WORD",
                    "order of firings: buffers (default), single-appearance or latency", kOrders);
        add.setting(sub, "--native", "FILE",
                    "take native functions from this shared library (repeatable)");
        addWeights(sub);
        add.setting(sub, "--stdlib", "DIR", "use the *.str of this folder as library");
        add.setting(sub, "-W", "NAME", "warnings: -WNAME, -Wno-NAME, -Wall, -Werror, -Werror=NAME");
        add.setting(sub, "-w", "no warnings");
    }

    void addWeights(CLI::App& sub) {
        add.setting(sub, "--weights", "FILE",
                    "learned values: a safetensors file, or random:SEED; default: FILE.safetensors "
                    "beside FILE.str");
    }

    void addFiles(CLI::App& sub) {
        add.group = "Files of a stream with --top";
        auto file = [&](const char* flag, FileOptions& about, const char* help) {
            add.value(sub, flag, "FILE", help, [&about](const std::string& text) {
                about.name = text;
                about.names.push_back(text);
            });
        };
        auto format = [&](const char* flag, FileOptions& about) {
            add.value(sub, flag, "F",
                      "raw, wav, flac, ogg, opus, npy, text, pcm, u8, s8, cu8, cs8, cs16, cf32, "
                      "sigmf, png, jpeg, pgm or "
                      "safetensors; default: by the name",
                      [this, flag, &about](const std::string& text) {
                          if (!strc_is_format(text.c_str()))
                              add.wrongValue(text, flag,
                                             "raw, wav, flac, ogg, opus, npy, text, pcm, u8, s8, "
                                             "cu8, cs8, cs16, cf32, sigmf, png, "
                                             "jpeg, pgm or safetensors");
                          about.format = text;
                      });
        };
        file("--in", options.in,
             "input file; default: standard input, raw; one for each of several inputs");
        file("--out", options.out,
             "output file; default: standard output, raw (tensors: as text); one for each of "
             "several outputs");
        format("--in-format", options.in);
        format("--out-format", options.out);
        auto size = [&](const char* flag, int& field, const char* help) {
            add.positive(sub, flag, field, help);
        };
        size("--out-rate", options.outRate,
             "WAV: samples a second; default: as the input, or 44100");
        size("--out-channels", options.outChannels,
             "WAV, images: channels; default: as the input or the items");
        size("--out-width", options.outWidth, "images: pixels in a row; default: as the input");
        size("--out-height", options.outHeight, "images: rows; default: as many as come");
        CLI::Option* sample = add.value(
            sub, "--out-sample", "S", "WAV: 8, 16, 24, 32, float or double; images: 8 or 16",
            [this](const std::string& text) {
                if (!isOneOf(kSamples, text))
                    add.wrongValue(text, "--out-sample", valuesOf(kSamples));
                options.outSample = text;
            });
        add.knownValues[sample] = {std::begin(kSamples), std::end(kSamples)};
    }

    void addEmit(CLI::App& sub) {
        add.group = "Compiling";
        add.setting(sub, "-O", "LEVEL", "how much to optimise: -O0, -O1, -O2 (default) or -O3",
                    kLevels);
        add.setting(sub, "--fast-math",
                    "floats faster and less exact: contracted, reassociated, vector functions");
        add.value(sub, "--device", "WORD",
                  "where tensors are computed: cpu (default), cuda, cuda:N or auto",
                  [this](const std::string& text) { setDevice(add, text); });
        add.setting(
            sub, "--kernels", "WORD",
            "products of tensors by generated code (default), onednn, torch, or auto: what is "
            "faster",
            kKernels);
        add.value(sub, "--chunk", "N",
                  "most steady states that a thread does at a time, whether that pays or not; "
                  "default: as "
                  "many as are worth it",
                  [this](const std::string& text) {
                      if (add.parseInteger("--chunk", text, 1, INT32_MAX)) add.set("chunk", text);
                  });
        add.setting(sub, "--profile-use", "FILE",
                    "divide the work among threads by what --profile=FILE has measured");
        addSplit(add, sub);
        add.setting(sub, "-g", "with what debuggers need: lines, variables, instances");
        add.setting(sub, "--check", "WORD", "checks of a running program: all (default) or none",
                    kChecks);
        add.setting(
            sub, "--tapes", "WORD",
            "memory of tapes: linear (default), plain ring buffers to compare with, or arrays "
            "of a program that has become one filter",
            kTapes);
        add.group = "Looking inside";
        addPasses(sub);
        CLI::Option* emit =
            add.value(sub, "--emit", "STAGE", "print this stage and stop: " + valuesOf(kEmits),
                      [this](const std::string& text) {
                          strc_product stage{};
                          if (find(kEmits, text, stage))
                              options.emit = stage;
                          else
                              add.wrongValue(text, "--emit", valuesOf(kEmits));
                      });
        add.knownValues[emit] = listOf(kEmits);
        addOutput(sub);
    }

    void addPasses(CLI::App& sub) {
        auto isPass = [](const base::PassInfo& row) { return row.kind == base::PassKind::Pass; };
        auto isShown = [](const base::PassInfo& row) {
            return row.product != base::PassProduct::None;
        };
        add.value(
            sub, "--disable-pass", "NAME",
            "leave out a pass: " + base::passNames(isPass) + "; repeatable",
            [this, isPass](const std::string& text) { setPass("disable-pass", text, isPass); });
        add.value(
            sub, "--emit-after", "NAME",
            "print what a stage or pass has made, and stop: " + base::passNames(isShown),
            [this, isShown](const std::string& text) { setPass("emit-after", text, isShown); });
        add.value(sub, "--opt-bisect-limit", "N",
                  "do only the first N applications of passes, ours and then LLVM's, and list them",
                  [this](const std::string& text) {
                      if (text == "-1" || add.parseInteger("--opt-bisect-limit", text))
                          add.set("opt-bisect-limit", text);
                  });
        add.setting(sub, "--time-passes",
                    "print on standard error how long stages and passes take");
    }

    void setPass(std::string_view option, const std::string& name,
                 const std::function<bool(const base::PassInfo&)>& fits) {
        std::optional<base::Pass> pass = base::findPass(name);
        if (pass && fits(base::info(*pass))) return add.set(option, currentName(name));
        base::Diagnostic& diag =
            add.wrongValue(name, "--" + std::string(option), base::passNames(fits));
        base::SpellingSearch search(name);
        for (int id = 0; id < static_cast<int>(base::Pass::Count); ++id)
            if (const base::PassInfo& row = base::info(static_cast<base::Pass>(id)); fits(row))
                search.consider(row.name);
        if (!search.best().empty()) diag.note(Diag::DidYouMean) << search.best();
    }

    std::string currentName(const std::string& name) {
        std::string current(base::currentPassName(name));
        if (current != name) formerNames.insert(name);
        return current;
    }

    /// Once for each former name, however often it was given.
    void warnOfFormerNames() {
        bool isOn = true;  // of several -W the last one counts, but -w always
        for (const Setting& each : options.settings)
            if (each.name == "W" && (each.value == "all" || each.value == "renamed-pass"))
                isOn = true;
            else if (each.name == "W" &&
                     (each.value == "no-all" || each.value == "no-renamed-pass"))
                isOn = false;
        for (const Setting& each : options.settings) isOn = isOn && each.name != "w";
        if (!isOn) return;
        for (const std::string& name : formerNames)
            diags.add(Diag::RenamedPass) << name << base::currentPassName(name);
    }

    void addOutput(CLI::App& sub) {
        bool builds = sub.get_name() == "build";
        add.value(sub, "-o", "FILE", builds ? "what to write" : "print to a file",
                  [this](const std::string& text) { options.output = text; });
    }

    // ---------------------------------------------------------------- faults

    /// How faults are to be shown counts even if the call has other faults.
    void lookForReport(const std::vector<std::string>& words) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            auto take = [&](std::string_view flag, const auto& choices, auto& field) {
                if (words[i].starts_with(std::string(flag) + "="))
                    find(choices, std::string_view(words[i]).substr(flag.size() + 1), field);
                else if (words[i] == flag && i + 1 < words.size())
                    find(choices, words[i + 1], field);
            };
            take("--diagnostics", kReports, options.report.json);
            take("--color", kColours, options.report.colour);
            take("--colour", kColours, options.report.colour);
        }
    }

    /// `--name=` would take the next word for its value.
    bool haveValues(const std::vector<std::string>& words) {
        for (const std::string& word : words)
            if (word.starts_with("--") && word.find('=') == word.size() - 1)
                diags.add(Diag::BadCommandLine)
                    << fmt::format("there is no value after '{}'", word);
        return !diags.hasErrors();
    }

    bool isCommand(const std::string& word) {
        const auto subs = app.get_subcommands([](const CLI::App*) { return true; });
        return std::any_of(subs.begin(), subs.end(),
                           [&](const CLI::App* sub) { return sub->get_name() == word; });
    }

    Parsed unknownCommand(const std::string& word) {
        base::Diagnostic& diag = diags.add(Diag::BadCommandLine)
                                 << fmt::format("unknown command '{}'", word);
        if (word.ends_with(".str")) {
            diag.note(Diag::DidYouMean) << "strc run " + word;
            return Parsed::Wrong;
        }
        base::SpellingSearch search(word);
        for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
            search.consider(sub->get_name());
        if (!search.best().empty()) diag.note(Diag::DidYouMean) << search.best();
        return Parsed::Wrong;
    }

    Parsed unexpected() {
        const CLI::App& sub = app.get_subcommands().empty() ? app : *app.get_subcommands()[0];
        std::vector<std::string> extras = app.remaining(true);
        std::string word = extras.empty() ? "" : extras[0];
        if (!word.starts_with('-')) {
            diags.add(Diag::BadCommandLine) << fmt::format("'{}' is one argument too many", word);
            return Parsed::Wrong;
        }
        base::Diagnostic& diag = diags.add(Diag::BadCommandLine)
                                 << fmt::format("unknown option '{}'", word);
        std::vector<std::string> names;
        for (const CLI::Option* each : sub.get_options())
            for (const std::string& name : each->get_lnames()) names.push_back("--" + name);
        std::string wanted = word.substr(0, word.find('='));
        base::SpellingSearch search(wanted);
        for (const std::string& name : names) search.consider(name);
        if (!search.best().empty()) diag.note(Diag::DidYouMean) << search.best();
        return Parsed::Wrong;
    }

    /// Unless --format says it, the ending of the output's name does.
    void chooseGraphFormat() {
        if (showsMemory) return chooseMemoryFormat();
        std::size_t dot = options.output.rfind('.');
        if (formatGiven || options.output.empty() || options.output == "-") return;
        std::string ending = dot == std::string::npos ? "" : options.output.substr(dot + 1);
        if (!find(kPictures, ending, options.picture))
            (diags.add(Diag::UnknownFormat) << options.output).note(Diag::Hint)
                << "graphs are written as .dot, .svg, .json or .txt";
    }

    void chooseMemoryFormat() {
        const bool isJson =
            formatGiven ? options.picture == STRC_GRAPH_JSON : options.output.ends_with(".json");
        if (formatGiven && !isJson && options.picture != STRC_GRAPH)
            conflict("--memory", "--format dot or svg");
        options.picture = isJson ? STRC_MEMORY_JSON : STRC_MEMORY;
    }

    /// The name of the first source file, without its ending; as libraries and folders of plug-ins are called, if it is one.
    void chooseProductName() {
        if (options.output.empty() && !options.arguments.empty()) {
            std::string name = options.arguments[0];
            name = name.substr(name.rfind('/') + 1);
            if (name.ends_with(".str")) options.output = name.substr(0, name.size() - 4);
            if (!options.output.empty()) options.output = productName(options, options.output);
            if (options.output.empty()) diags.add(Diag::BadCommandLine) << "-o FILE is missing";
        }
        auto isOutput = [this](const std::string& file) { return file == options.output; };
        if (std::any_of(options.arguments.begin(), options.arguments.end(), isOutput))
            conflict("-o " + options.output, "the source file of that name");
        if (options.has("header") && options.valueOf("header") == options.output)
            conflict("--header " + options.output, "a library of that name");
    }

    void conflict(std::string_view one, std::string_view other) {
        diags.add(Diag::ConflictingOptions) << one << other;
    }

    void checkTogether() {
        if (options.command == Command::Completion || options.command == Command::Man)
            return checkPages();
        bool needsFiles = options.command != Command::Explain && options.command != Command::Repl &&
                          options.command != Command::Version &&
                          options.command != Command::Controls;
        if (needsFiles && options.arguments.empty()) diags.add(Diag::NoInputFiles);
        auto standardInputs = std::count(options.arguments.begin(), options.arguments.end(), "-");
        if (standardInputs > 1) conflict("'-'", "a second '-'");
        if (options.command == Command::Opt && options.arguments.size() > 1)
            diags.add(Diag::BadCommandLine)
                << fmt::format("'{}' is one argument too many", options.arguments[1]);
        if (options.command == Command::Fmt) {
            if (options.write && options.check) conflict("--write", "--check");
            if (options.write && standardInputs > 0) conflict("--write", "'-'");
        }
        auto exclude = [this](bool both, std::string_view one, std::string_view other) {
            if (both) conflict(one, other);
        };
        const bool interprets = options.has("interpret");
        exclude(options.emit && options.has("emit-after"), "--emit", "--emit-after");
        exclude(interprets && options.valueOf("check") == "none", "--interpret", "--check=none");
        exclude(interprets && options.valueOf("tapes") == "ring", "--interpret", "--tapes=ring");
        exclude(interprets && options.has("no-interpret"), "--interpret", "--no-interpret");
        exclude(options.has("shared") && options.has("static"), "--shared", "--static");
        exclude(options.has("shared") && options.has("external-weights"), "--shared",
                "--external-weights");
        exclude(options.has("shared") && options.has("bundle"), "--shared", "--bundle");
        exclude(options.emit && options.has("bundle"), "--emit", "--bundle");
        exclude(options.has("shared") && options.has("profile"), "--shared", "--profile");
        const bool isSource = options.emit == STRC_C_SOURCE;
        exclude(isSource && options.has("shared"), "--emit=c", "--shared");
        if (isSource && options.has("header") && options.valueOf("header") == options.output)
            conflict("--header " + options.output, "a source of that name");
        checkProduct(options, diags);
        checkRanks(options, diags);
        if (options.has("emit-after")) options.emit = STRC_AFTER_PASS;
        if (options.command == Command::Graph) chooseGraphFormat();
        if (options.command == Command::Build && !options.emit) chooseProductName();
        bool printsStage = options.emit || options.command == Command::Opt ||
                           options.command == Command::Build || options.command == Command::Graph ||
                           options.command == Command::Schedule;
        if (!options.output.empty() && !printsStage)
            diags.add(Diag::BadCommandLine) << "-o needs --emit";
    }

    /// One shell; at most one command.
    void checkPages() {
        const std::vector<std::string>& given = options.arguments;
        const bool isMan = options.command == Command::Man;
        if (given.size() > 1)
            diags.add(Diag::BadCommandLine)
                << fmt::format("'{}' is one argument too many", given[1]);
        else if (isMan && !given.empty() && !isCommand(given[0]))
            unknownCommand(given[0]);
        else if (!isMan && given.empty())
            diags.add(Diag::BadCommandLine) << "there is no SHELL: " + valuesOf(kShells);
        else if (!isMan && !isOneOf(kShells, given[0]))
            add.wrongValue(given[0], "SHELL", valuesOf(kShells));
    }

    Options& options;
    base::Diagnostics& diags;
    OptionAdder add;
    CLI::App app;
    std::set<std::string> formerNames;  ///< of passes
    bool formatGiven = false;
    bool showsMemory = false;
    std::string group = "Options";  ///< of the options being added, in the help text
};

}  // namespace

const Setting* Options::find(std::string_view name) const {
    auto found = std::find_if(settings.rbegin(), settings.rend(),
                              [&](const Setting& each) { return each.name == name; });
    return found == settings.rend() ? nullptr : &*found;
}

CommandTable commandTable() {
    Options options;
    base::Diagnostics diags;
    return Parser(options, diags).table();
}

Parsed parseOptions(int argc, const char* const* argv, Options& options, base::Diagnostics& diags,
                    std::ostream& out) {
    return Parser(options, diags).parse(argc, argv, out);
}

}  // namespace strc::driver
