// Launches of the driver are captured from two streams into a graph, which runs ten times.
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
    std::vector<uint32_t> values = numbers<uint32_t>(count, 1, 1000);
    {
        Numbers one(values), two(values);
        CUstream main_stream, side_stream;
        CUevent forked, joined;
        DRIVER(cuStreamCreate(&main_stream, CU_STREAM_NON_BLOCKING));
        DRIVER(cuStreamCreate(&side_stream, CU_STREAM_NON_BLOCKING));
        DRIVER(cuEventCreate(&forked, CU_EVENT_DISABLE_TIMING));
        DRIVER(cuEventCreate(&joined, CU_EVENT_DISABLE_TIMING));
        DRIVER(cuStreamBeginCapture(main_stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
        DRIVER(cuEventRecord(forked, main_stream));
        DRIVER(cuStreamWaitEvent(side_stream, forked, 0));
        launch_scale(scale, one, length, 3, main_stream);
        launch_scale(scale, two, length, 5, side_stream);
        DRIVER(cuEventRecord(joined, side_stream));
        DRIVER(cuStreamWaitEvent(main_stream, joined, 0));
        launch_scale(scale, two, length, 7, main_stream);
        CUgraph graph;
        CUgraphExec executable;
        DRIVER(cuStreamEndCapture(main_stream, &graph));
        DRIVER(cuGraphInstantiate(&executable, graph, 0));
        expect("nothing_has_run", one.all(), values);
        std::vector<uint32_t> expected_one = values, expected_two = values;
        for (int i = 0; i < 10; i++) {
            DRIVER(cuGraphLaunch(executable, main_stream));
            expected_one = scaled(expected_one, 3, 5);
            expected_two = scaled(scaled(expected_two, 5, 5), 7, 5);
        }
        DRIVER(cuStreamSynchronize(main_stream));
        expect("one", one.all(), expected_one);
        expect("two", two.all(), expected_two);
        DRIVER(cuGraphExecDestroy(executable));
        DRIVER(cuGraphDestroy(graph));
        DRIVER(cuEventDestroy(forked));
        DRIVER(cuEventDestroy(joined));
        DRIVER(cuStreamDestroy(main_stream));
        DRIVER(cuStreamDestroy(side_stream));
    }
    DRIVER(cuModuleUnload(module));
    DRIVER(cuCtxDestroy(context));
    return finish();
}
