// Programs that run in this process, between functions of the caller.
#include "host/run.h"

#include <algorithm>
#include <cstring>

#include "api/compiler.h"

namespace {

using strc::base::Result;
using strc::base::Status;
using strc::session::Stage;

class Reader : public strc::io::ItemReader {
public:
    explicit Reader(const strc_run_options& wanted) : options(wanted) {}
    Result<std::size_t> read(std::byte* to, std::size_t count) override {
        return options.read ? std::min(options.read(options.user, to, count), count)
                            : std::size_t{0};
    }
    bool rewind() override { return false; }

private:
    const strc_run_options& options;
};

class Writer : public strc::io::ItemWriter {
public:
    explicit Writer(const strc_run_options& wanted) : options(wanted) {}
    Status write(const std::byte* from, std::size_t count) override {
        if (!options.write || options.write(options.user, from, count) == 0)
            return strc::base::ok();
        enough = true;
        return strc::base::failure(strc::base::Diag::CannotWriteFile, {"the output", "enough"});
    }
    Status flush() override { return strc::base::ok(); }
    Status close() override { return strc::base::ok(); }
    bool readerGone() const override { return enough; }

private:
    const strc_run_options& options;
    bool enough = false;
};

class Run {
public:
    Run(strc_compiler& compiler, const strc_run_options& wanted)
        : compiler(compiler), options(wanted), reader(wanted), writer(wanted) {}

    strc_run_result operator()() {
        strc::interp::Options how = makeOptions();
        if (!compiler.triedCode && !compiler.settings.interpret) {
            compiler.triedCode = true;
            strc::codegen::Options here = strc::session::codegenOptions(compiler.settings);
            here.target.clear();  // what is built may be for another machine
            here.processor.clear();
            compiler.code = strc::session::makeCode(compiler.program, here);
        }
        const bool compiled = compiler.code && strc::host::whyNot(how).empty();
        const strc::interp::Outcome outcome =
            strc::session::run(compiler.program, compiled ? &*compiler.code : nullptr, how);
        auto count = [](std::int64_t number) { return static_cast<std::uint64_t>(number); };
        return {endOf(outcome.end),        compiled,
                count(outcome.iterations), count(outcome.firings),
                count(outcome.itemsRead),  count(outcome.itemsWritten),
                count(outcome.itemsLeft)};
    }

private:
    strc::interp::Options makeOptions() {
        strc::interp::Options how;
        auto most = [](std::uint64_t count) {
            return static_cast<std::int64_t>(std::min<std::uint64_t>(count, INT64_MAX));
        };
        if (options.iterations != 0) how.iterations = most(options.iterations);
        if (options.limit != 0) how.limit = most(options.limit);
        if (options.seconds > 0) how.seconds = options.seconds;
        how.padTail = options.pad_tail != 0;
        how.cFormat = options.c_format != 0;
        how.lenient = compiler.settings.lenient;
        if (compiler.settings.stepLimit) how.stepLimit = *compiler.settings.stepLimit;
        how.natives = &compiler.program.natives;
        how.interrupt = compiler.interrupt;
        how.print = [this](std::string_view text) {
            if (options.print) options.print(options.user, text.data(), text.size());
        };
        const strc::graph::Graph& graph = compiler.program.elaboration.graph;
        how.inputName = "the input";
        if (graph.input != strc::graph::kNone) how.input = &reader;
        if (graph.output != strc::graph::kNone) how.output = &writer;
        return how;
    }

    static strc_run_end endOf(strc::interp::End end) {
        using strc::interp::End;
        switch (end) {
            case End::Iterations: return STRC_RUN_ITERATIONS;
            case End::Limit: return STRC_RUN_LIMIT;
            case End::Seconds: return STRC_RUN_SECONDS;
            case End::EndOfInput: return STRC_RUN_INPUT;
            case End::NoProgress: return STRC_RUN_NO_PROGRESS;
            case End::Interrupted: return STRC_RUN_INTERRUPTED;
            case End::Failed: return STRC_RUN_FAILED;
        }
        return STRC_RUN_FAILED;
    }

    strc_compiler& compiler;
    const strc_run_options& options;
    Reader reader;
    Writer writer;
};

/// The two arrays of strc_compiler_run_items.
struct Arrays {
    const unsigned char* in;
    std::size_t inCount, inSize;
    unsigned char* out;
    std::size_t room, outSize, produced;
};

std::size_t readArray(void* user, void* to, std::size_t count) {
    auto& arrays = *static_cast<Arrays*>(user);
    const std::size_t items = std::min(count, arrays.inCount);
    if (items == 0) return 0;
    std::memcpy(to, arrays.in, items * arrays.inSize);
    arrays.in += items * arrays.inSize;
    arrays.inCount -= items;
    return items;
}

int writeArray(void* user, const void* from, std::size_t count) {
    auto& arrays = *static_cast<Arrays*>(user);
    const std::size_t items = std::min(count, arrays.room - arrays.produced);
    if (items != 0)
        std::memcpy(arrays.out + arrays.produced * arrays.outSize, from, items * arrays.outSize);
    arrays.produced += items;
    return 0;
}

}  // namespace

strc_status strc_compiler_run(strc_compiler* compiler, const strc_run_options* wanted,
                              strc_run_result* to) {
    if (!compiler || !wanted || wanted->size == 0 || compiler->hasFailed ||
        compiler->stage < Stage::Planned)
        return STRC_WRONG_CALL;
    return strc::api::guarded(compiler, [&] {
        strc_run_options options{};  // of an older caller: what it does not know is not asked for
        std::memcpy(&options, wanted, std::min(wanted->size, sizeof options));
        const strc_run_result result = Run(*compiler, options)();
        if (to) *to = result;
        const bool errors = strc::api::tell(compiler->program.context, compiler->told);
        return errors || result.end == STRC_RUN_FAILED ? STRC_FAILED : STRC_OK;
    });
}

strc_status strc_compiler_run_items(strc_compiler* compiler, const void* in, size_t in_count,
                                    void* out, size_t out_capacity, size_t* produced) {
    if (produced) *produced = 0;
    strc_items input, output;
    if ((!in && in_count != 0) || (!out && out_capacity != 0) ||
        strc_compiler_input(compiler, &input) != STRC_OK ||
        strc_compiler_output(compiler, &output) != STRC_OK || (!input.type && out_capacity == 0))
        return STRC_WRONG_CALL;
    Arrays arrays{static_cast<const unsigned char*>(in),
                  in_count,
                  input.size,
                  static_cast<unsigned char*>(out),
                  out_capacity,
                  output.size,
                  0};
    strc_run_options options{};
    options.size = sizeof options;
    options.limit = out_capacity;
    options.user = &arrays;
    options.read = readArray;
    options.write = writeArray;
    const strc_status status = strc_compiler_run(compiler, &options, nullptr);
    if (produced) *produced = arrays.produced;
    return status;
}
