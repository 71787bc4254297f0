/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runtime: runs a compiled pattern file's launches on fibers and prices what they do to shared
 * memory, straight from the measured rules (sets and maps, no cleverness, nothing shared with the
 * project's model).
 *
 * g++ -fsanitize=thread makes each load and store of the pattern call a __tsan_* function; those
 * are defined here instead of by the sanitizer. An access is a call site; lanes of a warp make one
 * request when they reach the same site by the same calls, in the same iterations of all loops around
 * it, for the same time since the last barrier.
 *
 * Output, one line an access: pc launch op requests wavefronts ideal cycles degree.
 */
#include "shim.h"
#include <algorithm>
#include <array>
#include <csetjmp>
#include <map>
#include <set>
#include <string>
#include <sys/mman.h>
#include <tuple>
#include <ucontext.h>
#include <vector>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;
extern char __data_start, _end, __start_bwconst __attribute__((weak)), __stop_bwconst __attribute__((weak));

/* ---- the rules ---- */
struct Request {
    unsigned active = 0, bytes = 0;
    unsigned long addr[32] = {};
};
struct Cost {
    unsigned long wavefronts, ideal, cycles, degree;
};

/* The most different words (or, with equal words counted each time, lanes) that one bank is asked
 * for by the lanes first … first+count-1. 0 where none is active. */
static unsigned busiest(const Request &r, int first, int count, bool each_lane)
{
    std::map<unsigned, std::multiset<unsigned long>> banks;
    for (int l = first; l < first + count; l++)
        for (unsigned b = 0; r.active >> l & 1 && b < std::max(r.bytes, 4u); b += 4) {
            unsigned long word = (r.addr[l] + b) / 4;
            banks[word % 32].insert(word);
        }
    unsigned most = 0;
    for (auto &bank : banks)
        most = std::max(most, (unsigned)(each_lane ? bank.second.size()
                                                   : std::set<unsigned long>(bank.second.begin(), bank.second.end()).size()));
    return most;
}

static bool merges_with(const Request &r, int x)
{
    for (int l = 0; l < 32; l++)
        if ((r.active >> l & 1) && (r.active >> (l ^ x) & 1) && r.addr[l] != r.addr[l ^ x])
            return false;
    return true;
}

/* Sum over groups of `count` lanes; ideal: the groups that have a lane; degree: the worst. */
static Cost by_groups(const Request &r, int count, bool each_lane)
{
    Cost c = {0, 0, 0, 0};
    for (int f = 0; f < 32; f += count) {
        c.wavefronts += busiest(r, f, count, each_lane);
        c.ideal += busiest(r, f, count, false) > 0;
        c.degree = std::max(c.degree, (unsigned long)busiest(r, f, count, false));
    }
    c.cycles = c.wavefronts;
    return c;
}

static int group_of(unsigned bytes)
{
    return bytes == 16 ? 8 : bytes == 8 ? 16 : 32;
}

static Cost load(const Request &r)
{
    bool merges = r.bytes >= 8 && (merges_with(r, 1) || merges_with(r, 2));
    Cost c = by_groups(r, group_of(r.bytes) * (merges ? 2 : 1), false);
    unsigned long floor = r.bytes == 8 ? 2 : r.bytes == 16 ? 4 : 1;
    c.cycles = std::max(c.wavefronts, merges ? floor / 2 : floor);
    return c;
}

static Cost swap_loop(Request r)
{
    Cost c = load(r), total = {0, 0, 0, c.degree};
    int group = r.bytes == 8 ? 16 : 32;
    for (int f = 0; f < 32; f += group)
        total.ideal += busiest(r, f, group, false) ? 2 : 0;
    total.ideal += c.ideal;
    while (r.active) {
        total.wavefronts += load(r).wavefronts;
        unsigned left = r.active;
        std::set<unsigned long> changed; /* by the half before: who took the old value fails */
        for (int f = 0; f < 32; f += group) {
            std::set<unsigned long> taken, by_this_half;
            total.wavefronts += busiest(r, f, group, false) ? 2 : 0;
            for (int l = f; l < f + group; l++) {
                unsigned long bank = r.addr[l] / 4 % 32;
                if (!(r.active >> l & 1) || taken.count(bank))
                    continue;
                taken.insert(bank);
                if (r.bytes == 8) taken.insert(bank + 1);
                by_this_half.insert(r.addr[l]);
                if (!changed.count(r.addr[l])) left &= ~(1u << l);
            }
            changed.insert(by_this_half.begin(), by_this_half.end());
        }
        r.active = left;
    }
    total.cycles = total.wavefronts;
    return total;
}

static Cost price_anew(const std::string &op, const Request &r)
{
    Cost c;
    if (op == "ld") return load(r);
    if (op == "st" || op == "count") return by_groups(r, group_of(r.bytes), false);
    if (op == "loop") return swap_loop(r);
    if (op.substr(0, 6) == "matrix") {
        Request m = r;
        m.active &= op == "matrix1" ? 0xffu : op == "matrix2" ? 0xffffu : ~0u;
        return by_groups(m, 8, false);
    }
    c = by_groups(r, group_of(r.bytes), true); /* atomic, cas, async */
    if (op == "cas") c.wavefronts *= 2, c.ideal *= 2;
    c.cycles = std::max(c.wavefronts, op == "cas" ? (r.bytes == 8 ? 4ul : 2ul) : op == "atomic" && r.bytes == 8 ? 2ul : 1ul);
    return c;
}

/* The same, remembering requests already priced. */
static Cost price(const std::string &op, const Request &r)
{
    static std::map<std::pair<std::string, std::array<unsigned long, 34>>, Cost> known;
    std::array<unsigned long, 34> key = {r.active, r.bytes};
    for (int l = 0; l < 32; l++) key[2 + l] = r.active >> l & 1 ? r.addr[l] : 0;
    auto at = known.find({op, key});
    return at != known.end() ? at->second : known[{op, key}] = price_anew(op, r);
}

/* ---- recording ---- */
/* Operation and width (the name's at most 7 letters, and above them the bytes); call site; the calls and
 * loop iterations that led there. */
typedef std::tuple<unsigned long, const void *, unsigned long> Site;
struct Row {
    unsigned long requests = 0, wavefronts = 0, ideal = 0, cycles = 0, degree = 0;
};
static std::map<std::pair<Site, std::string>, Row> rows;
static std::map<std::tuple<unsigned, unsigned, Site, unsigned>, std::pair<std::string, Request>> open_requests; /* warp, epoch, site, nth */

struct Fiber {
    ucontext_t context; /* its start */
    jmp_buf at;         /* and where it went on from there; entered from outside, makes no system call */
    uint3 index;
    unsigned id = 0, epoch = 0;
    bool begun = false, done = false;
    std::map<Site, unsigned> nth;
    std::vector<unsigned long> calls = {0}; /* hash of the way here, for each open call */
    std::vector<unsigned long> loops;       /* iterations of each open loop */
};
static std::vector<Fiber> fibers;
static Fiber *current;
static jmp_buf scheduler;
static std::string kernel_name;
alignas(1024) static char dynamic_shared[1 << 18];

/* Whether the address is the block's shared memory: the pattern's static arrays, or the
 * dynamic block. Everything else is global memory, constants, locals, or threadIdx and its like. */
static bool is_shared(const void *addr)
{
    const char *a = (const char *)addr;
    auto within = [a](const void *from, size_t size) { return a >= (const char *)from && a < (const char *)from + size; };
    if (!within(&__data_start, &_end - &__data_start)) return false;
    if (&__start_bwconst && within(&__start_bwconst, &__stop_bwconst - &__start_bwconst)) return false;
    return !within(&threadIdx, sizeof threadIdx) && !within(&blockIdx, sizeof blockIdx) &&
           !within(&blockDim, sizeof blockDim) && !within(&gridDim, sizeof gridDim);
}

void bw_log(const void *pc, const char *op, const void *addr, unsigned bytes)
{
    if (!is_shared(addr)) return;
    unsigned long key = 0;
    memcpy(&key, op, strnlen(op, 7));
    key |= (unsigned long)bytes << 56;
    unsigned long way = current->calls.back();
    for (unsigned long l : current->loops) way = way * 1000003 + l;
    Site site(key, pc, way);
    unsigned n = current->nth[site]++, lane = current->id % 32;
    auto &r = open_requests[{current->id / 32, current->epoch, site, n}];
    r.first = op;
    r.second.bytes = bytes;
    r.second.active |= 1u << lane;
    r.second.addr[lane] = (unsigned long)addr;
    if ((unsigned long)addr % bytes) fprintf(stderr, "misaligned %s of %u bytes at pc %p\n", op, bytes, pc), exit(1);
}

static void close_requests(unsigned long copies)
{
    for (auto &o : open_requests) {
        Site site = std::get<2>(o.first);
        Cost c = price(o.second.first, o.second.second);
        Row &row = rows[{Site(std::get<0>(site), std::get<1>(site), 0), kernel_name}];
        row.requests += copies, row.wavefronts += copies * c.wavefronts, row.ideal += copies * c.ideal, row.cycles += copies * c.cycles;
        row.degree = std::max(row.degree, c.degree);
    }
    open_requests.clear();
}

void bw_enter_loop() { current->loops.push_back(0); }
void bw_next_iteration() { current->loops.back()++; }
void bw_leave_loop() { current->loops.pop_back(); }

static void touched(const void *pc, const char *op, const void *addr, unsigned bytes)
{
    if (current) bw_log(pc, op, addr, bytes);
}

/* An access of a size that is no power of two, or over 16 bytes: in pieces of its alignment, which
 * for the structs of the stock patterns is 4 bytes. */
static void range(const void *pc, const char *op, const char *addr, unsigned long size)
{
    for (unsigned long i = 0; i < size; i += 4) touched((const char *)pc, op, addr + i, 4);
}

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void *from)
{
    if (current) current->calls.push_back(current->calls.back() * 1000003 + (unsigned long)from);
}
void __tsan_func_exit()
{
    if (current && current->calls.size() > 1) current->calls.pop_back();
}
void __tsan_vptr_update(void *, void *) {}
#define HOOK(n)                                                                                    \
    void __tsan_read##n(void *a) { touched(BW_PC, "ld", a, n); }                                   \
    void __tsan_write##n(void *a) { touched(BW_PC, "st", a, n); }                                  \
    void __tsan_unaligned_read##n(void *a) { touched(BW_PC, "ld", a, n); }                         \
    void __tsan_unaligned_write##n(void *a) { touched(BW_PC, "st", a, n); }                        \
    void __tsan_volatile_read##n(void *a) { touched(BW_PC, "ld", a, n); }                          \
    void __tsan_volatile_write##n(void *a) { touched(BW_PC, "st", a, n); }
HOOK(1) HOOK(2) HOOK(4) HOOK(8) HOOK(16)
void __tsan_read_range(void *a, long n) { range(BW_PC, "ld", (char *)a, n); }
void __tsan_write_range(void *a, long n) { range(BW_PC, "st", (char *)a, n); }
}

/* ---- fibers ---- */
static const std::function<void()> *body;
static unsigned arrived_block, generation_block, alive;
static std::vector<unsigned> arrived_warp, generation_warp, alive_warp;
static std::vector<std::array<char, 16>> slots;

static void resume_globals() { threadIdx = current->index; }

/* Fibers begin by setcontext and go on by longjmp, which, unlike swapcontext, makes no system call. */
static void yield_fiber()
{
    Fiber *me = current;
    if (!_setjmp(me->at)) _longjmp(scheduler, 1);
    current = me;
    resume_globals();
}

static void run_fiber(Fiber &x)
{
    current = &x;
    resume_globals();
    if (_setjmp(scheduler)) return;
    if (x.begun) _longjmp(x.at, 1);
    x.begun = true;
    setcontext(&x.context);
}


void bw_block_barrier()
{
    unsigned g = generation_block;
    if (++arrived_block >= alive) arrived_block = 0, generation_block++;
    while (generation_block == g) yield_fiber();
    current->epoch++, current->nth.clear();
}
void bw_warp_barrier(unsigned mask)
{
    unsigned w = current->id / 32, g = generation_warp[w];
    arrived_warp[w] |= 1u << current->id % 32;
    if ((arrived_warp[w] & mask) == (mask & alive_warp[w])) arrived_warp[w] &= ~mask, generation_warp[w]++;
    while (generation_warp[w] == g) yield_fiber();
    current->epoch++, current->nth.clear();
}
int bw_lane() { return (int)(current->id % 32); }
void *bw_slot(int lane) { return slots[current->id / 32 * 32 + (unsigned)lane].data(); }

static void trampoline()
{
    (*body)();
    current->done = true;
    alive--;
    alive_warp[current->id / 32] &= ~(1u << current->id % 32);
    if (alive && arrived_block >= alive) arrived_block = 0, generation_block++;
    _longjmp(scheduler, 1);
}

void *bw_dynamic_shared() { return dynamic_shared; }
void *bw_shared_base() { return &__data_start; }

/* Zeros, which cost nothing until they are touched; Meson has malloc and calloc fill what they give. */
static void *untouched(size_t bytes)
{
    void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) perror("mmap"), exit(1);
    return p;
}

void *bw_global_memory(const char *name, bool *fresh)
{
    static std::map<std::string, void *> all;
    void *&p = all[name];
    *fresh = !p;
    if (!p) p = untouched(256 << 20);
    return p;
}
unsigned long long bw_draw(unsigned long long n)
{
    static unsigned long long s = 88172645463325252ull;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return (s >> 11) % n;
}

/* A rank 0 … n-1 with probability proportional to 1 / (rank + 1)^s, by inversion. */
int bw_zipf(int n, double s)
{
    double total = 0, u = (double)bw_draw(1ull << 40) / (1ull << 40);
    for (int r = 0; r < n; r++) total += pow(r + 1, -s);
    for (int r = 0; r < n; r++)
        if ((u -= pow(r + 1, -s) / total) < 0) return r;
    return n - 1;
}

/* Runs one block to its end; its requests are left open. */
static void run_block(unsigned long b)
{
    static char *stacks = (char *)untouched(1024 * 65536);
    dim3 grid = gridDim, block = blockDim;
    unsigned threads = block.x * block.y * block.z;
    blockIdx = {(unsigned)(b % grid.x), (unsigned)(b / grid.x % grid.y), (unsigned)(b / grid.x / grid.y)};
    fibers.assign(threads, Fiber());
    alive = threads, arrived_block = 0;
    arrived_warp.assign(threads / 32 + 1, 0), generation_warp.assign(threads / 32 + 1, 0), alive_warp.assign(threads / 32 + 1, 0);
    slots.assign(threads + 32, {});
    for (unsigned t = 0; t < threads; t++) {
        Fiber &x = fibers[t];
        x.id = t, alive_warp[t / 32] |= 1u << t % 32;
        x.index = {t % block.x, t / block.x % block.y, t / block.x / block.y};
        getcontext(&x.context);
        x.context.uc_stack.ss_sp = stacks + t * 65536, x.context.uc_stack.ss_size = 65536;
        makecontext(&x.context, trampoline, 0);
    }
    for (unsigned idle = 0; alive;) {
        unsigned before = alive, g = generation_block;
        for (auto &x : fibers)
            if (!x.done) run_fiber(x);
        idle = alive == before && g == generation_block ? idle + 1 : 0;
        if (idle > 4000) fprintf(stderr, "deadlock in %s\n", kernel_name.c_str()), exit(1);
    }
    current = nullptr;
}

static std::string fingerprint()
{
    std::string s;
    for (auto &o : open_requests) {
        s += o.second.first + std::to_string(o.second.second.active);
        for (unsigned long a : o.second.second.addr) s += ' ' + std::to_string(a);
    }
    return s;
}

/* Grids over 256 blocks: where a sample of 8 blocks, the first and the last among them, makes equal
 * requests, one block stands for all. A block runs before the sample, and is not counted: it sets the
 * guards that g++ gives static arrays of class type, which later blocks only read. */
void bw_launch(dim3 grid, dim3 block, size_t dynamic, const char *kernel, const std::function<void()> &f)
{
    (void)dynamic;
    kernel_name = kernel, body = &f, gridDim = grid, blockDim = block;
    unsigned long blocks = (unsigned long)grid.x * grid.y * grid.z;
    bool alike = blocks > 256;
    std::string first;
    if (alike) run_block(0);
    for (unsigned i = 0; i < 8 && alike; i++) {
        open_requests.clear();
        run_block((blocks - 1) * i / 7);
        if (i == 0) first = fingerprint();
        alike = first == fingerprint();
    }
    if (alike) {
        close_requests(blocks);
        return;
    }
    open_requests.clear();
    for (unsigned long b = 0; b < blocks; b++)
        run_block(b), close_requests(1);
}

void bw_all();
int main()
{
    bw_all();
    for (auto &r : rows)
        printf("%p %s %.7s.%lu %lu %lu %lu %lu %lu\n", std::get<1>(r.first.first), r.first.second.c_str(),
               (const char *)&std::get<0>(r.first.first), (std::get<0>(r.first.first) >> 56) * 8, r.second.requests, r.second.wavefronts, r.second.ideal, r.second.cycles, r.second.degree);
}
