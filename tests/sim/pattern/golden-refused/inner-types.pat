struct S {
    using T = float;
    T x;
};
struct R {
    typedef float T;
    T x;
};
