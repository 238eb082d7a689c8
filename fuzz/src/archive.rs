//! Archives: any bytes, every entry, and what opens is written identically.

use std::io;
use std::sync::Arc;

use galatea::Limits;
use galatea::archive::mpq::Mpq;
use galatea::archive::{self, Archive, Edit, Files, Kind, ReadAt, casc};
use galatea::wire::Inspector;

use crate::files::behind;
use crate::memory;

/// Opens, lists, checks, reads and writes an archive behind its magic.
pub fn read(kind: Kind, magic: &[u8], data: &[u8]) {
    let bytes = behind(magic, data);
    // Entries may be larger than what they are packed into; these are counted with the input.
    let limits = Limits::default().with_entry(1 << 20);
    memory::native(bytes.len(), || {
        let Ok(archive) = (kind.format().open)(Arc::new(bytes.clone()), None, &limits) else { return };
        archive.check();
        for index in 0..archive.len().min(64) {
            let opened = archive.open_entry(index, &limits).map(|source| source.len());
            if let Ok(entry) = archive.read_entry(index, &limits) {
                assert_eq!(opened.ok(), Some(entry.len() as u64), "an entry is as long as it is opened");
            }
        }
        if kind.format().writable()
            && let Ok(written) = archive.write()
        {
            assert!(written == bytes, "the archive differs");
        }
    });
    let (coverage, _) = archive::inspect(&bytes, &Limits::default());
    let map = Inspector::new(&bytes, &coverage).map();
    assert_eq!(map.iter().map(|s| s.end - s.start).sum::<usize>(), bytes.len(), "every byte once");
}

/// Opens an MPQ, recovers its names, changes it, and opens what was written.
pub fn mpq(data: &[u8]) {
    read(Kind::Mpq, b"MPQ\x1A", data);
    let limits = Limits::default().with_entry(1 << 20);
    let Ok(mut mpq) = Mpq::open(Arc::new(behind(b"MPQ\x1A", data)), &limits) else { return };
    mpq.recover_names(&limits);
    let edits = [Edit::put("war3map.w3i", vec![7; 5000]), Edit::put("new/file.mdx", vec![1, 2, 3])];
    if let Ok(written) = mpq.edited(&edits) {
        let again = Mpq::open(Arc::new(written), &limits).expect("what was written opens");
        for edit in &edits {
            let read = again.read_file(edit.name(), &limits).expect("what was put is read");
            assert!(read.is_some(), "{} is missing", edit.name());
        }
    }
}

/// The files of a storage whose first index is the input.
#[derive(Debug)]
struct Storage(Vec<u8>);

impl Files for Storage {
    fn file(&self, path: &str) -> io::Result<Option<Arc<dyn ReadAt>>> {
        let bytes = match path {
            "Data/data/0000000001.idx" => self.0.clone(),
            "Data/data/data.000" => self.0.clone(),
            path if path.starts_with("Data/config/") => {
                format!("vfs-root = {0} {0}\nvfs-root-size = 100 100\n", "00".repeat(16)).into_bytes()
            }
            _ => return Ok(None),
        };
        Ok(Some(Arc::new(bytes)))
    }

    fn names(&self, _: &str) -> io::Result<Vec<String>> {
        Ok(vec!["0000000001.idx".into()])
    }
}

/// Reads the parts of a CASC storage, each on its own: in a storage, checksums hide what is behind them.
pub fn casc(data: &[u8]) {
    let limits = Limits::default().with_entry(1 << 20);
    memory::native(data.len(), || {
        let _ = casc::decode_blte(data, None, &limits);
        let _ = casc::decode_blte(data, Some(100), &limits);
        if let Ok(table) = casc::Tvfs::read(data.to_vec(), &limits) {
            for index in 0..table.len().min(1000) {
                let _ = (table.name(index), table.spans(index));
            }
        }
        if let Ok(encoding) = casc::Encoding::read(data.to_vec()) {
            for page in 0..encoding.pages().min(100) {
                let _ = encoding.page(page);
            }
            let _ = encoding.find(&[0x80; 16]);
        }
        let _ = casc::BuildConfig::parse(data);
        let _ = casc::BuildInfo::parse(data);
        let info = b"Build Key!HEX:16|Active!DEC:1\n00000000000000000000000000000000|1\n".to_vec();
        let _ = casc::Casc::open(&info, Some(Arc::new(Storage(data.to_vec()))), &limits);
    });
}
