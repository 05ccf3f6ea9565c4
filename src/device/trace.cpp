#include "device/detail/trace.h"

#include <algorithm>

namespace strc::device {

bool overlap(const std::vector<Span>& a, const std::vector<Span>& b) {
    return std::any_of(a.begin(), a.end(), [&](const Span& one) {
        return std::any_of(b.begin(), b.end(),
                           [&](const Span& other) { return one.overlaps(other); });
    });
}

std::vector<Trace::Source> Trace::run(const Piece& piece, Writer writer) {
    std::vector<Source> found;
    for (const Span& span : piece.reads) read(span, found);
    for (const Span& span : piece.writes) write(span, writer);
    return found;
}

/// Nothing goes on across `at`.
void Trace::split(std::int64_t at) {
    auto after = last.lower_bound(at);
    if (after == last.begin()) return;
    Source& before = std::prev(after)->second;
    if (before.bytes.end <= at) return;
    Source rest = before;
    rest.bytes.begin = at;
    before.bytes.end = at;
    last.emplace(at, rest);
}

void Trace::read(const Span& span, std::vector<Source>& found) const {
    std::int64_t at = span.begin;
    auto add = [&](std::int64_t end, Writer writer) {
        if (end <= at) return;
        const bool goesOn = !found.empty() && found.back().bytes.end == at &&
                            found.back().writer == writer && at != span.begin;
        if (goesOn)
            found.back().bytes.end = end;
        else
            found.push_back({{at, end}, writer});
        at = end;
    };
    auto each = last.lower_bound(span.begin);
    if (each != last.begin() && std::prev(each)->second.bytes.end > span.begin) --each;
    for (; each != last.end() && each->first < span.end; ++each) {
        add(std::min(each->second.bytes.begin, span.end), 0);
        add(std::min(each->second.bytes.end, span.end), each->second.writer);
    }
    add(span.end, 0);
}

void Trace::write(const Span& span, Writer writer) {
    split(span.begin);
    split(span.end);
    last.erase(last.lower_bound(span.begin), last.lower_bound(span.end));
    if (span.begin < span.end) last.emplace(span.begin, Source{span, writer});
}

}  // namespace strc::device
