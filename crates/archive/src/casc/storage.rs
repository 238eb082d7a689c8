//! A storage as an archive like any other.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use galatea_wire::{Coverage, Error, ErrorKind, Limits, Report, Result, Wire, wire};
use md5::{Digest, Md5};

use super::blte::{decode_blte, has_key, is_blte};
use super::cursor::mismatch;
use super::encoding::Encoding;
use super::index::{Index, Location, RECORD_HEAD, of_name};
use super::text::{BuildConfig, BuildInfo, Named, hex, is_build_info, prefix};
use super::tvfs::{Span, Tvfs};
use super::{EKey, KEY_PREFIX};
use crate::archive::no_entry;
use crate::{Archive, Entry, Files, Kind, Locator, ReadAt, Recall, Storage, check};

/// Reads files without indices and name tables.
pub(crate) static RECALL: Recall = Recall { read: recall, aliases: |_| Vec::new() };

wire! {
    /// What reading a file takes beside the place of its record.
    struct RecordKey(17) {
        /// The start of its key.
        ekey: [u8; 9] = 0,
        /// Bytes of the content that it is taken from.
        size: u64 = 9,
    }
}

galatea_wire::rules! {
    /// The rules of CASC storages, in the order of the codes.
    pub static RULES;
    NOT_THERE "ACSC0001" Info keep "files that are not in the storage"
        "The game downloads some files when they are needed, such as other languages. Start the game once, or repair it, to get them all.";
}

/// The folder of the indices and the data.
const DATA: &str = "Data/data";

/// A storage. It holds the index and the names; files are read from the folder of the game.
#[derive(Debug)]
pub struct Casc {
    files: Arc<dyn Files>,
    info: BuildInfo,
    index: Index,
    tables: Vec<Tvfs>,
    names: String,
    entries: Vec<CascFile>,
    /// The files that the names and indices were found by.
    parts: Vec<String>,
    /// Data files that were opened.
    opened: Mutex<HashMap<u32, Arc<dyn ReadAt>>>,
}

/// One file.
#[derive(Debug, Clone, Copy)]
struct CascFile {
    name: (usize, usize),
    place: Place,
}

/// Where the parts of a file are listed.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// In a name table.
    Table { table: usize, file: usize },
    /// By the list of names and the encoding file.
    Whole { ekey: EKey, size: u64 },
}

/// Returns `true` if these bytes begin like a `.build.info`.
pub fn detect(bytes: &[u8]) -> bool {
    is_build_info(bytes)
}

/// Returns the error if a `.build.info` cannot be read; it has no fields.
pub fn inspect(bytes: &[u8], _limits: &Limits) -> (Coverage, Option<Error>) {
    (Coverage::default(), BuildInfo::parse(bytes).err())
}

impl Casc {
    /// Opens the storage of a `.build.info`; `files` is the folder that it is in. Reads the indices and the names.
    pub fn open(source: &dyn ReadAt, files: Option<Arc<dyn Files>>, limits: &Limits) -> Result<Casc> {
        let text = whole(source, limits, ".build.info")?;
        let info = BuildInfo::parse(&text)?;
        let Some(files) = files else {
            let what = "a storage without the folder of the game".into();
            return Err(Error::at(ErrorKind::Unsupported(what), 0).within(".build.info"));
        };
        let path = info.config_path();
        let config = needed(files.as_ref(), &path)?;
        let config =
            BuildConfig::parse(&whole(config.as_ref(), limits, &path)?).map_err(|e| e.within(&path))?;
        let (index, mut parts) = read_indices(files.as_ref(), limits)?;
        parts.push(path.clone());
        let mut casc = Casc {
            files,
            info,
            index,
            tables: Vec::new(),
            names: String::new(),
            entries: Vec::new(),
            parts,
            opened: Mutex::default(),
        };
        match (config.named("vfs-root"), config.named("encoding"), config.get("root")) {
            (Some(root), ..) => casc.add_tables(&config, root, limits)?,
            (None, Some(encoding), [root]) => casc.add_list(encoding, root, limits)?,
            _ => {
                let what = "a build without a name table (`vfs-root`) and without a list (`root`)".into();
                return Err(Error::at(ErrorKind::Unsupported(what), 0).within(&path));
            }
        }
        Ok(casc)
    }

    /// Returns the build that is in use.
    pub fn build(&self) -> &BuildInfo {
        &self.info
    }

    /// Adds the names of the root table and of the tables inside of it.
    fn add_tables(&mut self, config: &BuildConfig, root: Named, limits: &Limits) -> Result<()> {
        let nested: HashMap<EKey, Named> =
            config.nested().into_iter().map(|named| (named.ekey, named)).collect();
        let mut seen = HashSet::from([root.ekey]);
        let mut open = vec![(String::new(), root)];
        while let Some((folder, named)) = open.pop() {
            let within = |error: Error| error.within(if folder.is_empty() { "vfs-root" } else { &folder });
            let bytes = self.read_named(&named, limits).map_err(within)?;
            let table = Tvfs::read(bytes, limits).map_err(within)?;
            for file in 0..table.len() {
                let Some(spans) = table.spans(file).map_err(within)? else { continue };
                let name = text_of(&folder, table.name(file).unwrap_or(&[]));
                match spans.as_slice() {
                    [span] if nested.contains_key(&span.ekey) && seen.insert(span.ekey) => {
                        open.extend(nested.get(&span.ekey).map(|named| (name, *named)));
                    }
                    // The root table lists itself.
                    [span] if span.ekey == root.ekey => {}
                    _ => self.add(&name, Place::Table { table: self.tables.len(), file }),
                }
            }
            self.tables.push(table);
        }
        let names = std::mem::take(&mut self.names);
        self.entries.sort_by(|a, b| names.get(a.name.0..a.name.1).cmp(&names.get(b.name.0..b.name.1)));
        self.names = names;
        Ok(())
    }

    /// Adds the names of the list that the first versions have: `name|content key|...` in each line.
    fn add_list(&mut self, encoding: Named, root: &str, limits: &Limits) -> Result<()> {
        let encoding = Encoding::read(self.read_named(&encoding, limits)?)?;
        let unknown = || {
            mismatch(0, "root", "the key of a content in the storage", galatea_wire::escape(root).to_string())
        };
        let ckey = hex(root).ok_or_else(unknown)?;
        let found = encoding.find(&ckey)?.ok_or_else(unknown)?;
        let named = Named { ckey, ekey: prefix(&found.ekey), size: found.size };
        let list = self.read_named(&named, limits)?;
        for (index, line) in String::from_utf8_lossy(&list).lines().enumerate() {
            let mut cells = line.split('|');
            let (name, key) = (cells.next().unwrap_or(""), cells.next().unwrap_or(""));
            let Some(ckey) = hex(key) else {
                return Err(Error::syntax("expected `name|key`", index as u32 + 1, 1));
            };
            if let Some(found) = encoding.find(&ckey)? {
                self.add(
                    &text_of("", name.as_bytes()),
                    Place::Whole { ekey: prefix(&found.ekey), size: found.size },
                );
            }
        }
        Ok(())
    }

    fn add(&mut self, name: &str, place: Place) {
        let start = self.names.len();
        self.names.push_str(name);
        self.entries.push(CascFile { name: (start, self.names.len()), place });
    }

    /// Reads a file that the configuration names, and compares its checksum.
    fn read_named(&self, named: &Named, limits: &Limits) -> Result<Vec<u8>> {
        let bytes = self.read_key(&named.ekey, named.size, limits)?;
        if <[u8; 16]>::from(Md5::digest(&bytes)) != named.ckey {
            return Err(mismatch(
                0,
                "content",
                "the checksum of the configuration",
                "another: the file is damaged",
            ));
        }
        Ok(bytes)
    }

    /// Reads and unpacks the file of a key.
    fn read_key(&self, key: &EKey, size: u64, limits: &Limits) -> Result<Vec<u8>> {
        let location = self.locate(key)?;
        let source = self.data(location.archive)?;
        let (at, len) = (location.offset + u64::from(RECORD_HEAD), u64::from(location.size - RECORD_HEAD));
        let read = read_record(source.as_ref(), (at, len), key, size, limits);
        read.map_err(|error| error.within(format!("data.{:03}", location.archive)))
    }

    fn locate(&self, key: &EKey) -> Result<Location> {
        self.index.get(key).ok_or_else(|| {
            let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
            let what = format!("{digits} is not in the storage: the game has not downloaded it").into();
            Error::at(ErrorKind::Unsupported(what), 0).within(DATA)
        })
    }

    /// Returns a data file, opened once.
    fn data(&self, number: u32) -> Result<Arc<dyn ReadAt>> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = opened.get(&number) {
            return Ok(Arc::clone(known));
        }
        let source = needed(self.files.as_ref(), &data_path(number))?;
        opened.insert(number, Arc::clone(&source));
        Ok(source)
    }

    /// Returns the parts of a file.
    fn spans(&self, file: &CascFile) -> Result<Vec<Span>> {
        match file.place {
            Place::Table { table, file } => {
                let found = self.tables.get(table).map_or(Ok(None), |table| table.spans(file))?;
                Ok(found.unwrap_or_default())
            }
            Place::Whole { ekey, size } => {
                let size = u32::try_from(size).unwrap_or(u32::MAX);
                let packed =
                    self.index.get(&ekey).map_or(0, |location| location.size.saturating_sub(RECORD_HEAD));
                Ok(vec![Span { offset: 0, length: size, ekey, packed, size, ckey: None }])
            }
        }
    }

    fn name(&self, file: &CascFile) -> &str {
        self.names.get(file.name.0..file.name.1).unwrap_or("")
    }
}

impl Archive for Casc {
    fn kind(&self) -> Kind {
        Kind::Casc
    }

    fn version(&self) -> String {
        format!("CASC {}", self.info.version).trim_end().to_owned()
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn entry(&self, index: usize) -> Option<Entry<'_>> {
        let file = self.entries.get(index)?;
        let spans = self.spans(file).unwrap_or_default();
        let size = spans.iter().map(|span| u64::from(span.length)).sum();
        let location = spans.first().and_then(|span| self.index.get(&span.ekey));
        let offset = location.map_or(0, |location| location.offset + u64::from(RECORD_HEAD));
        // What is not in the storage takes no bytes of it.
        let packed =
            |span: &Span| self.index.get(&span.ekey).map_or(0, |location| location.size - RECORD_HEAD);
        let packed = spans.iter().map(|span| u64::from(packed(span))).sum();
        Some(Entry::stored(self.name(file), offset, size).with_storage(Storage::Packed, packed))
    }

    fn source_of(&self, index: usize) -> Result<Arc<dyn ReadAt>> {
        let file = self.entries.get(index).ok_or_else(|| no_entry(index, self.len()))?;
        let spans = self.spans(file)?;
        let key = spans.first().map_or([0; KEY_PREFIX], |span| span.ekey);
        self.data(self.locate(&key)?.archive)
    }

    fn read_entry(&self, index: usize, limits: &Limits) -> Result<Vec<u8>> {
        let file = self.entries.get(index).ok_or_else(|| no_entry(index, self.len()))?;
        let within = |error: Error| error.within(format!("\"{}\"", galatea_wire::escape(self.name(file))));
        let spans = self.spans(file).map_err(within)?;
        if spans.iter().map(|span| u64::from(span.length)).sum::<u64>() > limits.entry {
            return Err(within(Error::at(ErrorKind::Limit("bytes of an entry"), 0)));
        }
        let mut out = Vec::new();
        for span in spans {
            let content = self.read_key(&span.ekey, span.size.into(), limits).map_err(within)?;
            let part = content.get(..span.length as usize);
            let Some(part) = part.filter(|_| span.offset as usize == out.len()) else {
                let found = format!("{} bytes at {}", span.length, span.offset);
                let want = format!("a part at {} of at most {} bytes", out.len(), span.size);
                return Err(within(mismatch(0, "spans", want, found)));
            };
            if out.is_empty() && part.len() == content.len() {
                out = content;
            } else {
                out.extend_from_slice(part);
            }
        }
        Ok(out)
    }

    fn locator(&self, index: usize) -> Option<Locator> {
        let spans = self.spans(self.entries.get(index)?).ok()?;
        // Files in several parts are few.
        let [span] = spans.as_slice() else { return None };
        let location = self.index.get(&span.ekey).filter(|_| span.offset == 0 && span.length == span.size)?;
        let mut data = vec![0; RecordKey::SIZE];
        RecordKey { ekey: span.ekey, size: span.size.into() }.put(&mut data);
        Some(Locator { part: Some(data_path(location.archive)), data, ..Locator::default() })
    }

    fn parts(&self) -> Vec<String> {
        self.parts.clone()
    }

    fn check(&self) -> Report {
        let mut report = Report::new();
        check::entries(self, &mut report);
        let missing = |file: &&CascFile| {
            self.spans(file).is_ok_and(|spans| spans.iter().any(|span| self.index.get(&span.ekey).is_none()))
        };
        for file in self.entries.iter().filter(missing) {
            report.add(&NOT_THERE, None, || {
                (galatea_wire::escape(self.name(file)).to_string(), "not downloaded".into())
            });
        }
        report
    }
}

/// Returns the path of a data file.
fn data_path(number: u32) -> String {
    format!("{DATA}/data.{number:03}")
}

fn recall(source: &Arc<dyn ReadAt>, entry: &Entry<'_>, data: &[u8], limits: &Limits) -> Result<Vec<u8>> {
    let within = |error: Error| error.within(format!("\"{}\"", galatea_wire::escape(&entry.name)));
    let RecordKey { ekey, size } = RecordKey::get(data);
    if size > limits.entry {
        return Err(within(Error::at(ErrorKind::Limit("bytes of an entry"), 0)));
    }
    read_record(source.as_ref(), (entry.offset, entry.packed), &ekey, size, limits).map_err(within)
}

/// Reads and unpacks the record of a key, whose data are at a place in this file.
fn read_record(
    source: &dyn ReadAt,
    (at, len): (u64, u64),
    key: &EKey,
    size: u64,
    limits: &Limits,
) -> Result<Vec<u8>> {
    let have = source.len().saturating_sub(at);
    let place = usize::try_from(at).unwrap_or(usize::MAX);
    if len > have {
        return Err(Error::at(ErrorKind::Truncated { count: 1, size: len, have }, place));
    }
    if len > limits.entry {
        return Err(Error::at(ErrorKind::Limit("bytes of an entry"), place));
    }
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(usize::MAX)];
    let failed = |e: std::io::Error| Error::at(ErrorKind::Io(e.to_string().into()), place);
    source.read_at(at, &mut bytes).map_err(failed)?;
    if !is_blte(&bytes) || !has_key(&bytes, key) {
        return Err(mismatch(place, "record", "a BLTE of the key in the index", "something else"));
    }
    decode_blte(&bytes, Some(size), limits)
}

/// Returns a name as text, separated by `/`: in the storage, `:` follows the name of a table inside of a table.
fn text_of(folder: &str, name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name).replace(['\\', ':'], "/");
    if folder.is_empty() { name } else { format!("{folder}/{name}") }
}

/// Returns a file of the folder that has to be there.
fn needed(files: &dyn Files, path: &str) -> Result<Arc<dyn ReadAt>> {
    let failed = |what: String| Error::at(ErrorKind::Io(what.into()), 0).within(path);
    files.file(path).map_err(|e| failed(e.to_string()))?.ok_or_else(|| failed("the file is missing".into()))
}

/// Reads a small file as a whole.
fn whole(source: &dyn ReadAt, limits: &Limits, path: &str) -> Result<Vec<u8>> {
    if source.len() > limits.entry {
        return Err(Error::at(ErrorKind::Limit("bytes of an entry"), 0).within(path));
    }
    let mut bytes = vec![0; usize::try_from(source.len()).unwrap_or(usize::MAX)];
    let failed = |e: std::io::Error| Error::at(ErrorKind::Io(e.to_string().into()), 0).within(path);
    source.read_at(0, &mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// Reads the newest index of each bucket. Also returns their paths.
fn read_indices(files: &dyn Files, limits: &Limits) -> Result<(Index, Vec<String>)> {
    let failed = |e: std::io::Error| Error::at(ErrorKind::Io(e.to_string().into()), 0).within(DATA);
    let mut newest: HashMap<u8, (u32, String)> = HashMap::new();
    for name in files.names(DATA).map_err(failed)? {
        let Some((bucket, version)) = of_name(&name) else { continue };
        let known = newest.entry(bucket).or_insert_with(|| (version, name.clone()));
        if version > known.0 {
            *known = (version, name);
        }
    }
    if newest.is_empty() {
        return Err(mismatch(0, "indices", "`.idx` files", "none").within(DATA));
    }
    let (mut index, mut paths) = (Index::default(), Vec::with_capacity(newest.len()));
    for (bucket, (_, name)) in newest {
        let path = format!("{DATA}/{name}");
        let bytes = whole(needed(files, &path)?.as_ref(), limits, &path)?;
        index.add(&bytes, bucket).map_err(|error| error.within(&path))?;
        paths.push(path);
    }
    paths.sort();
    Ok((index, paths))
}
