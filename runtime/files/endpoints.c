#define _GNU_SOURCE
#include "strc/files/endpoints.h"

#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char tcp[] = "tcp:", local[] = "unix:", rtl[] = "rtl_tcp:";
static const char no_port[] = "a port is a number up to 65535";

static const char *behind(const char *name, const char *prefix) {
    const size_t size = strlen(prefix);
    return strncmp(name, prefix, size) == 0 ? name + size : NULL;
}

int strc_is_endpoint(const char *name) {
    return behind(name, tcp) || behind(name, local) || behind(name, rtl);
}

static int refuse(char *why, const char *text) {
    snprintf(why, STRC_ENDPOINT_WHY, "%s", text);
    return -1;
}

static int refuse_with(int descriptor, char *why, int error) {
    if (descriptor >= 0) close(descriptor);
    return refuse(why, strerror(error));
}

// ---- sockets of this machine

static int open_local(const char *path, char *why) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) == 0) return refuse(why, "a path is needed, unix:PATH");
    if (strlen(path) >= sizeof address.sun_path) return refuse(why, strerror(ENAMETOOLONG));
    strcpy(address.sun_path, path);
    const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0 || connect(made, (struct sockaddr *)&address, sizeof address) != 0)
        return refuse_with(made, why, errno);
    return made;
}

// ---- TCP

static int call_one(const struct addrinfo *where) {
    const int made = socket(where->ai_family, SOCK_STREAM | SOCK_CLOEXEC, where->ai_protocol);
    if (made < 0) return -1;
    if (connect(made, where->ai_addr, where->ai_addrlen) == 0) return made;
    const int error = errno;
    close(made);
    errno = error;
    return -1;
}

/// 0: it is none.
static uint16_t port_number(const char *text) {
    char *end = NULL;
    if (!isdigit((unsigned char)text[0])) return 0;
    const unsigned long number = strtoul(text, &end, 10);
    return *end || number > UINT16_MAX ? 0 : (uint16_t)number;
}

/// `port` may be the name of a service. The C library would take a number that is too large for another one.
static int call(const char *host, const char *port, char *why) {
    if (!isalpha((unsigned char)port[0]) && port_number(port) == 0) return refuse(why, no_port);
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    const int failed = getaddrinfo(host, port, &hints, &found);
    if (failed) return refuse(why, failed == EAI_SYSTEM ? strerror(errno) : gai_strerror(failed));
    int made = -1;
    for (const struct addrinfo *each = found; each && made < 0; each = each->ai_next)
        made = call_one(each);
    const int error = errno;
    freeaddrinfo(found);
    return made >= 0 ? made : refuse(why, strerror(error));
}

/// The first that calls.
static int answer(const char *port, char *why) {
    const uint16_t number = port_number(port);
    if (number == 0) return refuse(why, no_port);
    const int waiting = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(number), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    if (waiting < 0) return refuse_with(waiting, why, errno);
    (void)setsockopt(waiting, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(waiting, (struct sockaddr *)&address, sizeof address) != 0 || listen(waiting, 1) != 0)
        return refuse_with(waiting, why, errno);
    const int made = accept4(waiting, NULL, NULL, SOCK_CLOEXEC);
    const int error = errno;
    close(waiting);
    return made >= 0 ? made : refuse(why, strerror(error));
}

/// HOST:PORT, the host perhaps in brackets (IPv6).
static int open_tcp(const char *text, char *why) {
    char host[256];
    const char *colon = strrchr(text, ':');
    if (!colon || !colon[1]) return refuse(why, "a host and a port are needed, tcp:HOST:PORT");
    size_t size = (size_t)(colon - text);
    if (size == 0) return answer(colon + 1, why);
    if (text[0] == '[' && size > 1 && text[size - 1] == ']') {
        ++text;
        size -= 2;
    }
    if (size >= sizeof host) return refuse(why, strerror(ENAMETOOLONG));
    memcpy(host, text, size);
    host[size] = '\0';
    return call(host, colon + 1, why);
}

// ---- rtl_tcp: bytes of a receiver stick, which takes commands of five bytes

enum { kHeader = 12, kFrequency = 1, kRate = 2, kGainMode = 3, kGain = 4 };

static int command(int descriptor, unsigned char what, uint32_t value) {
    const unsigned char bytes[5] = {what, (unsigned char)(value >> 24),
                                    (unsigned char)(value >> 16), (unsigned char)(value >> 8),
                                    (unsigned char)value};
    return send(descriptor, bytes, sizeof bytes, MSG_NOSIGNAL) == sizeof bytes ? 0 : -1;
}

/// "100.1M"; 0: it is no such number.
static int is_number(const char *text, double scale, uint32_t *to) {
    char *end = NULL;
    double value = strtod(text, &end) * scale;
    if (end == text) return 0;
    if (*end == 'k') value *= 1e3;
    if (*end == 'M') value *= 1e6;
    if (*end == 'G') value *= 1e9;
    if (strchr("kMG", *end) && *end) ++end;
    if (*end || !(value >= 0) || value > UINT32_MAX) return 0;
    *to = (uint32_t)(value + 0.5);
    return 1;
}

/// One NAME=VALUE; 0, or -1 with the reason.
static int tell(int descriptor, const char *word, char *why) {
    static const struct {
        const char *name;
        unsigned char what;
        double scale;
    } words[] = {{"frequency=", kFrequency, 1}, {"rate=", kRate, 1}, {"gain=", kGain, 10}};
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k) {
        const char *text = behind(word, words[k].name);
        uint32_t value;
        if (!text) continue;
        if (!is_number(text, words[k].scale, &value)) break;
        if (words[k].what == kGain && command(descriptor, kGainMode, 1) != 0)
            return refuse(why, strerror(errno));
        return command(descriptor, words[k].what, value) == 0 ? 0 : refuse(why, strerror(errno));
    }
    snprintf(why, STRC_ENDPOINT_WHY,
             "'%.40s' is none of frequency=100.1M, rate=1.024M and gain=20 (decibels)", word);
    return -1;
}

static int read_header(int descriptor, char *why) {
    char bytes[kHeader];
    const ssize_t got = recv(descriptor, bytes, sizeof bytes, MSG_WAITALL);
    if (got == sizeof bytes && memcmp(bytes, "RTL0", 4) == 0) return 0;
    return refuse(why, got < 0 ? strerror(errno) : "what answers there is not rtl_tcp");
}

static int open_rtl(const char *text, char *why) {
    char copy[512];
    if (strlen(text) >= sizeof copy) return refuse(why, strerror(ENAMETOOLONG));
    strcpy(copy, text);
    char *words = strchr(copy, '?'), *left = NULL;
    if (words) *words++ = '\0';
    const int made = open_tcp(copy, why);
    if (made < 0) return made;
    int status = read_header(made, why);
    for (char *word = words ? strtok_r(words, "&", &left) : NULL; word && status == 0;
         word = strtok_r(NULL, "&", &left))
        status = tell(made, word, why);
    if (status == 0) return made;
    close(made);
    return -1;
}

int strc_endpoint_open(const char *name, char why[STRC_ENDPOINT_WHY]) {
    if (behind(name, local)) return open_local(behind(name, local), why);
    if (behind(name, rtl)) return open_rtl(behind(name, rtl), why);
    return open_tcp(behind(name, tcp), why);
}
