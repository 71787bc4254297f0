/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cards, as data with a source for every number.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "bankwise.h"

#include <string.h>

#define KIB 1024u

/* Edition 4.2 is the last to describe the first three generations together. */
#define GUIDE_42 "CUDA C Programming Guide 4.2, appendix "
#define FROM_CC1 GUIDE_42 "F.3.3, shared memory of compute capability 1.x"
#define FROM_FERMI GUIDE_42 "F.4.3, shared memory of compute capability 2.x"
#define FROM_KEPLER GUIDE_42 "F.5.3, shared memory of compute capability 3.0"
#define FROM_CARDS                                                                                 \
    "as measured by this project (cards.def); for 4-byte accesses the CUDA C++ Programming Guide " \
    "says the same (\"Compute Capability 5.x\", shared memory)"

#define SPECIFICATIONS "table \"Technical Specifications per Compute Capability\""
#define F42 GUIDE_42 "F, table F-2"
#define G80 "CUDA C Programming Guide 8.0, " SPECIFICATIONS
#define G12 "CUDA C++ Programming Guide 12.0, " SPECIFICATIONS
#define G13 "CUDA C++ Programming Guide 13.0, " SPECIFICATIONS
#define TRAITS "CUDA Core Compute Libraries, libcu++, cuda/__device/arch_traits.h"

/*
 * Columns: name, compute capability * 10, rules, banks, bytes a bank; shared memory a block can
 * have (opt-in), nvcc's limit for static arrays, of an SM, taken by the system of each block;
 * resident warps and blocks of an SM; sources.
 *
 * cc 1.x keeps a block's parameters in shared memory too (up to 256 bytes, the guide's section on
 * __global__ parameters); how many depends on the kernel, so they are not counted here.
 */
/* clang-format off */
static const bw_arch archs[] = {
    {"sm_10", 10, BW_RULES_CC1, 16, 4, 16 * KIB, 16 * KIB, 16 * KIB, 0, 24, 8, FROM_CC1, F42},
    {"sm_11", 11, BW_RULES_CC1, 16, 4, 16 * KIB, 16 * KIB, 16 * KIB, 0, 24, 8, FROM_CC1, F42},
    {"sm_12", 12, BW_RULES_CC1, 16, 4, 16 * KIB, 16 * KIB, 16 * KIB, 0, 32, 8, FROM_CC1, F42},
    {"sm_13", 13, BW_RULES_CC1, 16, 4, 16 * KIB, 16 * KIB, 16 * KIB, 0, 32, 8, FROM_CC1, F42},
    {"sm_20", 20, BW_RULES_FERMI, 32, 4, 48 * KIB, 48 * KIB, 48 * KIB, 0, 48, 8, FROM_FERMI, F42},
    {"sm_21", 21, BW_RULES_FERMI, 32, 4, 48 * KIB, 48 * KIB, 48 * KIB, 0, 48, 8, FROM_FERMI, F42},
    {"sm_30", 30, BW_RULES_KEPLER4, 32, 8, 48 * KIB, 48 * KIB, 48 * KIB, 0, 64, 16, FROM_KEPLER, F42},
    {"sm_30-8byte", 30, BW_RULES_KEPLER8, 32, 8, 48 * KIB, 48 * KIB, 48 * KIB, 0, 64, 16, FROM_KEPLER, F42},
    {"sm_35", 35, BW_RULES_KEPLER4, 32, 8, 48 * KIB, 48 * KIB, 48 * KIB, 0, 64, 16, FROM_KEPLER, G80},
    {"sm_35-8byte", 35, BW_RULES_KEPLER8, 32, 8, 48 * KIB, 48 * KIB, 48 * KIB, 0, 64, 16, FROM_KEPLER, G80},
    {"sm_37", 37, BW_RULES_KEPLER4, 32, 8, 48 * KIB, 48 * KIB, 112 * KIB, 0, 64, 16, FROM_KEPLER, G80},
    {"sm_37-8byte", 37, BW_RULES_KEPLER8, 32, 8, 48 * KIB, 48 * KIB, 112 * KIB, 0, 64, 16, FROM_KEPLER, G80},
    {"sm_50", 50, BW_RULES_MODERN, 32, 4, 48 * KIB, 48 * KIB, 64 * KIB, 0, 64, 32, FROM_CARDS, G80},
    {"sm_52", 52, BW_RULES_MODERN, 32, 4, 48 * KIB, 48 * KIB, 96 * KIB, 0, 64, 32, FROM_CARDS, G80},
    {"sm_53", 53, BW_RULES_MODERN, 32, 4, 48 * KIB, 48 * KIB, 64 * KIB, 0, 64, 32, FROM_CARDS, G80},
    {"sm_60", 60, BW_RULES_MODERN, 32, 4, 48 * KIB, 48 * KIB, 64 * KIB, 0, 64, 32, FROM_CARDS, TRAITS},
    {"sm_61", 61, BW_RULES_MODERN, 32, 4, 48 * KIB, 48 * KIB, 96 * KIB, 0, 64, 32, FROM_CARDS, TRAITS},
    {"sm_62", 62, BW_RULES_MODERN, 32, 4, 48 * KIB, 48 * KIB, 64 * KIB, 0, 64, 32, FROM_CARDS, TRAITS},
    {"sm_70", 70, BW_RULES_MODERN, 32, 4, 96 * KIB, 48 * KIB, 96 * KIB, 0, 64, 32, FROM_CARDS, TRAITS},
    {"sm_72", 72, BW_RULES_MODERN, 32, 4, 96 * KIB, 48 * KIB, 96 * KIB, 0, 64, 32, FROM_CARDS, G12},
    {"sm_75", 75, BW_RULES_MODERN, 32, 4, 64 * KIB, 48 * KIB, 64 * KIB, 0, 32, 16, FROM_CARDS, G13},
    {"sm_80", 80, BW_RULES_MODERN, 32, 4, 163 * KIB, 48 * KIB, 164 * KIB, KIB, 64, 32, FROM_CARDS, G13},
    {"sm_86", 86, BW_RULES_MODERN, 32, 4, 99 * KIB, 48 * KIB, 100 * KIB, KIB, 48, 16, FROM_CARDS, G13},
    {"sm_87", 87, BW_RULES_MODERN, 32, 4, 163 * KIB, 48 * KIB, 164 * KIB, KIB, 48, 16, FROM_CARDS, G13},
    {"sm_88", 88, BW_RULES_MODERN, 32, 4, 99 * KIB, 48 * KIB, 100 * KIB, KIB, 48, 16, FROM_CARDS, TRAITS},
    {"sm_89", 89, BW_RULES_MODERN, 32, 4, 99 * KIB, 48 * KIB, 100 * KIB, KIB, 48, 24, FROM_CARDS, G13},
    {"sm_90", 90, BW_RULES_MODERN, 32, 4, 227 * KIB, 48 * KIB, 228 * KIB, KIB, 64, 32, FROM_CARDS, G13},
    {"sm_100", 100, BW_RULES_MODERN, 32, 4, 227 * KIB, 48 * KIB, 228 * KIB, KIB, 64, 32, FROM_CARDS, G13},
    {"sm_103", 103, BW_RULES_MODERN, 32, 4, 227 * KIB, 48 * KIB, 228 * KIB, KIB, 64, 32, FROM_CARDS, TRAITS},
    {"sm_110", 110, BW_RULES_MODERN, 32, 4, 227 * KIB, 48 * KIB, 228 * KIB, KIB, 48, 24, FROM_CARDS, G13},
    {"sm_120", 120, BW_RULES_MODERN, 32, 4, 99 * KIB, 48 * KIB, 100 * KIB, KIB, 48, 24, FROM_CARDS, G13},
    {"sm_121", 121, BW_RULES_MODERN, 32, 4, 99 * KIB, 48 * KIB, 100 * KIB, KIB, 48, 24, FROM_CARDS, TRAITS},
};
/* clang-format on */

size_t bw_arch_count(void)
{
    return sizeof archs / sizeof *archs;
}

const bw_arch *bw_arch_at(size_t index)
{
    return index < bw_arch_count() ? &archs[index] : NULL;
}

/* nvcc's "sm_90a" and "sm_120f" unlock instructions of the same card. */
static size_t length_without_suffix(const char *name)
{
    size_t len = strlen(name);
    bool suffixed = len > 4 && (name[len - 1] == 'a' || name[len - 1] == 'f');
    return suffixed && name[len - 2] >= '0' && name[len - 2] <= '9' ? len - 1 : len;
}

const bw_arch *bw_arch_find(const char *name)
{
    size_t len = name ? strlen(name) : 0, bare = name ? length_without_suffix(name) : 0;
    for (size_t i = 0; name && i < bw_arch_count(); i++) {
        size_t wanted = archs[i].cc >= 90 ? bare : len;
        if (strlen(archs[i].name) == wanted && memcmp(archs[i].name, name, wanted) == 0)
            return &archs[i];
    }
    return NULL;
}

/* ---- what was measured ---- */

#define OP(id) [BW_OP_##id] = true
static const bw_card cards[] = {
#define BW_CARD(cc, name, recordings, ...)                                                         \
    {cc, "sm_" #cc, name, recordings, (const bool[BW_OP_COUNT]){__VA_ARGS__}},
#include "cards.def"
#undef BW_CARD
};
#undef OP

const bw_card *bw_card_at(size_t index)
{
    return index < sizeof cards / sizeof *cards ? &cards[index] : NULL;
}

static const bw_card *card_of(const bw_arch *arch)
{
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++)
        if (cards[i].cc == arch->cc)
            return &cards[i];
    return NULL;
}

const bw_card *bw_card_of(const bw_arch *arch)
{
    return arch ? card_of(arch) : NULL;
}

bw_basis bw_basis_of(const bw_arch *arch, bw_op op)
{
    const bw_op_info *info = bw_op_get(op);
    if (!arch || !info)
        return BW_BASIS_ASSUMED;
    if (arch->rules == BW_RULES_MODERN) {
        const bw_card *card = card_of(arch);
        return card && card->measured[op] ? BW_BASIS_MEASURED : BW_BASIS_ASSUMED;
    }
    bool kepler = arch->rules == BW_RULES_KEPLER4 || arch->rules == BW_RULES_KEPLER8;
    if (kepler && info->bytes == 16)
        return BW_BASIS_ASSUMED; /* the guide does not say how 16 bytes are split */
    return BW_BASIS_DOCUMENTED;
}

uint32_t bw_period(const bw_arch *arch)
{
    if (!arch)
        return 0;
    return arch->rules == BW_RULES_KEPLER4 ? 256 : arch->bank_bytes;
}

const char *bw_basis_name(bw_basis basis)
{
    static const char *const names[] = {[BW_BASIS_MEASURED] = "measured",
                                        [BW_BASIS_ASSUMED] = "assumed",
                                        [BW_BASIS_DOCUMENTED] = "documented"};
    _Static_assert(sizeof names / sizeof *names == BW_BASIS_DOCUMENTED + 1, "a word for each");
    return (unsigned)basis < sizeof names / sizeof *names ? names[basis] : "unknown";
}

const char *bw_status_text(bw_status status)
{
    static const char *const texts[] = {
        [BW_OK] = "no error",
        [BW_UNSUPPORTED] = "operation unknown to this architecture",
        [BW_MISALIGNED] = "misaligned address",
        [BW_NO_LANES] = "no lane takes part",
        [BW_INVALID] = "no such operation, or no architecture",
        [BW_OVERFLOW] = "more requests than can be counted",
    };
    _Static_assert(sizeof texts / sizeof *texts == BW_OVERFLOW + 1, "a text for each status");
    return (unsigned)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}
