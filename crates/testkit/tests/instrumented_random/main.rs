//! Random kernels with their checks, run on the CPU engine. They are PTX: nothing here needs a CUDA compiler.

mod curd_random;
mod random;
