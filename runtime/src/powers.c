// Powers of ten, rounded up to 128 and to 64 bits. The wide ones are made from every 27th power and
// a power of five, since a table of all 617 would take 10 KB. tests/unit/runtime computes all of
// them anew.
#include "decimal.h"

enum { kStep = 27, kFirst = -11 };

/// The leading 192 bits of 10^(27 (i + kFirst)); exact from 10^0 to 10^81.
static const uint64_t coarse[][3] = {
    {0xa76c582338ed2621, 0xaf2af2b80af6f24e, 0x657c8f4d43323a36},
    {0x873e4f75e2224e68, 0x5a7744a6e804a291, 0xcc35eddfcf0996d7},
    {0xda7f5bf590966848, 0xaf39a475506a899e, 0xa30294cc2934e662},
    {0xb080392cc4349dec, 0xbd8d794d96aacfb3, 0xfe13a5c86af64418},
    {0x8e938662882af53e, 0x547eb47b7282ee9c, 0x41b0230e1421487d},
    {0xe65829b3046b0afa, 0x0cb4a5a3112a5112, 0xa3b561b1cb208396},
    {0xba121a4650e4ddeb, 0x92f34d62616ce413, 0x21a0183e10583cd3},
    {0x964e858c91ba2655, 0x3a6a07f8d510f86f, 0xe9082f25e9c5e9ec},
    {0xf2d56790ab41c2a2, 0xfae27299423fb9c3, 0x3695dad7e8858901},
    {0xc428d05aa4751e4c, 0xaa97e14c3c26b886, 0x96842dc95323f5a8},
    {0x9e74d1b791e07e48, 0x775ea264cf55347d, 0xca49f1c05120c9c7},
    {0x8000000000000000, 0x0000000000000000, 0x0000000000000000},
    {0xcecb8f27f4200f3a, 0x0000000000000000, 0x0000000000000000},
    {0xa70c3c40a64e6c51, 0x999090b65f67d924, 0x0000000000000000},
    {0x86f0ac99b4e8dafd, 0x69a028bb3ded71a3, 0xdf9f915627c04e28},
    {0xda01ee641a708de9, 0xe80e6f4820cc9495, 0xd74baad03bc1d8d3},
    {0xb01ae745b101e9e4, 0x5ec05dcff72e7f8f, 0xc04c79ffe324301f},
    {0x8e41ade9fbebc27d, 0x14588f13be847307, 0x23bd6a2059c002f5},
    {0xe5d3ef282a242e81, 0x8f1668c8a86da5fa, 0xf0b5ccf5176ecc7c},
    {0xb9a74a0637ce2ee1, 0x6d953e2bd7173692, 0x88efb0037ac08bde},
    {0x95f83d0a1fb69cd9, 0x4abdaf101564f98e, 0x0d5a4af7b3a98e47},
    {0xf24a01a73cf2dccf, 0xbc633b39673c8cec, 0x3d9c44cd2f36917c},
    {0xc3b8358109e84f07, 0x0a862f80ec4700c8, 0x02606ea01029dc37},
    {0x9e19db92b4e31ba9, 0x6c07a2c26a8346d1, 0x4944d9f52cd0dec2},
};

static const uint64_t fives[kStep] = {
    0x1,
    0x5,
    0x19,
    0x7d,
    0x271,
    0xc35,
    0x3d09,
    0x1312d,
    0x5f5e1,
    0x1dcd65,
    0x9502f9,
    0x2e90edd,
    0xe8d4a51,
    0x48c27395,
    0x16bcc41e9,
    0x71afd498d,
    0x2386f26fc1,
    0xb1a2bc2ec5,
    0x3782dace9d9,
    0x1158e460913d,
    0x56bc75e2d631,
    0x1b1ae4d6e2ef5,
    0x878678326eac9,
    0x2a5a058fc295ed,
    0xd3c21bcecceda1,
    0x422ca8b0a00a425,
    0x14adf4b7320334b9,
};

/// Those that binary32 needs, from 10^-31 on: its text is made often enough for a table.
static const uint64_t narrow[] = {
    0x81ceb32c4b43fcf5, 0xa2425ff75e14fc32, 0xcad2f7f5359a3b3f, 0xfd87b5f28300ca0e,
    0x9e74d1b791e07e49, 0xc612062576589ddb, 0xf79687aed3eec552, 0x9abe14cd44753b53,
    0xc16d9a0095928a28, 0xf1c90080baf72cb2, 0x971da05074da7bef, 0xbce5086492111aeb,
    0xec1e4a7db69561a6, 0x9392ee8e921d5d08, 0xb877aa3236a4b44a, 0xe69594bec44de15c,
    0x901d7cf73ab0acda, 0xb424dc35095cd810, 0xe12e13424bb40e14, 0x8cbccc096f5088cc,
    0xafebff0bcb24aaff, 0xdbe6fecebdedd5bf, 0x89705f4136b4a598, 0xabcc77118461cefd,
    0xd6bf94d5e57a42bd, 0x8637bd05af6c69b6, 0xa7c5ac471b478424, 0xd1b71758e219652c,
    0x83126e978d4fdf3c, 0xa3d70a3d70a3d70b, 0xcccccccccccccccd, 0x8000000000000000,
    0xa000000000000000, 0xc800000000000000, 0xfa00000000000000, 0x9c40000000000000,
    0xc350000000000000, 0xf424000000000000, 0x9896800000000000, 0xbebc200000000000,
    0xee6b280000000000, 0x9502f90000000000, 0xba43b74000000000, 0xe8d4a51000000000,
    0x9184e72a00000000, 0xb5e620f480000000, 0xe35fa931a0000000, 0x8e1bc9bf04000000,
    0xb1a2bc2ec5000000, 0xde0b6b3a76400000, 0x8ac7230489e80000, 0xad78ebc5ac620000,
    0xd8d726b7177a8000, 0x878678326eac9000, 0xa968163f0a57b400, 0xd3c21bcecceda100,
    0x84595161401484a0, 0xa56fa5b99019a5c8, 0xcecb8f27f4200f3a, 0x813f3978f8940985,
    0xa18f07d736b90be6, 0xc9f2c9cd04674edf, 0xfc6f7c4045812297, 0x9dc5ada82b70b59e,
    0xc5371912364ce306, 0xf684df56c3e01bc7, 0x9a130b963a6c115d, 0xc097ce7bc90715b4,
    0xf0bdc21abb48db21, 0x96769950b50d88f5, 0xbc143fa4e250eb32, 0xeb194f8e1ae525fe,
    0x92efd1b8d0cf37bf, 0xb7abc627050305ae, 0xe596b7b0c643c71a, 0x8f7e32ce7bea5c70,
    0xb35dbf821ae4f38c,
};

uint64_t strc_power_of_ten_64(int exponent) { return narrow[exponent + 31]; }

strc_wide strc_power_of_ten_128(int exponent) {
    int row = (exponent - kFirst * kStep) / kStep;
    const uint64_t *power = coarse[row];
    uint64_t five = fives[exponent - (row + kFirst) * kStep];
    // 192 bits times 5^b: words[3] first. The product has 64 bits to spare, so cutting `power`
    // short never reaches the 128 bits that count.
    unsigned __int128 low = (unsigned __int128)power[2] * five;
    unsigned __int128 middle = (unsigned __int128)power[1] * five + (uint64_t)(low >> 64);
    unsigned __int128 high = (unsigned __int128)power[0] * five + (uint64_t)(middle >> 64);
    uint64_t rest[2] = {(uint64_t)middle, (uint64_t)low};
    if (high >> 64 == 0) {
        high = high << 64 | rest[0];
        rest[0] = rest[1];
        rest[1] = 0;
    }
    int shift = __builtin_clzll((uint64_t)(high >> 64));
    if (shift) {
        high = high << shift | rest[0] >> (64 - shift);
        rest[0] <<= shift;
    }
    high += (rest[0] | rest[1]) != 0;
    return (strc_wide){(uint64_t)(high >> 64), (uint64_t)high};
}
