/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One instruction at a time, from text to result, against an oracle that is written another way:
 * wide integers, bit by bit, one lane. Then the same with operands of which some bytes are unknown:
 * whatever is called known must be so for every value of the unknown ones.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <math.h>

#include "launches.h"
#include "tap.h"

#define THREADS 128u
#define ROUNDS 12

/* What an instruction has: R4 to R7 and P0; what it may leave: R8, R9 and P1. */
typedef struct io {
    uint32_t a, b, c, d;
    bool p;
    uint32_t r[2];
    bool q;
} io;

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 signed_wide;

static float as_float(uint32_t v)
{
    float f;
    memcpy(&f, &v, 4);
    return f;
}

static uint32_t float_bits(float f)
{
    uint32_t v;
    memcpy(&v, &f, 4);
    return isnan(f) ? 0x7fffffff : v;
}

static bool bit(uint32_t v, unsigned k)
{
    return k < 32 && (v >> k & 1);
}

/* ---- oracles ---- */

static void put64(io *x, wide v)
{
    x->r[0] = (uint32_t)v;
    x->r[1] = (uint32_t)(v >> 32);
}

static void o_add3(io *x)
{
    x->r[0] = (uint32_t)((wide)x->a + x->b + x->c);
}
static void o_sub3(io *x)
{
    x->r[0] = (uint32_t)((int64_t)x->a - x->b + x->c);
}
static void o_carry(io *x)
{
    wide s = (wide)x->a + x->b + x->c;
    x->r[0] = (uint32_t)s;
    x->q = s >> 32 != 0;
}
static void o_borrow(io *x)
{
    x->r[0] = x->a - x->b;
    x->q = x->a >= x->b;
}
static void o_add_in(io *x)
{
    x->r[0] = (uint32_t)((wide)x->a + x->b + x->p);
}
static void o_mad(io *x)
{
    x->r[0] = (uint32_t)((wide)x->a * x->b + x->c);
}
static void o_msub(io *x)
{
    x->r[0] = (uint32_t)(x->c - (wide)x->a * x->b);
}

/* The addend of a pair R6, R7; R7 is `d`. */
static wide pair(const io *x)
{
    return (wide)x->d << 32 | x->c;
}
static void o_wide_u(io *x)
{
    put64(x, (wide)x->a * x->b + pair(x));
}
static void o_wide_s(io *x)
{
    put64(x, (wide)((signed_wide)(int32_t)x->a * (int32_t)x->b) + pair(x));
}
static void o_high_u(io *x)
{
    x->r[0] = (uint32_t)(((wide)x->a * x->b + pair(x)) >> 32);
}
static void o_lea(io *x)
{
    x->r[0] = (uint32_t)((wide)x->a * 32 + x->b);
}
static void o_lea_carry(io *x)
{
    wide s = ((wide)x->a * 32 & UINT32_MAX) + x->b;
    x->r[0] = (uint32_t)s;
    x->q = s >> 32 != 0;
}
static void o_lea_hi(io *x)
{
    uint32_t r = 0;
    for (unsigned k = 0; k < 32; k++) /* bit k of the upper word of {c, a} << 5 */
        r |= (uint32_t)(k < 5 ? bit(x->a, 27 + k) : bit(x->c, k - 5)) << k;
    x->r[0] = r + x->b;
}
static void table(io *x, unsigned lut)
{
    uint32_t r = 0;
    for (unsigned k = 0; k < 32; k++)
        r |= (lut >> (4 * bit(x->a, k) + 2 * bit(x->b, k) + bit(x->c, k)) & 1) << k;
    x->r[0] = r;
    x->q = r != 0;
}
static void o_lop_e8(io *x)
{
    table(x, 0xe8);
}
static void o_lop_1b(io *x)
{
    table(x, 0x1b);
}
static void o_lop_c0(io *x)
{
    table(x, 0xc0);
}
static void shifted(io *x, bool right, bool fill, bool upper, unsigned most, bool wraps)
{
    unsigned n = wraps ? x->b % most : x->b > most ? most : x->b;
    uint32_t r = 0;
    for (unsigned k = 0; k < 32; k++) {
        int from = (int)(k + (upper ? 32 : 0)) + (right ? (int)n : -(int)n);
        bool v = from < 0    ? false
                 : from < 32 ? bit(x->a, (unsigned)from)
                 : from < 64 ? bit(x->c, (unsigned)from - 32)
                             : fill && x->c >> 31;
        r |= (uint32_t)v << k;
    }
    x->r[0] = r;
}
static void o_shf_l(io *x)
{
    shifted(x, false, false, false, 32, false);
}
static void o_shf_l_hi(io *x)
{
    shifted(x, false, false, true, 64, false);
}
static void o_shf_r_hi(io *x)
{
    shifted(x, true, false, true, 32, false);
}
static void o_shf_r_s(io *x)
{
    shifted(x, true, true, true, 32, false);
}
static void o_shf_r_w(io *x)
{
    shifted(x, true, false, false, 32, true);
}
static void o_shf_r_64(io *x)
{
    shifted(x, true, true, false, 64, false);
}
static void o_shl7(io *x)
{
    x->r[0] = (uint32_t)((wide)x->a << 7);
}
static void o_shr7(io *x)
{
    x->r[0] = x->c / 128;
}
static void o_sar7(io *x)
{
    x->r[0] = (uint32_t)(int32_t)floor((int32_t)x->c / 128.0);
}
static void o_lt_s(io *x)
{
    x->q = (int64_t)(int32_t)x->a < (int32_t)x->b;
}
static void o_ge_u_or(io *x)
{
    x->q = (int64_t)x->a - x->b >= 0 || x->p;
}
static void o_ne_xor(io *x)
{
    x->q = ((x->a ^ x->b) != 0) != x->p;
}
static void o_lt_64(io *x)
{
    int64_t a = (int64_t)((uint64_t)x->a << 32 | x->b), c = (int64_t)((uint64_t)x->c << 32 | x->d);
    x->q = a < c;
}
static void o_sel(io *x)
{
    x->r[0] = x->p ? x->a : x->b;
}
static void o_prmt(io *x)
{
    uint8_t bytes[8], out[4];
    memcpy(bytes, &x->a, 4);
    memcpy(bytes + 4, &x->c, 4);
    for (int k = 0; k < 4; k++) {
        unsigned s = x->b / (1u << (4 * k)) % 16;
        out[k] = s < 8 ? bytes[s] : bytes[s - 8] > 127 ? 255 : 0;
    }
    memcpy(&x->r[0], out, 4);
}
static void o_min_s(io *x)
{
    x->r[0] = (int32_t)x->a < (int32_t)x->b ? x->a : x->b;
}
static void o_max_u(io *x)
{
    x->r[0] = x->a > x->b ? x->a : x->b;
}
static void o_abs(io *x)
{
    x->r[0] = (uint32_t)llabs((long long)(int32_t)x->a);
}
static void o_popc(io *x)
{
    for (unsigned k = x->r[0] = 0; k < 32; k++)
        x->r[0] += bit(x->a, k);
}
static void o_brev(io *x)
{
    for (unsigned k = x->r[0] = 0; k < 32; k++)
        x->r[0] |= (uint32_t)bit(x->a, k) << (31 - k);
}
static void o_flo(io *x)
{
    x->r[0] = UINT32_MAX;
    for (unsigned k = 0; k < 32; k++)
        x->r[0] = bit(x->a, k) ? k : x->r[0];
}
static void o_flo_s(io *x)
{
    x->r[0] = UINT32_MAX;
    for (unsigned k = 0; k < 31; k++)
        x->r[0] = bit(x->a, k) != bit(x->a, 31) ? k : x->r[0];
}
static void o_sgxt(io *x)
{
    unsigned n = x->b > 32 ? 32 : x->b;
    for (unsigned k = x->r[0] = 0; k < 32; k++)
        x->r[0] |= (uint32_t)(n && bit(x->a, k < n ? k : n - 1)) << k;
}
static void o_bmsk(io *x)
{
    for (uint64_t k = x->r[0] = 0; k < 32; k++)
        x->r[0] |= (uint32_t)(k >= x->a && k < (uint64_t)x->a + x->b) << k;
}
static void o_dp4a(io *x)
{
    int64_t sum = (int32_t)x->c;
    for (int k = 0; k < 32; k += 8)
        sum += (int64_t)(int8_t)(x->a >> k) * (uint8_t)(x->b >> k);
    x->r[0] = (uint32_t)sum;
}
static void o_fadd(io *x)
{
    x->r[0] = float_bits((float)((double)as_float(x->a) - (double)as_float(x->b)));
}
static void o_ffma(io *x)
{
    x->r[0] = float_bits(fmaf(as_float(x->a), as_float(x->b), as_float(x->c)));
}
static void o_fsetp(io *x)
{
    x->q = !(as_float(x->a) >= as_float(x->b));
} /* LTU */
static void o_guarded(io *x)
{
    x->r[0] = x->p ? (x->a & 0xff) | 0x100 : 0x300;
}
static void o_guarded_pred(io *x)
{
    x->q = x->p && (int32_t)x->a < (int32_t)x->b;
}
static void o_fset(io *x)
{
    x->r[0] = as_float(x->a) > as_float(x->b) && x->p ? 0x3f800000 : 0;
}
static void o_fset_ones(io *x)
{
    x->r[0] = !(as_float(x->a) <= as_float(x->b)) ? UINT32_MAX : 0;
}
static void o_i2f_rp(io *x)
{
    float f = (float)x->a;
    x->r[0] = float_bits((double)f < (double)x->a ? nextafterf(f, INFINITY) : f);
}
static void o_f2i(io *x)
{
    double v = as_float(x->a);
    x->r[0] = isnan(v)             ? 0
              : v >= 2147483647.0  ? 0x7fffffff
              : v <= -2147483648.0 ? 0x80000000
                                   : (uint32_t)(int32_t)v;
}

/* Statements leave R8, R9, P1 as in the row; those not named keep 0. */
static const struct row {
    const char *text;
    void (*oracle)(io *x);
} rows[] = {
    {"IADD3 R8, R4, R5, R6", o_add3},
    {"IADD3 R8, R4, -R5, R6", o_sub3},
    {"IADD3 R8, P1, R4, R5, R6", o_carry},
    {"IADD3 R8, P1, R4, -R5, RZ", o_borrow},
    {"IADD3.X R8, R4, R5, RZ, P0, !PT", o_add_in},
    {"IMAD R8, R4, R5, R6", o_mad},
    {"IMAD R8, R4, -R5, R6", o_msub},
    {"IMAD.WIDE.U32 R8, R4, R5, R6", o_wide_u},
    {"IMAD.WIDE R8, R4, R5, R6", o_wide_s},
    {"IMAD.HI.U32 R8, R4, R5, R6", o_high_u},
    {"LEA R8, R4, R5, 0x5", o_lea},
    {"LEA R8, P1, R4, R5, 0x5", o_lea_carry},
    {"LEA.HI R8, R4, R5, R6, 0x5", o_lea_hi},
    {"LOP3.LUT P1, R8, R4, R5, R6, 0xe8, !PT", o_lop_e8},
    {"LOP3.LUT P1, R8, R4, R5, R6, 0x1b, !PT", o_lop_1b},
    {"LOP3.LUT P1, R8, R4, R5, R6, 0xc0, !PT", o_lop_c0},
    {"SHF.L.U32 R8, R4, R5, R6", o_shf_l},
    {"SHF.L.U64.HI R8, R4, R5, R6", o_shf_l_hi},
    {"SHF.R.U32.HI R8, R4, R5, R6", o_shf_r_hi},
    {"SHF.R.S32.HI R8, R4, R5, R6", o_shf_r_s},
    {"SHF.R.W.U32 R8, R4, R5, R6", o_shf_r_w},
    {"SHF.R.S64 R8, R4, R5, R6", o_shf_r_64},
    {"SHF.L.U32 R8, R4, 0x7, RZ", o_shl7},
    {"SHF.R.U32.HI R8, RZ, 0x7, R6", o_shr7},
    {"SHF.R.S32.HI R8, RZ, 0x7, R6", o_sar7},
    {"ISETP.LT.AND P1, PT, R4, R5, PT", o_lt_s},
    {"ISETP.GE.U32.OR P1, PT, R4, R5, P0", o_ge_u_or},
    {"ISETP.NE.XOR P1, PT, R4, R5, P0", o_ne_xor},
    {"ISETP.LT.U32.AND P1, PT, R5, R7, PT ; ISETP.LT.AND.EX P1, PT, R4, R6, PT, P1", o_lt_64},
    {"SEL R8, R4, R5, P0", o_sel},
    {"PRMT R8, R4, R5, R6", o_prmt},
    {"VIMNMX R8, R4, R5, PT", o_min_s},
    {"VIMNMX.U32 R8, R4, R5, !PT", o_max_u},
    {"IABS R8, R4", o_abs},
    {"POPC R8, R4", o_popc},
    {"BREV R8, R4", o_brev},
    {"FLO.U32 R8, R4", o_flo},
    {"FLO R8, R4", o_flo_s},
    {"SGXT R8, R4, R5", o_sgxt},
    {"BMSK R8, R4, R5", o_bmsk},
    {"IDP.4A.S8.U8 R8, R4, R5, R6", o_dp4a},
    {"FADD R8, R4, -R5", o_fadd},
    {"FFMA R8, R4, R5, R6", o_ffma},
    {"FSETP.LTU.AND P1, PT, R4, R5, PT", o_fsetp},
    {"MOV R8, 0x300 ; @P0 LOP3.LUT R8, R4, 0xff, RZ, 0xc0, !PT ; @P0 LOP3.LUT R8, R8, 0x100, RZ, "
     "0xfc, !PT",
     o_guarded},
    {"@P0 ISETP.LT.AND P1, PT, R4, R5, PT", o_guarded_pred},
    {"FSET.BF.GT.AND R8, R4, R5, P0", o_fset},
    {"FSET.GTU.AND R8, R4, R5, PT", o_fset_ones},
    {"I2F.U32.RP R8, R4", o_i2f_rp},
    {"F2I.TRUNC.NTZ R8, R4", o_f2i},
};
#define ROWS (sizeof rows / sizeof *rows)

/* ---- a kernel around a statement ---- */

static const char *const before[] = {
    "S2R R0, SR_TID.X",
    "LDC.64 R2, c[0x0][0x210]",
    "IMAD.WIDE.U32 R2, R0, 0x28, R2",
    "LDG.E R4, desc[UR4][R2.64]",
    "LDG.E R5, desc[UR4][R2.64+0x4]",
    "LDG.E R6, desc[UR4][R2.64+0x8]",
    "LDG.E R7, desc[UR4][R2.64+0xc]",
    "LDG.E R11, desc[UR4][R2.64+0x10]",
    "LOP3.LUT P0, RZ, R11, 0x1, RZ, 0xc0, !PT",
    "MOV R8, RZ",
    "MOV R9, RZ",
    "ISETP.NE.AND P1, PT, RZ, RZ, PT",
};
static const char *const after[] = {
    "SEL R10, RZ, 0x1, !P1",
    "STG.E desc[UR4][R2.64+0x14], R8",
    "STG.E desc[UR4][R2.64+0x18], R9",
    "STG.E desc[UR4][R2.64+0x1c], R10",
    "EXIT",
};

static size_t put(char *text, size_t len, const char *statement, unsigned *pc)
{
    for (const char *at = statement; *at; at += strspn(at, "; ")) {
        size_t n = strcspn(at, ";");
        len += (size_t)sprintf(text + len, "        /*%04x*/ %.*s ;\n", *pc, (int)n, at);
        *pc += 16;
        at += n;
    }
    return len;
}

static size_t kernel_text(char *text, const char *statement)
{
    unsigned pc = 0;
    size_t len = (size_t)sprintf(text, "\tcode for sm_90\n\t\tFunction : k\n");
    for (size_t k = 0; k < sizeof before / sizeof *before; k++)
        len = put(text, len, before[k], &pc);
    len = put(text, len, statement, &pc);
    for (size_t k = 0; k < sizeof after / sizeof *after; k++)
        len = put(text, len, after[k], &pc);
    return len + (size_t)sprintf(text + len, "\t\t..........\n");
}

/* A thread's words: a, b, c, d, p, then results. */
#define WORDS 10u
#define RESULTS 5u

static uint64_t state;

static uint32_t any(void)
{
    static const uint32_t corners[] = {0,          1,          31,         32,         33,
                                       0x7f,       0x80,       0xffff,     0x7fffffff, 0x80000000,
                                       0xffffffff, 0x3f800000, 0x4f000000, 0x7f800000, 0x00800000};
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    uint32_t how = (uint32_t)(state >> 8) % 8, v = (uint32_t)(state >> 24);
    return how < 2 ? corners[v % 15] : how < 4 ? v >> (v % 32) : v;
}

static void execute_with(const bw_sass *sass, uint32_t *words, uint8_t *unknown,
                         const bw_machine_bank *bank)
{
    bw_diags diags = {0};
    uint64_t pointer = bw_machine_pointer(0);
    bw_machine_param param = {0, 8, (const uint8_t *)&pointer};
    bw_machine_buffer buffer = {pointer, THREADS * WORDS * 4, (uint8_t *)words, unknown};
    bw_machine_launch launch = {.block = {THREADS, 1, 1},
                                .grid = {1, 1, 1},
                                .params = &param,
                                .param_count = 1,
                                .buffers = &buffer,
                                .buffer_count = 1,
                                .banks = bank,
                                .bank_count = bank != NULL};
    bw_machine_result r = bw_machine_run(sass, 0, &launch, &diags);
    bw_diags_print(&diags, stderr, false);
    ck_assert_int_eq(r.status, BW_MACHINE_OK);
    bw_machine_result_finish(&r);
    bw_diags_finish(&diags);
}

static void execute(const bw_sass *sass, uint32_t *words, uint8_t *unknown)
{
    execute_with(sass, words, unknown, NULL);
}

static bw_sass *read_kernel(const char *statement, bw_source *source)
{
    char *text = malloc(8192);
    *source = (bw_source){statement, text, kernel_text(text, statement), NULL};
    bw_diags diags = {0};
    bw_sass *sass = bw_sass_read(source, &diags);
    bw_diags_print(&diags, stderr, false);
    bw_diags_finish(&diags);
    ck_assert_ptr_nonnull(sass);
    for (size_t k = 0; k < bw_sass_at(sass, 0)->count; k++)
        ck_assert_msg(!bw_sass_at(sass, 0)->ins[k].unmodelled, "%s: %s",
                      bw_sass_at(sass, 0)->ins[k].text, bw_sass_at(sass, 0)->ins[k].unmodelled);
    return sass;
}

static void fill(uint32_t *words)
{
    memset(words, 0, THREADS * WORDS * 4);
    for (uint32_t t = 0; t < THREADS; t++)
        for (uint32_t k = 0; k < RESULTS; k++)
            words[t * WORDS + k] = any();
}

static void check(const struct row *row, const uint32_t *w)
{
    io x = {.a = w[0], .b = w[1], .c = w[2], .d = w[3], .p = w[4] & 1};
    row->oracle(&x);
    ck_assert_msg(w[5] == x.r[0] && w[6] == x.r[1] && w[7] == (uint32_t)x.q,
                  "%s of %08x %08x %08x %08x %d: %08x %08x %u, and it is %08x %08x %d", row->text,
                  w[0], w[1], w[2], w[3], w[4] & 1, w[5], w[6], w[7], x.r[0], x.r[1], x.q);
}

START_TEST(test_known)
{
    static uint32_t words[THREADS * WORDS];
    const struct row *row = &rows[_i];
    bw_source source;
    bw_sass *sass = read_kernel(row->text, &source);
    state = 88172645463325252u;
    for (int round = 0; round < ROUNDS; round++) {
        fill(words);
        execute(sass, words, NULL);
        for (uint32_t t = 0; t < THREADS; t++)
            check(row, words + t * WORDS);
    }
    bw_sass_destroy(sass);
    free((char *)(uintptr_t)source.text);
}
END_TEST

/* Some bytes of operands become unknown, then get other values: what was called known must stay. */
START_TEST(test_unknown)
{
    static uint32_t words[THREADS * WORDS], other[THREADS * WORDS];
    static uint8_t unknown[THREADS * WORDS * 4], open[THREADS * WORDS * 4];
    bw_source source;
    bw_sass *sass = read_kernel(rows[_i].text, &source);
    state = 2463534242u;
    uint32_t known = 0;
    for (int round = 0; round < ROUNDS; round++) {
        fill(words);
        memset(unknown, 0, sizeof unknown);
        for (uint32_t t = 0; t < THREADS; t++)
            for (uint32_t k = 0; k < RESULTS * 4; k++)
                unknown[t * WORDS * 4 + k] = any() % 6 == 0;
        memcpy(open, unknown, sizeof open);
        memcpy(other, words, sizeof other);
        execute(sass, words, open);
        for (uint32_t k = 0; k < sizeof unknown; k++)
            if (unknown[k])
                ((uint8_t *)other)[k] = (uint8_t)any();
        execute(sass, other, NULL);
        for (uint32_t k = 0; k < sizeof open; k++) {
            bool result = k / 4 % WORDS >= RESULTS && k / 4 % WORDS < 8;
            if (!result || open[k])
                continue;
            known++;
            ck_assert_msg(((uint8_t *)words)[k] == ((uint8_t *)other)[k],
                          "%s: byte %u of result %u of thread %u", rows[_i].text, k % 4,
                          k / 4 % WORDS - RESULTS, k / 4 / WORDS);
        }
    }
    ck_assert_uint_gt(known, 0);
    bw_sass_destroy(sass);
    free((char *)(uintptr_t)source.text);
}
END_TEST

/* A modifier that nobody knows makes the result unknown, and says so; an opcode is refused. */
START_TEST(test_not_known)
{
    char text[8192];
    bw_diags diags = {0};
    bw_source source = {"modifier", text, kernel_text(text, "IMAD.STRANGE R8, R4, R5, R6"), NULL};
    bw_sass *sass = bw_sass_read(&source, &diags);
    ck_assert_ptr_nonnull(sass);
    const bw_sass_kernel *kernel = bw_sass_at(sass, 0);
    ck_assert_ptr_nonnull(kernel->ins[sizeof before / sizeof *before].unmodelled);
    static uint32_t words[THREADS * WORDS];
    static uint8_t unknown[sizeof words];
    fill(words);
    execute(sass, words, unknown);
    for (uint32_t t = 0; t < THREADS; t++) {
        ck_assert(unknown[(t * WORDS + 5) * 4]);  /* the result */
        ck_assert(!unknown[(t * WORDS + 6) * 4]); /* its neighbour */
    }
    bw_sass_destroy(sass);
    source = (bw_source){"opcode", text, kernel_text(text, "STRANGE R8, R4"), NULL};
    sass = bw_sass_read(&source, &diags);
    bw_machine_launch launch = {.block = {32, 1, 1}, .grid = {1, 1, 1}};
    bw_machine_result r = bw_machine_run(sass, 0, &launch, &diags);
    ck_assert_int_eq(r.status, BW_MACHINE_ERROR);
    ck_assert_int_eq(diags.items[0].id, BW_MSG_MACHINE_OPCODE);
    bw_machine_result_finish(&r);
    bw_sass_destroy(sass);
    bw_diags_finish(&diags);
}
END_TEST

/* ---- what is left unknown, and does not stop a kernel ---- */

static const struct {
    const char *text;
    bool second; /* whether R9 is a result too */
    uint64_t unpriced;
} strangers[] = {
    {"TEX.LL RZ, R8, R4, R6, UR4, 0x0, 2D, 0x1", false, 0},
    {"TLD.SCR.LZ R8, R12, R4, 0x0, 0x64, 1D", true, 0},
    {"TEX.SCR.LL RZ, R8, R4, R6, 0x0, 0x5c, 2D, 0x3", true, 0},
    {"SULD.D.BA.2D.STRONG.SM.TRAP R8, [R4], UR4", false, 0},
    {"SUST.D.BA.1D.STRONG.SM.TRAP [R4], R5, UR4 ; SULD.D.BA.1D.64.STRONG.SM.TRAP R8, [R4], UR4",
     true, 0},
    {"MOV R12, 0x1000400 ; LDS R8, [R12]", false, THREADS / 32},
    {"MOV R12, 0x2000400 ; ATOMS.ADD R8, [R12], R4", false, THREADS / 32},
    {"MOV R12, 0x400 ; STS.64 [R12], RZ ; MOV R13, 0x1000400 ; STS [R13], R4 ; LDS.64 R8, [R12]",
     true, THREADS / 32},
    {"MAPA R8, R4, R5", false, 0},
};

START_TEST(test_strangers)
{
    static uint32_t words[THREADS * WORDS];
    static uint8_t unknown[sizeof words];
    bw_source source;
    char *text = malloc(8192);
    source = (bw_source){
        .name = strangers[_i].text, .text = text, .len = kernel_text(text, strangers[_i].text)};
    bw_diags diags = {0};
    bw_sass *sass = bw_sass_read(&source, &diags);
    ck_assert_ptr_nonnull(sass);
    fill(words);
    memset(unknown, 0, sizeof unknown);
    uint64_t pointer = bw_machine_pointer(0);
    bw_machine_param param = {0, 8, (const uint8_t *)&pointer};
    bw_machine_buffer buffer = {pointer, sizeof words, (uint8_t *)words, unknown};
    bw_machine_launch launch = {.block = {THREADS, 1, 1},
                                .grid = {1, 1, 1},
                                .shared = 1024,
                                .params = &param,
                                .param_count = 1,
                                .buffers = &buffer,
                                .buffer_count = 1};
    bw_machine_result r = bw_machine_run(sass, 0, &launch, &diags);
    bw_diags_print(&diags, stderr, false);
    ck_assert_int_eq(r.status, BW_MACHINE_OK);
    uint64_t unpriced = 0;
    for (size_t k = 0; k < r.count; k++)
        unpriced += r.counts[k].unpriced;
    ck_assert_uint_eq(unpriced, strangers[_i].unpriced);
    for (uint32_t t = 0; t < THREADS; t++) {
        ck_assert(unknown[(t * WORDS + 5) * 4]);
        ck_assert_int_eq(unknown[(t * WORDS + 6) * 4] != 0, strangers[_i].second);
        ck_assert(!unknown[(t * WORDS + 7) * 4]);
    }
    bw_machine_result_finish(&r);
    bw_diags_finish(&diags);
    bw_sass_destroy(sass);
    free(text);
}
END_TEST

/* ---- calls through registers ---- */

/* A sum and a product (at 0x120 and 0x140), called through a table or through whole addresses. */
#define FUNCTIONS(RET) "IADD3 R8, R4, R5, RZ ;" RET " ; IMAD R8, R4, R5, RZ ;" RET

static const char call_table[] =
    "LOP3.LUT R12, R0, 0x1, RZ, 0xc0, !PT ; IMAD.SHL.U32 R12, R12, 0x8, RZ ; "
    "LDC.64 R14, c[0x2][R12] ; MOV R20, 0x110 ; CALL.REL.NOINC R14 0x0 ; BRA 0x160 ; " FUNCTIONS(
        "RET.REL.NODEC R20 0x0");
static const char call_whole[] =
    "LOP3.LUT P2, RZ, R0, 0x1, RZ, 0xc0, !PT ; LEPC R14, 0x120 ; @P2 LEPC R14, 0x140 ; "
    "LEPC R20, 0x110 ; CALL.ABS.NOINC R14 ; BRA 0x160 ; " FUNCTIONS("RET.ABS.NODEC R20");

START_TEST(test_calls)
{
    static const uint32_t table[] = {0x120, 0, 0x140, 0};
    const bw_machine_bank bank = {2, sizeof table, (const uint8_t *)table};
    static uint32_t words[THREADS * WORDS];
    bw_source source;
    bw_sass *sass = read_kernel(_i ? call_whole : call_table, &source);
    state = 88172645463325252u;
    fill(words);
    execute_with(sass, words, NULL, &bank);
    for (uint32_t t = 0; t < THREADS; t++) {
        const uint32_t *w = words + t * WORDS;
        ck_assert_uint_eq(w[5], t & 1 ? w[0] * w[1] : w[0] + w[1]);
    }
    bw_sass_destroy(sass);
    free((char *)(uintptr_t)source.text);
}
END_TEST

/* Where the table is not known it is asked for; what lies outside is refused. */
START_TEST(test_calls_unknown)
{
    static const uint32_t outside[] = {0x4000, 0, 0x4000, 0};
    const bw_machine_bank bank = {2, sizeof outside, (const uint8_t *)outside};
    uint64_t pointer = bw_machine_pointer(0);
    bw_machine_param param = {0, 8, (const uint8_t *)&pointer};
    bw_source source;
    bw_sass *sass = read_kernel(call_table, &source);
    bw_machine_launch launch = {
        .block = {32, 1, 1}, .grid = {1, 1, 1}, .params = &param, .param_count = 1};
    bw_diags diags = {0};
    bw_machine_result r = bw_machine_run(sass, 0, &launch, &diags);
    ck_assert_int_eq(r.status, BW_MACHINE_NEEDS);
    ck_assert_uint_eq(r.needs[0].origin.kind, BW_MACHINE_FROM_CONSTANT);
    ck_assert_uint_eq(r.needs[0].origin.bank, 2);
    bw_machine_result_finish(&r);
    launch.banks = &bank;
    launch.bank_count = 1;
    r = bw_machine_run(sass, 0, &launch, &diags);
    ck_assert_int_eq(r.status, BW_MACHINE_ERROR);
    ck_assert_int_eq(diags.items[0].id, BW_MSG_MACHINE_OPCODE);
    bw_machine_result_finish(&r);
    bw_diags_finish(&diags);
    bw_sass_destroy(sass);
    free((char *)(uintptr_t)source.text);
}
END_TEST

/* What is missing is asked for at once, with where it comes from. */
START_TEST(test_needs)
{
    char text[8192];
    bw_diags diags = {0};
    bw_source source = {
        "needs", text,
        kernel_text(
            text,
            "ISETP.GT.AND P2, PT, R4, RZ, PT ; @P2 EXIT ; LOP3.LUT R12, R5, 0xfc, RZ, 0xc0, !PT ;"
            "LDS R8, [R12+0x400]"),
        NULL};
    bw_sass *sass = bw_sass_read(&source, &diags);
    ck_assert_ptr_nonnull(sass);
    uint64_t pointer = bw_machine_pointer(3);
    bw_machine_param param = {0, 8, (const uint8_t *)&pointer};
    bw_machine_launch launch = {
        .block = {32, 1, 1}, .grid = {1, 1, 1}, .params = &param, .param_count = 1};
    bw_machine_result r = bw_machine_run(sass, 0, &launch, &diags);
    ck_assert_int_eq(r.status, BW_MACHINE_NEEDS);
    bool branch = false, address = false;
    for (size_t k = 0; k < r.need_count; k++) {
        ck_assert_int_eq(r.needs[k].origin.kind, BW_MACHINE_FROM_LOAD);
        ck_assert_int_eq(bw_machine_pointer_index(r.needs[k].origin.address), 3);
        branch |= r.needs[k].kind == BW_MACHINE_NEED_BRANCH && r.needs[k].origin.ins == 3;
        address |= r.needs[k].kind == BW_MACHINE_NEED_ADDRESS && r.needs[k].origin.ins == 4;
    }
    ck_assert(branch && address);
    bw_machine_result_finish(&r);
    bw_sass_destroy(sass);
    bw_diags_finish(&diags);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("opcodes");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_known, 0, ROWS);
    tcase_add_loop_test(tc, test_unknown, 0, ROWS);
    tcase_add_test(tc, test_not_known);
    tcase_add_loop_test(tc, test_strangers, 0, sizeof strangers / sizeof *strangers);
    tcase_add_loop_test(tc, test_calls, 0, 2);
    tcase_add_test(tc, test_calls_unknown);
    tcase_add_test(tc, test_needs);
    return tap_run(tc);
}
