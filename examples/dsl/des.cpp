// The Data Encryption Standard, as in examples/des: C++ makes the tables and the round keys, and the cipher is the wiring.
#include <array>
#include <cstdint>
#include <vector>

#include "example.h"

using namespace strc;

namespace {

using Table = std::vector<int>;

// The permutations of the standard that follow a rule are computed.
Table initialPermutation() {
    Table made;
    for (int row = 0; row < 8; row++)
        for (int column = 0; column < 8; column++)
            made.push_back((row < 4 ? 58 + 2 * row : 57 + 2 * (row - 4)) - 8 * column);
    return made;
}
Table expansion() {
    Table made;
    for (int group = 0; group < 8; group++)
        for (int k = 0; k < 6; k++) made.push_back((4 * group + k + 31) % 32 + 1);
    return made;
}
Table inverse(const Table& of) {
    Table made(of.size());
    for (std::size_t i = 0; i < of.size(); i++)
        made[static_cast<std::size_t>(of[i] - 1)] = static_cast<int>(i) + 1;
    return made;
}

const Table kP = {16, 7, 20, 21, 29, 12, 28, 17, 1,  15, 23, 26, 5,  18, 31, 10,
                  2,  8, 24, 14, 32, 27, 3,  9,  19, 13, 30, 6,  22, 11, 4,  25};
const Table kPC1 = {57, 49, 41, 33, 25, 17, 9,  1,  58, 50, 42, 34, 26, 18, 10, 2,  59, 51, 43,
                    35, 27, 19, 11, 3,  60, 52, 44, 36, 63, 55, 47, 39, 31, 23, 15, 7,  62, 54,
                    46, 38, 30, 22, 14, 6,  61, 53, 45, 37, 29, 21, 13, 5,  28, 20, 12, 4};
const Table kPC2 = {14, 17, 11, 24, 1,  5,  3,  28, 15, 6,  21, 10, 23, 19, 12, 4,
                    26, 8,  16, 7,  27, 20, 13, 2,  41, 52, 31, 37, 47, 55, 30, 40,
                    51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32};
const Table kShifts = {1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1};

/// The S-boxes, a hexadecimal digit for each of their values.
constexpr const char* kBoxes[8] = {
    "E4D12FB83A6C59070F74E2D1A6CB953841E8D62BFC973A50FC8249175B3EA06D",
    "F18E6B34972DC05A3D47F28EC01A69B50E7BA4D158C6932FD8A13F42B67C05E9",
    "A09E63F51DC7B428D709346A285ECBF1D6498F30B12C5AE71AD069874FE3B52C",
    "7DE3069A1285BC4FD8B56F03472C1AE9A690CB7DF13E52843F06A1D8945BC72E",
    "2C417AB6853FD0E9EB2C47D150FA3986421BAD78F9C5630EB8C71E2D6F09A453",
    "C1AF92680D34E75BAF427C9561DE0B389EF528C3704A1DB6432C95FABE17608D",
    "4B2EF08D3C975A61D0B7491AE35C2F8614BDC37EAF6805926BD814A7950FE23C",
    "D2846FB1A93E50C71FD8A374C56B0E927B419CE206ADF35821E74A8DFC90356B"};

Table box(int number) {
    Table made;
    for (int k = 0; k < 64; k++) {
        const char digit = kBoxes[number][k];
        made.push_back(digit <= '9' ? digit - '0' : digit - 'A' + 10);
    }
    return made;
}

/// The 48 bits of the key for a round.
Table roundKey(std::uint64_t key, int round) {
    int turned = 0;
    for (int i = 0; i <= round; i++) turned += kShifts[static_cast<std::size_t>(i)];
    Table made;
    for (const int chosen : kPC2) {
        const int place = chosen - 1, start = place / 28 * 28;
        const int position = kPC1[static_cast<std::size_t>(start + (place - start + turned) % 28)];
        made.push_back(static_cast<int>(key >> (64 - position) & 1));
    }
    return made;
}

Stream permute(int n, const Table& table) {
    const int m = static_cast<int>(table.size());
    return filter<Bit, Bit>("Permute", [&](Filter<Bit, Bit>& f) {
        auto from = f.table("from", table);
        f.work({.pop = n, .push = m, .peek = n}, [&] {
            For(0, m, [&](Value<int> i) { f.push(f.peek(from[i] - 1)); });
            For(0, n, [&](Value<int>) { f.pop(); });
        });
    });
}

Stream addKey(const Table& bits) {
    return filter<Bit, Bit>("AddKey", [&](Filter<Bit, Bit>& f) {
        auto key = f.table("key", bits);
        f.work({.pop = 48, .push = 48},
               [&] { For(0, 48, [&](Value<int> i) { f.push(cast<Bit>(f.pop() ^ key[i])); }); });
    });
}

/// The outer bits of six choose a row, the inner ones a column.
Stream substitute(const Table& values) {
    return filter<Bit, Bit>("Substitute", [&](Filter<Bit, Bit>& f) {
        auto s = f.table("s", values);
        f.work({.pop = 6, .push = 4}, [&] {
            std::vector<Value<Bit>> b;
            for (int i = 0; i < 6; i++) b.push_back(f.pop());
            const auto row = 2 * b[0] + b[5];
            const auto column = 8 * b[1] + 4 * b[2] + 2 * b[3] + b[4];
            const Value<int> value = s[16 * row + column];
            for (int i = 3; i >= 0; i--) f.push(cast<Bit>((value >> i) & 1));
        });
    });
}

/// The function f of the standard.
Stream scramble(const Table& key) {
    // Streams are values: what is the same in all rounds is made once.
    static const Stream expand = permute(32, expansion()), mix = permute(32, kP);
    static const std::vector<Stream> boxes = [] {
        std::vector<Stream> made;
        for (int k = 0; k < 8; k++) made.push_back(substitute(box(k)));
        return made;
    }();
    return pipeline(expand, addKey(key), splitjoin(roundrobin(6), boxes, roundrobin(4)), mix)
        .as("Scramble");
}

Stream rightHalf() {
    return filter<Bit, Bit>("RightHalf", [](Filter<Bit, Bit>& f) {
        f.work({.pop = 64, .push = 32}, [&] {
            For(0, 32, [&](Value<int>) { f.pop(); });
            For(0, 32, [&](Value<int>) { f.push(f.pop()); });
        });
    });
}

Stream exclusiveOr() {
    return filter<Bit, Bit>("Xor", {.pop = 2, .push = 1}, [](auto& f) {
        const auto a = f.pop();
        f.push(a ^ f.pop());
    });
}

/// (L, R) becomes (R, L xor f(R)).
Stream round(const Table& key) {
    return splitjoin(
               duplicate, rightHalf(),
               pipeline(splitjoin(roundrobin(32), identity<Bit>(), scramble(key), roundrobin(1)),
                        exclusiveOr()),
               roundrobin(32))
        .as("Round");
}

Stream crypt(std::uint64_t key, bool decrypt) {
    std::vector<Stream> rounds;
    for (int i = 0; i < 16; i++) rounds.push_back(round(roundKey(key, decrypt ? 15 - i : i)));
    Table swapped;
    for (int i = 0; i < 64; i++) swapped.push_back((i + 32) % 64 + 1);
    return pipeline(permute(64, initialPermutation()), rounds, permute(64, swapped),
                    permute(64, inverse(initialPermutation())))
        .as("Crypt");
}

/// A block becomes three: itself, its cipher, and the cipher decrypted.
Stream thereAndBack(std::uint64_t key) {
    return splitjoin(duplicate, identity<Bit>(),
                     pipeline(crypt(key, false), splitjoin(duplicate, identity<Bit>(),
                                                           crypt(key, true), roundrobin(64))),
                     roundrobin(64, 2 * 64))
        .as("ThereAndBack");
}

/// Three blocks a line, as hexadecimal digits.
Stream printBlocks() {
    return filter<Bit, void>("PrintBlocks", [](Filter<Bit, void>& f) {
        auto hex = f.function<void(int)>("hex", [](const Var<int>& digit) {
            If(digit < 10, [&] { print(digit); }).Else([&] {
                for (int k = 10; k < 16; k++)
                    If(digit == k, [&] { print(std::string(1, "ABCDEF"[k - 10])); });
            });
        });
        f.work({.pop = 3 * 64}, [&] {
            For(0, 3, [&](Value<int> block) {
                If(block > 0, [] { print(" "); });
                For(0, 16, [&](Value<int>) {
                    Var<int> digit("digit", 0);
                    for (int k = 0; k < 4; k++) digit = 2 * digit + f.pop();
                    hex(digit);
                });
            });
            println("");
        });
    });
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<Stream> ways;
    for (const std::uint64_t key : {0x133457799BBCDFF1ull, 0x0101010101010101ull,
                                    0x1046913489980131ull, 0x7CA110454A1A6E57ull})
        ways.push_back(thereAndBack(key));
    return runExample(argc, argv,
                      pipeline(fileReader<Bit>("examples/des/plain.bin"),
                               splitjoin(roundrobin(64), ways, roundrobin(3 * 64)), printBlocks())
                          .as("Des"));
}
