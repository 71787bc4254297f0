// run: lower
// out: st.8 ffffffff 0 st.8 ffffffff 3968
__shared__ char o[4096];
o[__umul24(4294967295u, 1u) >> 24] = 1;            // expect addresses 0
o[(__mul24(0x800000, 1) >> 16) & 4095] = 1;        // expect 3968 (sign-extended from bit 23); bankwise 128
