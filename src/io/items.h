#pragma once
/// Streams of items in files: raw words (language.md 17.2), WAV, FLAC, Ogg, NumPy .npy, CSV/text, PNG, JPEG and PGM
/// images. Readers give items, writers take items, both in the memory layout of types/type.h. The
/// formats are described in docs/file-formats.md. Failures are rows of the table of diagnostics.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "strc/executable.h"
#include "types/type.h"

struct strc_heard;
struct strc_sound_use;

namespace strc::io {

/// Pgm stands for the family: PGM and PPM. From U8 on they are samples without a header; the formats whose names begin with C hold them in pairs.
enum class Format : std::uint8_t {
    Raw = STRC_raw,
    Wav = STRC_wav,
    Npy = STRC_npy,
    Csv = STRC_text,
    Png = STRC_png,
    Pgm = STRC_pgm,
    Pcm = STRC_pcm,
    Jpeg = STRC_jpeg,
    Safetensors = STRC_safetensors,
    U8 = STRC_u8,
    S8 = STRC_s8,
    Cu8 = STRC_cu8,
    Cs8 = STRC_cs8,
    Cs16 = STRC_cs16,
    Cf32 = STRC_cf32,
    SigMf = STRC_sigmf,
    Flac = STRC_flac,
    Ogg = STRC_ogg,  ///< Vorbis when it is written
    Opus = STRC_opus,
    Device = STRC_device
};

/// By extension (".wav", ".npy", ".csv", ".png", ".raw", …); raw if there is none, as in "-" and most
/// pipes; empty if it is not known.
std::optional<Format> formatOf(std::string_view fileName);
/// "raw", "wav", …; empty if there is none of that name.
std::optional<Format> findFormat(std::string_view name);
/// What messages call it.
std::string_view name(Format);
/// Does a file say the rate and the channels of a sound?
bool isSound(Format);
/// Of a file that is to be a sound: WAV unless its name says otherwise.
Format soundFormatOf(std::string_view fileName);

/// What a file tells about its items besides their values. 0: not told.
struct StreamInfo {
    int channels = 0;  ///< WAV: interleaved; images: samples per pixel
    int sampleRate = 0;  ///< WAV
    int bits = 0;  ///< of a sample: WAV 8, 16, 24, 32, 64; images 8, 16
    bool floating = false;  ///< WAV: samples are floating-point numbers
    int width = 0;  ///< images
    int height = 0;  ///< images
};

/// Samples that an item takes in sounds; 0: it is none of them.
std::uint64_t samplesOf(const types::Type* item);

/// Can files of that format hold such items? A FormatItemType failure if not.
base::Status check(Format, const types::Type* item);

class ItemReader {
public:
    virtual ~ItemReader() = default;
    /// Reads up to `count` items to `to`; returns how many there were (0: end of input). Waits until
    /// there is one item and gives what is there then, so that a pipe is answered at once. A signal
    /// that interrupts the waiting counts as the end of input.
    virtual base::Result<std::size_t> read(std::byte* to, std::size_t count) = 0;
    /// Starts again at the first item (--loop-input); false: the source cannot.
    virtual bool rewind() = 0;
    /// Items in all, if that is known.
    virtual std::optional<std::uint64_t> total() const { return std::nullopt; }
    /// Files that take turns, with the items of each, in all and of a turn; empty: one file.
    struct Part {
        std::string file;
        std::uint64_t items = 0;
        std::uint64_t turn = 1;
        StreamInfo info = {};
    };
    virtual std::vector<Part> parts() const { return {}; }
    /// Bytes at the end that are too few for an item, as far as the end is known; and how many those have.
    struct Rest {
        std::uint64_t bytes = 0;
        std::uint64_t itemBytes = 0;
        bool isRaw = false;  ///< they may be something else than items
    };
    virtual Rest rest() const { return {}; }
    /// Bytes that are told of at the beginning and are not there, as far as the end is known.
    virtual std::uint64_t missing() const { return 0; }
    /// Frames that were lost since nobody had taken them in time: of a sound device.
    virtual std::uint64_t dropouts() const { return 0; }
    virtual StreamInfo info() const { return {}; }
};

class ItemWriter {
public:
    virtual ~ItemWriter() = default;
    /// Completes the header of a sound by those that are read (strc_heard_complete), before anything is written.
    virtual void complete(const strc_heard&, const strc_sound_use&) {}
    virtual base::Status write(const std::byte* from, std::size_t count) = 0;
    /// For a stream of tensors whose shapes nobody knew before: what is written next, and what it lies in memory as.
    virtual base::Status expect(const types::Type* tensor, const types::Type* memory);
    /// Where the file is, if it takes back what is written from here on: the argument of goBack. Empty: it does not.
    virtual std::optional<std::uint64_t> position() const { return std::nullopt; }
    virtual base::Status goBack(std::uint64_t position);
    /// Hands on what is buffered, as far as the format allows before its end.
    virtual base::Status flush() = 0;
    /// Completes headers, flushes and closes; called once, or never for a run that has failed before it has
    /// written anything.
    virtual base::Status close() = 0;
    /// Samples beyond the greatest that the file has; and what messages call it.
    struct Clipped {
        std::uint64_t samples = 0;
        std::string file;
    };
    virtual Clipped clipped() const { return {}; }
    /// Frames that were silence since nothing had come in time: of a sound device.
    struct Dropouts {
        std::uint64_t frames = 0;
        std::string device;
    };
    virtual Dropouts dropouts() const { return {}; }
    /// The failure was that nobody reads the pipe any more (as in `| head`).
    virtual bool readerGone() const = 0;
};

/// "-" is standard input. Numbers convert as the item type asks: WAV and image samples become float
/// in [-1, 1) and [0, 255], or int as stored. A file without items is refused, here or by the first
/// `read`. `beforeWaiting` is called whenever a pipe or terminal has nothing to read yet: the moment
/// to flush what others may be waiting for.
base::Result<std::unique_ptr<ItemReader>> openReader(const std::string& name, Format,
                                                     const types::Type* item,
                                                     std::function<void()> beforeWaiting = {});
/// "-" is standard output. Creates the file, or empties it when something is written or at the end: a writer that goes
/// without either leaves things as they were. What `info` does not tell: channels as the item has
/// numbers, if they are few; 44100 samples a second; 16 bits (WAV), 8 bits (images). An image without a
/// height has as many rows as come, without a width one row.
base::Result<std::unique_ptr<ItemWriter>> openWriter(const std::string& name, Format,
                                                     const types::Type* item,
                                                     const StreamInfo& info = {});

}  // namespace strc::io
