"""A PyTorch program that calls kernels of a shared library (plain.cu) by ctypes: with_ctypes.py LIBRARY"""

import ctypes
import sys

import torch


def main(library):
    functions = ctypes.CDLL(library)
    functions.interleave_on_stream.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int64, ctypes.c_void_p]
    a = torch.arange(30000, device="cuda", dtype=torch.int32)
    b = a * 3 + 1
    out = torch.empty(60000, device="cuda", dtype=torch.int32)
    stream = torch.cuda.current_stream().cuda_stream
    status = functions.interleave_on_stream(a.data_ptr(), b.data_ptr(), out.data_ptr(), a.numel(), stream)
    expected = torch.stack((a, b), dim=1).flatten()
    print("status", status)
    print("interleaved", bool((out == expected).all()), int(out.long().sum()))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        stream = torch.cuda.current_stream().cuda_stream
        functions.interleave_on_stream(b.data_ptr(), a.data_ptr(), out.data_ptr(), a.numel(), stream)
    out.zero_()
    graph.replay()
    torch.cuda.synchronize()
    print("replayed", bool((out == torch.stack((b, a), dim=1).flatten()).all()))


if __name__ == "__main__":
    main(sys.argv[1])
