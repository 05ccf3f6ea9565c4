#pragma once
/// The classes behind `strc._core`, without Python: handles of libstrc that go with their last user, and
/// its statuses as exceptions.

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "strc/strc.h"

namespace strc_python {

/// A call that libstrc refuses; the wrapper checks before.
struct WrongCall : std::logic_error {
    using std::logic_error::logic_error;
};

struct Tensor {
    std::string element;
    std::vector<std::int64_t> shape;
};

/// An end of a program.
struct End {
    std::string type;
    std::size_t size = 0;
    std::string layout;
    std::vector<Tensor> tensors;
    std::vector<std::size_t> turns;  ///< of several inputs, or several outputs
};

struct Diagnostic {
    std::string severity, code, message, file, instance, text;
    std::uint32_t line = 0, column = 0, end_line = 0, end_column = 0;
};

/// Bytes that are read, or written.
struct Bytes {
    const void* data = nullptr;
    std::size_t size = 0;
};
struct Room {
    void* data = nullptr;
    std::size_t size = 0;
};

class Compiler {
public:
    Compiler();
    ~Compiler();
    Compiler(const Compiler&) = delete;
    Compiler& operator=(const Compiler&) = delete;

    void addSource(const std::string& name, const std::string& text);
    void addFile(const std::string& path);
    /// False: there is no such option, or no such value.
    bool set(const std::string& option, const std::string* value);
    void addWeights(const std::string& name, const std::string& element,
                    const std::vector<std::int64_t>& shape, Bytes values);
    /// As far as `stage`; false: there are diagnostics that say why not.
    bool compile(int stage);
    std::string takePrinted();
    std::vector<Diagnostic> diagnostics(std::size_t from) const;
    /// Null: it cannot be had.
    const std::string* text(int product);
    /// Null: there is none.
    std::unique_ptr<End> end(bool isInput) const;

    struct Run {
        std::vector<unsigned char> output;
        bool isFine = false;
    };
    /// From the start, until the input, the steady states or the items of the output are over.
    Run run(Bytes in, const std::uint64_t* iterations, const std::uint64_t* limit);

    /// What is under way in another thread ends soon, until it is told to go on.
    void interrupt(bool wanted) { stop = wanted; }

private:
    friend class Stream;
    strc_compiler* handle;
    volatile unsigned char stop = 0;
    std::string printed;
    std::string made;
    mutable std::mutex turn;  ///< one thread at a time
};

struct Processed {
    std::size_t consumed = 0, produced = 0;
    bool isFine = false;
};

class Stream {
public:
    /// `self` is null if the diagnostics say why there is none.
    explicit Stream(std::shared_ptr<Compiler>);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    bool isThere() const { return handle != nullptr; }
    const strc_stream_about& about() const { return facts; }
    Processed process(Bytes in, Room out);
    /// Each item where it is.
    Processed processItems(const std::vector<const void*>& in, const std::vector<void*>& out);
    /// Several streams of one compiler in one call: arrays of so many items each, and of room for so many. In `isFine` of each: all were.
    static std::vector<Processed> processMany(const std::vector<std::shared_ptr<Stream>>&,
                                              const std::vector<const void*>& in,
                                              const std::vector<void*>& out,
                                              std::pair<std::size_t, std::size_t> counts);
    /// How it reaches the other processes of its mesh, before the first chunk: each returns false if that failed.
    using Collective = std::function<bool(Bytes own, void* all)>;
    void join(Collective gather, Collective exchange);
    /// A whole call of a program that keeps nothing: `reset` before it otherwise.
    void reset();
    bool set(const std::string& parameter, Bytes value);

    enum class Asked { Ready, Refused, WrongCall };
    /// The next chunk begins with the program of another compiler, whose diagnostics say why not if it is refused.
    Asked replace(const std::shared_ptr<Compiler>& by, std::uint64_t fade);
    struct Replacement {
        bool isUnderWay = false;  ///< or it has not begun yet
        std::string told;
    };
    Replacement replacement();

    enum class Saved { Fine, Truncated, Damaged, OtherProgram, Newer, Failed, None };
    /// Into `to`; Failed: a check has failed before, None: there is no state that could be saved.
    Saved save(std::vector<unsigned char>& to);
    /// Unless it is Fine, nothing has changed.
    Saved restore(Bytes state);
    /// Items taken and given since it began.
    Processed position() const;

private:
    /// The turn of the program that runs, and of the one that takes its place; both live as long.
    class Turns;
    /// Once the new program runs alone it is the stream's.
    void adopt();

    std::shared_ptr<Compiler> compiler;
    std::shared_ptr<Compiler> next;  ///< null: no program is to take the place
    strc_stream* handle = nullptr;
    strc_stream_about facts{};
    Collective gather, exchange;
    std::size_t inSize = 0, outSize = 0;
};

}  // namespace strc_python
