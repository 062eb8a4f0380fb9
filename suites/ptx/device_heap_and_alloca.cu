// malloc, free, new, delete, placement new, alloca, memcpy and memset on the device; local arrays.
#ifndef __CUDACC_RTC__
#include <new>
#endif

#include "support/launch.cuh"

struct Node {
    int value;
    Node *next;
    __device__ explicit Node(int v, Node *n) : value(v), next(n) {}
    __device__ ~Node() { value = -1; }
};

__global__ void lists(int *out, int length)
{
    Node *head = nullptr;
    for (int i = 0; i < length; ++i) {
        head = new Node(i, head);
    }
    int sum = 0;
    while (head != nullptr) {
        Node *next = head->next;
        sum += head->value;
        delete head;
        head = next;
    }
    out[threadIdx.x] = sum;
}

__global__ void raw_memory(int *out, int n)
{
    int *block = static_cast<int *>(malloc(n * sizeof(int)));
    if (block == nullptr) {
        out[threadIdx.x] = -1;
        return;
    }
    memset(block, 0, n * sizeof(int));
    block[n - 1] = 4;
    int *copy = new int[n];
    memcpy(copy, block, n * sizeof(int));
    out[threadIdx.x] = copy[n - 1];
    delete[] copy;
    free(block);
}

__global__ void stack_memory(int *out, int n)
{
#if !defined(__CUDACC_RTC__)
    int *dynamic = static_cast<int *>(__builtin_alloca(n * sizeof(int)));
    for (int i = 0; i < n; ++i) {
        dynamic[i] = i * i;
    }
    out[threadIdx.x] = dynamic[n / 2];
#endif
}

__global__ void local_arrays(int *out, int n)
{
    int values[64];
    double wide[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    char bytes[17];
    for (int i = 0; i < 64; ++i) {
        values[i] = out[i] + i;
    }
    for (int i = 0; i < 17; ++i) {
        bytes[i] = static_cast<char>(values[(i * n) & 63]);
    }
    wide[n & 7] += bytes[n % 17];
    out[threadIdx.x] = values[(threadIdx.x * n) & 63] + static_cast<int>(wide[(n + 1) & 7]);
}

__global__ void placement(int *out)
{
    alignas(Node) unsigned char storage[sizeof(Node)];
    Node *node = new (storage) Node(out[1], nullptr);
    out[0] = node->value;
    node->~Node();
}

#ifndef __CUDACC_RTC__
int main()
{
    int *out = corpus::device_array<int>(64);
    raw_memory<<<1, 4>>>(out, 100);
    stack_memory<<<1, 4>>>(corpus::device_array<int>(64), 10);
    local_arrays<<<1, 32>>>(corpus::device_array<int>(64), 5);
    placement<<<1, 1>>>(corpus::device_array<int>(64));
    lists<<<1, 4>>>(out, 10);
    return corpus::finish("device_heap_and_alloca", corpus::read_back(out) == 45);
}
#endif
