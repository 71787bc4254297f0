struct S {
    int a = 5;
    int b{7};
};
