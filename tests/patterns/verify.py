#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks pattern files without bankwise.

For each file: (1) nvcc compiles it, so that it is real CUDA (only the top-level launch, and the
statements of a script, are put into functions first); (2) g++ compiles it against shim.h, it is run
thread by thread, and the costs of what it did are held against its `// expect:` comments.

usage: verify.py [--no-nvcc] [--show] [--against=BANKWISE] [--prepared=FOLDER] FILE...
       verify.py --prepare FOLDER

With --against, the program's own numbers for every line are compared as well, expectation or not.
What all files share, shim.h and runtime.cpp, is compiled by --prepare, once for any number of runs.
exit code: 0 all expectations met, 1 some not, 2 a file does not compile
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LAUNCH = re.compile(r'^([A-Za-z_]\w*(?:<[^<>;]*>)?)\s*<<<(.*?)>>>\s*\((.*?)\)\s*;', re.M | re.S)
EXPECT = re.compile(r'//\s*expect:(.*)')


def split(text):
    """Splits at commas outside brackets."""
    parts, depth, part = [], 0, ''
    for c in text:
        depth += c in '([{<'
        depth -= c in ')]}>'
        if c == ',' and depth == 0:
            parts.append(part.strip())
            part = ''
        else:
            part += c
    return parts + ([part.strip()] if part.strip() else [])


def assumptions(text):
    """name -> C expression of the element's index i."""
    found = {}
    for name, law in re.findall(r'//\s*assume:\s*(\w+)\s*=\s*(.*)', text):
        law = law.strip()
        if len(split(law)) > 1:
            law = 'i < %d ? std::vector<double>{%s}[i] : 0' % (len(split(law)), law)
        found[name] = re.sub(r'\b(random|zipf)\(', r'bw_\1(', law)
    return found


def launches(text, cuda):
    """Turns each top-level launch into a host function, on the same lines."""
    known = set(re.findall(r'\b(?:const|constexpr)\s+(?:unsigned\s+)?\w+\s+(\w+)\s*=', text))
    known |= set(re.findall(r'#define\s+(\w+)', text))
    laws, names = assumptions(text), []

    def argument(arg):
        if not re.fullmatch(r'[A-Za-z_]\w*', arg) or arg in known or arg in ('true', 'false'):
            return arg
        if cuda:
            return 'bw_any()'
        fill = laws.get(arg)
        return 'bw_global{"%s", %s}' % (arg, '[](long long i) -> double { (void)i; return %s; }' % fill if fill else 'nullptr')

    def replace(match):
        kernel, shape, args = match.group(1), split(match.group(2)), split(match.group(3))
        call = '%s(%s)' % (kernel, ', '.join(map(argument, args)))
        names.append('bw_run_%d' % len(names))
        if cuda:
            body = '%s<<<%s>>>(%s)' % (kernel, ', '.join(shape), ', '.join(map(argument, args)))
        else:
            shape += ['0'] * (3 - len(shape))
            body = 'bw_launch(%s, %s, %s, "%d", [&] { %s; })' % (*shape[:3], len(names), call)
        return 'void %s() { %s; }' % (names[-1], body) + '\n' * match.group(0).count('\n')

    return LAUNCH.sub(replace, text), names


def wrap_script(text, cuda):
    """A script: its statements become a kernel's body; preprocessor lines stay outside."""
    head = [line if line.startswith('#') else '' for line in text.split('\n')]
    body = ['' if line.startswith('#') else line for line in text.split('\n')]
    first = next(i for i, line in enumerate(body) if line.strip() and not line.startswith('//'))
    lines = [h or b for h, b in zip(head, body)]
    lines[first] = ('__global__ ' if cuda else '') + 'void bw_script() { ' + lines[first]
    lines.append('}')
    if not cuda:
        lines.append('void bw_run_0() { bw_launch(1, 32, 0, "script", [] { bw_script(); }); }')
    return '\n'.join(lines), ['bw_run_0']


def asm_lines(text):
    """asm statements become calls, keeping their line count."""
    def replace(match):
        whole = match.group(0)
        inputs = re.findall(r'"[rnl]"\s*\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)', whole)
        outputs = re.findall(r'"=r"\s*\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)', whole)
        kind = re.search(r'(?:ld|st)matrix\.sync\.aligned\.(?:m8n8\.)?x(\d)', whole)
        if kind and 'ldmatrix' in whole:
            new = '{ %s bw_ldmatrix(%s, %s); }' % (' '.join('(%s) = 0;' % o for o in outputs), kind.group(1), inputs[-1])
        elif kind:
            new = 'bw_ldmatrix(%s, %s)' % (kind.group(1), inputs[0])
        elif re.search(r'cp\.async\.c[ag]\.shared', whole):
            literal = re.search(r'\],\s*(\d+)', whole)
            new = 'bw_cp_async(%s, %s)' % (inputs[0], literal.group(1) if literal else inputs[2])
        elif 'cp.async' in whole or 'mma.sync' in whole or 'bar.sync' in whole:
            new = '(void)0'
        else:
            raise SystemExit('unknown asm: ' + whole)
        breaks = whole.count('\n')
        return new + (' \\\n' * breaks if '\\\n' in whole else '\n' * breaks)
    return re.sub(r'asm\s+volatile\s*\((?:[^();"]|"[^"]*"|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)', replace, text)


def loops(text):
    """Lets each for statement count its iterations, so that lanes are matched by iteration as a warp
    runs them: `for (a; b; c)` becomes `if (bw_loop l; true) for (a; l.next() && (b); c)`."""
    out, at = '', 0
    for count, match in enumerate(re.finditer(r'\bfor \(', text)):
        depth, i, stops = 1, match.end(), []
        while depth:
            depth += (text[i] == '(') - (text[i] == ')')
            if text[i] == ';' and depth == 1:
                stops.append(i)
            i += 1
        condition = text[stops[0] + 1:stops[1]].strip() or 'true'
        out += text[at:match.start()] + 'if (bw_loop bw_l%d; true) for (' % count
        out += text[match.end():stops[0] + 1] + ' bw_l%d.next() && (%s)' % (count, condition)
        at = stops[1]
    return out + text[at:]


def for_host(text, name):
    text = re.sub(r'^#include.*$', '', text, flags=re.M)
    text = re.sub(r'extern\s+__shared__\s+(?:__align__\(\d+\)\s+)?((?:volatile\s+)?[\w ]+?)\s+(\w+)\[\];', r'\1 *\2 = (\1 *)bw_dynamic_shared();', text)
    text = text.replace('static __shared__', '__shared__')
    text = loops(asm_lines(text))
    # nvcc counts lanes together where 1 is added and the result is not used.
    text = re.sub(r'^(\s*(?:if \(.*\)\s*)?)atomicAdd(\((?:[^;]*),\s*1u?\);)', r'\1bw_count\2', text, flags=re.M)
    text = re.sub(r'^(\s*)__shared__ (\w+) (\w+);', r'\1__shared__ \2 \3;', text, flags=re.M)
    text = re.sub(r'\b(random|zipf)\(', r'bw_\1(', text)
    text, names = launches(text, False) if LAUNCH.search(text) else wrap_script(text, False)
    return '#include "shim.h"\n#line 1 "%s"\n%s\nvoid bw_all() { %s }\n' % (
        name, text, ' '.join(n + '();' for n in names))


def for_nvcc(text):
    head = ('#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuda_pipeline.h>\n#include <cooperative_groups.h>\n'
            '#include <cassert>\n#include <cstdio>\n#include <cstdint>\n#include <cfloat>\n'
            'struct bw_any { template <class T> operator T *() const { return nullptr; } };\n'
            '__device__ int bw_random(int); __device__ int bw_zipf(int, double); template <int B, int M, int S> __device__ unsigned swizzle(unsigned);\n'
            '__device__ unsigned tma_swizzle_128B(unsigned); __device__ unsigned tma_swizzle_64B(unsigned);'
            '__device__ unsigned tma_swizzle_32B(unsigned);\n'
            '__device__ void __ldmatrix_x1(const void *); __device__ void __ldmatrix_x2(const void *); __device__ void __ldmatrix_x4(const void *);\n'
            '__device__ void __ldmatrix_x2_trans(const void *); __device__ void __ldmatrix_x4_trans(const void *); __device__ void __stmatrix_x4(const void *);\n')
    text = re.sub(r'\b(random|zipf)\(', r'bw_\1(', text)
    text, _ = launches(text, True) if LAUNCH.search(text) else wrap_script(text, True)
    return head + text


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def compiles_as_cuda(text, folder):
    path = os.path.join(folder, 'pattern.cu')
    with open(path, 'w') as f:
        f.write(for_nvcc(text))
    done = run(['nvcc', '-rdc=true', '-c', '-arch=sm_90', '-o', '/dev/null', path])
    errors = [line for line in done.stderr.split('\n') if 'error' in line]
    return done.returncode == 0, '\n'.join(errors or [done.stderr])


FLAGS = ['-std=c++17', '-g', '-w', '-fwrapv', '-fno-threadsafe-statics', '-no-pie', '-fno-pie']
WATCHED = ['-O0', '-fsanitize=thread']  # a pattern's own code: each load and store is a call


def prepare(folder):
    """Compiles what all pattern files share; g++ takes shim.h.gch for shim.h where it stands before it."""
    subprocess.check_call(['g++', *FLAGS, *WATCHED, '-x', 'c++-header', os.path.join(HERE, 'shim.h'),
                           '-o', os.path.join(folder, 'shim.h.gch')])
    subprocess.check_call(['g++', *FLAGS, '-O2', '-c', os.path.join(HERE, 'runtime.cpp'), '-o', os.path.join(folder, 'runtime.o')])


def measure(text, name, folder, prepared):
    """line -> list of (launch, op, requests, wavefronts, ideal, cycles, degree)."""
    source, exe = os.path.join(folder, 'pattern.cpp'), os.path.join(folder, 'pattern')
    with open(source, 'w') as f:
        f.write(for_host(text, name))
    for command in (['g++', *FLAGS, *WATCHED, '-I', prepared, '-I', HERE, '-c', source, '-o', source + '.o'],
                    ['g++', '-no-pie', source + '.o', os.path.join(prepared, 'runtime.o'), '-o', exe], [exe]):
        done = run(command)
        if done.returncode:
            raise RuntimeError(done.stderr)
    rows = [line.split() for line in done.stdout.splitlines()]
    places = run(['addr2line', '-e', exe], input='\n'.join(hex(int(r[0], 16) - 1) for r in rows)).stdout.splitlines()
    table, lines = collections.defaultdict(list), text.split('\n')
    for row, place in zip(rows, places):
        if os.path.basename(name) not in place:
            raise RuntimeError('an access is attributed to ' + place)
        line = int(re.search(r':(\d+)', place).group(1))
        if '__shared__' in lines[line - 1]:
            continue  # the guard that g++ gives a static of class type
        table[line].append((row[1], row[2], *map(int, row[3:])))
    return table


def found(rows, kind):
    return {'way': max(r[6] for r in rows), 'wavefronts': sum(r[3] for r in rows), 'cycles': sum(r[5] for r in rows),
            'excessive': sum(r[3] - r[4] for r in rows)}[kind]


def check(text, table, name):
    good, seen = True, set()
    for number, line in enumerate(text.split('\n'), 1):
        match = EXPECT.search(line)
        if not match or line.startswith('//'):
            continue
        seen.add(number)
        rows = table.get(number)
        for item in match.group(1).split(','):
            item = item.strip()
            if not rows:
                print('%s:%d: expected %s, but the line makes no access' % (name, number, item))
                good = False
                continue
            if item == 'conflict-free':
                value, kind = 0, 'excessive'
            else:
                value, kind = re.fullmatch(r'(\d+)[- ](way|wavefronts?|excessive|cycles?)', item).groups()
                kind = {'wavefront': 'wavefronts', 'cycle': 'cycles'}.get(kind, kind)
            for launch in sorted({r[0] for r in rows}):
                value_found = found([r for r in rows if r[0] == launch], kind)
                if value_found != int(value):
                    print('%s:%d: expected %s, found %d %s' % (name, number, item, value_found, kind))
                    good = False
    for number in sorted(set(table) - seen):
        if '// mean' not in text.split('\n')[number - 1]:
            print('%s:%d: no expectation for this access' % (name, number))
    return good


def agrees(program, name, text, table):
    """Holds every line's counts against `program predict`, expected or not; random lines aside."""
    done = run([program, 'predict', '--format', 'json', name])
    if done.returncode:
        print('%s: %s: %s' % (name, program, done.stderr))
        return False
    reports, good, lines = json.loads(done.stdout), True, text.split('\n')
    for number, report in enumerate(reports if isinstance(reports, list) else [reports], 1):
        said = collections.defaultdict(lambda: [0, 0, 0, 0, 0])
        for a in report['accesses']:
            row = said[a['line']]
            for i, key in enumerate(('requests', 'wavefronts', 'ideal', 'cycles')):
                row[i] += a[key]
            row[4] = max(row[4], a['degree'])
        counted = {}
        for line, rows in table.items():
            rows = [r for r in rows if r[0] in (str(number), 'script')]
            if rows:
                counted[line] = [sum(r[i] for r in rows) for i in range(2, 6)] + [max(r[6] for r in rows)]
        for line in sorted(set(said) | set(counted)):
            if '// mean' not in lines[line - 1] and list(said.get(line, ())) != counted.get(line, []):
                print('%s:%d: launch %d: %s says %s, counted %s (requests, wavefronts, ideal, cycles, degree)'
                      % (name, line, number, program, list(said.get(line, ())), counted.get(line)))
                good = False
    return good


def option(name):
    return next((a.split('=', 1)[1] for a in sys.argv if a.startswith('--%s=' % name)), None)


def main():
    nvcc, show, program = '--no-nvcc' not in sys.argv, '--show' in sys.argv, option('against')
    status, expectations, files = 0, 0, [a for a in sys.argv[1:] if not a.startswith('--')]
    if '--prepare' in sys.argv:
        prepare(*files)
        return 0
    with tempfile.TemporaryDirectory() as top:
        prepared = option('prepared')
        if not prepared:
            prepared = top
            prepare(prepared)
        for name in files:
            text = open(name).read()
            folder = tempfile.mkdtemp(dir=top)
            if nvcc:
                ok, errors = compiles_as_cuda(text, folder)
                if not ok:
                    print('%s: nvcc: %s' % (name, errors))
                    status = 2
            try:
                table = measure(text, name, folder, prepared)
            except RuntimeError as error:
                print('%s: %s' % (name, error))
                status = 2
                continue
            if show:
                print(name)
                lines = text.split('\n')
                for number in sorted(table):
                    print('%5d  %s' % (number, lines[number - 1].strip()))
                    for r in table[number]:
                        print('       launch %s %-9s requests %d wavefronts %d ideal %d excessive %d cycles %d degree %d'
                              % (r[0], r[1], r[2], r[3], r[4], r[3] - r[4], r[5], r[6]))
            expectations += len([1 for line in text.split('\n') if EXPECT.search(line)])
            if not check(text, table, name) or (program and not agrees(program, name, text, table)):
                status = max(status, 1)
    print('%d files, %d lines with expectations: %s' % (len(files), expectations, 'all met' if status == 0 else 'NOT all met'))
    return status


if __name__ == '__main__':
    sys.exit(main())
