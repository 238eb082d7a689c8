//! Documents written to streams: the bytes of `write`, and nothing of what a single stream cannot take.
#![allow(clippy::unwrap_used, reason = "tests fail loudly")]

use std::path::Path;

use galatea::disk::{self, Job};
use galatea::{Limits, WriteError};

#[test]
fn every_example_is_written_to_a_stream_or_refused_for_its_companions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let (mut whole, mut refused) = (Vec::new(), Vec::new());
    for job in disk::jobs(&[folder], &|_| true) {
        let Job { path, .. } = job.as_ref().unwrap();
        let loaded = disk::load(job.as_ref().unwrap()).unwrap();
        let document = galatea::open(&loaded.input(), &Limits::default()).unwrap();
        let written = document.write().unwrap();
        let mut stream = Vec::new();
        match document.write_to(&mut stream) {
            Ok(()) => {
                assert!(written.companions.is_empty() && stream == written.bytes, "{}", path.display());
                whole.push(document.format().name);
            }
            Err(WriteError::Format(error)) => {
                assert!(!written.companions.is_empty() && stream.is_empty(), "{}: {error}", path.display());
                refused.push(document.format().name);
            }
            Err(error) => panic!("{}: {error}", path.display()),
        }
    }
    assert!(["kotor-bwm", "mdx", "mdl", "fmdl", "glb"].iter().all(|name| whole.contains(name)), "{whole:?}");
    assert!(refused.contains(&"kotor-mdl"), "{refused:?}");
}

#[test]
fn a_stream_that_ends_early_is_an_io_error() {
    let document = galatea::mdlx::Model::new(galatea::mdlx::Version(800));
    let error = document.write_to(&mut [0; 10][..]).unwrap_err();
    assert!(matches!(&error, WriteError::Io(e) if e.kind() == std::io::ErrorKind::WriteZero), "{error}");
}
