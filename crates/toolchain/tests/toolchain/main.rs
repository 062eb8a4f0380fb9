//! The toolchain against fake toolkits, a fake pip and a fake NVRTC: nothing here reaches the network or
//! needs CUDA.

mod compiling_kernels;
mod compiling_programs;
mod developer_tools;
mod finding;
mod installing;
mod interrupted;
mod nvcc_arguments;
mod support;
