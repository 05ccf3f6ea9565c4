// The header of a library.
#include <algorithm>

#include <fmt/format.h>

#include "csource/types.h"
#include "executable/library.h"
#include "graph/turns.h"
#include "io/tensors.h"

namespace strc::executable {
namespace {

constexpr const char* kTop = R"(/* {0}: a stream program, {1}->{2}, made by `strc build --shared`.
 *
 * A handle holds all that changes: different handles may be used at the same time, one handle by one thread
 * at a time. After {0}_create nothing allocates, locks, enters the system or ends the process{3}.
 * Every call takes at most {0}_STACK_BYTES of the stack.
 */
)";

constexpr const char* kSourceTop =
    R"(/* {0}: a stream program, {1}->{2}, made by `strc build --emit=c`.
 *
 * A handle holds all that changes: different handles may be used at the same time, one handle by one thread
 * at a time. Nothing allocates, locks, enters the system or ends the process.
 */
)";

constexpr const char* kGuard = R"(#ifndef STRC_{0}_H
#define STRC_{0}_H

)"
                               "#include <stddef.h>\n"
                               "#include <stdint.h>\n"
                               R"(
#ifdef __cplusplus
extern "C" {{
#endif

)";

constexpr const char* kRates = R"(
/* The program works in steady states: each takes BLOCK_IN items and gives BLOCK_OUT. Before the first one it
 * takes FIRST_IN and gives FIRST_OUT. */
#define {0}_BLOCK_IN {1}
#define {0}_BLOCK_OUT {2}
#define {0}_FIRST_IN {3}
#define {0}_FIRST_OUT {4}
/* In input items: who wants BLOCK_OUT items for each BLOCK_IN from the start has to give so many more before. */
#define {0}_LATENCY {5}
)";

constexpr const char* kDynamic = R"(
/* How many items come of how many others the items decide. */
)";

constexpr const char* kBound =
    R"(/* So many items wait in a queue of the program at most, and so many messages for one filter: more are a fault. */
#define {0}_BOUND {1}
)";

constexpr const char* kStack = R"(#define {0}_STACK_BYTES {1}
/* {0}_process_many keeps the states of instances that go on together on the stack, too. */
#define {0}_MANY_STACK_BYTES {2}

)";

constexpr const char* kFunctions = R"(typedef struct {0}_handle {0}_handle;

enum {{
    {0}_OK = 0,
    {0}_FAULT = 1, /* a check of the program failed: {0}_message says which */
    {0}_MEMORY = 2, /* there is not enough */
    {0}_PROCESSOR = 3, /* this one lacks what the code was made for */
    {0}_CALL = 4, /* an argument is wrong */
    {0}_TRUNCATED = 5, /* the end of a saved state is missing */
    {0}_DAMAGED = 6, /* this is no saved state, or it has changed */
    {0}_OTHER_PROGRAM = 7, /* it is the state of another program */
    {0}_NEWER = 8 /* it was saved by a newer version of strc */
}};

/* NULL if there is no memory or no such processor; *status (which may be NULL) says which. */
{0}_handle *{0}_create(int *status);
void {0}_destroy({0}_handle *);

/* Takes up to in_count items and gives up to out_capacity. The result is the same however the input is cut into
 * pieces. All of it is taken if there is room for what comes of it; {4}
 * *consumed and *produced (which may be
 * NULL) say how many there were, also if the value is not {0}_OK. After {0}_FAULT all calls fail until
 * {0}_reset. An array of no items may be NULL. */
int {0}_process({0}_handle *, const {1} *in, size_t in_count, {2} *out, size_t out_capacity,
{3}size_t *consumed, size_t *produced);

/* {0}_process for `count` handles, all different: handle k takes up to in_count items of in[k], and gives up to out_capacity to out[k];
 * consumed[k] and produced[k] (either array may be NULL) say how many. The results are those of one call after the other, to
 * the bit. The value is that of the first handle that fails; the others go on. */
int {0}_process_many({0}_handle *const *handles, size_t count, const {1} *const *in, size_t in_count,
{3}     {2} *const *out, size_t out_capacity, size_t *consumed, size_t *produced);

/* The input is over, and {0}_process has taken all of it: gives what can still be computed of the items inside, up to
 * out_capacity; the rest comes in further calls, until *produced is less. From then on {0}_process is {0}_CALL
 * until {0}_reset. */
int {0}_drain({0}_handle *, {2} *out, size_t out_capacity, size_t *produced);

/* As it was after {0}_create, but for the parameters. */
void {0}_reset({0}_handle *);

/* The state as data: a saved one is what its program goes on from, in another process or on another machine, too.
 * {0}_state_size: bytes that it takes at most, a constant.
 * {0}_save: `to` has room for so many; *size says how many there are. It is {0}_FAULT after a fault.
 * {0}_restore: goes on from there, with the parameters that were set then; unless it is {0}_OK nothing has changed. */
size_t {0}_state_size(const {0}_handle *);
int {0}_save({0}_handle *, void *to, size_t room, size_t *size);
int {0}_restore({0}_handle *, const void *from, size_t size);
/* Another handle with the same state. NULL: *status (which may be NULL) says why, as of {0}_create and {0}_save. */
{0}_handle *{0}_clone({0}_handle *, int *status);

/* Why the last call failed: one line, which lives as long as the handle; "" if it did not. */
const char *{0}_message(const {0}_handle *);
)";

constexpr const char* kThreads = R"(
/* The library was built for {1} threads: {0}_create makes helpers, which do parts of what {0}_process has to do. They spin for
 * some time and then sleep. {0}_process enters the system to wake them, and to wait when one of them has been
 * held up for 0.1 ms, but for nothing else. */
enum {{ {0}_REFUSED = 9 /* the system refuses what {0}_message says; all else is as it was asked for */ }};
#define {0}_THREADS {1}

/* How they work. Zeros are the defaults. */
typedef struct {0}_thread_options {{
    size_t size; /* sizeof({0}_thread_options) */
    uint32_t threads; /* that take part, that of the caller included; 0: {0}_THREADS, 1: no helpers */
    int32_t priority; /* of helpers, by SCHED_FIFO: 1 to 99; 0: like other threads */
    uint32_t spin; /* microseconds for which a helper looks for the next block before it sleeps; 0: 50 */
    const int32_t *processors; /* of each helper; -1: any; NULL: any for all */
}} {0}_thread_options;
/* Between two calls, by a thread that may wait. NULL: as after {0}_create. */
int {0}_threads({0}_handle *, const {0}_thread_options *);

/* What thread number `thread` has done, 0 being that of the caller. {0}_CALL: there is no such thread. */
typedef struct {0}_report {{
    size_t size; /* sizeof({0}_report) */
    uint64_t blocks; /* that were shared */
    uint64_t joined; /* of these it did something in so many */
    uint64_t late; /* so many ended later since it had been held up */
    uint64_t worst; /* nanoseconds that the caller once waited for it */
    const char *filter; /* that it was at then; "" if the caller never waited for it */
}} {0}_report;
int {0}_thread_report({0}_handle *, uint32_t thread, {0}_report *to);
)";
constexpr const char* kEnds = R"(
/* {1}: they take turns in {0}_process. Here each has an array of its own, from the
 * first on: `done` says how many of its `count` items were taken, or given. A call takes and gives as {0}_process does, as
 * far as the turns reach. The same handle may be called in both ways. */
#define {0}_INPUTS {2}
#define {0}_OUTPUTS {3}
{4}int {0}_process_ends({0}_handle *, {5}*inputs, {6}*outputs);
/* {0}_drain in the same way. */
int {0}_drain_ends({0}_handle *, {6}*outputs);
)";

constexpr const char* kInputEnd = R"(typedef struct {0}_input {{
    const {0}_in *items;
    size_t count, done;
}} {0}_input;
)";
constexpr const char* kOutputEnd = R"(typedef struct {0}_output {{
    {0}_out *items;
    size_t count, done;
}} {0}_output;
)";

/// What is not taken, or not given.
constexpr const char* kWaits = R"(what is taken but too little for a
 * steady state, and what finds no room, waits inside for the next call.)";
constexpr const char* kWaitsBounded = R"(what finds no room waits inside,
 * and the items behind it stay with the caller: a call with room for more, and the rest of the input or none, goes on.)";

constexpr const char* kSet = R"(
/* Parameters: firings from now on see the value. What init makes of it is computed again, state is kept.
 * {0}_FAULT: the program refuses the value: {0}_message says why, the old one stays, and {0}_process goes on. */
int {0}_set({0}_handle *, int parameter, const void *value, size_t size);
)";

constexpr const char* kSetter = R"(enum {{ {0}_parameter_{1} = {2} }};
static inline int {0}_set_{1}({0}_handle *self, {3} value) {{
    return {0}_set(self, {0}_parameter_{1}, &value, sizeof value);
}}
)";

constexpr const char* kMake = R"(
/* {0}_create gives one of {0}_HANDLES handles of the program's: 1, unless the source is compiled with another number. It is not
 * for several threads at once. Other handles lie in memory of the caller's, of so many bytes, aligned as for any type. */
#define {0}_BYTES {1}
{0}_handle *{0}_make(void *memory);
)";

constexpr const char* kSourceSetter = R"(enum {{ {0}_parameter_{1} = {2} }};
int {0}_set_{1}({0}_handle *, {3} value);
)";

constexpr const char* kBottom = R"(
#ifdef __cplusplus
}
#endif
#endif
)";

const graph::Edge* endOf(const graph::Graph& graph, graph::EdgeId edge) {
    return edge == graph::kNone ? nullptr : &graph.edges[edge];
}

std::string nameOf(const graph::Edge* end) {
    if (!end) return "void";
    return end->tensors.empty() ? types::toString(end->type) : io::allOf(end->tensors);
}

std::string steadyStates(const Program& program) {
    const Rates rates = ratesOf(program.plan);
    return fmt::format(kRates, program.mainStream, rates.in, rates.out, rates.firstIn,
                       rates.firstOut, rates.latency());
}

/// "8 items of input 1, then 3 items of input 2"
std::string told(const std::vector<std::uint64_t>& turns, std::string_view side) {
    std::string text;
    for (std::size_t k = 0; k < turns.size(); ++k)
        text += fmt::format("{}{} item{} of {} {}", k == 0 ? "" : ", then ", turns[k],
                            turns[k] == 1 ? "" : "s", side, k + 1);
    return text;
}

std::string turnMacros(const std::string& name, const std::vector<std::uint64_t>& turns,
                       std::string_view side) {
    std::string text;
    for (std::size_t k = 0; k < turns.size(); ++k)
        text += fmt::format("#define {}_{}{}_TURN {}\n", name, side, k + 1, turns[k]);
    return text;
}

/// An array for each input and output, if there are several. Empty: there is one of each at most.
std::string ends(const Program& program, bool hasInput, bool hasOutput) {
    const graph::Graph& whole = *program.whole;
    const std::vector<std::uint64_t> in = graph::turnsOf(whole, true);
    const std::vector<std::uint64_t> out = graph::turnsOf(whole, false);
    const std::string& name = program.mainStream;
    if (in.empty() && out.empty()) return {};
    std::string about = told(in, "input");
    if (!out.empty()) about += (in.empty() ? "" : "; ") + told(out, "output");
    const std::string macros = turnMacros(name, in, "IN") + turnMacros(name, out, "OUT");
    const std::string types = (hasInput ? fmt::format(kInputEnd, name) : "") +
                              (hasOutput ? fmt::format(kOutputEnd, name) : "");
    return fmt::format(kEnds, name, about, hasInput ? std::max<std::size_t>(in.size(), 1) : 0,
                       hasOutput ? std::max<std::size_t>(out.size(), 1) : 0, macros + types,
                       hasInput ? name + "_input " : "void ",
                       hasOutput ? name + "_output " : "void ");
}

/// What is not the same in all headers.
struct Variant {
    const char *top, *setter;
    std::string stack, make;
};

std::string header(const Program& program, const Variant& variant) {
    const graph::Graph& graph = program.plan.program->graph;
    const std::string& name = program.mainStream;
    const graph::Edge* in = endOf(graph, graph.input);
    const graph::Edge* out = endOf(graph, graph.output);
    csource::Types types(name);
    if (in) types.declareItem(*in, "in");
    if (out) types.declareItem(*out, "out");
    std::string setters;
    const std::vector<types::Value>& values = program.plan.program->openValues;
    for (std::size_t slot = 0; slot < values.size(); ++slot) {
        const std::string type = types.name(values[slot].type);
        setters += fmt::format(fmt::runtime(variant.setter), name, program.module.open[slot].name,
                               slot, type);
    }
    const bool isDynamic = program.plan.demand.has_value();
    const std::string indent(name.size() + 13, ' ');
    const char* threads = program.threads > 1 ? ", but for {0}_threads and what stands there" : "";
    return fmt::format(fmt::runtime(variant.top), name, nameOf(in), nameOf(out),
                       fmt::format(fmt::runtime(threads), name)) +
           fmt::format(kGuard, name) + types.text + (isDynamic ? kDynamic : steadyStates(program)) +
           (program.bound ? fmt::format(kBound, name, *program.bound) : "") + variant.stack +
           fmt::format(kFunctions, name, in ? name + "_in" : "void", out ? name + "_out" : "void",
                       indent, isDynamic ? kWaitsBounded : kWaits) +
           ends(program, in != nullptr, out != nullptr) +
           (program.threads > 1 ? fmt::format(kThreads, name, program.threads) : "") +
           variant.make + (values.empty() ? "" : fmt::format(kSet, name) + setters) + kBottom;
}

}  // namespace

std::string libraryHeader(const Program& program, std::uint64_t codeBytes) {
    const std::uint64_t one = stackBytes(program, codeBytes);
    const std::string stack =
        fmt::format(kStack, program.mainStream, one, one + program.lanesBytes);
    return header(program, {kTop, kSetter, stack, ""});
}

std::string sourceHeader(const Program& program, std::int64_t handleBytes) {
    return header(program, {kSourceTop, kSourceSetter, "\n",
                            fmt::format(kMake, program.mainStream, handleBytes)});
}

}  // namespace strc::executable
