// The few calls of the runtime whose parameters changed between CUDA 12 and 13, under one name each.
#pragma once
#include <cuda_runtime.h>

inline cudaError_t prefetch_to_device(const void* memory, size_t bytes, int device, cudaStream_t stream) {
#if CUDART_VERSION >= 13000
    return cudaMemPrefetchAsync(memory, bytes, cudaMemLocation{cudaMemLocationTypeDevice, device}, 0, stream);
#else
    return cudaMemPrefetchAsync(memory, bytes, device, stream);
#endif
}

inline cudaError_t prefetch_to_host(const void* memory, size_t bytes, cudaStream_t stream) {
#if CUDART_VERSION >= 13000
    return cudaMemPrefetchAsync(memory, bytes, cudaMemLocation{cudaMemLocationTypeHost, 0}, 0, stream);
#else
    return cudaMemPrefetchAsync(memory, bytes, cudaCpuDeviceId, stream);
#endif
}

inline cudaError_t advise_for_device(const void* memory, size_t bytes, cudaMemoryAdvise advice, int device) {
#if CUDART_VERSION >= 13000
    return cudaMemAdvise(memory, bytes, advice, cudaMemLocation{cudaMemLocationTypeDevice, device});
#else
    return cudaMemAdvise(memory, bytes, advice, device);
#endif
}

inline cudaError_t add_graph_edges(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t count) {
#if CUDART_VERSION >= 13000
    return cudaGraphAddDependencies(graph, from, to, nullptr, count);
#else
    return cudaGraphAddDependencies(graph, from, to, count);
#endif
}

inline cudaError_t count_graph_edges(cudaGraph_t graph, size_t* count) {
#if CUDART_VERSION >= 13000
    return cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, count);
#else
    return cudaGraphGetEdges(graph, nullptr, nullptr, count);
#endif
}

inline cudaError_t get_graph_dependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies, size_t* count) {
#if CUDART_VERSION >= 13000
    return cudaGraphNodeGetDependencies(node, dependencies, nullptr, count);
#else
    return cudaGraphNodeGetDependencies(node, dependencies, count);
#endif
}

inline cudaError_t add_graph_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, size_t count,
                                  cudaGraphNodeParams* parameters) {
#if CUDART_VERSION >= 13000
    return cudaGraphAddNode(node, graph, before, nullptr, count, parameters);
#else
    return cudaGraphAddNode(node, graph, before, count, parameters);
#endif
}

inline cudaError_t get_capture_info(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                                    const cudaGraphNode_t** before, size_t* count) {
#if CUDART_VERSION >= 13000
    return cudaStreamGetCaptureInfo(stream, status, id, graph, before, nullptr, count);
#else
    return cudaStreamGetCaptureInfo(stream, status, id, graph, before, count);
#endif
}

inline cudaError_t update_capture_dependencies(cudaStream_t stream, cudaGraphNode_t* nodes, size_t count, unsigned flags) {
#if CUDART_VERSION >= 13000
    return cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags);
#else
    return cudaStreamUpdateCaptureDependencies(stream, nodes, count, flags);
#endif
}
