#include <cmath>

#include <gmock/gmock.h>

#include "unit/weights/files.h"

namespace strc::weights {
namespace {

using base::Diag;
using testing::ElementsAre;
using testing::HasSubstr;
using types::TypeKind;

const std::string kTwo =
    "{" + entry("a.weight", "F32", "2,3", 0, 24) + "," + entry("a.bias", "F32", "2", 24, 32) + "}";
const std::string kTwoValues = bytesOf<float>({1, 2, 3, 4, 5, 6, 7, 8});

class WeightsFile : public Files {
protected:
    std::unique_ptr<Source> source(const std::string& contents) {
        auto opened = open(file(contents));
        EXPECT_TRUE(opened) << opened.error();
        return opened ? std::move(*opened) : nullptr;
    }
    /// Why a file cannot be used.
    std::string why(const std::string& contents) {
        auto opened = open(file(contents));
        if (opened) return "it can be used";
        EXPECT_EQ(opened.failure().id, Diag::WeightsFile);
        return opened.failure().args[1];
    }
    std::string whyHeader(const std::string& header, const std::string& values = "") {
        return why(safetensors(header, values));
    }
};

TEST_F(WeightsFile, ValuesAreFoundByName) {
    auto weights = source(safetensors(kTwo, kTwoValues));
    auto weight = weights->find("a.weight", anything(), types);
    ASSERT_TRUE(weight);
    EXPECT_EQ(weight->type, types.tensor(types.floatType(), {2, 3}));
    EXPECT_THAT(valuesOf<float>(*weight), ElementsAre(1, 2, 3, 4, 5, 6));
    auto bias = weights->find("a.bias", types.tensor(types.floatType(), {types::kDynamic}), types);
    ASSERT_TRUE(bias);
    EXPECT_THAT(valuesOf<float>(*bias), ElementsAre(7, 8));
}

TEST_F(WeightsFile, TheSameValuesHaveTheSameMemoryThatOutlivesTheFile) {
    auto weights = source(safetensors(kTwo, kTwoValues));
    auto first = weights->find("a.bias", anything(), types);
    auto second = weights->find("a.bias", anything(), types);
    EXPECT_EQ(first->bytes.get(), second->bytes.get());
    weights.reset();
    EXPECT_THAT(valuesOf<float>(*first), ElementsAre(7, 8));
}

TEST_F(WeightsFile, WhatHappensToTheFileLaterChangesNothing) {
    auto weights = source(safetensors(kTwo, kTwoValues));
    auto first = weights->find("a.bias", anything(), types);
    std::filesystem::resize_file(folder + "/w.safetensors", 20);
    EXPECT_THAT(valuesOf<float>(*first), ElementsAre(7, 8));
    EXPECT_EQ(weights->find("a.bias", anything(), types)->bytes.get(), first->bytes.get());
    auto late = weights->find("a.weight", anything(), types);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.failure().id, Diag::WeightsFile);
    EXPECT_THAT(late.error(), HasSubstr("written or made shorter while it was read"));
}

TEST_F(WeightsFile, AnotherFileInItsPlaceIsAnotherFile) {
    auto weights = source(safetensors(kTwo, kTwoValues));
    std::filesystem::rename(folder + "/w.safetensors", folder + "/old");
    file("nothing");
    EXPECT_THAT(valuesOf<float>(*weights->find("a.bias", anything(), types)), ElementsAre(7, 8));
}

TEST_F(WeightsFile, WhoAskedFirstIsKept) {
    auto weights = source(safetensors(kTwo, kTwoValues));
    weights->noteFilter({}, []() -> std::string { throw 0; });
    EXPECT_TRUE(weights->find("a.bias", anything(), types));
    weights->noteFilter({}, [] { return "Main.a"; });
    EXPECT_TRUE(weights->find("a.bias", anything(), types));
    EXPECT_TRUE(weights->find("a.weight", anything(), types));
    weights->noteFilter({}, [] { return "Main.b"; });
    EXPECT_EQ(weights->uses()[0].instance, "Main.a");
    EXPECT_EQ(weights->uses()[1].instance, "Main.b");
}

TEST_F(WeightsFile, OddPlacesAreMadeEven) {
    auto weights = source(safetensors(
        "{" + entry("flag", "BOOL", "1", 0, 1) + "," + entry("x", "F32", "2", 1, 9) + "}    ",
        "\x01" + bytesOf<float>({1.5f, 2})));
    auto first = weights->find("x", anything(), types);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first->bytes.get()) % sizeof(float), 0u);
    EXPECT_THAT(valuesOf<float>(*first), ElementsAre(1.5f, 2));
    EXPECT_EQ(weights->find("x", anything(), types)->bytes.get(), first->bytes.get());
}

TEST_F(WeightsFile, ElementTypesAreThoseOfTensors) {
    const std::pair<const char*, const Type*> known[] = {{"BOOL", types.boolean()},
                                                         {"I8", types.scalar(TypeKind::Int8)},
                                                         {"I32", types.intType()},
                                                         {"I64", types.scalar(TypeKind::Long)},
                                                         {"F16", types.scalar(TypeKind::Half)},
                                                         {"BF16", types.scalar(TypeKind::BFloat16)},
                                                         {"F32", types.floatType()},
                                                         {"F64", types.doubleType()}};
    for (const auto& [name, element] : known) {
        const auto size = static_cast<std::uint64_t>(types::sizeOf(element));
        auto weights =
            source(safetensors("{" + entry("x", name, "", 0, size) + "}", std::string(size, '\0')));
        auto found = weights->find("x", anything(), types);
        ASSERT_TRUE(found) << name;
        EXPECT_EQ(found->type, types.tensor(element, std::vector<std::int64_t>{}));
    }
}

TEST_F(WeightsFile, NarrowElementsStayAsTheyAre) {
    const std::string halves("\x00\x3e\x00\xc0\x01\x00\x00\x7c\x00\x80\xff\x03", 12);
    const std::string brains("\xc0\x3f\x00\xc0", 4);
    const std::string bytes("\x07\xff", 2);
    auto weights = source(safetensors("{" + entry("h", "F16", "6", 0, 12) + "," +
                                          entry("b", "BF16", "2", 12, 16) + "," +
                                          entry("i", "I8", "2", 16, 18) + "}",
                                      halves + brains + bytes));
    auto holds = [&](const char* name, const std::string& wanted) {
        auto found = weights->find(name, anything(), types);
        return found && types::sizeOf(found->type) == static_cast<std::int64_t>(wanted.size()) &&
               std::memcmp(found->bytes.get(), wanted.data(), wanted.size()) == 0;
    };
    EXPECT_TRUE(holds("h", halves));
    EXPECT_TRUE(holds("b", brains));
    EXPECT_TRUE(holds("i", bytes));
    EXPECT_EQ(weights->find("h", anything(), types)->bytes.get(),
              weights->find("h", anything(), types)->bytes.get());
}

TEST_F(WeightsFile, WhatTensorsCannotHoldIsNamed) {
    auto weights = source(safetensors("{" + entry("x", "U8", "2", 0, 2) + "}", "ab"));
    auto found = weights->find("x", anything(), types);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.failure().id, Diag::WeightsMismatch);
    EXPECT_EQ(found.failure().args[2], "U8[2]");
    weights = source(safetensors("{" + entry("x", "F32", "0,4294967296", 0, 0) + "}", ""));
    EXPECT_FALSE(weights->find("x", anything(), types));
}

TEST_F(WeightsFile, BooleansAreTruthValues) {
    auto weights = source(safetensors("{" + entry("x", "BOOL", "2", 0, 2) + "}", "\x01\x02"));
    auto found = weights->find("x", anything(), types);
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error(), HasSubstr("'x' has booleans that are neither 0 nor 1"));
}

TEST_F(WeightsFile, OtherShapesAndTypesAreRefused) {
    auto weights = source(safetensors(kTwo, kTwoValues));
    auto found = weights->find("a.weight", types.tensor(types.floatType(), {3, 2}), types);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.failure().id, Diag::WeightsMismatch);
    EXPECT_THAT(found.failure().args,
                ElementsAre("a.weight", testing::_, "tensor<float>[2, 3]", "tensor<float>[3, 2]"));
    EXPECT_FALSE(weights->find("a.weight", types.tensor(types.doubleType()), types));
}

TEST_F(WeightsFile, AMissingNameIsGuessed) {
    auto weights = source(safetensors(kTwo, kTwoValues));
    auto found = weights->find("a.wieght", anything(), types);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.failure().id, Diag::WeightsMissing);
    EXPECT_EQ(weights->similarTo("a.wieght"), "a.weight");
    EXPECT_EQ(weights->similarTo("something.else"), "");
}

TEST_F(WeightsFile, NamesMayBeAnyText) {
    auto weights =
        source(safetensors("{ \"__metadata__\" : {\"format\":\"pt\",\"\":\"\"} ,\n\t" +
                               entry("\\u00e9\\ud83d\\ude00\\n\\\"", "I8", " 1 ", 0, 1) + " }  ",
                           "\x05"));
    EXPECT_TRUE(weights->find("\xc3\xa9\xf0\x9f\x98\x80\n\"", anything(), types));
}

TEST_F(WeightsFile, NothingAtAllIsAFile) {
    EXPECT_FALSE(source(safetensors("{}", ""))->find("x", anything(), types));
    EXPECT_THAT(why(""), HasSubstr("it has 0 bytes"));
    EXPECT_THAT(why("1234567"), HasSubstr("it has 7 bytes"));
}

TEST_F(WeightsFile, AFileThatIsNoneIsRefused) {
    EXPECT_EQ(open(folder + "/none").failure().id, Diag::WeightsFile);
    EXPECT_THAT(open(folder + "/none").error(), HasSubstr("No such file"));
    EXPECT_THAT(open(folder).error(), HasSubstr("it is no regular file"));
    EXPECT_THAT(open("/dev/null").error(), HasSubstr("it is no regular file"));
}

TEST_F(WeightsFile, TheHeaderHasAnEnd) {
    std::string whole = safetensors(kTwo, kTwoValues);
    EXPECT_THAT(why(whole.substr(0, 40)), HasSubstr("it is truncated: its header has"));
    EXPECT_THAT(why(whole.substr(0, whole.size() - 1)),
                HasSubstr("'a.bias' ends behind the end of the file: it is truncated"));
    std::string huge(16, '{');
    huge[7] = '\x7f';
    EXPECT_THAT(why(huge), HasSubstr("more than 100000000"));
    EXPECT_THAT(why(std::string(8, '\xff')), HasSubstr("18446744073709551615 bytes"));
    EXPECT_THAT(why("PK\3\4 a pickled model, as it were"), HasSubstr("no safetensors file"));
}

TEST_F(WeightsFile, TheHeaderIsJson) {
    EXPECT_THAT(whyHeader(""), HasSubstr("at byte 8: '{' is missing"));
    EXPECT_THAT(whyHeader("[]"), HasSubstr("'{' is missing"));
    EXPECT_THAT(whyHeader("{"), HasSubstr("'\"' is missing"));
    EXPECT_THAT(whyHeader("{} x"), HasSubstr("something behind the end"));
    EXPECT_THAT(whyHeader(std::string("{}\0", 3)), HasSubstr("something behind the end"));
    EXPECT_THAT(whyHeader("{" + entry("x", "F32", "", 0, 4) + ",}", "1234"),
                HasSubstr("'\"' is missing"));
    EXPECT_THAT(whyHeader("{\"x\" 1}"), HasSubstr("':' is missing"));
    EXPECT_THAT(whyHeader("{\"x\":1}"), HasSubstr("'{' is missing"));
    EXPECT_THAT(whyHeader("{\"__metadata__\":{\"a\":1}}"), HasSubstr("'\"' is missing"));
    EXPECT_THAT(whyHeader("{\"__metadata__\":{},\"__metadata__\":{}}"),
                HasSubstr("the same thing twice"));
}

TEST_F(WeightsFile, TextsAreUtf8) {
    for (const char* name : {"\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"})
        EXPECT_THAT(whyHeader("{\"" + std::string(name) + "\":"), HasSubstr("no UTF-8"));
    EXPECT_THAT(whyHeader("{\"\xe2"), HasSubstr("no UTF-8"));
    EXPECT_THAT(whyHeader("{\"\n\":"), HasSubstr("a control character"));
    EXPECT_THAT(whyHeader("{\"\\x\":"), HasSubstr("an escape that is none"));
    EXPECT_THAT(whyHeader("{\"\\"), HasSubstr("an escape that is none"));
    EXPECT_THAT(whyHeader("{\"\\u12g4\":"), HasSubstr("hexadecimal"));
    for (const char* half : {"\\ud800", "\\udc00", "\\ud800\\u0041", "\\ud800x"})
        EXPECT_THAT(whyHeader("{\"" + std::string(half) + "\":"), HasSubstr("half of a character"));
}

TEST_F(WeightsFile, AllIsSaidOfATensorOnce) {
    EXPECT_THAT(whyHeader("{\"x\":{}}"), HasSubstr("is missing"));
    EXPECT_THAT(whyHeader("{\"x\":{\"dtype\":\"F32\",\"shape\":[]}}"), HasSubstr("is missing"));
    EXPECT_THAT(whyHeader("{\"x\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}"),
                HasSubstr("the same thing twice"));
    EXPECT_THAT(whyHeader("{\"x\":{\"strides\":[1]}}"), HasSubstr("something else than dtype"));
    EXPECT_THAT(whyHeader("{\"x\":{\"dtype\":\"F31\"}}"),
                HasSubstr("an element type that is not known"));
}

TEST_F(WeightsFile, NumbersFit) {
    auto shaped = [&](const std::string& shape) {
        return whyHeader("{\"x\":{\"dtype\":\"F32\",\"shape\":[" + shape +
                         "],\"data_offsets\":[0,0]}}");
    };
    EXPECT_THAT(shaped("18446744073709551616"), HasSubstr("more than 64 bits"));
    EXPECT_THAT(shaped("-1"), HasSubstr("a number is missing"));
    EXPECT_THAT(shaped("1.0"), HasSubstr("']' is missing"));
    EXPECT_THAT(shaped("1,"), HasSubstr("a number is missing"));
    EXPECT_THAT(shaped("01"), HasSubstr("begins with 0"));
    EXPECT_THAT(shaped("1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"), HasSubstr("too many numbers"));
    EXPECT_THAT(shaped("9223372036854775808,2"), HasSubstr("whose bytes are not those"));
    EXPECT_THAT(shaped("4611686018427387904"), HasSubstr("whose bytes are not those"));
    EXPECT_THAT(whyHeader("{\"x\":{\"data_offsets\":[0]}}"), HasSubstr("a number is missing"));
    EXPECT_THAT(whyHeader("{\"x\":{\"data_offsets\":[0,1,2]}}"), HasSubstr("too many numbers"));
    EXPECT_THAT(whyHeader("{\"x\":{\"data_offsets\":[4,0]}}"), HasSubstr("ends before it begins"));
}

TEST_F(WeightsFile, BytesAreThoseOfTypeAndShape) {
    EXPECT_THAT(whyHeader("{" + entry("x", "F32", "2", 0, 4) + "}", "1234"),
                HasSubstr("whose bytes are not those"));
    EXPECT_THAT(whyHeader("{" + entry("x", "F32", "0", 0, 4) + "}", "1234"),
                HasSubstr("whose bytes are not those"));
}

TEST_F(WeightsFile, EveryByteBelongsToOneTensor) {
    auto two = [&](std::uint64_t a, std::uint64_t b, std::size_t bytes) {
        return whyHeader(
            "{" + entry("x", "F32", "1", a, a + 4) + "," + entry("y", "F32", "1", b, b + 4) + "}",
            std::string(bytes, '\0'));
    };
    EXPECT_EQ(two(0, 4, 8), "it can be used");
    EXPECT_EQ(two(4, 0, 8), "it can be used");
    EXPECT_THAT(two(0, 0, 8), HasSubstr("begins before the tensor in front of it ends"));
    EXPECT_THAT(two(0, 2, 8), HasSubstr("'y' begins before"));
    EXPECT_THAT(two(0, 5, 9), HasSubstr("'y' has bytes in front of it that belong to nothing"));
    EXPECT_THAT(two(1, 5, 9), HasSubstr("'x' has bytes in front of it"));
    EXPECT_THAT(two(0, 4, 9), HasSubstr("its last 1 bytes belong to nothing"));
    EXPECT_THAT(two(0, 4, 7), HasSubstr("'y' ends behind the end of the file"));
    EXPECT_THAT(two(0, UINT64_MAX - 4, 8), HasSubstr("'y' has bytes in front of it"));
}

TEST_F(WeightsFile, NoNameIsThereTwice) {
    EXPECT_THAT(
        whyHeader("{" + entry("x", "F32", "1", 0, 4) + "," + entry("x", "F32", "1", 4, 8) + "}",
                  std::string(8, '\0')),
        HasSubstr("'x' is there twice"));
}

TEST_F(WeightsFile, LongNamesAreCutInMessages) {
    std::string name;
    for (int k = 0; k < 300; ++k) name += "\xc3\xa9";
    const std::string text = whyHeader("{" + entry(name, "F32", "1", 4, 8) + "}", "12345678");
    EXPECT_THAT(text, HasSubstr("\xc3\xa9' has bytes in front of it that belong to nothing"));
}

TEST_F(WeightsFile, AFileIsOpenedWhenItIsNeeded) {
    auto weights = openLater(folder + "/w.safetensors");
    EXPECT_EQ(weights->find("a.bias", anything(), types).failure().id, Diag::WeightsNone);
    EXPECT_EQ(weights->path(), "");
    file(safetensors(kTwo, kTwoValues));
    EXPECT_TRUE(weights->find("a.bias", anything(), types));
    EXPECT_EQ(weights->path(), folder + "/w.safetensors");
    EXPECT_EQ(weights->similarTo("a.bais"), "a.bias");
    file("");
    EXPECT_EQ(openLater(folder + "/w.safetensors")->find("x", anything(), types).failure().id,
              Diag::WeightsFile);
}

}  // namespace
}  // namespace strc::weights
