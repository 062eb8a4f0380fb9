// What a graph tells about itself: nodes, their types, edges, and a graph inside a graph.
// verdict: clean
#include "check.h"
#include "versions.h"
#include <vector>

__global__ void count(int* counter) {
    *counter += 1;
}

static void CUDART_CB ignore(void*) {}

int main() {
    int* counter;
    CHECK(cudaMalloc(&counter, sizeof(int)));
    CHECK(cudaMemset(counter, 0, sizeof(int)));
    CHECK(cudaDeviceSynchronize());

    cudaGraph_t inner, outer;
    CHECK(cudaGraphCreate(&inner, 0));
    void* arguments[] = {&counter};
    cudaKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(count);
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(1);
    kernel.kernelParams = arguments;
    cudaGraphNode_t a, b;
    CHECK(cudaGraphAddKernelNode(&a, inner, nullptr, 0, &kernel));
    CHECK(cudaGraphAddKernelNode(&b, inner, &a, 1, &kernel));

    CHECK(cudaGraphCreate(&outer, 0));
    cudaGraphNode_t child, again, host, end;
    CHECK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, inner));
    CHECK(cudaGraphAddKernelNode(&again, outer, &child, 1, &kernel));
    cudaHostNodeParams function = {};
    function.fn = ignore;
    CHECK(cudaGraphAddHostNode(&host, outer, &child, 1, &function));
    cudaGraphNode_t both[] = {again, host};
    CHECK(cudaGraphAddEmptyNode(&end, outer, both, 2));

    size_t nodes = 0, roots = 0, edges = 0, before_end = 0;
    CHECK(cudaGraphGetNodes(outer, nullptr, &nodes));
    CHECK(cudaGraphGetRootNodes(outer, nullptr, &roots));
    CHECK(count_graph_edges(outer, &edges));
    CHECK(get_graph_dependencies(end, nullptr, &before_end));
    std::printf("nodes %zu, roots %zu, edges %zu, before the end %zu\n", nodes, roots, edges, before_end);
    int kinds[16] = {};
    std::vector<cudaGraphNode_t> all(nodes);
    CHECK(cudaGraphGetNodes(outer, all.data(), &nodes));
    for (cudaGraphNode_t node : all) {
        cudaGraphNodeType type;
        CHECK(cudaGraphNodeGetType(node, &type));
        kinds[static_cast<int>(type)]++;
    }
    std::printf("kernels %d, hosts %d, graphs %d, empty %d\n", kinds[cudaGraphNodeTypeKernel], kinds[cudaGraphNodeTypeHost],
                kinds[cudaGraphNodeTypeGraph], kinds[cudaGraphNodeTypeEmpty]);

    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiateWithFlags(&executable, outer, 0));
    for (int i = 0; i < 4; i++) {
        CHECK(cudaGraphLaunch(executable, nullptr));
    }
    int value = 0;
    CHECK(cudaMemcpy(&value, counter, sizeof value, cudaMemcpyDeviceToHost));
    std::printf("counted %d\n", value);

    CHECK(cudaGraphDestroyNode(host));
    CHECK(cudaGraphGetNodes(outer, nullptr, &nodes));
    CHECK(count_graph_edges(outer, &edges));
    std::printf("without the host node: nodes %zu, edges %zu\n", nodes, edges);
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(outer));
    CHECK(cudaGraphDestroy(inner));
    CHECK(cudaFree(counter));
    return 0;
}
