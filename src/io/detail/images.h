#pragma once
/// What the formats of images share: pixels as samples of 8 or 16 bits, in rows.

#include <cstdint>
#include <vector>

#include "io/detail/numbers.h"

namespace strc::io {

/// A sample as an item gives it: int as stored, float and double in [0, 255].
void storeSample(std::uint32_t sample, std::uint32_t greatest, types::TypeKind, std::byte* to);
std::uint32_t loadSample(types::TypeKind, const std::byte* from, std::uint32_t greatest);

/// A white sample as a real number of a row has it.
constexpr double kWhite = 255;

/// An image in memory, of 8 bits a sample or of 16, the lower byte first.
struct Pixels {
    StreamInfo info;
    std::size_t rowSize = 0;
    std::vector<std::uint8_t> bytes;
};
constexpr std::uint64_t kMostImageBytes = 1ull << 30;  ///< of one image in memory

/// Gives the samples of an image that has been decoded.
std::unique_ptr<ItemReader> readerOf(std::unique_ptr<Source>, const types::Type* item, Pixels&&);

/// Collects samples and hands on whole images: when as many rows have come as the image is to have,
/// and at the end what there is, its last row filled up with black.
class ImageWriter : public SinkWriter {
public:
    /// Channels, width and bits that `info` does not tell are chosen.
    ImageWriter(std::unique_ptr<Sink>, Numbers, StreamInfo);

    base::Status write(const std::byte* from, std::size_t count) final;
    base::Status close() final;

protected:
    struct Image {
        std::uint64_t width, height;
        int channels;
        int bits;
        const std::vector<std::uint16_t>& samples;
    };
    virtual base::Status put(const Image&) = 0;
    virtual bool takesSeveral() const = 0;

    StreamInfo info;

private:
    base::Status putImage(std::uint64_t height);

    Numbers item;
    std::vector<std::uint16_t> samples;
    std::uint64_t images = 0;  ///< begun
    std::uint64_t imageSize = 0;  ///< bytes of each; 0: none is whole yet
};

}  // namespace strc::io
