#include <cmath>

#include <gmock/gmock.h>

#include "unit/io/files.h"

namespace strc::io {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;
using testing::StartsWith;

class Images : public Files {
protected:
    std::string why(const std::string& bytes) {
        return refusal(file("bad.pgm", bytes), Format::Pgm, types.intType());
    }
};

TEST_F(Images, GreyMapsOfBytes) {
    auto in = reader(file("in.pgm", "P5\n# made by hand\n3 2\n255\n" +
                                        std::string("\x00\x01\x02\x80\xfe\xff", 6)),
                     Format::Pgm, types.intType());
    EXPECT_EQ(in->info().width, 3);
    EXPECT_EQ(in->info().height, 2);
    EXPECT_EQ(in->info().channels, 1);
    EXPECT_EQ(in->info().bits, 8);
    EXPECT_EQ(in->total(), 6u);
    EXPECT_THAT(rest<int>(*in), ElementsAre(0, 1, 2, 128, 254, 255));
    EXPECT_EQ(in->total(), 6u) << "also after reading";
    EXPECT_TRUE(in->rewind());
    EXPECT_THAT(rest<int>(*in, 4), ElementsAre(0, 1, 2, 128, 254, 255));
    EXPECT_THAT(readAll<float>(path("in.pgm"), Format::Pgm, types.floatType()),
                ElementsAre(0, 1, 2, 128, 254, 255));
}

TEST_F(Images, OtherGreatestValuesBecome255ForFloats) {
    file("in.pgm", "P5 2 1 65535 " + std::string("\x01\x00\xff\xff", 4));
    EXPECT_THAT(readAll<int>(path("in.pgm"), Format::Pgm, types.intType()),
                ElementsAre(256, 65535));
    EXPECT_THAT(readAll<float>(path("in.pgm"), Format::Pgm, types.floatType()),
                ElementsAre(FloatEq(256 * 255 / 65535.0f), 255));
    EXPECT_EQ(reader(path("in.pgm"), Format::Pgm, types.intType())->info().bits, 16);
}

TEST_F(Images, PixelMapsAreTriples) {
    auto in = reader(file("in.ppm", "P6\n1 2\n255\nabcdef"), Format::Pgm,
                     types.array(types.intType(), 3));
    EXPECT_EQ(in->info().channels, 3);
    EXPECT_EQ(in->total(), 2u);
    EXPECT_THAT(readAll<int>(path("in.ppm"), Format::Pgm, types.intType()),
                ElementsAre('a', 'b', 'c', 'd', 'e', 'f'));
}

TEST_F(Images, MapsAsText) {
    file("in.pgm", "P2 2 2 15 # greys\n0 15\n7 #seven\n8\n");
    EXPECT_THAT(readAll<int>(path("in.pgm"), Format::Pgm, types.intType()),
                ElementsAre(0, 15, 7, 8));
    file("in.ppm", "P3 1 1 255 1 2 3");
    EXPECT_THAT(readAll<int>(path("in.ppm"), Format::Pgm, types.intType()), ElementsAre(1, 2, 3));
}

TEST_F(Images, SeveralMapsFollowEachOther) {
    auto in = reader(file("in.pgm", "P5 2 1 255 abP5 1 1 255 c\n"), Format::Pgm, types.intType());
    EXPECT_EQ(in->total(), std::nullopt);
    EXPECT_THAT(rest<int>(*in), ElementsAre('a', 'b', 'c'));
    EXPECT_TRUE(in->rewind());
    EXPECT_THAT(rest<int>(*in), ElementsAre('a', 'b', 'c'));
}

TEST_F(Images, WhatIsNoMapIsRefused) {
    std::string start = "'" + path("bad.pgm") + "' is not a valid PGM file: ";
    EXPECT_EQ(why("P4 1 1 x"), start + "it does not begin with P2, P3, P5 or P6");
    EXPECT_EQ(why("P"), start + "it does not begin with P2, P3, P5 or P6");
    EXPECT_EQ(why("# only\n"), "input file '" + path("bad.pgm") + "' holds no items");
    EXPECT_EQ(why("P5 2"), start + "its header ends where a number is expected");
    EXPECT_EQ(why("P5 2 x"), start + "its header has something else where a number is expected");
    EXPECT_EQ(why("P5 0 2 255 "), start + "its size 0 x 2 is not possible");
    EXPECT_EQ(why("P5 999999999999 999999999999 255 "),
              start + "its size 999999999999 x 999999999999 is not possible");
    EXPECT_EQ(why("P5 9999999999999 1 255 "), start + "a number in its header is too long");
    EXPECT_EQ(why("P5 2 2 70000 "), start + "its greatest value 70000 is not possible");
    EXPECT_EQ(why("P5 2 2 0 "), start + "its greatest value 0 is not possible");
    EXPECT_EQ(why("P5 2 2 255"), start + "it ends in its header");
    EXPECT_EQ(why("P5 2 2 255 abc"), start + "it ends 1 samples too early");
    EXPECT_EQ(why("P2 2 1 9 3 10"), start + "sample 10 exceeds the greatest value 9");
    EXPECT_EQ(why("P2 2 1 9 3"), start + "the image ends where a number is expected");
    EXPECT_EQ(why("P5 1 1 255 aXY"), start + "something else follows the image");
    EXPECT_EQ(check(Format::Pgm, types.bit()).error(), "PGM files cannot hold items of type 'bit'");
}

TEST_F(Images, AreWrittenWithAsManyRowsAsCome) {
    writeAll<int>("out.pgm", Format::Pgm, types.intType(), {0, 1, 2, 300, -5}, {.width = 2});
    EXPECT_EQ(contents("out.pgm"), "P5\n2 3\n255\n" + std::string("\x00\x01\x02\xff\x00\x00", 6));
    writeAll<float>("out.pgm", Format::Pgm, types.floatType(), {0.4f, 254.6f, NAN}, {});
    EXPECT_EQ(contents("out.pgm"), "P5\n3 1\n255\n" + std::string("\x00\xff\x00", 3));
    writeAll<int>("out.pgm", Format::Pgm, types.array(types.intType(), 5),
                  {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    EXPECT_THAT(contents("out.pgm"), StartsWith("P5\n5 2\n255\n"));
}

TEST_F(Images, AHeightMakesImagesOfIt) {
    writeAll<int>("out.pgm", Format::Pgm, types.intType(), {97, 98, 99}, {.width = 1, .height = 2});
    EXPECT_EQ(contents("out.pgm"), "P5\n1 2\n255\nabP5\n1 2\n255\nc" + std::string(1, '\0'));
}

TEST_F(Images, ColoursAreWritten) {
    writeAll<int>("out.ppm", Format::Pgm, types.intType(), {97, 98, 99, 100, 101, 102},
                  {.width = 2});
    EXPECT_EQ(contents("out.ppm"), "P6\n2 1\n255\nabcdef");
    writeAll<int>("triple.pgm", Format::Pgm, types.array(types.intType(), 3), {97, 98, 99},
                  {.bits = 16, .width = 1});
    EXPECT_EQ(contents("triple.pgm"), "P6\n1 1\n65535\n" + std::string("\0a\0b\0c", 6));
    writeAll<int>("pair.pgm", Format::Pgm, types.array(types.intType(), 2), {97, 98}, {.width = 2});
    EXPECT_EQ(contents("pair.pgm"), "P5\n2 1\n255\nab");
    auto out = openWriter(path("out.pgm"), Format::Pgm, types.intType(), {.channels = 2});
    ASSERT_FALSE(out);
    EXPECT_THAT(out.error(), HasSubstr("pixels have 1 or 3 samples in this format, not 2"));
}

TEST_F(Images, PngKeepsWhatIsWritten) {
    for (int bits : {8, 16}) {
        for (int channels : {1, 2, 3, 4}) {
            std::vector<int> items;
            for (int i = 0; i < 6 * channels; ++i) items.push_back(i * (bits == 16 ? 2000 : 10));
            writeAll("out.png", Format::Png, types.intType(), items,
                     {.channels = channels, .bits = bits, .width = 3});
            auto in = reader(path("out.png"), Format::Png, types.intType());
            EXPECT_EQ(in->info().width, 3);
            EXPECT_EQ(in->info().height, 2);
            EXPECT_EQ(in->info().channels, channels);
            EXPECT_EQ(in->info().bits, bits);
            EXPECT_EQ(in->total(), items.size());
            EXPECT_EQ(rest<int>(*in), items);
            EXPECT_TRUE(in->rewind());
            EXPECT_EQ(rest<int>(*in, 100), items);
        }
    }
}

TEST_F(Images, PngSamplesAreFloatsUpTo255) {
    writeAll<float>("out.png", Format::Png, types.floatType(), {0, 127.5f, 255},
                    {.bits = 16, .width = 3});
    EXPECT_THAT(readAll<float>(path("out.png"), Format::Png, types.floatType()),
                ElementsAre(0, testing::FloatNear(127.5f, 0.01f), 255));
}

TEST_F(Images, PngHasOneImageOfItsHeight) {
    auto out = openWriter(path("out.png"), Format::Png, types.intType(), {.width = 1, .height = 1});
    ASSERT_TRUE(out);
    int items[] = {1, 2};
    base::Status written = (*out)->write(reinterpret_cast<std::byte*>(items), 2);
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error(), HasSubstr("the image is full"));
    EXPECT_TRUE((*out)->close());
    EXPECT_THAT(readAll<int>(path("out.png"), Format::Png, types.intType()), ElementsAre(1));
    EXPECT_FALSE(openWriter(path("out.png"), Format::Png, types.intType(), {.channels = 5}));
}

TEST_F(Images, WhatIsNoPngIsRefused) {
    std::string start = "'" + path("bad.png") + "' is not a valid PNG file: ";
    EXPECT_THAT(refusal(file("bad.png", "hello"), Format::Png, types.intType()), StartsWith(start));
    writeAll<int>("good.png", Format::Png, types.intType(), std::vector<int>(1000), {.width = 10});
    std::string good = contents("good.png");
    for (std::size_t length : {10ul, 30ul, good.size() / 2, good.size() - 4})
        EXPECT_THAT(refusal(file("bad.png", good.substr(0, length)), Format::Png, types.intType()),
                    StartsWith(start));
    good[45] = static_cast<char>(~good[45]);
    EXPECT_THAT(refusal(file("bad.png", good), Format::Png, types.intType()), StartsWith(start));
    EXPECT_EQ(refusal(file("bad.png", ""), Format::Png, types.intType()),
              "input file '" + path("bad.png") + "' holds no items");
}

TEST_F(Images, WithoutItemsNothingIsWritten) {
    writeAll<int>("out.png", Format::Png, types.intType(), {});
    EXPECT_EQ(contents("out.png"), "");
}

TEST_F(Images, PngOnAFullDiskIsReported) {
    auto out = openWriter("/dev/full", Format::Png, types.intType());
    ASSERT_TRUE(out);
    int item = 1;
    ASSERT_TRUE((*out)->write(reinterpret_cast<std::byte*>(&item), 1));
    EXPECT_FALSE((*out)->close());
}

}  // namespace
}  // namespace strc::io
