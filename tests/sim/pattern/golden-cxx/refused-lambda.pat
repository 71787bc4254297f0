__shared__ int s[64];
int t = threadIdx.x, a[3] = {1, 2, 3};
auto f = [](int i) { return t + i; };
auto g = [=](int i) { return a[i]; };
auto h = [=](auto i) { return t + i; };
s[h(1)] = 1;
auto k = [&](int i) { s[i] = 1; };
k(t, 2);
