// Viterbi's algorithm, as in examples/viterbi: C++ computes the trellis of the code from its generators, and unrolls it.
#include <bit>
#include <vector>

#include "example.h"

using namespace strc;

namespace {

constexpr int kBlock = 64, kAhead = 64;  ///< bits decided at a time, and bits looked at beyond them
constexpr int kStates = 64;
constexpr unsigned kGenerators[] = {0x79, 0x5B};

/// The two bits that the encoder sends for its last seven bits, the newest on top.
int sentFor(unsigned recent) {
    int bits = 0;
    for (const unsigned mask : kGenerators) bits = 2 * bits + std::popcount(recent & mask) % 2;
    return bits;
}

Stream encode() {
    return filter<Bit, Bit>("Encode", [](Filter<Bit, Bit>& f) {
        std::vector<int> codes;
        for (unsigned recent = 0; recent < 2 * kStates; recent++) codes.push_back(sentFor(recent));
        auto recent = f.field<int>("recent");
        auto sent = f.table("sent", codes);
        f.work({.pop = 1, .push = 2}, [&] {
            recent = (recent >> 1) | (f.pop() << 6);
            const Value<int> code = sent[recent];
            f.push(cast<Bit>(code >> 1));
            f.push(cast<Bit>(code & 1));
        });
    });
}

/// Flips `percent` of the bits, the same ones in every run.
Stream line(int percent, int seed) {
    return filter<Bit, Bit>("Line", [=](Filter<Bit, Bit>& f) {
        auto state = f.field<int>("state", seed);
        f.work({.pop = 1, .push = 1}, [&] {
            state = state * 1664525 + 1013904223;
            const auto isWrong = ((state >> 16) & 0x7FFF) < 32768 * percent / 100;
            f.push(f.pop() ^ cast<Bit>(select(isWrong, 1, 0)));
        });
    });
}

/// The least costs so far, a step of the trellis further. Ways into a state come from two states, which differ in the bit that leaves
/// the encoder. What they send is known here: flips of the four possible codes are counted once.
void step(const Array<int>& now, const Array<int>& next, const Array<Array<Bit>>& origin,
          const Value<int>& t, const Value<int>& received) {
    std::vector<Value<int>> flips;
    for (int code = 0; code < 4; code++) {
        const auto wrong = received ^ code;
        flips.push_back((wrong >> 1) + (wrong & 1));
    }
    for (int s = 0; s < kStates; s++) {
        const int from = 2 * (s & 31);
        const auto zero =
            now[from] + flips[static_cast<std::size_t>(sentFor(static_cast<unsigned>(2 * s)))];
        const auto one = now[from + 1] +
                         flips[static_cast<std::size_t>(sentFor(static_cast<unsigned>(2 * s + 1)))];
        next[s] = select(zero <= one, zero, one);
        origin[t][s] = cast<Bit>(select(zero <= one, 0, 1));
    }
}

Stream decode() {
    return filter<Bit, Bit>("Decode", [](Filter<Bit, Bit>& f) {
        auto cost = f.array<int>("cost", kStates);
        f.init([&] { For(1, kStates, [&](Value<int> s) { cost[s] = 1000; }); });
        f.work({.pop = 2 * kBlock, .push = kBlock, .peek = 2 * (kBlock + kAhead)}, [&] {
            Array<Array<Bit>> origin("origin", {kBlock + kAhead, kStates});
            Array<int> now("now", {kStates});
            now = cost;
            For(0, kBlock + kAhead, [&](Value<int> t) {
                const Value<int> received = 2 * f.peek(2 * t) + f.peek(2 * t + 1);
                Array<int> next("next", {kStates});
                step(now, next, origin, t, received);
                now = next;
                If(t == kBlock - 1, [&] { cost = next; });
            });

            // Back from the best end along the survivors.
            Var<int> state("state", 0);
            For(1, kStates, [&](Value<int> s) { If(now[s] < now[state], [&] { state = s; }); });
            Array<Bit> decided("decided", {kBlock});
            For(kBlock + kAhead - 1, -1, -1, [&](Value<int> t) {
                If(t < kBlock, [&] { decided[t] = cast<Bit>(state >> 5); });
                state = 2 * (state & 31) + origin[t][state];
            });
            For(0, kBlock, [&](Value<int> t) { f.push(decided[t]); });
            For(0, 2 * kBlock, [&](Value<int>) { f.pop(); });

            // Only differences count: keep the numbers small.
            Var<int> least("least", cost[0]);
            For(1, kStates, [&](Value<int> s) { If(cost[s] < least, [&] { least = cost[s]; }); });
            For(0, kStates, [&](Value<int> s) { cost[s] -= least; });
        });
    });
}

Stream compare() {
    return filter<Bit, void>("Compare", [](Filter<Bit, void>& f) {
        auto block = f.field<int>("block");
        f.work({.pop = 3 * kBlock}, [&] {
            Var<int> plain("plain", 0), coded("coded", 0);
            For(0, kBlock, [&](Value<int>) {
                const auto right = f.pop();
                If(f.pop() != right, [&] { plain++; });
                If(f.pop() != right, [&] { coded++; });
            });
            print("block ");
            print(block);
            print(": wrong bits without the code ");
            print(plain);
            print(", with it ");
            println(coded);
            block++;
        });
    });
}

Stream saved(const char* path) {
    return splitjoin(duplicate, identity<Bit>(), fileWriter<Bit>(path), roundrobin(1, 0));
}

Stream viterbi(int percent) {
    return pipeline(
               fileReader<Bit>("examples/viterbi/message.txt"),
               splitjoin(duplicate, identity<Bit>(),
                         pipeline(line(percent, 1), saved("viterbi_plain.txt")),
                         pipeline(encode(), line(percent, 2), decode(), saved("viterbi_coded.txt")),
                         roundrobin(1)),
               compare())
        .as("Viterbi");
}

}  // namespace

int main(int argc, char** argv) { return runExample(argc, argv, viterbi(4)); }
