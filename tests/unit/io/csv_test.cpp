#include <cmath>
#include <complex>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "unit/io/files.h"

namespace strc::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Csv : public Files {
protected:
    std::vector<int> ints(const std::string& text) {
        return readAll<int>(file("in.csv", text), Format::Csv, types.intType());
    }
    std::string why(const std::string& text, const types::Type* item) {
        std::string reason = refusal(file("in.csv", text), Format::Csv, item);
        std::string start = "'" + path("in.csv") + "' is not a valid text file: ";
        return reason.starts_with(start) ? reason.substr(start.size()) : reason;
    }
};

TEST_F(Csv, NumbersAreSeparatedByAlmostAnything) {
    EXPECT_THAT(ints("1,2, 3\n4;5\t6\r\n\n7"), ElementsAre(1, 2, 3, 4, 5, 6, 7));
    EXPECT_THAT(ints("# a comment 9\n1 # one\n2#two\n,,\n-3\n#"), ElementsAre(1, 2, -3));
    EXPECT_THAT(ints("0x10 +5"), ElementsAre(16, 5));
}

TEST_F(Csv, EveryScalarCanBeWritten) {
    file("in.csv", "1.5 -2e3 nan -inf Infinity 3 1.0E-4");
    std::vector<float> floats = readAll<float>(path("in.csv"), Format::Csv, types.floatType());
    ASSERT_EQ(floats.size(), 7u);
    EXPECT_EQ(floats[1], -2000);
    EXPECT_TRUE(std::isnan(floats[2]));
    EXPECT_EQ(floats[3], -INFINITY);
    EXPECT_EQ(floats[6], 1e-4f);
    EXPECT_THAT(readAll<double>(file("d.csv", "0.1 INF"), Format::Csv, types.doubleType()),
                ElementsAre(0.1, INFINITY));
    EXPECT_THAT(readAll<char>(file("b.csv", "true 0 1 false"), Format::Csv, types.boolean()),
                ElementsAre(1, 0, 1, 0));
    EXPECT_THAT(readAll<char>(file("b.csv", "0 1"), Format::Csv, types.bit()), ElementsAre(0, 1));
    file("c.csv", "1+2i -1.5e-3-2i 3 4i");
    auto complexes = reader(path("c.csv"), Format::Csv, types.complex());
    EXPECT_THAT(rest<std::complex<float>>(*complexes),
                ElementsAre(std::complex<float>(1, 2), std::complex<float>(-1.5e-3f, -2),
                            std::complex<float>(3, 0), std::complex<float>(0, 4)));
}

TEST_F(Csv, WhatIsNoNumberIsReportedWithItsLine) {
    EXPECT_EQ(why("1\n2\nthree 4\n", types.intType()), "line 3: 'three' is not an int");
    EXPECT_EQ(why("# x\n1,2,1.5\n", types.intType()), "line 2: '1.5' is not an int");
    EXPECT_EQ(why("1\n99999999999\n", types.intType()), "line 2: '99999999999' is not an int");
    EXPECT_EQ(why("time,value\n", types.floatType()), "line 1: 'time' is not a number");
    EXPECT_EQ(why("2", types.bit()), "line 1: '2' is not a bit");
    EXPECT_EQ(why("2", types.boolean()), "line 1: '2' is not a boolean");
    EXPECT_EQ(why("i+1", types.complex()), "line 1: 'i+1' is not a complex number");
    EXPECT_EQ(why(std::string(1'000'000, '1'), types.floatType()),
              "line 1: '" + std::string(30, '1') + "...' is not a number");
    EXPECT_EQ(why(std::string("1\n\0\xff", 4), types.intType()),
              "line 2: '\x01\xff' is not an int");
    EXPECT_EQ(why("# nothing\n", types.intType()),
              "input file '" + path("in.csv") + "' holds no items");
}

TEST_F(Csv, WhatWasBeforeAFaultIsRead) {
    auto in = reader(file("in.csv", "1\n2\nx"), Format::Csv, types.intType());
    int items[10];
    auto got = in->read(reinterpret_cast<std::byte*>(items), 10);
    ASSERT_TRUE(got);
    EXPECT_EQ(*got, 2u);
    EXPECT_FALSE(in->read(reinterpret_cast<std::byte*>(items), 10));
}

TEST_F(Csv, ArraysAndStructsAreRows) {
    base::NameTable names;
    const types::Type* point = types.structure(names.intern("Point"), {});
    point->structure->fields.push_back({names.intern("on"), types.bit(), 0, {}});
    point->structure->fields.push_back({names.intern("x"), types.floatType(), 0, {}});
    types.complete(*point->structure);
    const types::Type* item = types.array(point, 2);
    auto size = static_cast<std::size_t>(types::sizeOf(item));
    std::vector<std::byte> items(size);
    auto in = reader(file("in.csv", "1, 0.5, 0, 2\n1, 7"), Format::Csv, item);
    ASSERT_TRUE(in->read(items.data(), 1));
    writeAll("out.csv", Format::Csv, item, items);
    EXPECT_EQ(contents("out.csv"), "1,0.5,0,2.0\n");
    std::vector<std::byte> more(size);
    auto got = in->read(more.data(), 1);
    ASSERT_TRUE(got);
    EXPECT_EQ(*got, 0u) << "part of an item is ignored";
}

TEST_F(Csv, EveryItemIsALine) {
    writeAll<int>("i.csv", Format::Csv, types.intType(), {1, -2});
    EXPECT_EQ(contents("i.csv"), "1\n-2\n");
    writeAll<float>("f.csv", Format::Csv, types.floatType(), {1, 0.1f, 1e10f, NAN});
    EXPECT_EQ(contents("f.csv"), "1.0\n0.1\n1.0E10\nNaN\n");
    writeAll<double>("d.csv", Format::Csv, types.doubleType(), {0.1});
    EXPECT_EQ(contents("d.csv"), "0.1\n");
    writeAll<float>("c.csv", Format::Csv, types.complex(), {1, 2, 3, -4});
    EXPECT_EQ(contents("c.csv"), "1.0+2.0i\n3.0-4.0i\n");
    writeAll<char>("b.csv", Format::Csv, types.boolean(), {1, 0});
    EXPECT_EQ(contents("b.csv"), "1\n0\n");
    writeAll<float>("v.csv", Format::Csv, types.scalar(types::TypeKind::Float2), {1, 2, 3, 4});
    EXPECT_EQ(contents("v.csv"), "1.0,2.0\n3.0,4.0\n");
}

TEST_F(Csv, CanStartAgain) {
    auto in = reader(file("in.csv", "1\n2\n"), Format::Csv, types.intType());
    EXPECT_THAT(rest<int>(*in), ElementsAre(1, 2));
    EXPECT_TRUE(in->rewind());
    EXPECT_THAT(rest<int>(*in), ElementsAre(1, 2));
}

TEST_F(Csv, APipeIsAnsweredLineByLine) {
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    int fd = open(path("pipe").c_str(), O_RDWR);
    ASSERT_EQ(write(fd, "1\n2\n3", 5), 5);
    auto in = reader(path("pipe"), Format::Csv, types.intType());
    int items[10];
    auto got = in->read(reinterpret_cast<std::byte*>(items), 10);
    ASSERT_TRUE(got);
    EXPECT_EQ(*got, 2u);
    ASSERT_EQ(write(fd, "4\n", 2), 2);
    got = in->read(reinterpret_cast<std::byte*>(items), 10);
    ASSERT_TRUE(got);
    EXPECT_EQ(*got, 1u);
    EXPECT_EQ(items[0], 34);
    close(fd);
}

TEST_F(Csv, HoldsWhatHasWords) {
    EXPECT_TRUE(check(Format::Csv, types.array(types.complex(), 3)));
    EXPECT_FALSE(check(Format::Csv, types.string()));
    EXPECT_FALSE(check(Format::Csv, types.array(types.intType(), 0)));
}

}  // namespace
}  // namespace strc::io
