"""A PyTorch program with operators of our own (extension.cu).

    with_extension.py --build FOLDER     compiles them into the folder
    with_extension.py FOLDER             uses what is there, and prints what came out

PyTorch compiles extensions with ninja; where there is none, its setuptools commands do without.
"""

import glob
import os
import subprocess
import sys

NAME = "warpsan_kit_extension"
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "extension.cu")
FLAGS = ["-O3", "-lineinfo"]

SETUP = """
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
setup(name={name!r},
      ext_modules=[CUDAExtension({name!r}, [{source!r}], extra_compile_args={{'cxx': ['-O3'], 'nvcc': {flags!r}}})],
      cmdclass={{'build_ext': BuildExtension.with_options(use_ninja=False, no_python_abi_suffix=True)}})
"""


def build(folder):
    """The machine code comes with PTX, which an extension of one architecture would not have."""
    os.environ["TORCH_CUDA_ARCH_LIST"] = "9.0+PTX"
    from torch.utils import cpp_extension

    os.makedirs(folder, exist_ok=True)
    if cpp_extension.is_ninja_available():
        cpp_extension.load(NAME, [SOURCE], extra_cuda_cflags=FLAGS, build_directory=folder, is_python_module=False)
        return
    script = os.path.join(folder, "setup.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SETUP.format(name=NAME, source=SOURCE, flags=FLAGS))
    command = [sys.executable, script, "build_ext", "--build-lib", folder, "--build-temp", os.path.join(folder, "parts")]
    subprocess.run(command, check=True, cwd=folder)


def checksum(tensor):
    """A sum that depends on every element and its place, and on no order of additions."""
    flat = tensor.flatten().to("cpu").long()
    return sum((value * (index % 1009 + 1)) & 0xFFFFFFFF for index, value in enumerate(flat.tolist())) & 0xFFFFFFFFFFFF


def main(folder):
    import torch

    library = glob.glob(os.path.join(folder, NAME + "*.so"))[0]
    torch.ops.load_library(library)
    kit = torch.ops.warpsan_kit
    values = (torch.arange(50000, device="cuda", dtype=torch.int64) * 7919 % 1000).to(torch.int32)
    rolled = kit.rolling_sum(values)
    padded = torch.nn.functional.pad(values.to(torch.int64), (1, 1))
    print("rolling sum", checksum(rolled), bool((rolled == padded[:-2] + padded[1:-1] + padded[2:]).all()))
    counts = kit.histogram(values, 100)
    print("histogram", checksum(counts), bool((counts == torch.bincount(values % 100, minlength=100)).all()))
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        twice = kit.rolling_sum(kit.rolling_sum(values))
    torch.cuda.current_stream().wait_stream(side)
    print("on another stream", checksum(twice))
    # Small whole numbers: their products are exact in whatever order they are added.
    matrix = (values[:40000].reshape(200, 200) % 8).float()
    print("product", checksum(matrix @ matrix))
    print("sorted", checksum(torch.sort(values).values), "prefix sums", checksum(torch.cumsum(values, 0)))
    print("unique", checksum(torch.unique(values)), "largest", int(values.max()))


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--build":
        build(os.path.abspath(sys.argv[2]))
    elif len(sys.argv) == 2:
        main(os.path.abspath(sys.argv[1]))
    else:
        sys.exit(__doc__)
