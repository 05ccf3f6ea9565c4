// Numbers as text: separated by commas, semicolons, white space or ends of line; `#` begins a comment.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "strc/files/parse_value.h"
#include "strc/values.h"

enum { kShownWord = 30 };

static int is_separator(unsigned char c) { return c == ',' || c == ';' || isspace(c); }

/// Calls `word` for each word of a value, in order, while it gives 1; else gives what it gave.
typedef int on_word(void *self, uint64_t offset, strc_kind kind);
static int each_word(const strc_item *item, const strc_type *type, uint64_t offset, on_word *word,
                     void *self) {
    int status = 1;
    if (type->kind == STRC_ARRAY) {
        const strc_type *element = &item->types[type->first];
        for (uint64_t k = 0; status == 1 && k < type->count; ++k)
            status = each_word(item, element, offset + k * element->size, word, self);
    } else if (type->kind == STRC_STRUCT) {
        const strc_field *fields = &item->fields[type->first];
        for (uint64_t k = 0; status == 1 && k < type->count; ++k)
            status = each_word(item, &item->types[fields[k].type], offset + fields[k].offset, word,
                               self);
    } else if (type->kind >= STRC_FLOAT2) {
        for (uint64_t at = 0; status == 1 && at < type->size; at += sizeof(float))
            status = word(self, offset + at, STRC_FLOAT);
    } else {
        status = word(self, offset, (strc_kind)type->kind);
    }
    return status;
}

static int is_text(const strc_item *item, const strc_type *type) {
    if (type->kind == STRC_ARRAY)
        return type->count > 0 && is_text(item, &item->types[type->first]);
    if (type->kind != STRC_STRUCT) return type->kind <= STRC_FLOAT4;
    for (uint64_t k = 0; k < type->count; ++k)
        if (!is_text(item, &item->types[item->fields[type->first + k].type])) return 0;
    return type->count > 0;
}

static int holds(const strc_item *item) { return is_text(item, item->type); }

// ---- reading

typedef struct text_reader {
    uint64_t line;
    char fault[120];  ///< told after what was right
    unsigned char *item;  ///< being read
} text_reader;

static int open_reader(strc_reader *reader) {
    text_reader *own =
        strc_own(&reader->own, sizeof *own, reader->source.origin, reader->source.name);
    if (!own) return -1;
    own->line = 1;
    return 0;
}

/// 0 at the end of the file.
static int skip_to_word(strc_reader *reader) {
    text_reader *own = reader->own;
    int comment = 0;
    while (1) {
        int64_t there = strc_source_ask(&reader->source, 1);
        if (there <= 0) return (int)there;
        const unsigned char *bytes = strc_source_bytes(&reader->source);
        int64_t i = 0;
        for (; i < there; ++i) {
            own->line += bytes[i] == '\n';
            comment = bytes[i] == '#' || (comment && bytes[i] != '\n');
            if (!comment && !is_separator(bytes[i])) break;
        }
        strc_source_take(&reader->source, (size_t)i);
        if (i < there) return 1;
    }
}

/// Of the word that is buffered, at least up to the limit; waits for no more than its end.
static int64_t word_length(strc_source *source) {
    int64_t length = 0;
    while (length <= STRC_LONGEST_WORD) {
        int64_t there = strc_source_ask(source, (size_t)length + 1);
        if (there < 0) return there;
        if (there == length) break;
        for (; length < there; ++length) {
            unsigned char c = strc_source_bytes(source)[length];
            if (is_separator(c) || c == '#') return length;
        }
    }
    return length;
}

static const char *name_of(strc_kind kind) {
    switch (kind) {
        case STRC_BOOLEAN: return "a boolean";
        case STRC_BIT: return "a bit";
        case STRC_INT: return "an int";
        case STRC_COMPLEX: return "a complex number";
        default: return "a number";
    }
}

static int read_word(void *self, uint64_t offset, strc_kind kind) {
    strc_reader *reader = self;
    text_reader *own = reader->own;
    int found = skip_to_word(reader);
    if (found != 1) return found;
    int64_t length = word_length(&reader->source);
    if (length < 0) return -1;
    const char *word = (const char *)strc_source_bytes(&reader->source);
    if (strc_parse_value(word, (size_t)length, kind, own->item + offset)) {
        strc_source_take(&reader->source, (size_t)length);
        return 1;
    }
    char shown[kShownWord + 1];
    size_t size = length > kShownWord ? kShownWord : (size_t)length;
    for (size_t k = 0; k < size; ++k) shown[k] = word[k] ? word[k] : '\x01';
    shown[size] = '\0';
    snprintf(own->fault, sizeof own->fault, "line %llu: '%s%s' is not %s",
             (unsigned long long)own->line, shown, length > kShownWord ? "..." : "", name_of(kind));
    return 0;
}

/// Something up to the end of its line: for most items all they need.
static int line_is_buffered(const strc_source *source) {
    const unsigned char *at = strc_source_bytes(source);
    const unsigned char *end = at + strc_source_buffered(source);
    while (at < end && is_separator(*at)) ++at;
    return at < end && memchr(at, '\n', (size_t)(end - at)) != NULL;
}

static int64_t read_items(strc_reader *reader, void *to, uint64_t count) {
    text_reader *own = reader->own;
    const strc_type *type = reader->item.type;
    uint64_t done = 0;
    // After the first item only what needs no waiting.
    while (!*own->fault && done < count && (done == 0 || line_is_buffered(&reader->source))) {
        own->item = (unsigned char *)to + done * type->size;
        memset(own->item, 0, type->size);
        int status = each_word(&reader->item, type, 0, read_word, reader);
        if (status < 0) return -1;
        if (status == 0) break;
        ++done;
    }
    if (done == 0 && *own->fault) return strc_source_malformed(&reader->source, "text", own->fault);
    if (done == 0 && count > 0 && !reader->any) return strc_source_empty(&reader->source);
    reader->any = 1;
    return (int64_t)done;
}

static int go_back(strc_reader *reader) {
    ((text_reader *)reader->own)->line = 1;
    return strc_source_seek(&reader->source, 0);
}

static uint64_t total(const strc_reader *reader) {
    (void)reader;
    return STRC_UNKNOWN;
}

// ---- writing: one item a line

typedef struct text_writer {
    const unsigned char *item;  ///< being written
    int any;  ///< words on the line
} text_writer;

static int open_writer(strc_writer *writer) {
    return strc_own(&writer->own, sizeof(text_writer), writer->sink.origin, writer->sink.name) ? 0
                                                                                               : -1;
}

static int write_word(void *self, uint64_t offset, strc_kind kind) {
    strc_writer *writer = self;
    text_writer *own = writer->own;
    char text[STRC_TEXT_ROOM + 1] = ",";
    char *word = text + own->any;
    strc_number number = strc_number_load(kind, own->item + offset);
    uint32_t size;
    if (number.exact)
        size = strc_text_of_int(word, (int32_t)number.integer);
    else if (kind == STRC_COMPLEX)
        size = strc_text_of_complex(word, (float)number.real, (float)number.imag, 0);
    else if (kind == STRC_DOUBLE)
        size = strc_text_of_double(word, number.real, 0);
    else
        size = strc_text_of_float(word, (float)number.real, 0);
    size_t length = (size_t)own->any + size;
    own->any = 1;
    return strc_sink_write(&writer->sink, text, length) == 0 ? 1 : -1;
}

static int write_items(strc_writer *writer, const void *from, uint64_t count) {
    text_writer *own = writer->own;
    const strc_type *type = writer->item.type;
    for (uint64_t k = 0; k < count; ++k) {
        own->item = (const unsigned char *)from + k * type->size;
        own->any = 0;
        if (each_word(&writer->item, type, 0, write_word, writer) != 1) return -1;
        if (strc_sink_write(&writer->sink, "\n", 1) != 0) return -1;
    }
    return 0;
}

static int finish(strc_writer *writer) { return strc_sink_finish_lines(&writer->sink); }

const strc_format strc_format_text = {.name = "text",
                                      .holds = holds,
                                      .open_reader = open_reader,
                                      .read = read_items,
                                      .rewind = go_back,
                                      .total = total,
                                      .open_writer = open_writer,
                                      .write = write_items,
                                      .flush = strc_numbers_flush,
                                      .finish = finish};
