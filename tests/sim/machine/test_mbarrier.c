/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Barriers in shared memory: phases end when all have arrived, loops that wait end, and a copy of
 * tensors makes unknown what it may have written, and no more.
 *
 * The forms of the instructions are those of compiled code (CUTLASS's wgmma tutorial with TMA and
 * the CUDA samples' simpleAWBarrier for sm_90).
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "launches.h"
#include "tap.h"

#define THREADS 64u

/* R0: the thread; R2: its place in `out`; UR8: the barrier, for COUNT arrivals. COUNT and OTHER are
 * the kernel's own. */
#define BEGIN                                                                                      \
    "S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x210]", "IMAD.WIDE.U32 R2, R0, 0x4, R2",               \
        "IMAD.SHL.U32 R1, R0, 0x4, RZ", "ISETP.NE.AND P0, PT, R0, RZ, PT", "UMOV UR8, 0x400",      \
        "UMOV UR6, COUNT", "UIADD3 UR6, -UR6, 0x100000, URZ", "USHF.L.U32 UR5, UR6, 0xb, URZ",     \
        "USHF.L.U32 UR4, UR6, 0x1, URZ", "@!P0 SYNCS.EXCH.64 URZ, [UR8], UR4",                     \
        "BAR.SYNC.DEFER_BLOCKING 0x0"
#define END "STG.E desc[UR10][R2.64], R9", "EXIT", NULL

typedef struct kernel {
    const char *lines[64];
    const char *count, *other; /* for COUNT and OTHER */
} kernel;

static void put_kernel(const kernel *k, char *text)
{
    size_t len = (size_t)sprintf(text, "\tcode for sm_90\n\t\tFunction : k\n");
    for (unsigned n = 0; k->lines[n]; n++) {
        const char *line = k->lines[n], *count = strstr(line, "COUNT"),
                   *other = strstr(line, "OTHER"), *at = count ? count : other;
        int before = at ? (int)(at - line) : (int)strlen(line);
        len += (size_t)sprintf(text + len, "        /*%04x*/ %.*s%s%s ;\n", n * 16, before, line,
                               !at     ? ""
                               : count ? k->count
                                       : k->other,
                               at ? at + 5 : "");
    }
    sprintf(text + len, "\t\t..........\n");
}

typedef struct outcome {
    bw_machine_status status;
    bw_message_id id; /* of the first error */
    uint64_t executed[64];
    uint32_t out[THREADS];
    uint8_t unknown[THREADS * 4];
} outcome;

static outcome run(const kernel *k)
{
    char text[8192];
    outcome o = {0};
    put_kernel(k, text);
    bw_source source = {.name = "mbarrier", .text = text, .len = strlen(text)};
    bw_diags diags = {0};
    bw_sass *sass = bw_sass_read(&source, &diags);
    ck_assert_ptr_nonnull(sass);
    uint64_t pointer = bw_machine_pointer(0);
    bw_machine_param param = {0, 8, (const uint8_t *)&pointer};
    bw_machine_buffer buffer = {pointer, sizeof o.out, (uint8_t *)o.out, o.unknown};
    bw_machine_launch launch = {.block = {THREADS, 1, 1},
                                .grid = {1, 1, 1},
                                .shared = 1024,
                                .params = &param,
                                .param_count = 1,
                                .buffers = &buffer,
                                .buffer_count = 1,
                                .max_steps = 100000};
    bw_machine_result r = bw_machine_run(sass, 0, &launch, &diags);
    o.status = r.status;
    o.id = diags.count ? diags.items[0].id : 0;
    for (size_t n = 0; n < r.count && n < 64; n++)
        o.executed[n] = r.counts[n].executed;
    bw_machine_result_finish(&r);
    bw_sass_destroy(sass);
    bw_diags_finish(&diags);
    return o;
}

/* Two phases: each thread reads what the one across stored before both arrived. */
#define PHASES                                                                                     \
    BEGIN, "IADD3 R4, R0, 0x7, RZ", "STS [R1+0x420], R4",                                          \
        "SYNCS.ARRIVE.TRANS64.A1T0 R6, [UR8], RZ", "SYNCS.PHASECHK.TRANS64OTHER P1, [UR8], R7",    \
        "@!P1 BRA 0xf0", "LOP3.LUT R5, R1, 0xfc, RZ, 0x3c, !PT", "LDS R8, [R5+0x420]",             \
        "MOV R10, 0x80000000", "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR8], RZ",                          \
        "SYNCS.PHASECHK.TRANS64OTHER P1, [UR8], R10", "@!P1 BRA 0x150", "STS [R1+0x420], R8",      \
        "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR8], RZ", "SYNCS.PHASECHK.TRANS64OTHER P1, [UR8], RZ",    \
        "@!P1 BRA 0x190", "LDS R9, [R1+0x420]", END

START_TEST(test_phases)
{
    static const kernel kernels[] = {{{PHASES}, "0x40", ".TRYWAIT"}, {{PHASES}, "0x40", ""}};
    outcome o = run(&kernels[_i]);
    ck_assert_int_eq(o.status, BW_MACHINE_OK);
    for (uint32_t t = 0; t < THREADS; t++) {
        ck_assert_uint_eq(o.out[t], (t ^ 63) + 7);
        ck_assert_uint_eq(o.unknown[4 * t], 0);
    }
    ck_assert_uint_eq(o.executed[14], 2);
    if (_i == 0) /* a warp that waits does not ask again */
        ck_assert_uint_eq(o.executed[15], 2);
}
END_TEST

/* One thread too few arrives: it is named, and does not run for ever. */
START_TEST(test_endless)
{
    static const kernel kernels[] = {{{PHASES}, "0x41", ".TRYWAIT"}, {{PHASES}, "0x41", ""}};
    outcome o = run(&kernels[_i]);
    ck_assert_int_eq(o.status, BW_MACHINE_ERROR);
    ck_assert_int_eq(o.id, BW_MSG_PARTIAL_BARRIER);
}
END_TEST

/* Thread 0 expects 128 bytes and has them copied to 0x480; all wait, and read there and beside. */
#define COPY                                                                                       \
    BEGIN, "STS [R1+0x600], R0", "UMOV UR12, 0x480", "UMOV UR13, 0x400", "MOV R4, OTHER",          \
        "@P0 BRA 0x130", "SYNCS.ARRIVE.TRANS64 RZ, [UR8], R4",                                     \
        "UTMALDG.2D [UR12], [UR14], desc[URZ]", "SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR8], RZ",    \
        "@!P1 BRA 0x130", "LDS R9, [R1+0x600]", END

START_TEST(test_copy)
{
    static const kernel kernels[] = {{{COPY}, "0x1", "0x80"}, {{COPY}, "0x1", "0x200"}};
    outcome o = run(&kernels[_i]);
    ck_assert_int_eq(o.status, BW_MACHINE_OK);
    for (uint32_t t = 0; t < THREADS; t++) { /* 0x480 + 0x200 reaches 32 threads' words */
        bool lost = _i && t < 32;
        ck_assert_uint_eq(o.unknown[4 * t] != 0, lost);
        ck_assert(lost || o.out[t] == t);
    }
}
END_TEST

/* Where it is not known how much is copied, nothing is known afterwards. */
START_TEST(test_copy_unsized)
{
    static const kernel k = {{BEGIN, "STS [R1+0x600], R0", "UMOV UR12, 0x480", "UMOV UR13, 0x408",
                              "UTMALDG.2D [UR12], [UR14], desc[URZ]", "LDS R9, [R1+0x600]", END},
                             "0x1",
                             ""};
    outcome o = run(&k);
    ck_assert_int_eq(o.status, BW_MACHINE_OK);
    for (uint32_t t = 0; t < THREADS; t++)
        ck_assert(o.unknown[4 * t]);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("mbarrier");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_phases, 0, 2);
    tcase_add_loop_test(tc, test_endless, 0, 2);
    tcase_add_loop_test(tc, test_copy, 0, 2);
    tcase_add_test(tc, test_copy_unsized);
    return tap_run(tc);
}
