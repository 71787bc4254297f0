struct S {
    static constexpr int N = 4;
    float x[4];
};
