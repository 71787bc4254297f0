// run: predict
// exit: 2
// out: it depends on 'by_reference'
// out: it depends on 'by_address'
// out: it depends on 'bound'
// out: it depends on 'swapped'
// out: it depends on 'tied'
// out: it depends on 'read_in'
// out: it depends on 'looped'
// out: it depends on 'branched'
// out: it depends on 'otherwise'
// out: it depends on 'captured'
// out: it depends on 'handed_on'
// out: it depends on 'in_parentheses'
// out: it depends on 'shadowed'
// out: it depends on 'kept'
// out: it depends on 'method'
// out: it depends on 'decomposed'
// out: it depends on 'chosen'
// out: it depends on 'shared_by_all'
// out: it depends on 'exported'
// not: table
__global__ void k()
{
    __shared__ float s[4096];
    s[threadIdx.x] = 1;
}
static int shared_by_all = 32;
int exported = 32;
static int alone = 32;
void other()
{
    shared_by_all = 64;
}
void pass(int &x);
static void hand_on(int &x)
{
    pass(x);
}
int main(int argc, char **argv)
{
    int by_reference = 32, by_address = 32, bound = 32, swapped = 32, tied = 32, read_in = 32;
    int looped = 32, branched = 32, otherwise = 32, captured = 32, handed_on = 32;
    int in_parentheses = 32, shadowed = 32, kept = 32, method = 32, decomposed = 32, chosen = 32;
    parse(argc, argv, by_reference);
    int *p = &by_address;
    int &r = bound;
    std::swap(swapped, tied);
    tied = 32;
    std::tie(tied, argc) = std::make_pair(1, 2);
    std::cin >> read_in;
    for (int i = 0; i < argc; i++)
        looped *= 2;
    if (argc > 1)
        branched = 64;
    else
        otherwise = 64;
    auto set = [&] { captured = 64; };
    hand_on(handed_on);
    (in_parentheses)++;
    keeper.keep(&(kept));
    options.read("n", method);
    auto [a, decomposed] = pair();
    set_one(argc ? chosen : argc);
    captured = 32;
    set();
    *p = 64;
    r = 64;
    k<<<1, by_reference>>>();
    k<<<1, by_address>>>();
    k<<<1, bound>>>();
    k<<<1, swapped>>>();
    k<<<1, tied>>>();
    k<<<1, read_in>>>();
    k<<<1, looped>>>();
    k<<<1, branched>>>();
    k<<<1, otherwise>>>();
    k<<<1, captured>>>();
    k<<<1, handed_on>>>();
    k<<<1, in_parentheses>>>();
    for (int shadowed : sizes())
        k<<<1, shadowed>>>();
    k<<<1, kept>>>();
    k<<<1, method>>>();
    k<<<1, decomposed>>>();
    k<<<1, chosen>>>();
    k<<<1, shared_by_all>>>();
    k<<<1, exported>>>();
    k<<<1, alone>>>();
}
