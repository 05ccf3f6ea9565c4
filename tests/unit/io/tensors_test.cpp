#include "io/tensors.h"

#include <gmock/gmock.h>

#include "unit/io/files.h"

namespace strc::io {
namespace {

class Tensors : public Files {
protected:
    /// Items of two floats.
    TensorItems pairs() {
        return {{types.tensor(types.floatType(), {2})}, types.array(types.floatType(), 2)};
    }
    /// Of each type one, which go to the tensors of a file in turn.
    void write(const std::vector<TensorFile>& files) {
        auto writer = openTensorWriter(files, pairs());
        ASSERT_TRUE(writer) << writer.error();
        const float item[] = {1, 2};
        for (std::size_t k = 0; k < files.size(); ++k)
            EXPECT_TRUE((*writer)->write(reinterpret_cast<const std::byte*>(item), 1));
        base::Status closed = (*writer)->close();
        EXPECT_TRUE(closed) << closed.error();
    }
    std::string refusal(const TensorFile& file) {
        auto found = typesIn(file, nullptr, types);
        return found ? "" : found.error();
    }
    TensorFile named(const std::string& tensor) {
        return {path("t.safetensors:") + tensor, Format::Safetensors};
    }
};

TEST_F(Tensors, NamesAreOfAnyLengthAndAnyCharacters) {
    for (const std::string& name :
         {std::string(5000, 'n'), std::string("a \"b\" \\ \t\x7f ä"), std::string("output")}) {
        write({named(name)});
        auto found = typesIn(named(name), nullptr, types);
        ASSERT_TRUE(found) << found.error();
        EXPECT_EQ(allOf(*found), "tensor<float>[2]");
    }
    write({named("\xff")});
    EXPECT_EQ(refusal(named("\xef\xbf\xbd")), "") << "what is no UTF-8 cannot be in a header";
}

TEST_F(Tensors, SomeNamesOfAFileAreTold) {
    const std::string start = "'" + path("t.safetensors:b") + "' is not a valid safetensors file: ";
    std::vector<TensorFile> files;
    for (const char* name : {"a10", "a9"}) files.push_back(named(name));
    write(files);
    EXPECT_EQ(refusal(named("b")), start + "it has no tensor 'b', but a9, a10");
    for (int k = 0; k < 9; ++k) files.push_back(named("c" + std::to_string(k)));
    write(files);
    EXPECT_EQ(refusal(named("b")),
              start + "it has no tensor 'b', but a9, a10, c0, c1, c2, c3, c4, c5, ...");
    write({named(std::string(3000, 'x'))});
    EXPECT_EQ(refusal(named("b")), start + "it has no tensor 'b', but ...");
}

TEST_F(Tensors, FilesOfSeveralFormatsTakeTurns) {
    write({{path("a.npy"), Format::Npy}, named("a"), {path("b.npy"), Format::Npy}, named("b")});
    for (const TensorFile& each : {TensorFile{path("a.npy"), Format::Npy}, named("a"),
                                   TensorFile{path("b.npy"), Format::Npy}, named("b")}) {
        auto found = typesIn(each, nullptr, types);
        ASSERT_TRUE(found) << found.error();
        EXPECT_EQ(allOf(*found), "tensor<float>[2]");
    }
}

TEST_F(Tensors, AWriterThatIsLeftLeavesTheFilesAlone) {
    file("a.npy", "before");
    const std::vector<std::vector<TensorFile>> all = {
        {{path("a.npy"), Format::Npy}},
        {{path("a.npy"), Format::Npy}, {path("b.npy"), Format::Npy}},
        {{path("a.npy"), Format::Npy}, named("c")},
        {{path("a.npy"), Format::Npy}, {path("p.pgm"), Format::Pgm}}};
    for (const std::vector<TensorFile>& files : all) {
        auto writer = openTensorWriter(files, pairs());
        if (writer) writer->reset();
        EXPECT_EQ(contents("a.npy"), "before");
        EXPECT_FALSE(std::filesystem::exists(path("b.npy")));
        EXPECT_FALSE(std::filesystem::exists(path("t.safetensors")));
    }
}

TEST_F(Tensors, OneNameIsForOneTensor) {
    auto writer = openTensorWriter({named("a"), named("a")}, pairs());
    ASSERT_FALSE(writer);
    EXPECT_THAT(writer.error(), testing::HasSubstr("two tensors are called 'a'"));
}

}  // namespace
}  // namespace strc::io
