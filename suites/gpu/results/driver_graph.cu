// A graph of the driver: memset, kernel, kernel, copy; launched twice, its kernel's argument changed, launched again.
// flags: -lcuda
#include "driver.h"

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    uint32_t length = static_cast<uint32_t>(count);
    CUcontext context = start_driver();
    CUmodule module;
    CUfunction scale;
    DRIVER(cuModuleLoadData(&module, SCALE_PTX));
    DRIVER(cuModuleGetFunction(&scale, module, "scale"));
    {
        Numbers data(std::vector<uint32_t>(count, 1));
        uint32_t first_factor = 2, second_factor = 3;
        CUgraph graph;
        DRIVER(cuGraphCreate(&graph, 0));
        CUDA_MEMSET_NODE_PARAMS fill{};
        fill.dst = data.address;
        fill.elementSize = 4;
        fill.value = 7;
        fill.width = count;
        fill.height = 1;
        CUgraphNode fill_node, first_node, second_node;
        DRIVER(cuGraphAddMemsetNode(&fill_node, graph, nullptr, 0, &fill, context));
        void* arguments[] = {&data.address, &length, &first_factor};
        CUDA_KERNEL_NODE_PARAMS kernel{};
        kernel.func = scale;
        kernel.gridDimX = (length + 127) / 128;
        kernel.gridDimY = kernel.gridDimZ = 1;
        kernel.blockDimX = 128;
        kernel.blockDimY = kernel.blockDimZ = 1;
        kernel.kernelParams = arguments;
        DRIVER(cuGraphAddKernelNode(&first_node, graph, &fill_node, 1, &kernel));
        arguments[2] = &second_factor;
        DRIVER(cuGraphAddKernelNode(&second_node, graph, &first_node, 1, &kernel));
        CUgraphExec executable;
        DRIVER(cuGraphInstantiate(&executable, graph, 0));
        CUstream stream;
        DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
        for (int i = 0; i < 2; i++) {
            DRIVER(cuGraphLaunch(executable, stream));
        }
        DRIVER(cuStreamSynchronize(stream));
        std::vector<uint32_t> sevens(count, 7);
        expect("launched_twice", data.all(), scaled(scaled(sevens, 2, 5), 3, 5));

        uint32_t new_factor = 10;
        arguments[2] = &new_factor;
        DRIVER(cuGraphExecKernelNodeSetParams(executable, second_node, &kernel));
        DRIVER(cuGraphLaunch(executable, stream));
        DRIVER(cuStreamSynchronize(stream));
        expect("changed", data.all(), scaled(scaled(sevens, 2, 5), 10, 5));

        CUDA_KERNEL_NODE_PARAMS asked{};
        DRIVER(cuGraphKernelNodeGetParams(first_node, &asked));
        expect("function_of_node", static_cast<int>(asked.func == scale), 1);
        expect("threads_of_node", asked.blockDimX, 128u);
        DRIVER(cuGraphExecDestroy(executable));
        DRIVER(cuGraphDestroy(graph));
        DRIVER(cuStreamDestroy(stream));
    }
    DRIVER(cuModuleUnload(module));
    DRIVER(cuCtxDestroy(context));
    return finish();
}
