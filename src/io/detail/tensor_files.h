#pragma once
/// Single files of tensors, by format. Private to io.

#include "io/detail/bytes.h"
#include "io/tensors.h"

namespace strc::io {

/// A tensor in a file, or several along a dimension more that stands in front. Gives its elements row by row, as they lie in memory.
class TensorSource {
public:
    virtual ~TensorSource() = default;
    virtual const std::string& name() const = 0;
    types::TypeKind element() const { return kind; }
    const std::vector<std::int64_t>& dims() const { return extents; }
    /// The next elements; false: a signal came first.
    virtual base::Result<bool> read(std::size_t count, std::byte* to) = 0;
    virtual bool rewind() = 0;
    /// Reading would wait for a pipe.
    virtual bool wouldWait() const = 0;

protected:
    types::TypeKind kind = types::TypeKind::Error;
    std::vector<std::int64_t> extents;
};

using Waiting = std::function<void()>;

base::Result<std::unique_ptr<TensorSource>> openNpySource(const TensorFile&, const Waiting&);
base::Result<std::unique_ptr<TensorSource>> openSafetensorsSource(const TensorFile&,
                                                                  const Waiting&);
/// Pixels as channels, rows and columns: reals from 0 to 1, ints as the file has them. `element`: Float, Double or Int.
base::Result<std::unique_ptr<TensorSource>> openPictureSource(const TensorFile&,
                                                              types::TypeKind element,
                                                              const Waiting&);

/// Elements of such a type in a row of bytes, which begins at `start` of a source.
struct StoredElements {
    std::unique_ptr<Source> source;
    Format format = Format::Npy;
    bool bigEndian = false;
    std::uint64_t start = 0;
};
std::unique_ptr<TensorSource> sourceOf(StoredElements, types::TypeKind,
                                       std::vector<std::int64_t> dims);

/// A file that gets tensors of one type, or several of such.
class TensorSink {
public:
    virtual ~TensorSink() = default;
    virtual base::Status write(const std::byte* from, const types::Type* item) = 0;
    virtual base::Status flush() = 0;
    virtual base::Status close() = 0;
    virtual bool readerGone() const = 0;
};
using SinkOfTensors = base::Result<std::unique_ptr<TensorSink>>;

SinkOfTensors openNpySink(const std::string& file, const types::Type* item);
SinkOfTensors openTextSink(const std::string& file);
SinkOfTensors openPictureSink(const TensorFile&, const types::Type* item, const StreamInfo&);

/// Tensors that go to one safetensors file, which is written when all of them are closed.
class SafetensorsWriter;
base::Result<std::shared_ptr<SafetensorsWriter>> openSafetensorsWriter(const std::string& file);
/// Failure: the name has been taken.
SinkOfTensors addTensor(const std::shared_ptr<SafetensorsWriter>&, const std::string& name,
                        const types::Type* item);

/// The names of all tensors in a safetensors file; numbers in names count as such.
base::Result<std::vector<std::string>> namesInSafetensors(const std::string& file);

/// As files have them.
std::vector<std::byte> outside(const types::Type* tensor, const std::byte* from);

}  // namespace strc::io
