// :help
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "repl/detail/commands.h"

namespace strc::repl {

namespace {

constexpr std::string_view kIntroduction =
    R"(Declare streams, structs and helper packages as in a file:
  int->int filter Twice { work pop 1 push 1 { push(2 * pop()); } }
Compute:
  2 * pi * 440 / 44100
  int n = 3
  n = n + 1
Run streams:
  Twice <- [1, 2, 3]              feeds items and shows what comes out
  take 10 Ramp() | Scale(2)       10 items of a source through a filter
  s = Twice | Twice               a stream with a name; it stays as it is between lines
  s <- [4, 5]                     goes on where it stopped
  <- [6]                          feeds the present stream
  s <- "in.wav" -> "out.wav"      files
  s <- [1 .. 100] -> result       into a variable
Tensors:
  tensor x = {{1, 2}, {3, 4}}     a variable, as are results
  relu() <- x                     what is fed says the shapes
Ctrl-C stops what runs.

)";

struct Topic {
    std::array<std::string_view, 4> names;  ///< the first is the one that is listed
    std::string_view text;
};

constexpr std::array kTopics = std::to_array<Topic>({
    {{"take"},
     R"(take N STREAM
  runs a stream until N items have come out of it. N is an expression. Without STREAM it is the present one, which goes
  on where it stopped. A stream without an output counts printed lines.
For example
  take 10 Ramp()
  take 2 * n Ramp() | Scale(2)
  take 5
)"},
    {{"<-", "feed", "source"},
     R"(STREAM <- SOURCE
  feeds items to a stream; without STREAM to the present one. What does not come out yet stays in its channels.
For example
  Scale(2) <- [1, 2.5]
  <- [3]
  s <- [1 .. 100]
  s <- values              a variable: an array item by item
  s <- "in.wav"            a file: .wav .npy .csv .pcm .pgm .png .txt .raw
  relu() <- x              a tensor, whose shape the stream is made for: ':help tensors'
)"},
    {{"->", "sink"},
     R"(STREAM … -> SINK
  puts what comes out into a file or into a variable, which becomes an array.
For example
  take 8000 SineSource(8000, 440) -> "a.wav"
  Scale(2) <- "in.npy" -> "out.npy"
  Scale(2) <- [1, 2] -> result
)"},
    {{"|", "pipeline", "pipelines"},
     R"(STREAM | STREAM …
  connects streams; each is written as after 'add'.
For example
  take 5 Ramp() | Scale(2) | FloatToInt()
  s = Scale(2) | float->float filter { work pop 1 push 1 { push(pop() + 1); } }
)"},
    {{"streams", "stream", "="},
     R"(NAME = STREAM
  a stream with a name, which stays as it is between lines: its fields, and what lies in its channels.
For example
  s = Scale(2)
  s <- [1, 2]
  :where
)"},
    {{"variables", "variable", "values"},
     R"(TYPE NAME = EXPRESSION
  a variable that lasts. Streams see it as a constant, with the value that it has when they are made.
For example
  int n = 3
  n = n + 1
  float[2] f = {0.5, 1}
  :list
)"},
    {{"tensors", "tensor"},
     R"(tensor NAME = EXPRESSION
  a tensor, shown as NumPy does. All functions of tensors may be used here, and filters see it as a constant. A stream
  whose declaration leaves shapes open gets them from what feeds it first: a tensor, a list of them, an array, or a
  file: .npy .safetensors .png .jpg .pgm
For example
  tensor x = {{1, 2, 3}, {4, 5, 6}}
  matmul(x, transpose(x, 0, 1))
  x[0, 1]
  s = softmax(1)
  s <- x
  s <- [x + 1, 2 * x] -> y       several items become a tensor with a dimension more
  relu() <- "picture.png" -> "out.npy"
)"},
    {{"functions", "function", "helper"},
     R"(helper NAME { FUNCTIONS }
  a package of functions, which are called by both names.
For example
  helper Math { int square(int x) { return x * x; } }
  Math.square(7)
)"},
    {{"filters", "filter", "declarations"},
     R"(TYPE->TYPE filter NAME { … }
  declares a stream, over as many lines as it takes; pipeline, splitjoin, feedbackloop and struct likewise. A new
  declaration of a name replaces the old one.
For example
  int->int filter Sum {
      int sum;
      work pop 1 push 1 { sum += pop(); push(sum); }
  }
  int->int pipeline Twice { add Sum; add Sum; }
)"},
});

const Topic* findTopic(std::string_view name) {
    if (name.empty()) return nullptr;
    for (const Topic& each : kTopics)
        if (std::find(each.names.begin(), each.names.end(), name) != each.names.end()) return &each;
    return nullptr;
}

}  // namespace

std::vector<std::string_view> helpTopics() {
    std::vector<std::string_view> names;
    for (const Topic& each : kTopics) names.push_back(each.names.front());
    return names;
}

void helpCommand(State& state, const Input&, const Input& arguments) {
    if (arguments.text().empty()) {
        std::string text(kIntroduction);
        text += "Commands:\n";
        for (const Command& each : commands())
            text += fmt::format("  {:<38}{}\n", fmt::format("{} {}", each.name, each.arguments),
                                each.about);
        text += "Topics:\n ";
        for (std::string_view each : helpTopics()) text += fmt::format(" {}", each);
        state.output.show(text + "\n`:help COMMAND` and `:help TOPIC` have examples.\n");
        return;
    }
    if (const Topic* topic = findTopic(arguments.text()))
        return state.output.show(std::string(topic->text));
    const bool hasColon = arguments.text().starts_with(':');
    const std::string name = fmt::format("{}{}", hasColon ? "" : ":", arguments.text());
    const Command* found = findCommand(name);
    if (!found) state.output.fail(arguments, whyNone(name));
    state.output.show(fmt::format("{} {}\n  {}\nFor example\n{}\n", found->name, found->arguments,
                                  found->about, found->more));
}

}  // namespace strc::repl
