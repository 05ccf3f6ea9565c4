#include <cmath>
#include <complex>
#include <sys/stat.h>
#include <thread>

#include <gmock/gmock.h>

#include "unit/io/files.h"

namespace strc::io {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

std::string npy(const std::string& dict, const std::string& data, int version = 1) {
    std::string length{static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
    if (version > 1) length += std::string(2, '\0');
    return std::string("\x93NUMPY") + static_cast<char>(version) + '\0' + length + dict + data;
}

std::string dict(const std::string& descr, const std::string& shape,
                 const std::string& order = "False") {
    return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape +
           ", }          \n";
}

class Npy : public Files {
protected:
    std::vector<float> floats(const std::string& descr, const std::string& data,
                              const std::string& shape = "(2,)") {
        file("in.npy", npy(dict(descr, shape), data));
        return readAll<float>(path("in.npy"), Format::Npy, types.floatType());
    }
    std::vector<int> ints(const std::string& descr, const std::string& data,
                          const std::string& shape = "(2,)") {
        file("in.npy", npy(dict(descr, shape), data));
        return readAll<int>(path("in.npy"), Format::Npy, types.intType());
    }
    std::string why(const std::string& bytes) {
        return refusal(file("bad.npy", bytes), Format::Npy, types.floatType());
    }
};

TEST_F(Npy, EveryNumericTypeBecomesTheItemType) {
    EXPECT_THAT(floats("<f4", bytesOf<float>({1.5f, -2})), ElementsAre(1.5f, -2));
    EXPECT_THAT(floats("<f8", bytesOf<double>({1.5, -2})), ElementsAre(1.5f, -2));
    EXPECT_THAT(floats("<f2", std::string("\x00\x3e\x00\xc0", 4)), ElementsAre(1.5f, -2));
    EXPECT_THAT(floats("<f2", std::string("\x01\x00\x00\x7c", 4)),
                ElementsAre(std::ldexp(1.0f, -24), INFINITY));
    EXPECT_THAT(floats(">f4", std::string("\x3f\xc0\0\0\xc0\0\0\0", 8)), ElementsAre(1.5f, -2));
    EXPECT_THAT(floats("<i2", bytesOf<std::int16_t>({-3, 300})), ElementsAre(-3, 300));
    EXPECT_THAT(floats("|b1", std::string("\x01\x00", 2)), ElementsAre(1, 0));
    EXPECT_THAT(ints("<i4", bytesOf<int>({7, -7})), ElementsAre(7, -7));
    EXPECT_THAT(ints(">i4", std::string("\0\0\0\7\xff\xff\xff\xff", 8)), ElementsAre(7, -1));
    EXPECT_THAT(ints("<i8", bytesOf<std::int64_t>({7, -7})), ElementsAre(7, -7));
    EXPECT_THAT(ints("|i1", std::string("\x07\xff")), ElementsAre(7, -1));
    EXPECT_THAT(ints("|u1", std::string("\x07\xff")), ElementsAre(7, 255));
    EXPECT_THAT(ints(">u2", std::string("\0\x07\x01\0", 4)), ElementsAre(7, 256));
    EXPECT_THAT(ints("<u4", bytesOf<std::uint32_t>({7, 0xFFFFFFFF})), ElementsAre(7, -1))
        << "the same bits";
    EXPECT_THAT(ints("<f8", bytesOf<double>({7.9, -7.9})), ElementsAre(7, -7));
}

TEST_F(Npy, ComplexNumbersNeedComplexItems) {
    std::string parts = bytesOf<float>({1, 2, 3, 4});
    file("in.npy", npy(dict("<c8", "(2,)"), parts));
    auto in = reader(path("in.npy"), Format::Npy, types.complex());
    std::vector<std::complex<float>> items = rest<std::complex<float>>(*in);
    EXPECT_EQ(bytesOf(items), parts);
    EXPECT_THAT(refusal(path("in.npy"), Format::Npy, types.floatType()),
                HasSubstr("its elements are complex numbers"));
    file("big.npy", npy(dict(">c8", "(1,)"), std::string("\x3f\x80\0\0\x40\0\0\0", 8)));
    auto big = reader(path("big.npy"), Format::Npy, types.complex());
    EXPECT_EQ(rest<std::complex<float>>(*big).at(0), std::complex<float>(1, 2));
    file("real.npy", npy(dict("<f8", "(1,)"), bytesOf<double>({2.5})));
    auto real = reader(path("real.npy"), Format::Npy, types.complex());
    EXPECT_EQ(rest<std::complex<float>>(*real).at(0), std::complex<float>(2.5f, 0));
}

TEST_F(Npy, DimensionsAreFlattenedRowByRow) {
    EXPECT_THAT(ints("<i4", bytesOf<int>({1, 2, 3, 4, 5, 6}), "(2, 3)"),
                ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(ints("<i4", bytesOf<int>({9}), "()"), ElementsAre(9));
    EXPECT_EQ(reader(path("in.npy"), Format::Npy, types.intType())->total(), 1u);
    file("in.npy", npy(dict("<i4", "(2, 3)"), bytesOf<int>({1, 2, 3, 4, 5, 6})));
    auto rows = reader(path("in.npy"), Format::Npy, types.array(types.intType(), 3));
    EXPECT_EQ(rows->total(), 2u);
    EXPECT_EQ(
        rest<int>(*reader(path("in.npy"), Format::Npy, types.array(types.intType(), 4)), 4).size(),
        1u);
}

TEST_F(Npy, OtherVersionsAndSpellingsAreRead) {
    std::string data = bytesOf<int>({1, 2});
    for (int version : {1, 2, 3}) {
        file("in.npy", npy(dict("<i4", "(2,)"), data, version));
        EXPECT_THAT(readAll<int>(path("in.npy"), Format::Npy, types.intType()), ElementsAre(1, 2));
    }
    file("in.npy", npy("{\"shape\":(2L,),\"descr\":\"=i4\",\"fortran_order\":True}", data));
    EXPECT_THAT(readAll<int>(path("in.npy"), Format::Npy, types.intType()), ElementsAre(1, 2));
}

TEST_F(Npy, CanStartAgain) {
    file("in.npy", npy(dict("<i4", "(3,)"), bytesOf<int>({1, 2, 3})));
    auto in = reader(path("in.npy"), Format::Npy, types.intType());
    EXPECT_THAT(rest<int>(*in), ElementsAre(1, 2, 3));
    EXPECT_TRUE(in->rewind());
    EXPECT_THAT(rest<int>(*in, 2), ElementsAre(1, 2, 3));
}

TEST_F(Npy, WhatIsNoArrayIsRefused) {
    EXPECT_THAT(why("hello"), EndsWith("is not a valid npy file: it does not begin as one"));
    EXPECT_THAT(why(npy(dict("<f4", "(1,)"), "abcd").substr(0, 40)),
                HasSubstr("it ends in its header"));
    EXPECT_THAT(why(npy(dict("<f4", "(1,)"), "", 9)), HasSubstr("version 9 is not known"));
    EXPECT_THAT(why(npy("nonsense", "")), HasSubstr("not a dictionary"));
    EXPECT_THAT(why(npy("{", "")), HasSubstr("not a dictionary"));
    EXPECT_THAT(why(npy("{'descr': '<f4'", "")), HasSubstr("not a dictionary"));
    EXPECT_THAT(why(npy("{'descr': '<f4'}", "")), HasSubstr("not complete"));
    EXPECT_THAT(why(npy("{'colour': 'red'}", "")), HasSubstr("unknown entry 'colour'"));
    EXPECT_THAT(why(npy("{'descr': [('x', '<f4')], }", "")), HasSubstr("its elements are records"));
    EXPECT_THAT(why(npy(dict("<U5", "(1,)"), "abcd")), HasSubstr("its elements are of type '<U5'"));
    EXPECT_THAT(why(npy(dict("<", "(1,)"), "abcd")), HasSubstr("its elements are of type '<'"));
    EXPECT_THAT(why(npy(dict("<f4", "(1 2)"), "abcd")), HasSubstr("no valid shape"));
    EXPECT_THAT(why(npy(dict("<f4", "(-1,)"), "abcd")), HasSubstr("no valid shape"));
    EXPECT_THAT(why(npy(dict("<f4", "(99999999999, 99999999999)"), "abcd")),
                HasSubstr("no valid shape"));
    EXPECT_THAT(why(npy(dict("<f4", "(2, 2)", "True"), bytesOf<float>({1, 2, 3, 4}))),
                HasSubstr("Fortran order"));
    EXPECT_THAT(why(npy(dict("<f4", "(2,)", "Maybe"), "")), HasSubstr("the order"));
    EXPECT_THAT(why(npy(dict("<f4", "(3,)"), bytesOf<float>({1, 2}))),
                HasSubstr("shorter than its header says"));
    EXPECT_THAT(why(npy(dict("<f4", "(0,)"), "")), HasSubstr("holds no items"));
    EXPECT_THAT(why(npy(std::string(70'000, ' '), "", 2).replace(8, 4, "\xff\xff\xff\x7f")),
                HasSubstr("too long"));
}

TEST_F(Npy, NumbersThatDoNotFitAreRefused) {
    file("in.npy", npy(dict("<i8", "(2,)"), bytesOf<std::int64_t>({1, 5'000'000'000})));
    EXPECT_THAT(refusal(path("in.npy"), Format::Npy, types.intType()),
                HasSubstr("element 1 does not fit"));
    file("in.npy", npy(dict("<u8", "(1,)"), bytesOf<std::uint64_t>({UINT64_MAX})));
    EXPECT_THAT(refusal(path("in.npy"), Format::Npy, types.intType()),
                HasSubstr("element 0 does not fit"));
    EXPECT_THAT(readAll<float>(path("in.npy"), Format::Npy, types.floatType()),
                ElementsAre(18446744073709551616.0f));
    file("in.npy", npy(dict("|u1", "(2,)"), "\x01\x02"));
    EXPECT_THAT(refusal(path("in.npy"), Format::Npy, types.bit()),
                HasSubstr("element 1 does not fit"));
}

TEST_F(Npy, WritesWhatNumPyWrites) {
    writeAll<float>("out.npy", Format::Npy, types.floatType(), {1.5f, -2, 3});
    std::string bytes = contents("out.npy");
    EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    EXPECT_EQ(bytes.size(), 128u + 12);
    EXPECT_THAT(bytes, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"));
    EXPECT_EQ(bytes[127], '\n');
    EXPECT_THAT(readAll<float>(path("out.npy"), Format::Npy, types.floatType()),
                ElementsAre(1.5f, -2, 3));
}

TEST_F(Npy, ItemsThatAreArraysGiveDimensions) {
    writeAll<int>("out.npy", Format::Npy, types.array(types.array(types.intType(), 2), 1),
                  {1, 2, 3, 4});
    EXPECT_THAT(contents("out.npy"),
                HasSubstr("'<i4', 'fortran_order': False, 'shape': (2, 1, 2), }"));
    writeAll<float>("out.npy", Format::Npy, types.scalar(types::TypeKind::Float3), {1, 2, 3});
    EXPECT_THAT(contents("out.npy"), HasSubstr("'shape': (1, 3), }"));
    writeAll<char>("out.npy", Format::Npy, types.bit(), {1, 0});
    EXPECT_THAT(contents("out.npy"), HasSubstr("'|u1'"));
    writeAll<char>("out.npy", Format::Npy, types.boolean(), {1, 0});
    EXPECT_THAT(contents("out.npy"), HasSubstr("'|b1'"));
    writeAll<double>("out.npy", Format::Npy, types.doubleType(), {1});
    EXPECT_THAT(contents("out.npy"), HasSubstr("'<f8'"));
    writeAll<float>("out.npy", Format::Npy, types.complex(), {1, 2});
    EXPECT_THAT(contents("out.npy"), HasSubstr("'<c8'"));
}

TEST_F(Npy, AFlushedFileIsComplete) {
    auto out = openWriter(path("out.npy"), Format::Npy, types.intType());
    ASSERT_TRUE(out);
    int item = 5;
    ASSERT_TRUE((*out)->write(reinterpret_cast<std::byte*>(&item), 1));
    ASSERT_TRUE((*out)->flush());
    EXPECT_THAT(readAll<int>(path("out.npy"), Format::Npy, types.intType()), ElementsAre(5));
    ASSERT_TRUE((*out)->close());
}

TEST_F(Npy, IntoAPipeTheHeaderIsRightAsWell) {
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    std::thread writer([&] { writeAll<int>("pipe", Format::Npy, types.intType(), {1, 2, 3}); });
    file("copy.npy", contents("pipe"));
    writer.join();
    EXPECT_THAT(readAll<int>(path("copy.npy"), Format::Npy, types.intType()), ElementsAre(1, 2, 3));
}

TEST_F(Npy, APipeThatEndsEarlyIsReported) {
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    std::thread writer([&] { file("pipe", npy(dict("<f4", "(5,)"), bytesOf<float>({1, 2}))); });
    EXPECT_THAT(refusal(path("pipe"), Format::Npy, types.floatType()),
                HasSubstr("it ends 3 elements too early"));
    writer.join();
}

TEST_F(Npy, RecordsAreNotNumbers) {
    EXPECT_EQ(check(Format::Npy, types.string()).error(),
              "npy files cannot hold items of type 'String'");
    EXPECT_FALSE(check(Format::Npy, types.array(types.floatType(), 0)));
}

}  // namespace
}  // namespace strc::io
