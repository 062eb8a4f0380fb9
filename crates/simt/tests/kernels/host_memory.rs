//! Memory of the host that is registered, so that kernels use it in place.

use crate::support::{Machine, Setup, kernel};
use warpsan_simt::ProgramAddress;

/// Every thread adds its number in the grid to a word of its own, behind the argument.
const ADD: &str = "add.s64 %rd6, %rd4, %rd3;\nld.global.u32 %r4, [%rd6];\n\
    add.s32 %r4, %r4, %r1;\nst.global.u32 [%rd6], %r4;\nret;";

fn register(machine: &Machine, words: &mut [u32]) -> u64 {
    let address = words.as_mut_ptr().expose_provenance() as u64;
    // SAFETY: the words outlive the launches of the test, and nobody else uses them meanwhile.
    let of_program = unsafe { ProgramAddress::new(address) };
    assert!(machine.memory.register_host_range(of_program, words.len() as u64 * 4));
    address
}

#[test]
fn kernels_read_and_write_it_on_any_number_of_cores() {
    for jobs in [1, 3] {
        let machine = Machine::new(&kernel(ADD), 1);
        let mut words = vec![7u32; 300 * 32];
        let argument = register(&machine, &mut words);
        let setup = Setup { jobs, argument, ..Setup::new(300, 32).listening() };
        let done = machine.launch(&setup);
        assert_eq!(done.result, Ok(()));
        assert_eq!(machine.memory.unregister_host_range(argument), Some(300 * 32 * 4));
        assert!(words.iter().enumerate().all(|(index, word)| *word == index as u32 + 7));
        // A load and a store of each of the 300 warps; the numbers in events are decimal.
        let accesses = done.emitted(&["Access"]);
        assert_eq!(accesses.len(), 600);
        assert!(accesses.iter().any(|access| access.contains(&argument.to_string())));
    }
}

#[test]
fn what_is_behind_it_or_no_longer_registered_is_refused() {
    let machine = Machine::new(&kernel(ADD), 1);
    let mut words = [7u32; 40];
    let argument = register(&machine, &mut words[..33]);
    let setup = Setup { argument, ..Setup::new(1, 32) };
    machine.launch(&setup).well();
    let next = Setup { argument: argument + 8, ..Setup::new(1, 32) };
    assert!(machine.launch(&next).fault().what.contains("no address of device memory"));
    machine.memory.unregister_host_range(argument);
    assert!(machine.launch(&setup).fault().what.contains("no address of device memory"));
    assert_eq!(words[39], 7);
}
