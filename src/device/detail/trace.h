#pragma once
/// Records which bytes of the state pieces of work read and write, so that one can tell whether their order may change.
/// Private to device.

#include <cstdint>
#include <map>
#include <vector>

namespace strc::device {

/// Bytes.
struct Span {
    std::int64_t begin = 0, end = 0;
    bool overlaps(const Span& other) const { return begin < other.end && other.begin < end; }
};

struct Piece {
    std::vector<Span> reads, writes;
};

bool overlap(const std::vector<Span>&, const std::vector<Span>&);

/// Finds, piece after piece, which pieces wrote the bytes that a piece reads.
class Trace {
public:
    using Writer = std::uint32_t;
    struct Source {
        Span bytes;
        Writer writer = 0;  ///< 0: not written yet
        bool operator==(const Source& other) const {
            return bytes.begin == other.bytes.begin && bytes.end == other.bytes.end &&
                   writer == other.writer;
        }
    };

    /// Its reads come before its writes. What was read, by whom it was written: ascending for each of its spans.
    std::vector<Source> run(const Piece&, Writer);

private:
    void split(std::int64_t at);
    void read(const Span&, std::vector<Source>& found) const;
    void write(const Span&, Writer);

    std::map<std::int64_t, Source> last;  ///< by their beginning; apart
};

}  // namespace strc::device
