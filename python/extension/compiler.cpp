#include "compiler.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace strc_python {
namespace {

using Turn = std::lock_guard<std::mutex>;

void check(strc_status status, const char* what) {
    if (status == STRC_NO_MEMORY) throw std::bad_alloc();
    if (status == STRC_WRONG_CALL) throw WrongCall(what);
}

void keepText(void* user, const char* text, std::size_t size) {
    static_cast<std::string*>(user)->append(text, size);
}

const char* wordOf(strc_diagnostic_severity severity) {
    switch (severity) {
        case STRC_SEVERITY_NOTE: return "note";
        case STRC_SEVERITY_WARNING: return "warning";
        case STRC_SEVERITY_ERROR: return "error";
    }
    return "error";
}

Diagnostic copied(const strc_diagnostic& found) {
    return {wordOf(found.severity), found.code,      found.message,    found.file ? found.file : "",
            found.instance,         found.text,      found.begin.line, found.begin.column,
            found.end.line,         found.end.column};
}

/// What a run reads and writes.
struct Ends {
    const unsigned char* in;
    std::size_t left, inSize, outSize;  ///< bytes
    std::vector<unsigned char>* out;
    std::string* printed;
};

std::size_t readItems(void* user, void* to, std::size_t count) {
    Ends& ends = *static_cast<Ends*>(user);
    const std::size_t bytes = std::min(count, ends.left / ends.inSize) * ends.inSize;
    std::memcpy(to, ends.in, bytes);
    ends.in += bytes;
    ends.left -= bytes;
    return bytes / ends.inSize;
}

int writeItems(void* user, const void* from, std::size_t count) {
    Ends& ends = *static_cast<Ends*>(user);
    const auto* begin = static_cast<const unsigned char*>(from);
    try {
        ends.out->insert(ends.out->end(), begin, begin + count * ends.outSize);
    } catch (const std::bad_alloc&) {  // C calls: nothing may be thrown
        return 1;
    }
    return 0;
}

void printText(void* user, const char* text, std::size_t size) {
    static_cast<Ends*>(user)->printed->append(text, size);
}

}  // namespace

Compiler::Compiler() : handle(strc_compiler_new()) {
    if (!handle) throw std::bad_alloc();
    strc_compiler_set_interrupt(handle, &stop);
}

Compiler::~Compiler() { strc_compiler_free(handle); }

void Compiler::addSource(const std::string& name, const std::string& text) {
    const Turn mine(turn);
    check(strc_compiler_add_source(handle, name.c_str(), text.data(), text.size()), "add_source");
}

void Compiler::addFile(const std::string& path) {
    const Turn mine(turn);
    check(strc_compiler_add_file(handle, path.c_str()), "add_file");
}

bool Compiler::set(const std::string& option, const std::string* value) {
    const Turn mine(turn);
    const strc_status status =
        strc_compiler_set(handle, option.c_str(), value ? value->c_str() : nullptr);
    if (status == STRC_NO_MEMORY) throw std::bad_alloc();
    return status == STRC_OK;
}

void Compiler::addWeights(const std::string& name, const std::string& element,
                          const std::vector<std::int64_t>& shape, Bytes values) {
    const Turn mine(turn);
    const strc_tensor tensor{element.c_str(), shape.size(), shape.data(), values.size};
    check(strc_compiler_add_weights(handle, name.c_str(), &tensor, values.data), "add_weights");
}

bool Compiler::compile(int stage) {
    const Turn mine(turn);
    const strc_status status =
        strc_compiler_compile(handle, static_cast<strc_stage>(stage), keepText, &printed);
    check(status, "compile");
    return status == STRC_OK;
}

std::string Compiler::takePrinted() {
    const Turn mine(turn);
    return std::exchange(printed, {});
}

std::vector<Diagnostic> Compiler::diagnostics(std::size_t from) const {
    const Turn mine(turn);
    std::vector<Diagnostic> found;
    strc_diagnostic next;
    for (; strc_compiler_diagnostic(handle, from, &next) == STRC_OK; ++from)
        found.push_back(copied(next));
    return found;
}

const std::string* Compiler::text(int product) {
    const Turn mine(turn);
    std::size_t size = 0;
    const char* text = strc_compiler_text(handle, static_cast<strc_product>(product), &size);
    if (!text) return nullptr;
    made.assign(text, size);
    return &made;
}

std::unique_ptr<End> Compiler::end(bool isInput) const {
    const Turn mine(turn);
    strc_items items{};
    check(isInput ? strc_compiler_input(handle, &items) : strc_compiler_output(handle, &items),
          "input");
    if (!items.type) return nullptr;
    auto found = std::make_unique<End>();
    found->type = items.type;
    found->size = items.size;
    const char* layout =
        isInput ? strc_compiler_input_layout(handle) : strc_compiler_output_layout(handle);
    found->layout = layout ? layout : "";
    const auto tensorOf = isInput ? strc_compiler_input_tensor : strc_compiler_output_tensor;
    strc_tensor tensor;
    for (std::size_t k = 0; tensorOf(handle, k, &tensor) == STRC_OK; ++k)
        found->tensors.push_back({tensor.element, {tensor.dims, tensor.dims + tensor.rank}});
    const auto turnOf = isInput ? strc_compiler_input_turn : strc_compiler_output_turn;
    std::size_t inTurn = 0;
    for (std::size_t k = 0; turnOf(handle, k, &inTurn) == STRC_OK; ++k)
        found->turns.push_back(inTurn);
    return found;
}

Compiler::Run Compiler::run(Bytes in, const std::uint64_t* iterations, const std::uint64_t* limit) {
    const Turn mine(turn);
    Run run;
    strc_items input{}, output{};
    check(strc_compiler_input(handle, &input), "run");
    check(strc_compiler_output(handle, &output), "run");
    Ends ends{static_cast<const unsigned char*>(in.data),
              in.size,
              std::max<std::size_t>(input.size, 1),
              output.size,
              &run.output,
              &printed};
    strc_run_options options{};
    options.size = sizeof options;
    options.user = &ends;
    options.print = printText;
    if (input.type) options.read = readItems;
    if (output.type) options.write = writeItems;
    if (iterations) {
        options.iterations = *iterations;
        options.even_zero |= STRC_ZERO_ITERATIONS;
    }
    if (limit) {
        options.limit = *limit;
        options.even_zero |= STRC_ZERO_LIMIT;
    }
    const strc_status status = strc_compiler_run(handle, &options, nullptr);
    check(status, "run");
    run.isFine = status == STRC_OK;
    return run;
}

class Stream::Turns {
public:
    explicit Turns(const Stream& of)
        : program(of.compiler), following(of.next), mine(program->turn, std::defer_lock) {
        if (following) {
            other = std::unique_lock(following->turn, std::defer_lock);
            std::lock(mine, other);
        } else {
            mine.lock();
        }
    }

private:
    std::shared_ptr<Compiler> program, following;
    std::unique_lock<std::mutex> mine, other;
};

Stream::Stream(std::shared_ptr<Compiler> owner) : compiler(std::move(owner)) {
    const Turn mine(compiler->turn);
    check(strc_stream_new(compiler->handle, &handle), "stream");
    if (!handle) return;
    facts.size = sizeof facts;
    strc_stream_tell(handle, &facts);
    strc_stream_set_print(handle, keepText, &compiler->printed);
    strc_items items{};
    if (strc_compiler_input(compiler->handle, &items) == STRC_OK) inSize = items.size;
    if (strc_compiler_output(compiler->handle, &items) == STRC_OK) outSize = items.size;
}

Stream::~Stream() {
    const Turns mine(*this);
    strc_stream_free(handle);
}

Processed Stream::process(Bytes in, Room out) {
    const Turns mine(*this);
    Processed done;
    const strc_status status =
        strc_stream_process(handle, in.data, inSize ? in.size / inSize : 0, out.data,
                            outSize ? out.size / outSize : 0, &done.consumed, &done.produced);
    check(status, "process");
    done.isFine = status == STRC_OK;
    adopt();
    return done;
}

Processed Stream::processItems(const std::vector<const void*>& in, const std::vector<void*>& out) {
    const Turns mine(*this);
    Processed done;
    const strc_status status = strc_stream_process_items(
        handle, in.data(), in.size(), out.data(), out.size(), &done.consumed, &done.produced);
    check(status, "process_items");
    done.isFine = status == STRC_OK;
    adopt();
    return done;
}

std::vector<Processed> Stream::processMany(const std::vector<std::shared_ptr<Stream>>& streams,
                                           const std::vector<const void*>& in,
                                           const std::vector<void*>& out,
                                           std::pair<std::size_t, std::size_t> counts) {
    if (streams.empty()) return {};
    const Turn mine(streams.front()->compiler->turn);
    std::vector<strc_stream*> handles;
    for (const auto& each : streams) handles.push_back(each->handle);
    std::vector<std::size_t> consumed(streams.size()), produced(streams.size());
    const strc_status status =
        strc_stream_process_many(handles.data(), handles.size(), in.data(), counts.first,
                                 out.data(), counts.second, consumed.data(), produced.data());
    check(status, "process_many");
    std::vector<Processed> done;
    for (std::size_t k = 0; k < streams.size(); ++k)
        done.push_back({consumed[k], produced[k], status == STRC_OK});
    return done;
}

void Stream::join(Collective gatherBytes, Collective exchangeBytes) {
    const Turns mine(*this);
    gather = std::move(gatherBytes);
    exchange = std::move(exchangeBytes);
    strc_collectives calls{};
    calls.size = sizeof calls;
    calls.user = this;
    calls.gather = [](void* self, const void* own, std::uint64_t bytes, void* all) {
        return static_cast<Stream*>(self)->gather({own, bytes}, all) ? 0 : 1;
    };
    calls.exchange = [](void* self, const void* out, std::uint64_t bytes, void* in) {
        return static_cast<Stream*>(self)->exchange({out, bytes}, in) ? 0 : 1;
    };
    check(strc_stream_mesh(handle, &calls), "join");
}

void Stream::reset() {
    const Turns mine(*this);
    strc_stream_reset(handle);
}

Stream::Asked Stream::replace(const std::shared_ptr<Compiler>& by, std::uint64_t fade) {
    if (next || by == compiler) return Asked::WrongCall;
    const std::scoped_lock mine(compiler->turn, by->turn);
    if (strc_stream_replace(handle, by->handle, fade) != STRC_OK) return Asked::WrongCall;
    strc_replacement about{};
    about.size = sizeof about;
    check(strc_stream_replacement(handle, 1, &about), "replacement");
    if (about.state == STRC_REPLACING_REFUSED) return Asked::Refused;
    next = by;
    return Asked::Ready;
}

Stream::Replacement Stream::replacement() {
    const Turns mine(*this);
    adopt();
    strc_replacement about{};
    about.size = sizeof about;
    if (strc_stream_replacement(handle, 0, &about) != STRC_OK) return {};
    return {next != nullptr, about.told};
}

void Stream::adopt() {
    strc_replacement about{};
    about.size = sizeof about;
    if (!next || strc_stream_replacement(handle, 0, &about) != STRC_OK ||
        about.state != STRC_REPLACING_DONE)
        return;
    next->printed = compiler->printed + next->printed;
    compiler->printed.clear();
    compiler = std::move(next);
    next = nullptr;
    strc_stream_tell(handle, &facts);
    strc_stream_set_print(handle, keepText, &compiler->printed);
}

Stream::Saved Stream::save(std::vector<unsigned char>& to) {
    const Turns mine(*this);
    std::size_t size = 0;
    to.resize(strc_stream_state_size(handle));
    const strc_status status = strc_stream_save(handle, to.data(), to.size(), &size);
    to.resize(size);
    return status == STRC_OK ? Saved::Fine : status == STRC_FAILED ? Saved::Failed : Saved::None;
}

Stream::Saved Stream::restore(Bytes state) {
    const Turns mine(*this);
    switch (strc_stream_restore(handle, state.data, state.size)) {
        case STRC_OK: return Saved::Fine;
        case STRC_STATE_TRUNCATED: return Saved::Truncated;
        case STRC_STATE_DAMAGED: return Saved::Damaged;
        case STRC_STATE_OTHER_PROGRAM: return Saved::OtherProgram;
        case STRC_STATE_NEWER: return Saved::Newer;
        default: return Saved::None;
    }
}

Processed Stream::position() const {
    const Turns mine(*this);
    std::uint64_t taken = 0, given = 0;
    check(strc_stream_position(handle, &taken, &given), "position");
    return {taken, given, true};
}

bool Stream::set(const std::string& parameter, Bytes value) {
    const Turns mine(*this);
    return strc_stream_set(handle, parameter.c_str(), value.data, value.size) == STRC_OK;
}

}  // namespace strc_python
