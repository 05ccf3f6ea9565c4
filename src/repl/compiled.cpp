#include "repl/compiled.h"

#include <algorithm>
#include <cstring>

#include "base/own_stack.h"
#include "session/engine.h"

namespace strc::repl {

using types::Value;

namespace {

class MemoryReader final : public io::ItemReader {
public:
    MemoryReader(std::string items, const types::Type* item)
        : bytes(std::move(items)), itemSize(static_cast<std::size_t>(types::sizeOf(item))) {}

    base::Result<std::size_t> read(std::byte* to, std::size_t count) override {
        const std::size_t size = std::min(count * itemSize, bytes.size() - at);
        std::memcpy(to, bytes.data() + at, size);
        at += size;
        return size / itemSize;
    }
    bool rewind() override {
        at = 0;
        return true;
    }

private:
    std::string bytes;
    std::size_t itemSize;
    std::size_t at = 0;
};

class TakingWriter final : public io::ItemWriter {
public:
    TakingWriter(const Running::Take& taker, const types::Type* type) : take(taker), item(type) {}

    base::Status write(const std::byte* from, std::size_t count) override {
        const auto size = static_cast<std::size_t>(types::sizeOf(item));
        std::vector<Value> values;
        for (std::size_t k = 0; k < count; ++k)
            values.push_back(
                {item, std::string(reinterpret_cast<const char*>(from) + k * size, size)});
        isOver = !take(std::move(values));
        if (isOver) return base::Failure{"nobody takes the items"};
        return base::ok();
    }
    base::Status flush() override { return base::ok(); }
    base::Status close() override { return base::ok(); }
    bool readerGone() const override { return isOver; }

private:
    const Running::Take& take;
    const types::Type* item;
    bool isOver = false;
};

Stop stopOf(interp::End end, bool isOpen) {
    switch (end) {
        case interp::End::Interrupted: return Stop::Interrupted;
        case interp::End::Failed: return Stop::Failed;
        case interp::End::EndOfInput: return isOpen ? Stop::Waiting : Stop::Ended;
        case interp::End::NoProgress: return Stop::Ended;
        default: return Stop::Goal;
    }
}

}  // namespace

Stop runCompiled(Running& stream, CompiledRun wanted) {
    session::Compilation& program = stream.work->program;
    if (!stream.isMade) {
        codegen::Options how;
        how.interrupted = [&] { return wanted.interrupt && *wanted.interrupt; };
        base::onOwnStack([&] { stream.code = session::makeCode(program, how); });
        stream.isMade = true;
    }
    interp::Options options;
    options.interrupt = wanted.interrupt;
    options.natives = &program.natives;
    options.print = wanted.print;
    if (wanted.most) options.limit = static_cast<std::int64_t>(*wanted.most);
    std::optional<MemoryReader> memory;
    if (stream.input() && !wanted.file) memory.emplace(std::move(wanted.items), stream.input());
    options.input = !stream.input() ? nullptr : wanted.file ? wanted.file : &*memory;
    std::optional<TakingWriter> writer;
    if (stream.output()) writer.emplace(wanted.take, stream.output());
    options.output = writer ? &*writer : nullptr;
    interp::Outcome outcome;
    base::onOwnStack(
        [&] { outcome = session::run(program, stream.code ? &*stream.code : nullptr, options); });
    return stopOf(outcome.end, stream.input() != nullptr);
}

}  // namespace strc::repl
