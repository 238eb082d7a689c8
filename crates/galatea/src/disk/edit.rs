//! Changing archives, and making new ones.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use galatea_archive::erf::{Erf, ErfType};
use galatea_archive::fpk::Fpk;
use galatea_archive::{Archive, Edit, FORMATS, open_bytes};
use galatea_wire::Limits;

use super::archive_folder::{ArchiveFolder, Inside, failed};
use super::place::{Place, archive, locate};
use super::{Policy, is_ours, walk, write_output_with};
use crate::Output;

/// Changes entries of an archive, and writes it back as a whole. An archive inside of another one is put back into it.
///
/// Nothing is written unless the new archive opens and gives every new entry back.
pub fn edit(path: &Path, edits: &[Edit], policy: &Policy<'_>) -> io::Result<()> {
    let open =
        archive(path)?.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "is not an archive"))?;
    let bytes = open.archive().edited(edits).map_err(failed)?;
    verify(&bytes, edits)?;
    match locate(path)? {
        Place::Entry(outer, index) => {
            let name = outer.archive().entry(index).map_or(String::new(), |entry| entry.name.into_owned());
            edit(outer.path(), &[Edit::put(name, bytes)], policy)
        }
        _ => write_output_with(path, &Output::single(bytes), policy),
    }
}

/// Returns the edits that put a changed file, and what belongs to it, back into the archive it came from, and the path of that
/// archive; `None` for a file on disk. Files with the bytes that they have already are left out.
pub fn entries(path: &Path, output: &Output) -> io::Result<Option<(PathBuf, Vec<Edit>)>> {
    let Place::Entry(archive, index) = locate(path)? else { return Ok(None) };
    let own = archive.archive().entry(index).map_or(String::new(), |entry| entry.name.into_owned());
    let mut edits = Vec::new();
    for (place, bytes) in super::files(path, output)? {
        let name = match locate(&place) {
            Ok(Place::Entry(there, index)) if there.path() == archive.path() => {
                if there.read(index)? == bytes {
                    continue;
                }
                there.archive().entry(index).map(|entry| entry.name.into_owned())
            }
            _ => {
                let file = place.file_name().and_then(|name| name.to_str());
                let folder = own.rfind(['/', '\\']).and_then(|at| own.get(..=at)).unwrap_or("");
                file.map(|file| format!("{folder}{file}"))
            }
        };
        let name = name.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        edits.push(Edit::put(name, bytes.to_vec()));
    }
    Ok(Some((archive.path().to_path_buf(), edits)))
}

/// Opens an archive that was just made, and compares the entries that are new in it.
fn verify(bytes: &[u8], edits: &[Edit]) -> io::Result<()> {
    let made = open_bytes(bytes.to_vec(), &Limits::default()).map_err(failed)?;
    let made = ArchiveFolder::new(PathBuf::new(), made, Inside::default());
    for edit in edits {
        let Edit::Put { name, bytes } = edit else { continue };
        let same = made.find(name).map(|index| made.read(index)).transpose()?;
        if same.as_ref() != Some(bytes) {
            let what = format!("{name}: does not come back from the new archive; nothing was written");
            return Err(io::Error::other(what));
        }
    }
    Ok(())
}

/// Makes an archive from the files in and below a folder; the extension of its path selects the kind. Returns its bytes and the number of
/// files.
pub fn pack(folder: &Path, path: &Path) -> io::Result<(Vec<u8>, usize)> {
    let mut files = Vec::new();
    let failures = walk(folder, &mut |path| files.push(path));
    if let Some((path, error)) = failures.into_iter().next() {
        return Err(io::Error::new(error.kind(), format!("{}: {error}", path.display())));
    }
    // Hidden files are leftovers of other programs.
    files.retain(|path| {
        path.file_name().is_some_and(|name| !is_ours(name) && !name.to_string_lossy().starts_with('.'))
    });
    files.sort();
    let empty = new_archive(path)?;
    let mut edits = Vec::with_capacity(files.len());
    for file in &files {
        let name = file.strip_prefix(folder).ok().and_then(Path::to_str);
        let name = name.ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{}: its name is not Unicode", file.display()),
            )
        })?;
        edits.push(Edit::put(name.replace('\\', "/"), fs::read(file)?));
    }
    let bytes = empty.edited(&edits).map_err(failed)?;
    verify(&bytes, &edits)?;
    Ok((bytes, files.len()))
}

/// Returns an archive without entries, of the kind that the extension of its path tells.
fn new_archive(path: &Path) -> io::Result<Box<dyn Archive>> {
    let extension = path.extension().map_or(String::new(), |e| e.to_string_lossy().to_lowercase());
    let known = FORMATS.iter().find(|format| format.extensions.contains(&extension.as_str()));
    let archive: Option<Box<dyn Archive>> = match extension.as_str() {
        "erf" => Some(Box::new(Erf::new(ErfType::Erf))),
        "hak" => Some(Box::new(Erf::new(ErfType::Hak))),
        "fpkd" => Some(Box::new(Fpk::new(true))),
        _ => known.and_then(|format| format.new).map(|new| new()),
    };
    archive.ok_or_else(|| {
        let writable = FORMATS.iter().filter(|format| format.writable()).flat_map(|format| format.extensions);
        let list = writable.map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(", ");
        io::Error::new(io::ErrorKind::InvalidInput, format!("the extension must be one of {list}"))
    })
}
