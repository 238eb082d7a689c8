//! What opens is written back identically.
#![no_main]

use galatea::kotor::bwm::{MAGIC, Walkmesh};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(data);
    if let Ok(mesh) = Walkmesh::read(&bytes, &Default::default()) {
        assert!(mesh.write().expect("what was read can be written") == bytes);
        let mut canonical = mesh.clone();
        canonical.forget_layout();
        if let Ok(written) = canonical.write() {
            let back = Walkmesh::read(&written, &Default::default()).expect("our own files can be read");
            assert_eq!(back.differences(&canonical), Vec::<String>::new());
        }
    }
});
