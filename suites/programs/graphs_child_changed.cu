// A graph inside a graph is a copy: what changes the copy, what does not, and new parameters after the instantiation.
// verdict: clean
#include "check.h"
#include "versions.h"

constexpr int COUNT = 64;

__global__ void fill(int* data, int value) {
    data[threadIdx.x] = value + threadIdx.x;
}

__global__ void add(int* data, const int* other, int factor) {
    data[threadIdx.x] += factor * other[COUNT - 1 - threadIdx.x];
}

static void show(const char* what, const int* data) {
    int host[COUNT];
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%s: %d %d\n", what, host[0], host[COUNT - 1]);
}

static cudaKernelNodeParams kernel_of(void* function, void** arguments) {
    cudaKernelNodeParams kernel = {};
    kernel.func = function;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(COUNT);
    kernel.kernelParams = arguments;
    return kernel;
}

int main() {
    int *data, *other;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&other, COUNT * sizeof(int)));
    int value = 1, factor = 1;
    void* fill_data[] = {&data, &value};
    void* fill_other[] = {&other, &value};
    void* add_both[] = {&data, &other, &factor};
    cudaKernelNodeParams first = kernel_of(reinterpret_cast<void*>(fill), fill_data);
    cudaKernelNodeParams second = kernel_of(reinterpret_cast<void*>(fill), fill_other);
    cudaKernelNodeParams third = kernel_of(reinterpret_cast<void*>(add), add_both);

    // Two fills beside each other; what follows the child follows both.
    cudaGraph_t inner, outer;
    CHECK(cudaGraphCreate(&inner, 0));
    cudaGraphNode_t left, right, child, last;
    CHECK(cudaGraphAddKernelNode(&left, inner, nullptr, 0, &first));
    CHECK(cudaGraphAddKernelNode(&right, inner, nullptr, 0, &second));
    CHECK(cudaGraphCreate(&outer, 0));
    CHECK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, inner));
    CHECK(cudaGraphAddKernelNode(&last, outer, &child, 1, &third));

    // The original changes: the copy does not.
    value = 100;
    CHECK(cudaGraphKernelNodeSetParams(left, &first));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, outer, 0));
    CHECK(cudaGraphLaunch(executable, nullptr));
    show("the original changed", data);

    // The executable graph takes over the changed parameters of a child of the same shape.
    CHECK(cudaGraphExecChildGraphNodeSetParams(executable, child, inner));
    CHECK(cudaGraphLaunch(executable, nullptr));
    show("taken over", data);

    // The copy itself changes: graphs that are instantiated afterwards have it.
    cudaGraph_t copy;
    CHECK(cudaGraphChildGraphNodeGetGraph(child, &copy));
    size_t count = 2;
    cudaGraphNode_t nodes[2];
    CHECK(cudaGraphGetNodes(copy, nodes, &count));
    value = 1000;
    for (cudaGraphNode_t node : nodes) {
        cudaKernelNodeParams kernel = {};
        CHECK(cudaGraphKernelNodeGetParams(node, &kernel));
        bool is_first = *static_cast<int**>(kernel.kernelParams[0]) == data;
        CHECK(cudaGraphKernelNodeSetParams(node, is_first ? &first : &second));
    }
    std::printf("nodes of the copy: %zu, it is another graph: %d\n", count, copy != inner);
    CHECK(cudaGraphLaunch(executable, nullptr));
    show("the copy changed", data);
    cudaGraphExec_t again;
    CHECK(cudaGraphInstantiate(&again, outer, 0));
    CHECK(cudaGraphLaunch(again, nullptr));
    show("instantiated again", data);

    // A child of another shape is refused.
    cudaGraphNode_t extra;
    CHECK(cudaGraphAddEmptyNode(&extra, inner, &left, 1));
    std::printf("another shape: %s\n", cudaGetErrorName(cudaGraphExecChildGraphNodeSetParams(executable, child, inner)));
    (void)cudaGetLastError();
    CHECK(cudaGraphExecDestroy(again));
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(outer));
    CHECK(cudaGraphDestroy(inner));
    CHECK(cudaFree(data));
    CHECK(cudaFree(other));
    return 0;
}
