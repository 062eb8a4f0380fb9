//! Several writers, a writer that is killed, no room, and what the program may do to the log.

use std::os::unix::fs::FileExt;
use std::path::Path;
use warpsan_evidence::{Home, Log, LogKeeper, Lost, StreamKind, read_file};

fn keeper(folder: &Path) -> LogKeeper {
    LogKeeper::create(&folder.join("log")).expect("a log")
}

#[test]
fn streams_that_are_written_by_turns_are_read_one_by_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let keeper = keeper(folder.path());
    assert_eq!(keeper.home(), Home::File);
    let (first, second) =
        (Log::open(keeper.path()).expect("it"), Log::open(keeper.path()).expect("it"));
    let (mut a, mut b) = (first.stream(StreamKind::Session), second.stream(StreamKind::Session));
    let mut wanted = [Vec::new(), Vec::new()];
    for round in 0..2000_u32 {
        let piece = vec![round as u8; 1 + (round as usize * 37) % 9000];
        let (stream, wanted) = match round % 3 {
            0 => (&mut a, &mut wanted[0]),
            _ => (&mut b, &mut wanted[1]),
        };
        stream.append(&piece).expect("the keeper provides room");
        wanted.extend(piece);
    }
    let evidence = keeper.evidence();
    assert!(evidence.of(StreamKind::Session).eq(wanted), "the bytes come back");
    assert_eq!((evidence.lost, evidence.is_damaged), (0, false));
    assert!(read_file(keeper.path()).expect("the file") == evidence);
}

#[test]
fn threads_of_many_processes_do_not_mix() {
    let folder = tempfile::tempdir().expect("a folder");
    let keeper = keeper(folder.path());
    std::thread::scope(|scope| {
        for writer in 0..8_u8 {
            let log = keeper.log();
            scope.spawn(move || {
                let mut stream = log.stream(StreamKind::Session);
                for _ in 0..500 {
                    stream.append(&[writer; 777]).expect("room");
                }
            });
        }
    });
    let mut streams: Vec<Vec<u8>> =
        keeper.evidence().streams.into_iter().map(|(_, bytes)| bytes).collect();
    streams.sort();
    for (writer, bytes) in (0..8_u8).zip(&streams) {
        assert_eq!(bytes.len(), 500 * 777);
        assert!(bytes.iter().all(|byte| *byte == writer));
    }
}

#[test]
fn what_was_written_is_there_when_the_file_is_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let keeper = keeper(folder.path());
    let log = Log::open(keeper.path()).expect("it");
    std::fs::remove_file(keeper.path()).expect("it goes");
    log.stream(StreamKind::Session).append(b"a race").expect("room");
    assert!(keeper.evidence().of(StreamKind::Session).eq([b"a race".to_vec()]));
}

#[test]
fn a_process_that_is_killed_leaves_what_it_has_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let keeper = keeper(folder.path());
    let log = Log::open(keeper.path()).expect("it");
    let mut stream = log.stream(StreamKind::Session);
    // SAFETY: the child only writes to memory and kills itself.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            for descriptor in 0..256 {
                libc::close(descriptor);
            }
            let written = stream.append(&[7; 10_000]).is_ok();
            libc::kill(libc::getpid(), if written { libc::SIGKILL } else { libc::SIGTERM });
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        assert!(libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGKILL);
    }
    assert!(keeper.evidence().of(StreamKind::Session).eq([vec![7; 10_000]]));
}

#[test]
fn a_log_in_memory_is_found_by_its_path() {
    let keeper = LogKeeper::in_memory().expect("a log");
    assert_eq!(keeper.home(), Home::Memory);
    Log::open(keeper.path())
        .expect("it is found")
        .stream(StreamKind::Session)
        .append(b"x")
        .expect("room");
    assert!(keeper.evidence().of(StreamKind::Session).eq([b"x".to_vec()]));
}

#[test]
fn without_a_keeper_what_finds_no_room_is_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let keeper = keeper(folder.path());
    let path = keeper.path().to_path_buf();
    let log = Log::open(&path).expect("it");
    drop(keeper);
    let mut stream = log.stream(StreamKind::Session);
    let piece = vec![1; 1 << 20];
    let taken = (0..64).take_while(|_| stream.append(&piece) == Ok(())).count();
    assert!((1..64).contains(&taken), "{taken}");
    assert_eq!(stream.append(b"more"), Err(Lost), "nothing comes behind a gap");
    assert_eq!(read_file(&path).expect("the file").lost, 2);
}

#[test]
fn a_log_that_the_program_has_written_over_is_damaged() {
    let folder = tempfile::tempdir().expect("a folder");
    let keeper = keeper(folder.path());
    keeper.log().stream(StreamKind::Session).append(b"a race").expect("room");
    let file = std::fs::File::options().write(true).open(keeper.path()).expect("the file");
    file.write_all_at(&[0xff; 8], 4096).expect("the first chunk");
    assert!(keeper.evidence().is_damaged);
}

#[test]
fn a_log_that_the_program_has_cut_off_is_damaged_and_ends_nobody_here() {
    for length in [0, 4096, 5000] {
        let folder = tempfile::tempdir().expect("a folder");
        let keeper = keeper(folder.path());
        keeper.log().stream(StreamKind::Session).append(b"a race").expect("room");
        let file = std::fs::File::options().write(true).open(keeper.path()).expect("the file");
        file.set_len(length).expect("it is shorter");
        // The keeper has looked at it meanwhile.
        std::thread::sleep(std::time::Duration::from_millis(30));
        assert!(keeper.evidence().is_damaged, "{length} bytes are left");
    }
}

#[test]
fn a_log_that_is_over_takes_the_room_of_what_was_written_alone() {
    use std::os::unix::fs::MetadataExt;
    let folder = tempfile::tempdir().expect("a folder");
    let keeper = keeper(folder.path());
    let path = keeper.path().to_path_buf();
    keeper.log().stream(StreamKind::Session).append(b"a race").expect("room");
    let before = path.metadata().expect("the file");
    drop(keeper);
    let after = path.metadata().expect("the file");
    assert_eq!(after.len(), before.len(), "somebody may have it mapped");
    assert!(after.blocks() < before.blocks() / 10, "{} blocks", after.blocks());
    let evidence = read_file(&path).expect("it can be read");
    assert!(evidence.of(StreamKind::Session).eq([b"a race".to_vec()]));
}

#[test]
fn a_log_in_memory_cannot_be_cut_off() {
    let keeper = LogKeeper::in_memory().expect("a log");
    let file = std::fs::File::options().write(true).open(keeper.path()).expect("the file");
    assert!(file.set_len(0).is_err());
}

#[test]
fn other_files_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("other");
    std::fs::write(&path, b"short").expect("a file");
    assert!(Log::open(&path).is_err());
    assert!(read_file(&path).is_err());
    std::fs::write(&path, vec![0; 100_000]).expect("a file");
    assert!(Log::open(&path).is_err());
    assert!(read_file(&path).is_err());
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    assert!(Log::open(&link).is_err());
}
