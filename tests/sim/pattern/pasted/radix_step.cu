// One split of a radix sort with a block scan: dynamic shared memory carved into several arrays.
// assume: d_in = (i * 1103515245 + 12345) >> 7
#define MAX_BLOCK_SZ 128

__device__ __forceinline__ unsigned exclusive_scan(unsigned *s, const unsigned n)
{
    for (unsigned d = 1; d < n; d <<= 1) {
        unsigned t = threadIdx.x >= d ? s[threadIdx.x - d] : 0u;
        __syncthreads();
        s[threadIdx.x] += t;
        __syncthreads();
    }
    return s[n - 1];
}

__global__ void gpu_radix_sort_local(unsigned int *d_out_sorted, unsigned int *d_prefix_sums, unsigned int *d_block_sums,
                                     unsigned int input_shift_width, unsigned int *d_in, unsigned int d_in_len,
                                     unsigned int max_elems_per_block)
{
    extern __shared__ unsigned int shmem[];
    unsigned int *s_data = shmem;
    unsigned int *s_mask_out = &s_data[max_elems_per_block];
    unsigned int *s_merged_scan_mask_out = &s_mask_out[max_elems_per_block];
    unsigned int *s_mask_out_sums = s_merged_scan_mask_out + max_elems_per_block;
    unsigned int *s_scan_mask_out_sums = &s_mask_out_sums[4];
    unsigned int thid = threadIdx.x;
    unsigned int cpy_idx = max_elems_per_block * blockIdx.x + thid;
    s_data[thid] = cpy_idx < d_in_len ? d_in[cpy_idx] : 0;
    __syncthreads();
    unsigned int t_data = s_data[thid];
    unsigned int t_2bit_extract = (t_data >> input_shift_width) & 3;
    for (unsigned int i = 0; i < 4; ++i) {
        s_mask_out[thid] = 0;       // expect: conflict-free, 16 wavefronts
        __syncthreads();
        bool val_equals_i = false;
        if (cpy_idx < d_in_len) {
            val_equals_i = t_2bit_extract == i;
            s_mask_out[thid] = val_equals_i;
        }
        __syncthreads();
        unsigned total = exclusive_scan(s_mask_out, max_elems_per_block);
        if (thid == 0) s_mask_out_sums[i] = total;
        __syncthreads();
        if (val_equals_i && (cpy_idx < d_in_len)) s_merged_scan_mask_out[thid] = s_mask_out[thid] - 1;
        __syncthreads();
    }
    if (thid == 0) {
        unsigned int run_sum = 0;
        for (unsigned int i = 0; i < 4; ++i) {
            s_scan_mask_out_sums[i] = run_sum;
            run_sum += s_mask_out_sums[i];
        }
    }
    __syncthreads();
    if (cpy_idx < d_in_len) {
        unsigned int t_prefix_sum = s_merged_scan_mask_out[thid];
        unsigned int new_pos = t_prefix_sum + s_scan_mask_out_sums[t_2bit_extract];
        __syncthreads();
        s_data[new_pos] = t_data;
        __syncthreads();
        d_out_sorted[cpy_idx] = s_data[thid];
    }
}

void radix_sort(unsigned int *const d_out, unsigned int *const d_in, unsigned int d_in_len)
{
    const unsigned int block_sz = MAX_BLOCK_SZ;
    unsigned int max_elems_per_block = block_sz;
    unsigned int shmem_sz = (3 * max_elems_per_block + 4 + 4) * sizeof(unsigned int);
    for (unsigned int shift_width = 0; shift_width <= 30; shift_width += 2)
        gpu_radix_sort_local<<<1, block_sz, shmem_sz>>>(d_out, d_prefix_sums, d_block_sums, 0, d_in, 128,
                                                        max_elems_per_block);
}
