//! Small kernels in PTX, run on the engine, with what they leave in memory and what they emit.

mod barriers;
mod basics;
mod blocks;
mod bulk_copies;
mod calls;
mod clusters;
mod copies;
mod events;
mod fault_kinds;
mod fault_places;
mod faults;
mod frames;
mod host_memory;
mod lanes;
mod mbarriers;
mod out_of_bounds;
mod parts;
mod random_programs;
mod schedules;
mod support;
mod system;
