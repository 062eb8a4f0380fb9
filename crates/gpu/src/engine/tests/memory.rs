//! Metadata, and memory that the program wants back.

use super::*;

#[test]
fn memory_has_metadata_of_its_own() {
    let program = Program::new(64 * GIB, settings());
    program.allocate(0x4000_0000, 5 * MIB);
    program.allocate(0x9000_0000, 600 * MIB);
    let table = table(&program);
    let places: Vec<u64> =
        [0x4000_0000, 0x4020_0000, 0x4040_0000, 0x9000_0000, 0x9000_0000 + 599 * MIB]
            .map(|address| metadata(table, address))
            .to_vec();
    assert!(places.iter().all(|place| *place != 0), "{places:x?}");
    let mut different = places.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), places.len());
    assert!(different.windows(2).all(|two| two[1] - two[0] >= 11 * MIB));
    assert_eq!(metadata(table, 0x4060_0000), 0, "memory that the program does not have");
}

#[test]
fn metadata_has_room_for_what_is_remembered() {
    for (granularity, history, of_chunk) in [(1, 2, 80), (16, 1, 3), (1, 8, 224)] {
        let shape = Shape::new(granularity, history);
        let plan = DevicePlan::Metadata(MetadataPlan::of(shape));
        let program = Program::new(64 * GIB, EngineSettings { plan, ..settings() });
        program.allocate(1 << 32, 64 * MIB);
        let table = table(&program);
        let mut places: Vec<u64> =
            (0..32).map(|chunk| metadata(table, (1 << 32) + chunk * 2 * MIB)).collect();
        places.sort_unstable();
        assert!(places[0] != 0 && places.windows(2).all(|two| two[1] - two[0] >= of_chunk * MIB));
        let used = fake(|fake| fake.memory.values().sum::<u64>());
        assert!(used >= 32 * of_chunk * MIB && used < 40 * of_chunk * MIB + 200 * MIB, "{used}");
        assert!(program.warnings().is_empty(), "{:?}", program.warnings());
    }
}

#[test]
fn free_memory_is_shown_as_without_us() {
    let program = Program::new(64 * GIB, settings());
    program.allocate(1 << 32, GIB);
    let (mut free, mut total) = (0, 0);
    // SAFETY: places for two numbers.
    unsafe { program.engine.driver.cuMemGetInfo_v2(&mut free, &mut total) };
    assert!(free < 60 << 30, "metadata takes five times as much: {free}");
    program.engine.memory_queried(&mut free, &mut total);
    assert_eq!((free, total), (64 << 30, 64 << 30));
}

#[test]
fn metadata_gives_way_to_the_program() {
    let program = Program::new(16 * GIB, settings());
    let (small, large, gone) = (1 << 32, 2 << 32, 3 << 32);
    program.allocate(small, 4 * MIB);
    program.allocate(large, GIB);
    program.allocate(gone, GIB / 2);
    program.free(gone);
    let table = table(&program);
    let used = || fake(|fake| fake.memory.values().sum::<u64>());
    let before = used();
    assert!(before > 7 * GIB, "{before}");
    assert!(program.engine.make_room(GIB), "that of freed memory");
    assert!(used() <= before - GIB);
    assert!(program.warnings().is_empty(), "nothing was lost: {:?}", program.warnings());
    assert_eq!(metadata(table, gone), 0);
    assert_ne!(metadata(table, large), 0);
    assert!(program.engine.make_room(4 * GIB), "that of the largest");
    assert_eq!(metadata(table, large), 0);
    assert_ne!(metadata(table, small), 0);
    let warnings = program.warnings();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("races in at least 1.0 GiB"), "{warnings:?}");
    while program.engine.make_room(8 * GIB) {}
    assert_eq!(program.warnings().len(), 1, "one warning is enough");
    assert_eq!(metadata(table, small), 0);
    assert!(used() <= 2 * MIB, "only tables are left: {}", used());
    // Memory that the program gets later has metadata again.
    program.allocate(4 << 32, MIB);
    assert_ne!(metadata(table, 4 << 32), 0);
}

#[test]
fn metadata_stays_while_kernels_cannot_be_waited_for() {
    let program = Program::new(16 * GIB, settings());
    program.allocate(1 << 32, GIB);
    let table = table(&program);
    let place = metadata(table, 1 << 32);
    fake(|fake| fake.cannot_wait = true);
    assert!(!program.engine.make_room(GIB));
    assert_eq!(metadata(table, 1 << 32), place);
    assert!(program.warnings().is_empty());
}

#[test]
fn metadata_of_freed_memory_is_used_again_before_any_is_missing() {
    // Enough for the metadata of one allocation, and not of two.
    let program = Program::new(8 * GIB, settings());
    program.allocate(1 << 32, GIB);
    program.free(1 << 32);
    program.allocate(9 << 32, GIB);
    assert_ne!(metadata(table(&program), (9 << 32) + GIB - 1), 0);
    assert!(program.warnings().is_empty(), "{:?}", program.warnings());
}

#[test]
fn where_the_host_checks_there_is_no_metadata() {
    let program = Program::new(
        16 * GIB,
        EngineSettings { plan: DevicePlan::Ship(Shipping::Everything), ..settings() },
    );
    program.allocate(1 << 32, GIB);
    assert_eq!(metadata(table(&program), 1 << 32), 0);
    assert!(fake(|fake| fake.memory.values().sum::<u64>()) < 16 * MIB);
}
