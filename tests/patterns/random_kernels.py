#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random kernels: what g++ makes of them against what bankwise makes of them.

Writes pattern files of 25 kernels each, full of mixed integer types, divergent ifs, loops with
break and continue, switches that fall through, early returns, device functions, atomics and
accesses of every width; then holds every line's counts against `bankwise predict` (verify.py,
--against). Lanes never depend on each other's order: a kernel first stores, then, after a barrier,
loads; and loaded values decide nothing.

usage: random_kernels.py BANKWISE FIRST-SEED COUNT [FOLDER [PREPARED]]     (PREPARED: see verify.py)
exit code: 0 all agree, 1 some do not (the file is kept in FOLDER; its name holds the seed)
"""
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
VARIABLES = {'u0': 'unsigned', 'u1': 'unsigned', 'i0': 'int', 'i1': 'int', 'l0': 'long long', 'c0': 'unsigned char',
             'h0': 'short', 'b0': 'bool', 'z0': 'signed char', 'w0': 'unsigned long long'}
ARRAYS = (('sc', 'unsigned char'), ('ss', 'short'), ('si', 'int'), ('sd', 'long long'), ('sf', 'float2'), ('sq', 'float4'))
CONSTANTS = '1 2 3 5 7u 16 31 32 33u 100 255 4096u -1 -3 0x7fffffff 1ll 12345'.split()
CASTS = ('int', 'unsigned', 'short', 'unsigned char', 'signed char', 'long long', 'bool', 'unsigned short')
ATOMICS = ('atomicAdd(&si[%s], 1);', 'atomicAdd(&si[%s], (int)threadIdx.x);', 'atomicExch(&si[%s], 5);',
           'atomicCAS(&si[%s], 5, 6);', 'atomicMax(&si[%s], 3);', 'atomicAdd((unsigned long long *)&sd[%s], 1ull);',
           'atomicAdd(&((float *)sf)[%s], 1.5f);', 'atomicAdd((double *)sd + %s, 2.0);', '((int *)sq)[%s] = 4;',
           '*(float2 *)&sq[%s] = make_float2(1, 2);')
FUNCTIONS = '''__device__ void put(unsigned a, int *p)
{
    if (a & 1) return;
    p[a % 512u] = 1;
}
__device__ int get(unsigned a, const int *p)
{
    if (a % 3u == 0) return p[a % 500u];
    for (int j = 0; j < 3; j++)
        if ((a >> j) & 1)
            return p[(a + j) % 512u];
    return 0;
}
'''


class Kernel:
    def __init__(self, rng, name):
        self.rng, self.name, self.lines, self.loops, self.storing, self.count = rng, name, [], [], True, 0

    def expression(self, depth):
        rng, inner = self.rng, lambda: self.expression(depth - 1)
        if depth == 0 or rng.random() < .15:
            return rng.choice(['threadIdx.x', rng.choice(list(VARIABLES) + self.loops), rng.choice(list(VARIABLES) + self.loops),
                               rng.choice(['blockIdx.x', 'blockDim.x', 'warpSize', 'threadIdx.y']), rng.choice(CONSTANTS)])
        kind = rng.choices(range(9), (50, 8, 8, 6, 5, 9, 4, 3, 7))[0]
        return [lambda: '(%s %s %s)' % (inner(), rng.choice('+-*&|^'), inner()),
                lambda: '(%s %s %s)' % (inner(), rng.choice('/%'), rng.choice(['3', '5u', '7', '16', '32u', '10', '-3'])),
                lambda: '(%s %s %d)' % (inner(), rng.choice(['<<', '>>']), rng.randrange(7)),
                lambda: '(%s %s %s ? %s : %s)' % (inner(), rng.choice(['<', '>', '==', '!=', '<=', '>=']), inner(), inner(), inner()),
                lambda: '%s(%s)' % (rng.choice('~-!+'), inner()),
                lambda: '(%s)(%s)' % (rng.choice(CASTS), inner()),
                lambda: 'in[(unsigned)(%s) %% 512u]' % inner(),
                lambda: '(%s %s %s)' % (inner(), rng.choice(['&&', '||']), inner()),
                lambda: rng.choice(['__popc((unsigned)(%s))', '__brev((unsigned)(%s))', '__clz((int)(%s))', 'min((int)(%s), 9)',
                                    'max(77, (int)(%s))']) % inner()][kind]()

    def index(self, size=512):
        return '(unsigned)(%s) %% %du' % (self.expression(self.rng.randrange(1, 4)), size)

    def emit(self, indent, text):
        self.lines.append('    ' * indent + text)

    def access(self, indent):
        array, kind = self.rng.choice(ARRAYS)
        vector = kind.startswith('float')
        if self.storing and self.rng.random() < .25:
            self.emit(indent, self.rng.choice(ATOMICS) % self.index(self.rng.choice([4, 37, 512])))
        elif self.storing:
            value = {'float2': 'make_float2(1, 2)', 'float4': 'make_float4(1, 2, 3, 4)'}.get(kind, '(%s)(%s)' % (kind, self.expression(2)))
            self.emit(indent, '%s[%s] = %s;' % (array, self.index(), value))
        elif vector and self.rng.random() < .7:
            self.emit(indent, 'v%s = %s[%s];' % (kind[-1], array, self.index()))
        else:
            self.emit(indent, 'acc += %s[%s]%s;' % (array, self.index(), '.y' if vector else ''))

    def body(self, indent, depth):
        for _ in range(self.rng.randrange(1, 3)):
            self.statement(indent + 1, depth - 1)

    def branch(self, indent, depth):
        self.emit(indent, 'if (%s) {' % self.expression(2))
        self.body(indent, depth)
        if self.rng.random() < .5:
            self.emit(indent, '} else {')
            self.body(indent, depth)
        self.emit(indent, '}')

    def loop(self, indent, depth):
        self.count += 1
        v, first = 'k%d' % self.count, self.rng.choice(['0', '(int)(threadIdx.x & 3)', '(int)(threadIdx.x % 5)'])
        self.emit(indent, 'for (int %s = %s; %s < %d; %s += %d) {' % (v, first, v, self.rng.randrange(2, 7), v, self.rng.randrange(1, 3)))
        self.loops.append(v)
        self.body(indent, depth)
        if self.rng.random() < .4:
            self.emit(indent + 1, 'if (%s) %s;' % (self.expression(2), self.rng.choice(['break', 'continue'])))
            self.body(indent, depth)
        self.loops.remove(v)
        self.emit(indent, '}')

    def switch(self, indent, depth):
        self.emit(indent, 'switch ((int)(%s) & 3) {' % self.expression(2))
        for label in ['case %d:' % c for c in self.rng.sample(range(4), self.rng.randrange(1, 4))] + ['default:']:
            self.emit(indent, label)
            self.body(indent, depth)
            if self.rng.random() < .7:
                self.emit(indent + 1, 'break;')
        self.emit(indent, '}')

    def statement(self, indent, depth):
        choice = self.rng.random()
        if choice < .2:
            v = self.rng.choice(list(VARIABLES))
            operator = '=' if VARIABLES[v] == 'bool' else self.rng.choice(['=', '=', '+=', '^=', '-=', '&=', '|='])
            self.emit(indent, '%s %s (%s)(%s);' % (v, operator, VARIABLES[v], self.expression(3)))
        elif choice < .5 or depth == 0:
            self.access(indent)
        elif choice < .66:
            self.branch(indent, depth)
        elif choice < .86:
            self.loop(indent, depth)
        elif choice < .95:
            self.switch(indent, depth)
        else:
            self.emit(indent, ('put((unsigned)(%s), si);' if self.storing else 'acc += get((unsigned)(%s), si);') % self.expression(2))

    def text(self):
        self.lines = ['__global__ void %s(const int *in, long long *out)' % self.name, '{']
        for array, kind in ARRAYS:
            self.emit(1, '__shared__ %s %s[512];' % (kind, array))
        for v, kind in VARIABLES.items():
            first = self.rng.choice(['threadIdx.x', 'threadIdx.x * 3', '7', 'threadIdx.x + 100', 'in[threadIdx.x]'])
            self.emit(1, '%s %s = (%s)(%s);' % (kind, v, kind, first))
        self.emit(1, 'float acc = 0; float2 v2; float4 v4;')
        for self.storing in (True, False):
            for _ in range(6):
                self.statement(1, 3)
            self.emit(1, '__syncthreads();' if self.storing else 'out[0] = (long long)acc;')
        return '\n'.join(self.lines + ['}'])


def pattern(seed):
    rng = random.Random(seed)
    kernels = [Kernel(rng, 'k%d' % n) for n in range(25)]
    launches = ['%s<<<%d, %s>>>(in, out);' % (k.name, rng.randrange(1, 4), rng.choice(['32', '40', '64', 'dim3(8, 5)', 'dim3(16, 4)']))
                for k in kernels]
    return '\n'.join(['// assume: in = i * 37 % 101', FUNCTIONS] + [k.text() for k in kernels] + launches) + '\n'


def main():
    program, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    folder = sys.argv[4] if len(sys.argv) > 4 else '.'
    files = []
    for seed in range(first, first + count):
        files.append(os.path.join(folder, 'random-%d.pat' % seed))
        with open(files[-1], 'w') as f:
            f.write(pattern(seed))
    shared = ['--prepared=' + sys.argv[5]] if len(sys.argv) > 5 else []
    done = subprocess.run([os.path.join(HERE, 'verify.py'), '--no-nvcc', '--against=' + program, *shared, *files], capture_output=True, text=True)
    lines = [line for line in done.stdout.split('\n') if 'no expectation for' not in line]
    print('\n'.join(lines) + done.stderr)
    for name in files:
        if not any(line.startswith(name) for line in lines):
            os.remove(name)
    return done.returncode


if __name__ == '__main__':
    sys.exit(main())
