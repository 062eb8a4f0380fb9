//! Temporary.
use std::path::Path;
fn main() {
    let folder = Path::new("crates/instrument/device");
    for header in warpsan_instrument::device_sources::headers() {
        let path = folder.join(header.name);
        if std::fs::read_to_string(&path).unwrap_or_default() != header.text { std::fs::write(&path, header.text).unwrap(); println!("{}", header.name); }
    }
    for name in std::env::args().skip(1) {
        let source = folder.join(format!("{name}.cu"));
        let line = warpsan_instrument::device_sources::hash_line(&source).unwrap();
        let ptx = std::fs::read_to_string(format!("/tmp/{name}.ptx")).unwrap();
        std::fs::write(folder.join(format!("{name}.ptx")), line + &ptx).unwrap();
    }
}
