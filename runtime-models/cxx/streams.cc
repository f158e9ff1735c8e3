// Streams: std::cout and its like over stdio, string streams, files. The classes are those of libstdc++'s headers; here
// is what they leave to the library. Locales are not modelled: all is as in the C locale.
//
// In the symbolic domain what goes to std::cout, std::cerr and std::clog goes nowhere, and nothing of it is looked at.
#include "ics.h"

#include "templates.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <istream>
#include <ostream>
#include <sstream>

namespace {

// --- the character classes of the C locale ---

struct Masks {
    std::ctype_base::mask of[256];
};

constexpr Masks masks_of_c() {
    Masks masks{};
    using base = std::ctype_base;
    for (int c = 0; c < 128; c++) {
        unsigned mask = 0;
        bool upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z', digit = c >= '0' && c <= '9';
        if (upper) mask |= base::upper;
        if (lower) mask |= base::lower;
        if (upper || lower) mask |= base::alpha;
        if (digit) mask |= base::digit;
        if (digit || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f')) mask |= base::xdigit;
        if (c == ' ' || (c >= '\t' && c <= '\r')) mask |= base::space;
        if (c == ' ' || c == '\t') mask |= base::blank;
        if (c < ' ' || c == 127) mask |= base::cntrl;
        if (c >= ' ' && c < 127) mask |= base::print;
        if (c > ' ' && c < 127 && !upper && !lower && !digit) mask |= base::punct;
        masks.of[c] = static_cast<base::mask>(mask);
    }
    return masks;
}

constexpr Masks masks = masks_of_c();

// std::ctype<char>, laid out as in libstdc++.
struct Ctype {
    const void *table;
    int references;
    void *locale;
    bool owns;
    const int *upper, *lower;
    const std::ctype_base::mask *classes;
    char widen_known;
    char widened[256], narrowed[256];
    char narrow_known;
};
static_assert(sizeof(Ctype) == sizeof(std::ctype<char>));

constexpr Ctype ctype_of_c() {
    Ctype ctype{};
    ctype.classes = masks.of;
    ctype.widen_known = ctype.narrow_known = 1;
    for (int c = 0; c < 256; c++) ctype.widened[c] = ctype.narrowed[c] = static_cast<char>(c);
    return ctype;
}

constexpr Ctype ctype = ctype_of_c();

const std::ctype<char> *the_ctype() {
    return reinterpret_cast<const std::ctype<char> *>(&ctype);
}

}  // namespace

// --- the base classes ---

namespace std {

locale::locale() noexcept : _M_impl(nullptr) {}
locale::locale(const locale &) noexcept : _M_impl(nullptr) {}
locale::~locale() noexcept {}
const locale &locale::operator=(const locale &) noexcept {
    return *this;
}

void ctype<char>::_M_widen_init() const {}
void ctype<char>::_M_narrow_init() const {}

template <>
const ctype<char> &use_facet(const locale &) {
    return *the_ctype();
}

ios_base::ios_base() noexcept
    : _M_precision(), _M_width(), _M_flags(), _M_exception(), _M_streambuf_state(), _M_callbacks(), _M_word_zero(),
      _M_word_size(_S_local_word_size), _M_word(_M_local_word) {}

ios_base::~ios_base() {}

void ios_base::_M_init() noexcept {
    _M_precision = 6;
    _M_width = 0;
    _M_flags = skipws | dec;
}

void ios_base::_M_call_callbacks(event) noexcept {}
void ios_base::_M_dispose_callbacks() noexcept {}

locale ios_base::imbue(const locale &) noexcept {
    return locale();
}

void ios_base::_M_move(ios_base &) noexcept {
    __ics_unsupported("a C++ stream that is moved");
}

void ios_base::_M_swap(ios_base &) noexcept {
    __ics_unsupported("a C++ stream that is swapped");
}

bool ios_base::sync_with_stdio(bool) {
    return true;
}

template <>
void basic_ios<char>::_M_cache_locale(const locale &) {
    _M_ctype = the_ctype();
    _M_num_put = nullptr;
    _M_num_get = nullptr;
}

}  // namespace std

// --- the standard streams ---

// A stream of stdio as the buffer of a stream; nothing is kept here, as with sync_with_stdio(true).
class ics_stdio_buffer : public std::streambuf {
    FILE **file;

protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char *text, std::streamsize n) override;
    int sync() override;
    int_type underflow() override;
    int_type uflow() override;
    int_type pbackfail(int_type c) override;
    std::streamsize xsgetn(char *text, std::streamsize n) override;
};

int ics_stdio_buffer::overflow(int c) {
    return c == EOF ? 0 : putc(c, *file);
}

std::streamsize ics_stdio_buffer::xsputn(const char *text, std::streamsize n) {
    return static_cast<std::streamsize>(fwrite(text, 1, static_cast<size_t>(n), *file));
}

int ics_stdio_buffer::sync() {
    return fflush(*file);
}

int ics_stdio_buffer::underflow() {
    int c = getc(*file);
    return ungetc(c, *file);
}

int ics_stdio_buffer::uflow() {
    return getc(*file);
}

int ics_stdio_buffer::pbackfail(int c) {
    return ungetc(c, *file);
}

std::streamsize ics_stdio_buffer::xsgetn(char *text, std::streamsize n) {
    return static_cast<std::streamsize>(fread(text, 1, static_cast<size_t>(n), *file));
}

// The same, and ios and ostream below, as memory: so they are there before the first instruction, and nothing writes
// them.
struct ics_buffer_memory {
    const void *table;
    char *area[6];
    void *locale;
    FILE **file;
};
static_assert(sizeof(ics_buffer_memory) == sizeof(ics_stdio_buffer));

struct ics_ios_memory {
    const void *table;
    std::streamsize precision, width;
    std::ios_base::fmtflags flags;
    std::ios_base::iostate exceptions, state;
    void *callbacks;
    struct {
        void *pointer;
        long word;
    } zero, local[8];
    int words;
    void *first_word;
    void *locale;
    std::ostream *tie;
    char fill;
    bool fill_known;
    const void *buffer, *ctype, *put, *get;
};
static_assert(sizeof(ics_ios_memory) == sizeof(std::ios));

struct ics_ostream_memory {
    const void *table;
    ics_ios_memory ios;
};
static_assert(sizeof(ics_ostream_memory) == sizeof(std::ostream));

struct ics_istream_memory {
    const void *table;
    std::streamsize count;
    ics_ios_memory ios;
};
static_assert(sizeof(ics_istream_memory) == sizeof(std::istream));

extern const void *const ics_table_of_ostream[] __asm__("_ZTVSo");
extern const void *const ics_table_of_istream[] __asm__("_ZTVSi");
extern const void *const ics_table_of_buffer[] __asm__("_ZTV16ics_stdio_buffer");

namespace {

ics_buffer_memory out_buffer = {&ics_table_of_buffer[2], {}, nullptr, &stdout};
ics_buffer_memory error_buffer = {&ics_table_of_buffer[2], {}, nullptr, &stderr};
ics_buffer_memory in_buffer = {&ics_table_of_buffer[2], {}, nullptr, &stdin};

constexpr std::ios_base::fmtflags usual = std::ios_base::skipws | std::ios_base::dec;

}  // namespace

#define ICS_IOS(class_table, flags, buffer, tie, self)                                                              \
    {                                                                                                               \
        &class_table, 6, 0, flags, std::ios_base::goodbit, std::ios_base::goodbit, nullptr, {}, {}, 8,              \
            self.ios.local, nullptr, tie, ' ', true, &buffer, &ctype, nullptr, nullptr                              \
    }

extern ics_ostream_memory ics_cout __asm__("_ZSt4cout");
extern ics_ostream_memory ics_cerr __asm__("_ZSt4cerr");
extern ics_ostream_memory ics_clog __asm__("_ZSt4clog");
extern ics_istream_memory ics_cin __asm__("_ZSt3cin");

#define ICS_COUT reinterpret_cast<std::ostream *>(&ics_cout)

ics_ostream_memory ics_cout = {&ics_table_of_ostream[3],
                          ICS_IOS(ics_table_of_ostream[8], usual, out_buffer, nullptr, ics_cout)};
ics_ostream_memory ics_cerr = {
    &ics_table_of_ostream[3],
    ICS_IOS(ics_table_of_ostream[8], usual | std::ios_base::unitbuf, error_buffer, ICS_COUT, ics_cerr)};
ics_ostream_memory ics_clog = {&ics_table_of_ostream[3],
                          ICS_IOS(ics_table_of_ostream[8], usual, error_buffer, nullptr, ics_clog)};
ics_istream_memory ics_cin = {&ics_table_of_istream[3], 0,
                         ICS_IOS(ics_table_of_istream[8], usual, in_buffer, ICS_COUT, ics_cin)};

// --- output ---

namespace {

using base = std::ios_base;

// Whether nothing can come of what is written there.
bool is_sink(const std::ostream &out) {
    const void *address = &out;
    return __ics_is_symbolic_domain() && (address == &ics_cout || address == &ics_cerr || address == &ics_clog);
}

// Writes text filled up to the stream's width. With `internal` the fill goes behind the first `prefix` characters.
std::ostream &write_padded(std::ostream &out, const char *text, std::streamsize n, std::streamsize prefix) {
    std::ostream::sentry ready(out);
    if (!ready) return out;
    std::streambuf *buffer = out.rdbuf();
    std::streamsize width = out.width();
    base::fmtflags adjust = out.flags() & base::adjustfield;
    std::streamsize before = adjust == base::left ? n : adjust == base::internal ? prefix : 0;
    bool good = buffer->sputn(text, before) == before;
    for (; width > n; width--) good &= buffer->sputc(out.fill()) != EOF;
    good &= buffer->sputn(text + before, n - before) == n - before;
    out.width(0);
    if (!good) out.setstate(base::badbit);
    return out;
}

std::streamsize prefix_of(const char *text) {
    std::streamsize sign = *text == '-' || *text == '+';
    bool hexadecimal = text[sign] == '0' && (text[sign + 1] == 'x' || text[sign + 1] == 'X');
    return hexadecimal ? sign + 2 : sign;
}

template <typename T>
std::ostream &write_integer(std::ostream &out, T value, bool is_signed) {
    if (is_sink(out)) return out;
    base::fmtflags flags = out.flags(), radix = flags & base::basefield;
    char format[8], text[32], *at = format;
    *at++ = '%';
    bool decimal = radix != base::oct && radix != base::hex;
    if ((flags & base::showpos) && decimal && is_signed) *at++ = '+';
    if ((flags & base::showbase) && !decimal) *at++ = '#';
    *at++ = 'l';
    *at++ = radix == base::oct ? 'o' : radix == base::hex ? (flags & base::uppercase ? 'X' : 'x') : is_signed ? 'd' : 'u';
    *at = 0;
    std::streamsize n = snprintf(text, sizeof text, format, value);
    return write_padded(out, text, n, prefix_of(text));
}

template <typename T>
std::ostream &write_floating(std::ostream &out, T value, bool is_long) {
    if (is_sink(out)) return out;
    base::fmtflags flags = out.flags(), kind = flags & base::floatfield;
    char format[16], text[512], *at = format;
    *at++ = '%';
    if (flags & base::showpos) *at++ = '+';
    if (flags & base::showpoint) *at++ = '#';
    bool hexadecimal = kind == (base::fixed | base::scientific);
    if (!hexadecimal) {
        *at++ = '.';
        *at++ = '*';
    }
    if (is_long) *at++ = 'L';
    char letter = hexadecimal ? 'a' : kind == base::fixed ? 'f' : kind == base::scientific ? 'e' : 'g';
    *at++ = flags & base::uppercase ? static_cast<char>(letter - 'a' + 'A') : letter;
    *at = 0;
    int precision = static_cast<int>(out.precision());
    int n = hexadecimal ? snprintf(text, sizeof text, format, value)
                        : snprintf(text, sizeof text, format, precision, value);
    if (n >= static_cast<int>(sizeof text)) __ics_unsupported("a number of more than 511 characters in a C++ stream");
    return write_padded(out, text, n, prefix_of(text));
}

std::ostream &write_text(std::ostream &out, const char *text, std::streamsize n) {
    return is_sink(out) ? out : write_padded(out, text, n, 0);
}

}  // namespace

namespace std {

template <>
template <>
ostream &ostream::_M_insert(long value) {
    return write_integer(*this, value, true);
}

template <>
template <>
ostream &ostream::_M_insert(unsigned long value) {
    return write_integer(*this, value, false);
}

template <>
template <>
ostream &ostream::_M_insert(long long value) {
    return write_integer(*this, value, true);
}

template <>
template <>
ostream &ostream::_M_insert(unsigned long long value) {
    return write_integer(*this, value, false);
}

template <>
template <>
ostream &ostream::_M_insert(bool value) {
    if (is_sink(*this)) return *this;
    if (!(flags() & boolalpha)) return write_integer(*this, static_cast<long>(value), true);
    return value ? write_padded(*this, "true", 4, 0) : write_padded(*this, "false", 5, 0);
}

template <>
template <>
ostream &ostream::_M_insert(double value) {
    return write_floating(*this, value, false);
}

template <>
template <>
ostream &ostream::_M_insert(long double value) {
    return write_floating(*this, value, true);
}

template <>
template <>
ostream &ostream::_M_insert(const void *value) {
    if (is_sink(*this)) return *this;
    char text[32];
    int n = value ? snprintf(text, sizeof text, "%p", value) : snprintf(text, sizeof text, "0");
    return write_padded(*this, text, n, prefix_of(text));
}

template <>
ostream &ostream::operator<<(short value) {
    bool decimal = (flags() & basefield) != oct && (flags() & basefield) != hex;
    return is_sink(*this) ? *this : _M_insert(decimal ? static_cast<long>(value) : static_cast<unsigned short>(value));
}

template <>
ostream &ostream::operator<<(int value) {
    if (is_sink(*this)) return *this;
    bool decimal = (flags() & basefield) != oct && (flags() & basefield) != hex;
    return _M_insert(decimal ? static_cast<long>(value) : static_cast<long>(static_cast<unsigned>(value)));
}

template <>
ostream &ostream::put(char c) {
    if (is_sink(*this)) return *this;
    sentry ready(*this);
    if (ready && rdbuf()->sputc(c) == EOF) setstate(badbit);
    return *this;
}

template <>
ostream &ostream::write(const char *text, streamsize n) {
    if (is_sink(*this)) return *this;
    sentry ready(*this);
    if (ready && rdbuf()->sputn(text, n) != n) setstate(badbit);
    return *this;
}

template <>
ostream &ostream::flush() {
    if (is_sink(*this)) return *this;
    if (rdbuf() && rdbuf()->pubsync() == -1) setstate(badbit);
    return *this;
}

template <>
ostream &__ostream_insert(ostream &out, const char *text, streamsize n) {
    return write_text(out, text, n);
}

template ostream &endl(ostream &);
template ostream &ends(ostream &);
template ostream &flush(ostream &);
template ostream &operator<<(ostream &, char);
template ostream &operator<<(ostream &, unsigned char);
template ostream &operator<<(ostream &, signed char);
template ostream &operator<<(ostream &, const char *);
template ostream &operator<<(ostream &, const unsigned char *);
template ostream &operator<<(ostream &, const signed char *);
template ostream &operator<<(ostream &, const string &);
template ostream &operator<<(ostream &, _Setw);
template ostream &operator<<(ostream &, _Setprecision);
template ostream &operator<<(ostream &, _Setfill<char>);
template ostream &operator<<(ostream &, _Setbase);
template ostream &operator<<(ostream &, _Setiosflags);
template ostream &operator<<(ostream &, _Resetiosflags);

template <>
streamsize __copy_streambufs_eof(streambuf *from, streambuf *to, bool &at_end) {
    streamsize n = 0;
    for (int c = from->sgetc(); c != EOF; c = from->snextc(), n++) {
        if (to->sputc(static_cast<char>(c)) == EOF) {
            at_end = false;
            return n;
        }
    }
    at_end = true;
    return n;
}

// --- input ---

}  // namespace std

namespace {

// The characters of a number, as far as a number can have them; at most `size - 1`.
void read_number(std::istream &in, char *text, size_t size, bool floating) {
    size_t n = 0;
    std::streambuf *buffer = in.rdbuf();
    int c = buffer->sgetc();
    for (; c != EOF && n < size - 1; c = buffer->snextc()) {
        bool digit = c >= '0' && c <= '9', sign = c == '+' || c == '-';
        bool after_e = n && (text[n - 1] == 'e' || text[n - 1] == 'E');
        if (!(digit || (sign && (n == 0 || after_e)) || (floating && n && (c == 'e' || c == 'E')) || (floating && c == '.')))
            break;
        text[n++] = static_cast<char>(c);
    }
    text[n] = 0;
    base::iostate state = base::goodbit;
    if (c == EOF) state |= base::eofbit;
    if (n == 0) state |= base::failbit;
    if (state != base::goodbit) in.setstate(state);
}

template <typename T>
std::istream &read_integer(std::istream &in, T &value) {
    std::istream::sentry ready(in);
    if (!ready) return in;
    if ((in.flags() & base::basefield) != base::dec) __ics_unsupported("input of a C++ stream in another base than 10");
    char text[64];
    read_number(in, text, sizeof text, false);
    if (!in.fail()) value = static_cast<T>(T(-1) < T(0) ? static_cast<unsigned long>(strtol(text, nullptr, 10))
                                                        : strtoul(text, nullptr, 10));
    else value = 0;
    return in;
}

template <typename T>
std::istream &read_floating(std::istream &in, T &value) {
    std::istream::sentry ready(in);
    if (!ready) return in;
    char text[128];
    read_number(in, text, sizeof text, true);
    value = in.fail() ? 0 : static_cast<T>(strtod(text, nullptr));
    return in;
}

}  // namespace

namespace std {

template <>
template <>
istream &istream::_M_extract(long &value) {
    return read_integer(*this, value);
}

template <>
template <>
istream &istream::_M_extract(unsigned long &value) {
    return read_integer(*this, value);
}

template <>
template <>
istream &istream::_M_extract(long long &value) {
    return read_integer(*this, value);
}

template <>
template <>
istream &istream::_M_extract(unsigned long long &value) {
    return read_integer(*this, value);
}

template <>
template <>
istream &istream::_M_extract(unsigned short &value) {
    return read_integer(*this, value);
}

template <>
template <>
istream &istream::_M_extract(unsigned &value) {
    return read_integer(*this, value);
}

template <>
template <>
istream &istream::_M_extract(bool &value) {
    return read_integer(*this, value);
}

template <>
template <>
istream &istream::_M_extract(float &value) {
    return read_floating(*this, value);
}

template <>
template <>
istream &istream::_M_extract(double &value) {
    return read_floating(*this, value);
}

template <>
template <>
istream &istream::_M_extract(long double &) {
    __ics_unsupported("long double from a C++ stream");
}

template <>
template <>
istream &istream::_M_extract(void *&) {
    __ics_unsupported("a pointer from a C++ stream");
}

template <>
istream &istream::operator>>(int &value) {
    return read_integer(*this, value);
}

template <>
istream &istream::operator>>(short &value) {
    return read_integer(*this, value);
}

template istream &ws(istream &);
template istream &operator>>(istream &, char &);

template <>
istream &operator>>(istream &in, string &text) {
    istream::sentry ready(in);
    if (!ready) return in;
    text.erase();
    streamsize width = in.width() > 0 ? in.width() : static_cast<streamsize>(text.max_size());
    streambuf *buffer = in.rdbuf();
    int c = buffer->sgetc();
    for (; c != EOF && !the_ctype()->is(ctype_base::space, static_cast<char>(c)) && width > 0; c = buffer->snextc()) {
        text.push_back(static_cast<char>(c));
        width--;
    }
    in.width(0);
    ios_base::iostate state = ios_base::goodbit;
    if (c == EOF) state |= ios_base::eofbit;
    if (text.empty()) state |= ios_base::failbit;
    if (state != ios_base::goodbit) in.setstate(state);
    return in;
}

template <>
istream &istream::getline(char *text, streamsize size, char end) {
    _M_gcount = 0;
    sentry ready(*this, true);
    ios_base::iostate state = goodbit;
    if (ready) {
        streambuf *buffer = rdbuf();
        int c = buffer->sgetc();
        for (; c != EOF && c != static_cast<unsigned char>(end) && _M_gcount + 1 < size; c = buffer->snextc())
            text[_M_gcount++] = static_cast<char>(c);
        if (size > 0) text[_M_gcount] = 0;
        if (c == EOF) {
            state |= eofbit;
        } else if (c == static_cast<unsigned char>(end)) {
            buffer->sbumpc();
            _M_gcount++;
        } else {
            state |= failbit;
        }
    }
    if (_M_gcount == 0) state |= failbit;
    if (state != goodbit) setstate(state);
    return *this;
}

template <>
istream &getline(istream &in, string &text, char end) {
    text.erase();
    istream::sentry ready(in, true);
    if (!ready) return in;
    streambuf *buffer = in.rdbuf();
    int c = buffer->sgetc();
    for (; c != EOF && c != static_cast<unsigned char>(end); c = buffer->snextc()) text.push_back(static_cast<char>(c));
    if (c == EOF) in.setstate(text.empty() ? ios_base::eofbit | ios_base::failbit : ios_base::eofbit);
    else buffer->sbumpc();
    return in;
}

template istream &getline(istream &, string &);

// --- files ---

// A std::filebuf is a stream of stdio, which has the buffer.
__basic_file<char>::__basic_file(__c_lock *) noexcept : _M_cfile(nullptr), _M_cfile_created(false) {}

__basic_file<char>::~__basic_file() {
    close();
}

__basic_file<char> *__basic_file<char>::open(const char *name, ios_base::openmode mode, int) {
    unsigned kind = mode & (ios_base::in | ios_base::out | ios_base::trunc | ios_base::app);
    const char *how = kind == ios_base::in                                                     ? "r"
                      : kind == ios_base::out || kind == (ios_base::out | ios_base::trunc)      ? "w"
                      : kind == ios_base::app || kind == (ios_base::out | ios_base::app)        ? "a"
                      : kind == (ios_base::in | ios_base::out)                                  ? "r+"
                      : kind == (ios_base::in | ios_base::out | ios_base::trunc)                ? "w+"
                      : kind == (ios_base::in | ios_base::app)
                            || kind == (ios_base::in | ios_base::out | ios_base::app) ? "a+"
                                                                                      : nullptr;
    if (!how || _M_cfile) return nullptr;
    _M_cfile = fopen(name, how);
    return _M_cfile ? this : nullptr;
}

__basic_file<char> *__basic_file<char>::close() {
    if (!_M_cfile) return nullptr;
    int failed = fclose(_M_cfile);
    _M_cfile = nullptr;
    return failed ? nullptr : this;
}

bool __basic_file<char>::is_open() const noexcept {
    return _M_cfile;
}

__c_file *__basic_file<char>::file() noexcept {
    return _M_cfile;
}

template <>
bool has_facet<codecvt<char, char, mbstate_t>>(const locale &) noexcept {
    return false;
}

template <>
const codecvt<char, char, mbstate_t> &use_facet(const locale &) {
    __ics_unsupported("the conversion of characters in a C++ stream");
}

streamsize __basic_file<char>::xsputn(const char *text, streamsize n) {
    return static_cast<streamsize>(fwrite(text, 1, static_cast<size_t>(n), _M_cfile));
}

streamoff __basic_file<char>::seekoff(streamoff offset, ios_base::seekdir from) noexcept {
    int whence = from == ios_base::beg ? SEEK_SET : from == ios_base::cur ? SEEK_CUR : SEEK_END;
    return fseek(_M_cfile, offset, whence) ? -1 : ftell(_M_cfile);
}

template <>
void filebuf::_M_allocate_internal_buffer() {}

// Gives the character that was read ahead back to the stream of stdio.
template <>
void filebuf::_M_destroy_pback() noexcept {
    if (gptr() < egptr()) ungetc(static_cast<unsigned char>(*gptr()), _M_file.file());
    setg(nullptr, nullptr, nullptr);
}

template <>
void filebuf::_M_destroy_internal_buffer() noexcept {}

template <>
bool filebuf::_M_terminate_output() {
    return true;
}

template <>
filebuf *filebuf::close() {
    _M_mode = ios_base::openmode(0);
    setg(nullptr, nullptr, nullptr);
    return _M_file.close() ? this : nullptr;
}

template <>
filebuf *filebuf::open(const char *name, ios_base::openmode mode) {
    if (!_M_file.open(name, mode)) return nullptr;
    _M_mode = mode;
    if ((mode & ios_base::ate) && fseek(_M_file.file(), 0, SEEK_END) != 0) {
        close();
        return nullptr;
    }
    return this;
}

template <>
filebuf::int_type filebuf::overflow(int_type c) {
    if (!is_open()) return EOF;
    _M_destroy_pback();
    return c == EOF ? 0 : putc(c, _M_file.file());
}

template <>
streamsize filebuf::xsputn(const char *text, streamsize n) {
    if (!is_open()) return 0;
    _M_destroy_pback();
    return _M_file.xsputn(text, n);
}

template <>
filebuf::int_type filebuf::underflow() {
    if (gptr() < egptr()) return static_cast<unsigned char>(*gptr());
    int c = is_open() ? getc(_M_file.file()) : EOF;
    if (c == EOF) return EOF;
    _M_pback = static_cast<char>(c);
    setg(&_M_pback, &_M_pback, &_M_pback + 1);
    return c;
}

template <>
filebuf::int_type filebuf::pbackfail(int_type c) {
    if (!is_open()) return EOF;
    _M_destroy_pback();
    return ungetc(c, _M_file.file());
}

template <>
streamsize filebuf::xsgetn(char *text, streamsize n) {
    if (!is_open()) return 0;
    _M_destroy_pback();
    return static_cast<streamsize>(fread(text, 1, static_cast<size_t>(n), _M_file.file()));
}

template <>
streamsize filebuf::showmanyc() {
    return 0;
}

template <>
int filebuf::sync() {
    return is_open() ? fflush(_M_file.file()) : 0;
}

template <>
filebuf::pos_type filebuf::seekoff(off_type offset, ios_base::seekdir from, ios_base::openmode) {
    if (!is_open()) return pos_type(off_type(-1));
    _M_destroy_pback();
    return pos_type(_M_file.seekoff(offset, from));
}

template <>
filebuf::pos_type filebuf::seekpos(pos_type position, ios_base::openmode) {
    return seekoff(off_type(position), ios_base::beg, ios_base::in);
}

template <>
streambuf *filebuf::setbuf(char *, streamsize) {
    return this;
}

template <>
void filebuf::imbue(const locale &) {}

// --- the classes ---

template class basic_streambuf<char>;
template class basic_ios<char>;
template class basic_ostream<char>;
template class basic_istream<char>;
template class basic_iostream<char>;
template class basic_filebuf<char>;
template class basic_ifstream<char>;
template class basic_ofstream<char>;
template class basic_fstream<char>;
template class basic_stringbuf<char>;
template class basic_ostringstream<char>;
template class basic_istringstream<char>;
template class basic_stringstream<char>;

}  // namespace std

// What the same members are called from C++20 on.
#define ICS_STR(code, stream)                                                                                          \
    std::string ics_str_of_##stream(const std::stream *from) __asm__("_ZNKRSt7__cxx11" code "IcSt11char_traitsIcESaIcEE3strEv"); \
    std::string ics_str_of_##stream(const std::stream *from) {                                                        \
        return from->str();                                                                                            \
    }
ICS_STR("15basic_stringbuf", stringbuf)
ICS_STR("19basic_ostringstream", ostringstream)
ICS_STR("19basic_istringstream", istringstream)
ICS_STR("18basic_stringstream", stringstream)
