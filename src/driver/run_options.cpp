#include "driver/detail/run_options.h"

namespace strc::driver {

namespace {

const char* textOrNull(const std::optional<std::string>& text) {
    return text ? text->c_str() : nullptr;
}

const char* fileOf(const FileOptions& file, bool isThere) {
    return file.name || !isThere ? textOrNull(file.name) : "-";
}

void setBounds(strc_run_options& how, const Options& options) {
    how.iterations = static_cast<std::uint64_t>(options.iterations.value_or(0));
    how.limit = static_cast<std::uint64_t>(options.limit.value_or(0));
    how.seconds = options.seconds.value_or(0);
    how.workers = static_cast<unsigned>(options.workers);
    how.no_tune = options.sharesAlways ? 1 : 0;
    how.profile = options.profile ? 1 : 0;
    if (options.iterations) how.even_zero |= STRC_ZERO_ITERATIONS;
    if (options.limit) how.even_zero |= STRC_ZERO_LIMIT;
    if (options.seconds) how.even_zero |= STRC_ZERO_SECONDS;
    how.c_format = options.cFormat ? 1 : 0;
    how.pad_tail = options.tail == Tail::Pad ? 1 : 0;
    how.drain_tail = options.tail == Tail::Drain ? 1 : 0;
    how.drop_tail = options.tail == Tail::Drop ? 1 : 0;
    how.loop_input = options.loopInput ? 1 : 0;
}

}  // namespace

strc_run_options runOptions(const Options& options, bool hasInput, bool hasOutput) {
    strc_run_options how{};
    how.size = sizeof how;
    setBounds(how, options);
    how.in = fileOf(options.in, hasInput);
    how.in_format = textOrNull(options.in.format);
    how.out = fileOf(options.out, hasOutput);
    how.out_format = textOrNull(options.out.format);
    how.out_sample = textOrNull(options.outSample);
    how.out_rate = options.outRate;
    how.out_channels = options.outChannels;
    how.out_width = options.outWidth;
    how.out_height = options.outHeight;
    return how;
}

}  // namespace strc::driver
