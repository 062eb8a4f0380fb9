// Kernels allocate with malloc and new, pass the memory on to a later kernel, and free it there.
// verdict: clean
#include "check.h"

constexpr int THREADS = 64;

struct Node {
    int value;
    Node* next;
};

__device__ Node* lists[THREADS];

__global__ void build() {
    Node* head = nullptr;
    for (int i = 0; i < 4; i++) {
        Node* node = static_cast<Node*>(malloc(sizeof(Node)));
        if (node == nullptr) {
            return;
        }
        node->value = threadIdx.x * 10 + i;
        node->next = head;
        head = node;
    }
    lists[threadIdx.x] = head;
}

__global__ void add_up(int* sums) {
    // Each thread takes the list of another one.
    Node* node = lists[THREADS - 1 - threadIdx.x];
    int sum = 0;
    while (node != nullptr) {
        Node* next = node->next;
        sum += node->value;
        free(node);
        node = next;
    }
    int* temporary = new int(sum);
    sums[threadIdx.x] = *temporary;
    delete temporary;
}

int main() {
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 << 20));
    size_t heap = 0;
    CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    std::printf("heap is as large as asked for: %s\n", heap >= (8 << 20) ? "yes" : "no");
    int* sums;
    CHECK(cudaMalloc(&sums, THREADS * sizeof(int)));
    build<<<1, THREADS>>>();
    CHECK(cudaGetLastError());
    add_up<<<1, THREADS>>>(sums);
    CHECK(cudaGetLastError());
    int host[THREADS];
    CHECK(cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d %d\n", host[0], host[1], host[THREADS - 1]);
    CHECK(cudaFree(sums));
    return 0;
}
