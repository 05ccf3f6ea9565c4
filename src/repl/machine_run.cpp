#include "repl/detail/machine_run.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/own_stack.h"

namespace strc::repl {

using types::Value;

namespace {

constexpr std::uint64_t kMostAtOnce = 4096;  ///< items or lines that wait to be taken
constexpr std::chrono::milliseconds kGlance{10};  ///< between two looks at the interrupt

std::uint64_t countLines(std::string_view text) {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

/// The first lines of it.
std::size_t endOfLines(std::string_view text, std::uint64_t lines) {
    std::size_t end = 0;
    for (; lines > 0; --lines) {
        const std::size_t next = text.find('\n', end);
        if (next == std::string_view::npos) return text.size();
        end = next + 1;
    }
    return end;
}

}  // namespace

class MachineRun::Reader final : public io::ItemReader {
public:
    explicit Reader(MachineRun& of) : run(of) {}

    base::Result<std::size_t> read(std::byte* to, std::size_t count) override {
        while (run.fed.empty() && !run.isAbandoned && !run.halt)
            run.rest(MachineRun::Rest::Wanting);
        if (run.isAbandoned || run.halt) return std::size_t{0};
        const auto itemSize = static_cast<std::size_t>(types::sizeOf(run.input));
        const std::size_t size = std::min(count * itemSize, run.fed.size());
        std::memcpy(to, run.fed.data(), size);
        run.fed.erase(0, size);
        return size / itemSize;
    }
    bool rewind() override { return false; }

private:
    MachineRun& run;
};

class MachineRun::Writer final : public io::ItemWriter {
public:
    explicit Writer(MachineRun& of) : run(of) {}

    base::Status write(const std::byte* from, std::size_t count) override {
        run.items.append(reinterpret_cast<const char*>(from),
                         count * static_cast<std::size_t>(types::sizeOf(run.output)));
        run.restIfEnough();
        return base::ok();
    }
    base::Status flush() override { return base::ok(); }
    base::Status close() override { return base::ok(); }
    bool readerGone() const override { return false; }

private:
    MachineRun& run;
};

MachineRun::MachineRun(session::Compilation& of, const types::Type* from, const types::Type* to,
                       std::function<void(std::string_view)> show, const volatile bool* stop)
    : compilation(of), input(from), output(to), print(std::move(show)), interrupt(stop) {}

MachineRun::~MachineRun() { close(); }

void MachineRun::close() {
    if (!program.joinable()) return;
    isAbandoned = true;
    halt = true;
    if (why != Rest::Over) resume();
    program.join();
    why = Rest::Over;
}

void MachineRun::run() {
    codegen::Options how;
    how.interrupted = [this] { return halt; };
    std::optional<session::Code> code;
    base::onOwnStack([&] { code = session::makeCode(compilation, session::Settings(), how); });
    Reader reader(*this);
    Writer writer(*this);
    interp::Options options;
    options.interrupt = &halt;
    options.natives = &compilation.natives;
    options.files = &files;
    running = code ? compilation.plan->program : &compilation.elaboration;
    options.print = [this](std::string_view printed) {
        text += printed;
        restIfEnough();
    };
    if (input) options.input = &reader;
    if (output) options.output = &writer;
    outcome = session::run(compilation, code ? &*code : nullptr, options);
    std::lock_guard hold(lock);
    why = Rest::Over;
    programsTurn = false;
    changed.notify_all();
}

void MachineRun::resume() {
    std::unique_lock hold(lock);
    programsTurn = true;
    if (program.joinable())
        changed.notify_all();
    else
        program = std::thread([this] { run(); });
    while (!changed.wait_for(hold, kGlance, [this] { return !programsTurn; })) {
        if (interrupt && *interrupt) halt = true;
    }
}

void MachineRun::rest(Rest reason) {
    std::unique_lock hold(lock);
    why = reason;
    programsTurn = false;
    changed.notify_all();
    changed.wait(hold, [this] { return programsTurn; });
}

bool MachineRun::flush() {
    if (!running || why == Rest::Over) return true;
    return files.flush(compilation.context, *running);
}

std::uint64_t MachineRun::made() const {
    return output ? items.size() / static_cast<std::size_t>(types::sizeOf(output))
                  : countLines(text);
}

void MachineRun::restIfEnough() {
    if (!isAbandoned && !halt && made() >= wanted) rest(Rest::Made);
}

bool MachineRun::deliver(std::optional<std::uint64_t> most, const Take& take) {
    const std::size_t end = output || !most ? text.size() : endOfLines(text, *most);
    if (end != 0) print(std::string_view(text).substr(0, end));
    text.erase(0, end);
    if (!output || items.empty()) return true;
    const auto size = static_cast<std::size_t>(types::sizeOf(output));
    std::vector<Value> values;
    std::size_t at = 0;
    for (; at < items.size() && (!most || values.size() < *most); at += size)
        values.push_back({output, items.substr(at, size)});
    items.erase(0, at);
    return values.empty() || take(std::move(values));
}

MachineRun::Rest MachineRun::go(std::optional<std::uint64_t> most, const Take& take) {
    for (std::uint64_t given = 0;;) {
        const std::optional<std::uint64_t> left =
            most ? std::optional(*most - given) : std::nullopt;
        const std::uint64_t there = made();
        if (left && there >= *left) return deliver(left, take) ? Rest::Made : Rest::Over;
        if (!deliver({}, take)) return Rest::Over;
        given += there;
        const bool isWanting = why == Rest::Wanting && program.joinable() && fed.empty();
        if (why == Rest::Over || isWanting) return why;
        wanted = std::min(most ? *most - given : kMostAtOnce, kMostAtOnce);
        resume();
    }
}

}  // namespace strc::repl
