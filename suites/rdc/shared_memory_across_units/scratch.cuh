// Dynamic shared memory that two units see, and static shared memory inside a function of one.
#pragma once

extern __shared__ int scratch[];

__device__ void fill(int n);
__device__ int block_sum(int value);
