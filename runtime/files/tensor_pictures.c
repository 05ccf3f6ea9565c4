// Tensors as pictures: channels, rows and columns, as torchvision has them.
#include <stdlib.h>
#include <string.h>

#include "strc/files/tensors.h"

enum { kAtOnce = 1 << 16, kMostChannels = 4, kMostRank = 4 };
static const double white = 255;  // as a real sample has it, in a row of samples

/// The item that is a sample: an int as it stands in a file of images, another one as the format gives it.
static strc_item sample_item(int64_t element) {
    static const strc_type types[] = {
        [STRC_INT] = {STRC_INT, 0, 0, sizeof(int32_t)},
        [STRC_FLOAT] = {STRC_FLOAT, 0, 0, sizeof(float)},
        [STRC_DOUBLE] = {STRC_DOUBLE, 0, 0, sizeof(double)},
    };
    const strc_type *type = &types[element == STRC_ELEMENT_INT     ? STRC_INT
                                   : element == STRC_ELEMENT_FLOAT ? STRC_FLOAT
                                                                   : STRC_DOUBLE];
    return (strc_item){.type = type, .types = type};
}

/// Where a channel's sample of a pixel stands in a picture whose pixels lie one behind the other.
static size_t place_of(size_t at, size_t channels, size_t pixels) {
    const size_t picture = at / (channels * pixels), inside = at % (channels * pixels);
    return picture * channels * pixels + inside % pixels * channels + inside / pixels;
}

// ---- reading

/// All samples of a file, as ints or doubles.
typedef struct samples {
    unsigned char *bytes;
    size_t size;  ///< of one
    size_t capacity, count;
} samples;

/// Up to the end; 0, or -1 after reporting.
static int read_samples(strc_reader *reader, samples *to) {
    const strc_source *source = &reader->source;
    for (int64_t got = 1; got != 0; to->count += (size_t)got) {
        if (strc_grow((void **)&to->bytes, &to->capacity, to->count + kAtOnce, to->size,
                      source->origin, source->name) != 0)
            return -1;
        got = reader->format->read(reader, to->bytes + to->count * to->size, kAtOnce);
        if (got < 0) return -1;
    }
    return 0;
}

/// Channels, rows and columns, of several pictures as well.
static int measure(const strc_reader *reader, size_t count, strc_tensor_header *to) {
    const strc_stream_info *info = &reader->info;
    const size_t picture = (size_t)info->channels * (size_t)info->width * (size_t)info->height;
    if (count == 0 || count % picture != 0)
        return strc_source_malformed(&reader->source, "picture", "its pictures differ in size");
    if (count > picture) to->extents[to->rank++] = (int64_t)(count / picture);
    to->extents[to->rank++] = info->channels;
    to->extents[to->rank++] = info->height;
    to->extents[to->rank++] = info->width;
    to->count = count;
    return 0;
}

static void put_element(int64_t element, unsigned char *to, const unsigned char *sample) {
    double value;
    if (element == STRC_ELEMENT_INT) {
        memcpy(to, sample, sizeof(int32_t));
        return;
    }
    memcpy(&value, sample, sizeof value);
    value /= white;
    const float narrow = (float)value;
    if (element == STRC_ELEMENT_FLOAT)
        memcpy(to, &narrow, sizeof narrow);
    else
        memcpy(to, &value, sizeof value);
}

static int order(const strc_reader *reader, const samples *from, strc_tensor_header *to) {
    const size_t size = strc_elements[to->element].size;
    const size_t pixels = (size_t)reader->info.width * (size_t)reader->info.height;
    const size_t channels = (size_t)reader->info.channels;
    const strc_source *source = &reader->source;
    size_t capacity = 0;
    if (strc_grow((void **)&to->decoded, &capacity, from->count, size, source->origin,
                  source->name) != 0)
        return -1;
    for (size_t k = 0; k < from->count; ++k)
        put_element(to->element, to->decoded + k * size,
                    from->bytes + place_of(k, channels, pixels) * from->size);
    return 0;
}

int strc_picture_find(const strc_tensor_files *files, strc_source *source, const char *name,
                      uint64_t k, strc_tensor_header *to) {
    (void)name, (void)k;
    const int64_t wanted = to->element;
    const int is_sample = wanted == STRC_ELEMENT_INT || wanted == STRC_ELEMENT_DOUBLE;
    *to = (strc_tensor_header){.element = is_sample ? wanted : STRC_ELEMENT_FLOAT};
    const strc_format *format = files->images;
    strc_reader reader = {
        .source = *source,
        .format = format,
        .item = sample_item(is_sample ? wanted : STRC_ELEMENT_DOUBLE),
    };
    samples read = {.size = (size_t)reader.item.type->size};
    int status = format->open_reader(&reader);
    if (status == 0) status = read_samples(&reader, &read);
    if (status == 0) status = measure(&reader, read.count, to);
    if (status == 0) status = order(&reader, &read, to);
    free(read.bytes);
    if (reader.own && format->close_reader) format->close_reader(&reader);
    free(reader.own);
    *source = reader.source;
    return status;
}

// ---- writing

typedef struct picture_writer {
    uint32_t count;
    uint64_t written;
    const int64_t **shapes;
    unsigned char *pixels;
    size_t capacity;
    strc_writer files[];  ///< the first has the sink of the writer itself while it is at work
} picture_writer;

/// 0: it is no picture. One dimension of one may stand in front, and a picture without channels has one.
static int is_picture(const int64_t *shape, strc_stream_info *info) {
    const int64_t *extents = shape + 2;
    int64_t rank = shape[1];
    if (rank == kMostRank && extents[0] == 1) {
        ++extents;
        --rank;
    }
    const int is_grey = rank == 2;
    const int64_t channels = is_grey ? 1 : extents[0];
    const int is_sample = shape[0] == STRC_ELEMENT_INT || shape[0] == STRC_ELEMENT_FLOAT ||
                          shape[0] == STRC_ELEMENT_DOUBLE;
    if ((rank != 3 && !is_grey) || channels < 1 || channels > kMostChannels || !is_sample) return 0;
    info->channels = (int32_t)channels;
    info->height = (int32_t)extents[is_grey ? 0 : 1];
    info->width = (int32_t)extents[is_grey ? 1 : 2];
    return 1;
}

static int fits(const int64_t *shape) {
    strc_stream_info info;
    return is_picture(shape, &info);
}

int strc_pictures_check(const strc_writer *writer, strc_origin origin) {
    return strc_check_shapes(writer, origin, fits);
}

static strc_writer *begin_work(strc_writer *writer, uint32_t k) {
    picture_writer *own = writer->own;
    if (k == 0) own->files[0].sink = writer->sink;
    return &own->files[k];
}

static int end_work(strc_writer *writer, uint32_t k, int status) {
    const picture_writer *own = writer->own;
    if (k == 0) writer->sink = own->files[0].sink;
    return status;
}

static int open_file(strc_writer *writer, const strc_format *images, uint32_t k, uint32_t count) {
    const picture_writer *own = writer->own;
    const int64_t *shape = strc_common_shape(own->shapes, writer->item.tensors, k, count);
    strc_writer *file = begin_work(writer, k);
    file->format = images;
    file->item = sample_item(shape[0]);
    file->info = writer->info;
    is_picture(shape, &file->info);
    int status = 0;
    if (k != 0) status = strc_sink_open(&file->sink, writer->item.files[k], writer->sink.origin);
    if (status == 0) status = images->open_writer(file);
    return end_work(writer, k, status);
}

int strc_pictures_open(strc_writer *writer, const strc_format *images) {
    const uint32_t count = strc_files_of(&writer->item);
    const strc_sink *sink = &writer->sink;
    picture_writer *own =
        strc_own(&writer->own, sizeof *own + count * sizeof *own->files, sink->origin, sink->name);
    if (!own) return -1;
    own->shapes = strc_list_shapes(&writer->item, sink->origin, sink->name);
    int status = own->shapes ? 0 : -1;
    while (own->count < count && status == 0)
        status = open_file(writer, images, own->count++, count);
    return status;
}

/// A sample of a tensor, times 255 if it is real.
static void put_sample(int64_t element, unsigned char *to, const unsigned char *from) {
    float narrow;
    double wide;
    if (element == STRC_ELEMENT_INT) {
        memcpy(to, from, sizeof(int32_t));
    } else if (element == STRC_ELEMENT_FLOAT) {
        memcpy(&narrow, from, sizeof narrow);
        narrow *= (float)white;
        memcpy(to, &narrow, sizeof narrow);
    } else {
        memcpy(&wide, from, sizeof wide);
        wide *= white;
        memcpy(to, &wide, sizeof wide);
    }
}

static int write_picture(strc_writer *file, picture_writer *own, const int64_t *shape,
                         const unsigned char *from) {
    const size_t size = strc_elements[shape[0]].size;
    const size_t count = strc_shape_count(shape), channels = (size_t)file->info.channels;
    if (strc_grow((void **)&own->pixels, &own->capacity, count * size, 1, file->sink.origin,
                  file->sink.name) != 0)
        return -1;
    for (size_t k = 0; k < count; ++k)
        put_sample(shape[0], own->pixels + place_of(k, channels, count / channels) * size,
                   from + k * size);
    return file->format->write(file, own->pixels, count);
}

int strc_pictures_write(strc_writer *writer, const void *from, uint64_t count) {
    picture_writer *own = writer->own;
    const size_t size = (size_t)writer->item.type->size;
    for (uint64_t n = 0; n < count; ++n, ++own->written) {
        const int64_t *shape = own->shapes[own->written % writer->item.tensors];
        const unsigned char *item = (const unsigned char *)from + n * size;
        const uint32_t k = (uint32_t)(own->written % own->count);
        strc_writer *file = begin_work(writer, k);
        const int status = write_picture(file, own, shape, item + strc_shape_offset(shape));
        if (end_work(writer, k, status) != 0) return -1;
    }
    return 0;
}

int strc_pictures_flush(strc_writer *writer) {
    const picture_writer *own = writer->own;
    int status = 0;
    for (uint32_t k = 0; k < own->count; ++k) {
        strc_writer *file = begin_work(writer, k);
        status |= end_work(writer, k, file->format->flush(file));
    }
    return status;
}

int strc_pictures_finish(strc_writer *writer) {
    picture_writer *own = writer->own;
    if (!own) return 0;
    int status = 0;
    for (uint32_t k = 0; k < own->count; ++k) {
        strc_writer *file = begin_work(writer, k);
        status |= end_work(writer, k, file->format->finish(file));
        if (k != 0) status |= strc_sink_close(&file->sink);
    }
    return status;
}

void strc_pictures_close_writer(strc_writer *writer) {
    picture_writer *own = writer->own;
    for (uint32_t k = 0; k < own->count; ++k) {
        strc_writer *file = &own->files[k];
        if (k != 0) strc_sink_leave(&file->sink);
        if (file->own) file->format->close_writer(file);
        free(file->own);
    }
    free(own->shapes);
    free(own->pixels);
}
