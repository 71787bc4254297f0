/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text of machine code, cut, shuffled and damaged: reading and executing it must end, without a
 * crash, and say why where it cannot be read. Deterministic: the same texts and count give the same
 * cases.
 *
 * fuzz_machine COUNT FILE...
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "launches.h"
#include "tally.h"

/* Enough for a few loops. */
#define MOST_STEPS 20000
/* Of a long text a stretch is taken: many short cases find more than few long ones. */
#define MOST_BYTES 30000u

static uint64_t state = 0x2545f4914f6cdd1du;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return below ? (uint32_t)(state >> 20) % below : 0;
}

/* ---- damage ---- */

static size_t line_at(const char *text, size_t len, size_t at)
{
    while (at > 0 && text[at - 1] != '\n')
        at--;
    (void)len;
    return at;
}

static size_t line_end(const char *text, size_t len, size_t at)
{
    while (at < len && text[at] != '\n')
        at++;
    return at < len ? at + 1 : len;
}

static size_t delete_range(char *text, size_t len, size_t from, size_t to)
{
    memmove(text + from, text + to, len - to);
    return len - (to - from);
}

/* Two lines change places; they may overlap nowhere. */
static void swap_lines(char *text, size_t len)
{
    size_t a = line_at(text, len, draw((uint32_t)len)), b = line_at(text, len, draw((uint32_t)len));
    if (a > b) {
        size_t t = a;
        a = b, b = t;
    }
    size_t ae = line_end(text, len, a), be = line_end(text, len, b);
    if (a == b || ae > b)
        return;
    char *copy = malloc(be - a), *at = copy;
    memcpy(at, text + b, be - b), at += be - b;
    memcpy(at, text + ae, b - ae), at += b - ae;
    memcpy(at, text + a, ae - a);
    memcpy(text + a, copy, be - a);
    free(copy);
}

static const char *const words[] = {"RZ",
                                    "R255",
                                    "R254",
                                    "UR63",
                                    "-",
                                    "~",
                                    "|",
                                    ".64",
                                    ".X",
                                    "P7",
                                    "PT",
                                    "!",
                                    "@P0 ",
                                    "[",
                                    "]",
                                    "0x",
                                    "0xffffffffffffffff",
                                    ",",
                                    ";",
                                    "c[0x0][",
                                    "desc[UR4][",
                                    "B15",
                                    "`(",
                                    "BRA",
                                    "LDS.128",
                                    "BSYNC B0",
                                    "EXIT",
                                    "/*",
                                    "*/",
                                    "32@lo((",
                                    "1e300",
                                    "+QNAN",
                                    ".H1_H1",
                                    "\"",
                                    "gdesc[UR4]"};

static size_t insert(char *text, size_t len, size_t room, size_t at, const char *what, size_t n)
{
    if (len + n > room)
        return len;
    memmove(text + at + n, text + at, len - at);
    memcpy(text + at, what, n);
    return len + n;
}

/* The statement of the line that `at` lies in: after its address, up to the semicolon or quote. */
static bool statement_at(const char *text, size_t len, size_t at, size_t *from, size_t *to)
{
    size_t begin = line_at(text, len, at), end = line_end(text, len, at);
    size_t p = begin;
    while (p + 2 < end && !(text[p] == '*' && text[p + 1] == '/') &&
           !(text[p] == '"' && text[p + 1] == ',' && text[p + 2] == '"'))
        p++;
    p += p + 2 < end && text[p] == '*' ? 2 : 3;
    size_t q = p;
    while (q < end && text[q] != ';' && text[q] != '"')
        q++;
    *from = p, *to = q;
    return p < q && q < end;
}

/* One statement stands where another stood: addresses stay in order, so that it is executed. */
static size_t move_statement(char *text, size_t len, size_t room)
{
    size_t from, to, other_from, other_to;
    char copy[300];
    if (!statement_at(text, len, draw((uint32_t)len), &other_from, &other_to) ||
        other_to - other_from > sizeof copy)
        return len;
    size_t n = other_to - other_from;
    memcpy(copy, text + other_from, n);
    if (!statement_at(text, len, draw((uint32_t)len), &from, &to))
        return len;
    len = delete_range(text, len, from, to);
    return insert(text, len, room, from, copy, n);
}

/* A digit, a letter or a word within a statement. */
static size_t touch_statement(char *text, size_t len, size_t room)
{
    size_t from, to;
    if (!statement_at(text, len, draw((uint32_t)len), &from, &to))
        return len;
    size_t at = from + draw((uint32_t)(to - from));
    const char *word = words[draw(sizeof words / sizeof *words)];
    switch (draw(4)) {
    case 0: return insert(text, len, room, at, word, strlen(word));
    case 1: return delete_range(text, len, at, at + 1);
    case 2:
        for (; at < to; at++)
            if (text[at] >= '0' && text[at] <= '9')
                text[at] = (char)('0' + draw(10));
        return len;
    default: text[at] = (char)(32 + draw(95)); return len;
    }
}

static size_t damage(char *text, size_t len, size_t room)
{
    if (len < 10)
        return len;
    size_t at = draw((uint32_t)len), some = 1 + draw(60);
    if (draw(10)) /* mostly what leaves the frame as it is */
        return draw(2) ? move_statement(text, len, room) : touch_statement(text, len, room);
    switch (draw(9)) {
    case 0: return at;                             /* cut */
    case 1: return delete_range(text, len, 0, at); /* cut in front */
    case 2: return delete_range(text, len, at, at + some < len ? at + some : len);
    case 3: return delete_range(text, len, line_at(text, len, at), line_end(text, len, at));
    case 4: swap_lines(text, len); return len;
    case 5: text[at] = (char)draw(256); return len;
    case 6: text[at] = (char)(32 + draw(95)); return len;
    case 7: {
        const char *word = words[draw(sizeof words / sizeof *words)];
        size_t n = strlen(word);
        return insert(text, len, room, at, word, n);
    }
    default: { /* one stretch over another */
        size_t from = draw((uint32_t)len);
        some = from + some > len ? len - from : some;
        some = at + some > len ? len - at : some;
        memmove(text + at, text + from, some);
        return len;
    }
    }
}

/* ---- one case ---- */

static void execute(const bw_sass *sass, size_t kernel)
{
    static uint8_t content[4096], params[256];
    uint64_t pointer = bw_machine_pointer(0);
    for (size_t k = 0; k + 8 <= sizeof params; k += 8)
        memcpy(params + k, &pointer, 8);
    uint32_t number = draw(100);
    memcpy(params + 16 + 4 * draw(8), &number, 4);
    bw_machine_param param = {0, draw(4) ? sizeof params : 8, params};
    bw_machine_buffer buffer = {pointer, sizeof content, content, NULL};
    bw_tally tally;
    bw_diags diags = {0};
    bw_tally_init(&tally, bw_arch_find("sm_90"));
    bw_machine_launch launch = {.arch = bw_arch_find("sm_90"),
                                .block = {1 + draw(70), 1 + draw(3), 1},
                                .grid = {1 + draw(5), 1 + draw(2), 1},
                                .params = &param,
                                .param_count = 1,
                                .buffers = &buffer,
                                .buffer_count = draw(2),
                                .max_steps = MOST_STEPS,
                                .no_fold = draw(3) == 0,
                                .sink = bw_machine_tally,
                                .context = &tally};
    bw_machine_result r = bw_machine_run(sass, kernel, &launch, &diags);
    if (r.status == BW_MACHINE_ERROR && diags.errors == 0) {
        printf("Bail out! an error without a message\n");
        exit(1);
    }
    bw_machine_result_finish(&r);
    bw_diags_finish(&diags);
    bw_tally_finish(&tally);
}

/* Returns whether it was read. */
static bool try_text(const char *text, size_t len)
{
    bw_source source = {"fuzz", text, len, NULL};
    bw_diags diags = {0};
    bw_sass *sass = bw_sass_read(&source, &diags);
    if (!sass && diags.errors == 0) {
        printf("Bail out! not read, without a message\n");
        exit(1);
    }
    for (size_t k = 0; sass && k < bw_sass_count(sass) && k < 3; k++)
        execute(sass, draw((uint32_t)bw_sass_count(sass)));
    bool read = sass != NULL;
    bw_sass_destroy(sass);
    bw_diags_finish(&diags);
    return read;
}

/* A whole kernel, with what stands before it in its line; sometimes any stretch. */
static size_t stretch(const char *text, size_t len, size_t *from)
{
    static const char *const marks[] = {"Function : ", "\n.text.", "Kernel Name"};
    size_t at = draw((uint32_t)len), begin = len, end = len;
    for (size_t k = 0; k < 3 && begin == len; k++) {
        const char *mark = strstr(text + at, marks[k]);
        mark = mark ? mark : strstr(text, marks[k]);
        if (!mark)
            continue;
        begin = line_at(text, len, (size_t)(mark - text));
        const char *next = strstr(mark + 12, marks[k]);
        end = next ? line_at(text, len, (size_t)(next - text)) : len;
    }
    if (begin == len || draw(20) == 0)
        begin = at, end = len;
    *from = begin;
    return end - begin > MOST_BYTES && draw(8) ? MOST_BYTES : end - begin;
}

int main(int argc, char **argv)
{
    unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 0, read = 0;
    if (getenv("TAP_SLOW")) /* as tap_rounds: under valgrind */
        count = (count + 9) / 10;
    for (unsigned k = 0; k < count && argc > 2; k++) {
        size_t len;
        char *whole = read_file(".", argv[2 + k % (unsigned)(argc - 2)], &len);
        size_t from = 0, taken = stretch(whole, len, &from);
        size_t room = taken + 1000;
        char *text = malloc(room);
        memcpy(text, whole + from, taken);
        for (unsigned times = 1 + draw(4); times; times--)
            taken = damage(text, taken, room);
        char *exact = malloc(taken + 1); /* so that reading past the end is seen */
        memcpy(exact, text, taken);
        read += try_text(exact, taken);
        free(exact);
        free(text);
        free(whole);
    }
    printf("ok 1 - %u damaged texts, %u of them read and executed\n1..1\n", count, read);
    return 0;
}
