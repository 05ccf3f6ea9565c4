#include "support/random_streams.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace strc::testing {
namespace {

constexpr std::int64_t kLargestWeight = 5000;
constexpr std::int64_t kMostEnqueued = 5000;

struct Fraction {
    std::int64_t num = 1;
    std::int64_t den = 1;
};

Fraction times(Fraction a, Fraction b) {
    const std::int64_t left = std::gcd(a.num, b.den);
    const std::int64_t right = std::gcd(b.num, a.den);
    return {(a.num / left) * (b.num / right), (a.den / right) * (b.den / left)};
}

bool isLarge(Fraction f) { return f.num > kLargestWeight || f.den > kLargestWeight; }

/// A stream and how many items it gives for each one it takes.
struct Made {
    Stream stream;
    Fraction gain;
};

class Maker {
public:
    Maker(Choices& choices, const ProgramShape& shape) : choices(choices), shape(shape) {}

    Stream program() {
        std::vector<Stream> parts;
        parts.push_back(prework(source(name("Source"), rate()), false, true));
        const std::int64_t count = 1 + choices.pick(shape.children);
        for (std::int64_t i = 0; i < count; ++i) parts.push_back(make(shape.depth).stream);
        parts.push_back(prework(peeking(sink(name("Sink"), rate())), true, false));
        return pipeline("Main", std::move(parts));
    }

private:
    std::int64_t rate() { return 1 + choices.pick(shape.rate); }
    std::string name(const char* base) { return base + std::to_string(number++); }

    Stream peeking(Stream stream) {
        if (choices.chance(shape.peeks)) {
            const std::int64_t peek = stream.work.pop.max + 1 + choices.pick(2 * shape.rate);
            stream.work.peek = {peek, peek, false, -1};
        }
        return stream;
    }

    Stream prework(Stream stream, bool input, bool output) {
        if (!choices.chance(shape.preworks)) return stream;
        const std::int64_t pop = input ? choices.pick(shape.rate + 2) : 0;
        const std::int64_t push = output ? choices.pick(shape.rate + 2) : 0;
        const std::int64_t peek = input ? pop + choices.pick(shape.rate) : 0;
        return withPrework(std::move(stream), pop, push, peek);
    }

    Made leaf() {
        const std::int64_t pop = rate();
        const std::int64_t push = rate();
        Stream stream = prework(peeking(filter(name("F"), pop, push)), true, true);
        return {std::move(stream), times({push, pop}, {})};
    }

    Made make(int depth) {
        if (depth == 0) return leaf();
        switch (choices.pick(4)) {
            case 0: return leaf();
            case 1: return chain(depth);
            case 2: return branches(depth);
            default: return loop(depth);
        }
    }

    Made chain(int depth) {
        std::vector<Stream> parts;
        Fraction gain;
        const std::int64_t count = 1 + choices.pick(shape.children);
        for (std::int64_t i = 0; i < count; ++i) {
            Made part = make(depth - 1);
            if (isLarge(times(gain, part.gain))) part = {filter(name("F"), 1, 1), {}};
            gain = times(gain, part.gain);
            parts.push_back(std::move(part.stream));
        }
        return {pipeline(name("P"), std::move(parts)), gain};
    }

    Made branches(int depth) {
        const bool duplicate = choices.chance(100);
        std::vector<Stream> parts;
        std::vector<std::int64_t> split;
        std::vector<Fraction> items;
        std::int64_t scale = 1;
        const std::int64_t count = 1 + choices.pick(shape.children);
        for (std::int64_t i = 0; i < count; ++i) {
            Made part = make(depth - 1);
            const std::int64_t weight = duplicate ? 1 : rate();
            Fraction out = times(part.gain, {weight, 1});
            if (std::lcm(scale, out.den) > kLargestWeight || isLarge(out)) {
                part = {filter(name("F"), 1, 1), {}};
                out = {weight, 1};
            }
            scale = std::lcm(scale, out.den);
            split.push_back(weight);
            items.push_back(out);
            parts.push_back(std::move(part.stream));
        }
        std::vector<std::int64_t> join;
        std::int64_t common = 0;
        for (Fraction out : items) {
            join.push_back(out.num * (scale / out.den));
            common = std::gcd(common, join.back());
        }
        for (std::int64_t& weight : join) weight /= common;
        const std::int64_t in = duplicate ? 1 : std::accumulate(split.begin(), split.end(), 0LL);
        const std::int64_t total = std::accumulate(join.begin(), join.end(), 0LL);
        Fraction gain = times(times(items[0], {total, join[0]}), {1, in});
        if (choices.chance(shape.unbalanced)) ++join.back();
        if (isLarge(gain)) return leaf();
        if (duplicate) split.clear();
        return {splitjoin(name("S"), std::move(split), std::move(parts), std::move(join)), gain};
    }

    Made loop(int depth) {
        const std::int64_t outside = rate();
        const std::int64_t inside = rate();
        const std::int64_t a = rate();
        const std::int64_t b = rate();
        const bool duplicate = choices.chance(100);
        Made body = make(depth - 1);
        const std::int64_t total = duplicate ? 1 : a + b;
        // For each firing of the joiner.
        const Fraction splits = times(times(body.gain, {outside + inside, 1}), {1, total});
        const Fraction fed = times(splits, {duplicate ? 1 : b, 1});
        const Fraction needed = times({inside, 1}, {fed.den, fed.num});
        if (isLarge(needed) || isLarge(splits)) return leaf();
        const std::int64_t enough =
            std::min(2 * (needed.num + inside) + 4 * inside * needed.num, kMostEnqueued);
        const std::int64_t enqueued = choices.chance(shape.starved)
                                          ? choices.pick(enough + 1)
                                          : enough + choices.pick(8) + 60 * choices.pick(4);
        const std::int64_t factor = 1 + choices.pick(2);
        Stream back = peeking(filter(name("L"), needed.den * factor, needed.num * factor));
        const Fraction gain = times(times(splits, {duplicate ? 1 : a, 1}), {1, outside});
        if (isLarge(gain)) return leaf();
        std::vector<std::int64_t> split;
        if (!duplicate) split = {a, b};
        return {feedbackloop(name("Loop"), {outside, inside}, std::move(body.stream),
                             std::move(back), std::move(split), static_cast<std::size_t>(enqueued)),
                gain};
    }

    Choices& choices;
    const ProgramShape& shape;
    int number = 0;
};

}  // namespace

std::int64_t Choices::pick(std::int64_t n) {
    std::int64_t value = 0;
    for (std::int64_t range = 1; range < n; range *= 256) {
        std::int64_t byte = 0;
        if (!bytes.empty()) {
            byte = bytes.front();
            bytes = bytes.subspan(1);
        }
        value = value * 256 + byte;
    }
    return n <= 1 ? 0 : value % n;
}

Stream randomProgram(Choices& choices, const ProgramShape& shape) {
    return Maker(choices, shape).program();
}

std::vector<std::uint8_t> randomBytes(std::mt19937& engine, std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(engine() & 0xff);
    return bytes;
}

}  // namespace strc::testing
