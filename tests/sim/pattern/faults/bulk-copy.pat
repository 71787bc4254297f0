// run: predict
// out: 'cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes' is passed over
// out: No request to shared memory was made
__global__ void k(const void *map) {
    __shared__ alignas(128) float s[1024];
    unsigned sp = __cvta_generic_to_shared(s);
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(sp), "l"(map), "r"(sp), "r"(0), "r"(0) : "memory");
}
void go() { k<<<1, 32>>>(map); }
