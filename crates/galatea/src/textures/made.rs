//! Images made for materials, each when it is first asked for, and once.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use galatea_texture::{Image, encode};

use super::Decoded;
use super::budget::Budget;

type Make = Box<dyn Fn() -> Arc<Image> + Send + Sync>;

/// An image that is made when it is needed.
struct Made {
    make: Make,
    image: OnceLock<Arc<Image>>,
    #[cfg(feature = "preview")]
    drawn: OnceLock<Option<Arc<galatea_preview::Texture>>>,
    /// The texture it is, unchanged.
    whole: Option<Arc<Decoded>>,
}

/// Images by name.
#[derive(Default)]
pub(super) struct MadeImages {
    made: HashMap<String, Made>,
    pub(super) budget: Budget,
}

impl fmt::Debug for MadeImages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.made.keys()).finish()
    }
}

/// Returns the name a texture has without folders and ending.
fn stem(name: &str) -> String {
    galatea_texture::find::output_name(name)
}

/// Returns the bytes of an image that is ready to be drawn with: its pixels, and smaller levels of 16 bytes each.
#[cfg(feature = "preview")]
fn drawn_size(image: &Image) -> u64 {
    image.rgba.len() as u64 * 5 / 2
}

impl MadeImages {
    /// Adds a texture as it is; returns the image's name. Textures of one name that are different files get a number.
    pub(super) fn whole(&mut self, name: &str, texture: &Arc<Decoded>) -> String {
        let image = Arc::clone(&texture.image);
        let same = |made: &Made| made.whole.as_ref().is_some_and(|w| Arc::ptr_eq(w, texture));
        self.add(stem(name), &same, Some(texture), move || Arc::clone(&image))
    }

    /// Adds an image made of a texture, or of several whose names are distinguished by `what`.
    pub(super) fn derived(
        &mut self,
        name: &str,
        what: &str,
        texture: &Arc<Decoded>,
        make: impl Fn(&Image) -> Image + Send + Sync + 'static,
    ) -> String {
        let base = self.whole(name, texture);
        let image = Arc::clone(&texture.image);
        self.add(format!("{base}.{what}"), &|_| true, None, move || Arc::new(make(&image)))
    }

    /// Adds an image that is there already, under just this name.
    pub(super) fn add_named(&mut self, name: &str, image: Arc<Image>) {
        self.add(name.to_owned(), &|_| true, None, move || Arc::clone(&image));
    }

    /// Adds an image under a name that nothing else has; returns that name.
    pub(super) fn own(&mut self, name: &str, make: impl Fn() -> Image + Send + Sync + 'static) -> String {
        self.add(name.to_owned(), &|_| true, None, move || Arc::new(make()))
    }

    fn add(
        &mut self,
        name: String,
        same: &dyn Fn(&Made) -> bool,
        whole: Option<&Arc<Decoded>>,
        make: impl Fn() -> Arc<Image> + Send + Sync + 'static,
    ) -> String {
        let mut unique = name.clone();
        for n in 2u32.. {
            match self.made.get(&unique) {
                None => break,
                Some(made) if same(made) => return unique,
                Some(_) => unique = format!("{name}_{n}"),
            }
        }
        let made = Made {
            make: Box::new(make),
            image: OnceLock::new(),
            #[cfg(feature = "preview")]
            drawn: OnceLock::new(),
            whole: whole.cloned(),
        };
        self.made.insert(unique.clone(), made);
        unique
    }

    /// Returns an image.
    pub(super) fn image(&self, name: &str) -> Option<&Arc<Image>> {
        let made = self.made.get(name)?;
        Some(made.image.get_or_init(|| (made.make)()))
    }

    /// Returns an image as a file that glTF can hold, with its media type.
    pub(super) fn file(&self, name: &str) -> Option<(&'static str, Vec<u8>)> {
        let made = self.made.get(name)?;
        if let Some(file) = made.whole.as_ref().and_then(|w| w.file.as_ref()) {
            return Some(file.clone());
        }
        // Kept by nobody: a model may have many.
        let image = made.image.get().cloned().unwrap_or_else(|| (made.make)());
        Some(("image/png", encode::png(&image).ok()?))
    }

    /// Returns an image to draw with.
    #[cfg(feature = "preview")]
    pub(super) fn drawn(&self, name: &str) -> Option<Arc<galatea_preview::Texture>> {
        let made = self.made.get(name)?;
        let new = || {
            let mut image = made.image.get().cloned().unwrap_or_else(|| (made.make)());
            // What is left may do for a smaller level: large textures are drawn smaller than they are anyway.
            while !self.budget.draw(drawn_size(&image)) {
                if image.rgba.len() <= 4 {
                    return None;
                }
                image = Arc::new(image.halved());
            }
            galatea_preview::Texture::new(image.width, image.height, &image.rgba).map(Arc::new)
        };
        made.drawn.get_or_init(new).clone()
    }
}
