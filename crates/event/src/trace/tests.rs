//! What is written is read back, and no bytes make the reader panic.

mod random;

use super::*;
use crate::vocabulary::Event;
use crate::{EventBuffer, EventSink, KernelFacts, Site, SiteTable};
use proptest::prelude::*;
use random::random_events;
use warpsan_model::{LaunchId, PassLoop, PassOrder, PassPlace, SiteId};

fn header() -> TraceHeader {
    TraceHeader {
        seed: 7,
        schedule: "random seed 7".to_string(),
        command: "warpsan record a.cu".to_string(),
    }
}

fn written(batches: &[EventBuffer], remarks: &[&str]) -> Vec<u8> {
    let mut writer = TraceWriter::new(Vec::new(), &header()).unwrap();
    for batch in batches {
        writer.batch(&batch.batch());
    }
    for remark in remarks {
        writer.remark(remark);
    }
    writer.finish().unwrap()
}

/// All events of a file as text, the remarks, and how reading ended.
fn read(bytes: &[u8]) -> (Vec<String>, Vec<String>, Result<(), TraceError>) {
    let (mut events, mut remarks) = (Vec::new(), Vec::new());
    let mut buffer = EventBuffer::new();
    let mut reader = match TraceReader::new(bytes) {
        Ok(reader) => reader,
        Err(error) => return (events, remarks, Err(error)),
    };
    let end = loop {
        match reader.read(&mut buffer) {
            Ok(TraceStep::Events) => events.extend(texts(&buffer)),
            Ok(TraceStep::Remark(text)) => remarks.push(text),
            Ok(TraceStep::End) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    (events, remarks, end)
}

fn texts(buffer: &EventBuffer) -> Vec<String> {
    buffer.batch().events().map(|event| format!("{event:?}")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn events_are_read_as_they_were_written(seed: u64, counts in prop::collection::vec(0usize..1500, 0..4)) {
        let batches = random_events(seed, &counts);
        let bytes = written(&batches, &["one", "two"]);
        let mut reader = TraceReader::new(&bytes[..]).unwrap();
        prop_assert_eq!(reader.header(), &header());
        let mut expected = batches.iter().flat_map(|batch| batch.batch().events().collect::<Vec<_>>());
        let mut buffer = EventBuffer::new();
        let mut remarks = Vec::new();
        loop {
            match reader.read(&mut buffer).unwrap() {
                TraceStep::Events => {
                    for event in buffer.batch().events() {
                        prop_assert_eq!(Some(event), expected.next());
                    }
                }
                TraceStep::Remark(text) => remarks.push(text),
                TraceStep::End => break,
            }
        }
        prop_assert!(expected.next().is_none());
        prop_assert_eq!(remarks, ["one", "two"]);
        prop_assert_eq!(reader.read(&mut buffer).unwrap(), TraceStep::End);
    }

    #[test]
    fn bytes_do_not_depend_on_the_batches(seed: u64, count in 0usize..800) {
        let batches = random_events(seed, &[count]);
        let mut single = TraceWriter::new(Vec::new(), &header()).unwrap();
        for event in batches[0].batch().events() {
            single.event(&event);
        }
        prop_assert_eq!(single.finish().unwrap(), written(&batches, &[]));
    }

    #[test]
    fn random_bytes_are_an_error(bytes: Vec<u8>, with_magic: bool) {
        let mut file = if with_magic { MAGIC.to_vec() } else { Vec::new() };
        file.extend_from_slice(&bytes);
        let (events, _, end) = read(&file);
        prop_assert!(events.is_empty() && end.is_err());
    }

    #[test]
    fn a_file_cut_off_anywhere_gives_what_came_before(seed: u64, part in 0.0f64..1.0) {
        let batches = random_events(seed, &[3000]);
        let bytes = written(&batches, &[]);
        let length = (bytes.len() as f64 * part) as usize;
        let (events, _, end) = read(&bytes[..length]);
        prop_assert!(texts(&batches[0]).starts_with(&events));
        match end {
            Err(TraceError::CutOff { at }) => prop_assert!(at <= length as u64),
            Err(TraceError::NotATrace) => prop_assert_eq!(length, 0),
            other => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn a_changed_bit_is_found(seed: u64, part in 0.0f64..1.0, bit in 0u32..8) {
        let batches = random_events(seed, &[1000]);
        let mut bytes = written(&batches, &[]);
        let at = (bytes.len() as f64 * part) as usize;
        bytes[at] ^= 1 << bit;
        let (events, _, end) = read(&bytes);
        prop_assert!(texts(&batches[0]).starts_with(&events));
        prop_assert!(end.is_err());
    }

    /// Contents with a right checksum that no writer made: the items themselves are wrong.
    #[test]
    fn contents_of_any_kind_make_no_panic(seed: u64, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), noise: Vec<u8>) {
        let batches = random_events(seed, &[200]);
        let mut encoder = encode::Encoder::new();
        for event in batches[0].batch().events() {
            encoder.event(&event);
        }
        let mut contents = encoder.out;
        for (place, byte) in &changes {
            let at = place.index(contents.len());
            contents[at] = *byte;
        }
        let mut bytes = TraceWriter::new(Vec::new(), &header()).unwrap().finish().unwrap();
        bytes.truncate(bytes.len() - 20);
        for contents in [contents, noise] {
            let mut file = bytes.clone();
            if !contents.is_empty() {
                frame::write_contents(&mut file, &contents).unwrap();
            }
            let mut reader = TraceReader::new(&file[..]).unwrap();
            let mut buffer = EventBuffer::new();
            let mut narrator = crate::Narrator::new();
            while let Ok(step) = reader.read(&mut buffer) {
                prop_assert!(step != TraceStep::End);
                for event in buffer.batch().events() {
                    narrator.follow(&event);
                    let _ = narrator.describe(&event).to_string();
                    if let Event::Access(access) = event {
                        prop_assert_eq!(access.lanes().count(), access.mask.count_ones() as usize);
                    }
                }
            }
        }
    }
}

#[test]
fn a_trace_is_compact() {
    let mut buffer = random::launch(64);
    for round in 0..100_000u64 {
        let (block, warp) = (round / 16 % 64, round % 2);
        let site = (round / 2 % 8) as u32;
        buffer.push(Event::Access(random::plain_access(
            block as u32,
            warp as u32,
            site,
            round * 128,
        )));
    }
    let bytes = written(std::slice::from_ref(&buffer), &[]);
    let each = bytes.len() as f64 / 100_000.0;
    assert!(each < 6.0, "{each} bytes for an access");
}

#[test]
fn wrong_files_have_different_errors() {
    let whole = written(&random_events(1, &[10]), &[]);
    let error = |bytes: &[u8]| read(bytes).2.unwrap_err();
    assert!(matches!(error(b"ELF and more"), TraceError::NotATrace));
    assert!(matches!(error(b""), TraceError::NotATrace));
    assert!(matches!(error(&whole[..5]), TraceError::CutOff { at: 0 }));
    let mut newer = whole.clone();
    newer[8] = VERSION as u8 + 1;
    let Err(TraceError::NewerVersion { found, known: VERSION }) = read(&newer).2 else { panic!() };
    assert_eq!(found, VERSION + 1);
    let no_end = &whole[..whole.len() - 20];
    let (events, _, end) = read(no_end);
    assert_eq!(events.len(), random_events(1, &[10])[0].len());
    let Err(TraceError::CutOff { at }) = end else { panic!("{end:?}") };
    assert_eq!(at, no_end.len() as u64);
    let mut longer = whole.clone();
    longer.push(0);
    let end = read(&longer).2;
    let Err(TraceError::Damaged { at, .. }) = end else { panic!("{end:?}") };
    assert_eq!(at, whole.len() as u64);
}

#[test]
fn the_order_of_launches_is_read_from_older_versions() {
    // Launch 5 after launch 3; open are 2 and 4.
    let item: &[u8] = &[super::items::LAUNCH_ORDER, 5, 1, 4, 2, 6, 2];
    let order = |version: u32, item: &[u8]| {
        let mut buffer = EventBuffer::new();
        let mut contents = vec![super::items::KERNEL, 0, 0, 0, 0, 0, 0];
        for launch in 0..5 {
            contents.extend([super::items::LAUNCH_BEGIN, launch, 0, 1, 1, 1, 32, 1, 1]);
        }
        contents.extend(item);
        let mut cursor = super::bytes::Cursor::new(&contents, 0);
        let mut decoder = super::decode::Decoder::new(version);
        // The kernel, its launches and the order; what older versions do not have is left over.
        for _ in 0..7 {
            decoder.item(&mut cursor, &mut buffer).unwrap();
        }
        let event = buffer.batch().events().last().unwrap();
        let Event::LaunchOrder { launch, after, after_wait, perhaps_after, open } = event else {
            panic!()
        };
        assert_eq!((launch, after), (LaunchId(5), &[LaunchId(3)][..]));
        (after_wait.to_vec(), perhaps_after.to_vec(), open.to_vec())
    };
    let launches = |numbers: &[u32]| numbers.iter().copied().map(LaunchId).collect::<Vec<_>>();
    assert_eq!(order(2, item), (launches(&[]), launches(&[]), launches(&[0, 1, 2, 3, 4])));
    assert_eq!(order(3, item), (launches(&[]), launches(&[]), launches(&[2, 4])));
    let item = &[item, &[1, 2]].concat();
    assert_eq!(order(4, item), (launches(&[4]), launches(&[]), launches(&[2, 4])));
    let item = &[&item[..], &[1, 4]].concat();
    assert_eq!(order(6, item), (launches(&[4]), launches(&[3]), launches(&[2, 4])));
}

#[test]
fn bulk_copies_of_older_versions_are_assumed_where_there_are_copies() {
    let bulk = |copies: bool, bulk: bool, knows: bool| {
        let (uses_async_copies, uses_bulk_copies) = (copies, bulk);
        let facts = KernelFacts { uses_async_copies, uses_bulk_copies, ..KernelFacts::default() };
        let mut bytes = Vec::new();
        super::kernels::put_kernel(&mut bytes, &facts, &SiteTable::default());
        let mut cursor = super::bytes::Cursor::new(&bytes, 0);
        let known = super::kernels::KnownFacts { bulk_copies: knows, pass_order: true };
        super::kernels::kernel(&mut cursor, known, &mut 1000).unwrap().0.uses_bulk_copies
    };
    assert!(bulk(true, true, true) && !bulk(true, false, true));
    assert!(bulk(true, false, false) && !bulk(false, false, false));
}

#[test]
fn a_kernel_is_written_once_and_shared_by_its_launches() {
    let buffer = random::launch(4);
    let once = written(std::slice::from_ref(&buffer), &[]).len();
    let mut writer = TraceWriter::new(Vec::new(), &header()).unwrap();
    for _ in 0..100 {
        writer.batch(&buffer.batch());
    }
    let bytes = writer.finish().unwrap();
    assert!(bytes.len() < once + 1000, "{} after {once}", bytes.len());
    let mut reader = TraceReader::new(&bytes[..]).unwrap();
    let mut read = EventBuffer::new();
    assert_eq!(reader.read(&mut read).unwrap(), TraceStep::Events);
    let facts: Vec<_> = read
        .batch()
        .events()
        .filter_map(|event| match event {
            Event::LaunchBegin { facts, .. } => Some(std::sync::Arc::as_ptr(facts)),
            _ => None,
        })
        .collect();
    assert_eq!(facts.len(), 100);
    assert!(facts.iter().all(|one| *one == facts[0]));
}

#[test]
fn kernels_may_be_many() {
    let launches: Vec<EventBuffer> = (0..200).map(|_| random::launch(4)).collect();
    let twice: Vec<&EventBuffer> = launches.iter().chain(&launches).collect();
    let mut writer = TraceWriter::new(Vec::new(), &header()).unwrap();
    for buffer in &twice {
        writer.batch(&buffer.batch());
    }
    let (events, _, end) = read(&writer.finish().unwrap());
    end.unwrap();
    assert_eq!(events, twice.iter().flat_map(|buffer| texts(buffer)).collect::<Vec<_>>());
}

#[test]
fn a_failure_to_write_is_returned_at_the_end() {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut writer = TraceWriter::new(Full(1000), &header()).unwrap();
    for batch in random_events(5, &[20_000, 20_000]) {
        writer.batch(&batch.batch());
    }
    let error = writer.finish().err().unwrap();
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
}

/// What is wrong with these items, which follow a kernel of one site and its launch with 40 threads.
fn fault_of(items: &[u8]) -> String {
    let mut contents = vec![items::KERNEL, 0, 0, 0, 0, 0, 0, 1, 1, b'x', 1, 0, 0, 0];
    contents.extend([items::LAUNCH_BEGIN, 0, 0, 1, 1, 1, 40, 1, 1]);
    contents.extend(items);
    let mut file = TraceWriter::new(Vec::new(), &header()).unwrap().finish().unwrap();
    file.truncate(file.len() - 20);
    let frame_at = file.len();
    frame::write_contents(&mut file, &contents).unwrap();
    let (events, _, end) = read(&file);
    assert_eq!(events.len(), 1, "the launch: {events:?}");
    let error = end.unwrap_err().to_string();
    assert!(error.contains(&format!("at byte {frame_at}: ")), "{error}");
    assert!(error.contains("record it again"), "{error}");
    error
}

/// A write of four bytes in shared memory by lane 0 of warp 0, all its lanes at one address.
fn shared_write(address: u64) -> Vec<u8> {
    let mut item = vec![items::ACCESS, 0, 0, 0, 1];
    // Shared, a write, of own memory, by all; one element of four bytes.
    bytes::put_number(&mut item, 1 | 1 << 3 | 1 << 6 | 1 << 12 | 1 << 14 | 4 << 22);
    item.push(0);
    bytes::put_difference(&mut item, address, 0);
    item
}

#[test]
fn an_address_where_no_shared_memory_is_is_damage() {
    for address in [1 << 20, (1 << 20) - 3, 1 << 40, u64::MAX] {
        let error = fault_of(&shared_write(address));
        assert!(error.contains(&format!("shared memory at {address:#x}")), "{error}");
        assert!(error.contains("byte 23 of its contents"), "{error}");
    }
    // What can be is read, and the end mark that is missing is the next thing that is wrong.
    let mut contents = shared_write(1024);
    contents.extend(shared_write(1 << 30));
    let decoded =
        |contents: &[u8]| {
            let mut decoder = decode::Decoder::new(VERSION);
            let mut buffer = EventBuffer::new();
            let launch = [items::KERNEL, 0, 0, 0, 0, 0, 0, 1, 1, b'x', 1, 0, 0, 0]
                .into_iter()
                .chain([items::LAUNCH_BEGIN, 0, 0, 1, 1, 1, 40, 1, 1]);
            let all: Vec<u8> = launch.chain(contents.iter().copied()).collect();
            let mut cursor = bytes::Cursor::new(&all, 0);
            while !cursor.is_at_end() && decoder.item(&mut cursor, &mut buffer).is_ok() {}
            buffer.len()
        };
    assert_eq!(decoded(&contents), 2, "the launch and the first access");
}

#[test]
fn a_warp_that_is_not_in_its_block_is_damage_though_no_lane_is_meant() {
    let warp = |number: u8| vec![items::WARP_BARRIER, 0, number, 0, 0];
    assert!(fault_of(&warp(2)).contains("warp 2"));
    let mut far = vec![items::WARP_BARRIER, 0];
    bytes::put_number(&mut far, u64::from(u32::MAX));
    far.extend([0, 0]);
    assert!(fault_of(&far).contains("warp 4294967295"));
}

#[test]
fn an_order_of_launches_takes_no_memory_for_launches_that_never_began() {
    let mut item = vec![items::LAUNCH_ORDER];
    bytes::put_number(&mut item, u64::from(u32::MAX));
    item.push(0);
    let mut buffer = EventBuffer::new();
    let mut cursor = bytes::Cursor::new(&item, 0);
    decode::Decoder::new(2).item(&mut cursor, &mut buffer).unwrap();
    let event = buffer.batch().event(0).unwrap();
    let Event::LaunchOrder { open, .. } = event else { panic!("{event:?}") };
    assert_eq!(open, []);
}

#[test]
fn an_order_of_passes_names_sites_and_loops_that_are_there() {
    let read = |change: fn(&mut PassOrder)| {
        let place = PassPlace {
            number: 0,
            innermost: Some(0),
            barrier: Some(SiteId(0)),
            any_barrier: None,
        };
        let of_loop = PassLoop { parent: None, back: SiteId(0), first_barrier: Some(7) };
        let mut pass_order = PassOrder { places: vec![place], loops: vec![of_loop] };
        change(&mut pass_order);
        let facts = KernelFacts { pass_order, ..KernelFacts::default() };
        let sites = SiteTable { sites: vec![Site::new("bar.sync 0;", 1, Vec::new())] };
        let mut contents = Vec::new();
        kernels::put_kernel(&mut contents, &facts, &sites);
        let known = kernels::KnownFacts { bulk_copies: true, pass_order: true };
        let read = kernels::kernel(&mut bytes::Cursor::new(&contents, 0), known, &mut (1 << 20));
        read.map(|(read, _)| assert_eq!(*read, facts)).is_ok()
    };
    assert!(read(|_| ()));
    assert!(!read(|order| order.loops[0].back = SiteId(1)));
    assert!(!read(|order| order.loops[0].parent = Some(0)));
    assert!(!read(|order| order.loops[0].parent = Some(1)));
    assert!(!read(|order| order.places[0].innermost = Some(1)));
    assert!(!read(|order| order.places[0].barrier = Some(SiteId(1))));
    assert!(!read(|order| order.places[0].any_barrier = Some(SiteId(1))));
    assert!(!read(|order| order.places.push(order.places[0])));
}

#[test]
fn kernels_take_no_more_memory_than_there_is_for_them() {
    // No names, variables, facts and loops; one text; sites of three bytes each.
    let mut contents = vec![0, 0, 0, 0, 0, 0, 1, 1, b'x'];
    bytes::put_number(&mut contents, 1000);
    contents.extend([0; 3000]);
    let kernel = |mut room: usize| {
        let known = kernels::KnownFacts { bulk_copies: true, pass_order: true };
        let read = kernels::kernel(&mut bytes::Cursor::new(&contents, 0), known, &mut room);
        read.map(|(_, sites)| sites.sites.len())
    };
    assert_eq!(kernel(1 << 20), Ok(1000));
    let bytes::Fault(what) = kernel(1 << 14).unwrap_err();
    assert!(what.contains("take more than"), "{what}");
}

#[test]
fn impossible_accesses_and_launches_are_damage() {
    let access = |shape: u64| {
        let mut item = vec![items::ACCESS, 0, 0, 0, 1];
        bytes::put_number(&mut item, shape);
        item.extend([0, 0]);
        fault_of(&item)
    };
    assert!(access(1 << 6 | 1 << 14).contains("1 elements of 0 bytes"));
    assert!(access(1 << 6 | 4 << 22).contains("0 elements of 4 bytes"));
    assert!(access(1 << 6 | 255 << 14 | 255 << 22).contains("255 elements"));
    let launch = |threads: u64| {
        let mut item = vec![items::LAUNCH_BEGIN, 1, 0, 1, 1, 1];
        bytes::put_number(&mut item, threads);
        item.extend([1, 1]);
        fault_of(&item)
    };
    assert!(launch(0).contains("of 0 x 1 x 1 threads"));
    assert!(launch(1025).contains("of 1025 x 1 x 1 threads"));
    assert!(fault_of(&[items::CLUSTERS, 100, 100, 100]).contains("clusters"));
    assert!(fault_of(&[items::BLOCK_BARRIER, 0, 16, 0]).contains("barrier 16"));
    let mut allocation = vec![items::ALLOCATION, 2];
    bytes::put_number(&mut allocation, u64::MAX);
    allocation.push(0);
    assert!(fault_of(&allocation).contains("an allocation of 18446744073709551615 bytes"));
}
