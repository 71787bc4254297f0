// run: lower
// exit: 2
// out: a copy of a mutable lambda is not in the language
__shared__ float s[64];
int n = 0;
auto f = [n]() mutable { return ++n; };
auto g = f;
s[f()] = 1; s[f()] = 1;
s[g()] = 1;                                          // C++: s[1]; bankwise s[3]
