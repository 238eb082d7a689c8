//! Small images of files, made in the background and kept by the content of the file.

use std::path::PathBuf;
use std::sync::Arc;

use galatea::Output;
use galatea::preview::Image;
use galatea::wire::checksum;

use super::browser::Look;
use super::jobs::Outcome;
use super::open::thumbnail;
use super::stand::Around;

/// Pixels of an image in the list, in both directions.
pub(crate) const SIZE: u32 = 96;
/// Another number when images are drawn in another way.
const VERSION: u64 = 1;

/// Where small images are kept.
#[derive(Debug, Clone, Default)]
pub(crate) struct Thumbnails {
    /// The folder; `None` keeps nothing.
    pub(crate) folder: Option<PathBuf>,
}

impl Thumbnails {
    /// Returns what is known of a file, or draws it.
    pub(crate) fn look(&self, around: &Around) -> Outcome<Look> {
        let output = around.files.load(&around.path)?;
        let place = self
            .folder
            .as_ref()
            .map(|folder| folder.join(format!("{:016x}.look", hash(&output, around.team))));
        if let Some(known) = place.as_ref().and_then(|place| std::fs::read(place).ok())
            && let Some(look) = unpack(&known)
        {
            return Ok(look);
        }
        let look = match thumbnail(around, &output, SIZE) {
            Ok((image, counts)) => Look { image: Ok(Arc::new(image)), counts },
            Err(error) => Look { image: Err(error), counts: [1, 0, 0] },
        };
        if let Some(place) = place {
            // Whatever goes wrong, the image is drawn again the next time.
            keep(&place, &look);
        }
        Ok(look)
    }
}

fn hash(output: &Output, team: u32) -> u64 {
    let start = checksum(&output.bytes) ^ VERSION.rotate_left(32) ^ u64::from(team);
    output.companions.iter().fold(start, |hash, c| hash.rotate_left(7) ^ checksum(&c.bytes))
}

#[cfg(not(target_arch = "wasm32"))]
fn keep(place: &std::path::Path, look: &Look) {
    let Some(bytes) = pack(look) else { return };
    if let Some(folder) = place.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    let _ = galatea::disk::write(place, &bytes, true);
}

#[cfg(target_arch = "wasm32")]
fn keep(_: &std::path::Path, _: &Look) {}

#[cfg(any(test, not(target_arch = "wasm32")))]
/// Returns what is known of a file as bytes: the counts, then a PNG or a sentence.
fn pack(look: &Look) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for count in look.counts {
        out.extend(u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
    }
    match &look.image {
        Ok(image) => out.extend(image.png().ok()?),
        Err(error) => out.extend(error.as_bytes()),
    }
    Some(out)
}

fn unpack(bytes: &[u8]) -> Option<Look> {
    let (head, rest) = bytes.split_at_checked(12)?;
    let mut counts = [0; 3];
    for (slot, value) in counts.iter_mut().zip(head.as_chunks::<4>().0) {
        *slot = u32::from_le_bytes(*value) as usize;
    }
    if !rest.starts_with(b"\x89PNG") {
        return Some(Look { image: Err(String::from_utf8(rest.to_vec()).ok()?), counts });
    }
    let limits = galatea::Limits::default();
    let image = galatea::texture::Texture::read(rest, &limits).ok()?.decode_best(&limits).ok()?;
    let image = Image { width: image.width, height: image.height, pixels: image.rgba };
    Some(Look { image: Ok(Arc::new(image)), counts })
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests fail loudly"
)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_a_file_comes_back() {
        let image = Image { width: 2, height: 1, pixels: vec![1, 2, 3, 255, 4, 5, 6, 0] };
        for image in [Ok(Arc::new(image)), Err("damaged".to_owned())] {
            let look = Look { image, counts: [1, 2, 3] };
            let back = unpack(&pack(&look).unwrap()).unwrap();
            assert_eq!((back.image, back.counts), (look.image, look.counts));
        }
        assert!(unpack(&[0; 5]).is_none());
    }
}
