//! Native readers: any bytes, and what opens comes back.

use galatea::wire::Inspector;
use galatea::{Document, Limits, Severity};

use crate::files::{Files, assert_same, convert, reopened};
use crate::memory;

/// Any bytes: inspect, read, check, fix, write. Nothing may panic, hang or take more memory than allowed.
pub fn read(format: &str, magic: &[u8], data: &[u8]) {
    let files = Files::behind(magic, format, data);
    memory::native(files.len(), || {
        if let Some(mut document) = files.open() {
            document.summary();
            document.check();
            document.fix(&|_| true);
            let _ = document.write();
        }
    });
    let inspections = (files.format.inspect)(&files.input(), &Limits::default());
    for (inspection, bytes) in inspections.iter().zip([Some(&files.bytes), files.companion.as_ref()]) {
        let bytes = bytes.map_or(&[][..], Vec::as_slice);
        let map = Inspector::new(bytes, &inspection.coverage).map();
        assert_eq!(map.iter().map(|s| s.end - s.start).sum::<usize>(), bytes.len(), "every byte once");
    }
}

/// What opens is written back identically, and comes back from its text as it was.
pub fn roundtrip(format: &str, magic: &[u8], data: &[u8]) {
    let files = Files::behind(magic, format, data);
    let document = memory::native(files.len(), || {
        let document = files.open()?;
        let written = document.write().expect("what was read can be written");
        assert!(written.bytes == files.bytes, "the file differs");
        if let Some(companion) = &files.companion {
            let back = files.format.companions.first().and_then(|e| written.companion(e));
            assert!(back == Some(companion), "the companion differs");
        }
        Some(document)
    });
    if let Some(document) = document {
        memory::conversion(files.len(), || through_text(document.as_ref()));
    }
}

/// A text that opens comes back from our own text as it was.
pub fn text_roundtrip(format: &str, magic: &[u8], data: &[u8]) {
    let files = Files::behind(magic, format, data);
    memory::conversion(files.len(), || {
        if let Some(document) = files.open() {
            through_text(document.as_ref());
        }
    });
}

fn through_text(document: &dyn Document) {
    let Some(text) = document.format().text else { return };
    match convert(document, text) {
        Ok(converted) => assert_same(document, reopened(&converted.output).as_ref(), "through text"),
        // A text has no way to name what is not there.
        Err(error) => {
            let broken = document.check().at_least(Severity::Error) > 0;
            assert!(broken, "a document without errors cannot be printed: {error}");
        }
    }
}
