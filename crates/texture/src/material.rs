//! From the engines' textures to the images that glTF wants: which way a surface is drawn, and channel shuffles on pixels.
//!
//! ```
//! use galatea_texture::{Image, material};
//! // A DXT5 normal map of the Fox Engine: x in alpha, y in green, filler in the rest.
//! let stored = Image::filled(1, 1, [132, 200, 132, 90]);
//! let normal = material::fox_normal(&stored);
//! assert_eq!(normal.rgba[..2], [90, 200]);
//! ```

use crate::{Alpha, Blending, Image, Txi};

/// How a surface is drawn over what is behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Surface {
    /// Covers everything; alpha means nothing, or something else.
    Opaque,
    /// Drawn where alpha reaches this value.
    Mask(f32),
    /// Mixed by alpha.
    Blend,
    /// Added.
    Additive,
    /// What is behind is multiplied by the colour (twice as bright for the second kind).
    Modulate {
        /// Whether the product is doubled.
        twice: bool,
    },
}

/// What decides how KotOR draws a surface.
#[derive(Debug, Clone, Copy)]
pub struct KotorSurface<'a> {
    /// The TXI of the diffuse texture.
    pub txi: &'a Txi,
    /// The alpha value of a TPC's header; 1.0 for other textures.
    pub alpha_mean: f32,
    /// The node's own alpha.
    pub node_alpha: f32,
    /// The node's own light.
    pub self_illumination: [f32; 3],
    /// What the diffuse texture's alpha holds.
    pub alpha: Alpha,
}

impl KotorSurface<'_> {
    /// Returns how the surface is drawn. Where a reflection or bump map is attached, or the node glows white, alpha is
    /// no opacity.
    pub fn surface(&self) -> Surface {
        match self.txi.blending() {
            Blending::Additive => return Surface::Additive,
            Blending::PunchThrough => return Surface::Mask(self.cutoff()),
            Blending::Normal => {}
        }
        if self.node_alpha < 1.0 {
            return Surface::Blend;
        }
        let masked = self.txi.environment().is_some() || self.txi.name("bumpmaptexture").is_some();
        let white = self.self_illumination.iter().all(|c| *c > 0.99);
        if masked || white || self.alpha == Alpha::Opaque { Surface::Opaque } else { Surface::Blend }
    }

    /// Returns the alpha-test threshold: TXI or header if they make sense, else one half.
    pub fn cutoff(&self) -> f32 {
        let sensible = |x: &f32| *x > 0.0 && *x < 1.0;
        self.txi
            .number("alphamean")
            .filter(sensible)
            .or(Some(self.alpha_mean).filter(sensible))
            .unwrap_or(0.5)
    }
}

/// Changes a copy of the image.
fn mapped(image: &Image, change: impl FnMut([u8; 4]) -> [u8; 4]) -> Image {
    let mut out = image.clone();
    out.map(change);
    out
}

/// Returns the image without its alpha.
pub fn opaque(image: &Image) -> Image {
    mapped(image, |[r, g, b, _]| [r, g, b, 255])
}

/// Returns an image that is added, as one that is mixed: the brightness becomes alpha, and the colour is what remains.
/// Mixing that over black gives what adding gives.
pub fn additive(image: &Image) -> Image {
    mapped(image, |[r, g, b, a]| {
        let most = u32::from(r.max(g).max(b));
        let full = |c: u8| (u32::from(c) * 255 + most / 2).checked_div(most).unwrap_or(0) as u8;
        [full(r), full(g), full(b), ((most * u32::from(a) + 127) / 255) as u8]
    })
}

/// Returns Warcraft's modulate as mixing: what is behind is darkened by how dark the image is.
pub fn modulate(image: &Image) -> Image {
    mapped(image, |[r, g, b, _]| [0, 0, 0, 255 - ((u32::from(r) + u32::from(g) + u32::from(b)) / 3) as u8])
}

/// Returns glTF's metallic-roughness image for KotOR's reflection mask: low alpha reflects. Roughness in G, metalness in B.
pub fn reflection_mask(image: &Image) -> Image {
    mapped(image, |[_, _, _, a]| [255, (38.25 + 0.85 * f32::from(a) + 0.5) as u8, 255 - a, 255])
}

/// Returns a normal map from a height map: red is the height, `strength` how steep it is. Edges wrap around.
///
/// ```
/// use galatea_texture::{Image, material};
/// let flat = material::height_to_normal(&Image::filled(4, 4, [99, 99, 99, 255]), 1.0);
/// assert_eq!(flat.rgba[..4], [128, 128, 255, 255]);
/// ```
pub fn height_to_normal(image: &Image, strength: f32) -> Image {
    let (w, h) = (image.width.max(1), image.height.max(1));
    let height = |x: u32, y: u32| image.pixel(x % w, y % h).map_or(0.0, |[r, ..]| f32::from(r) / 255.0);
    let mut rgba = Vec::with_capacity(image.rgba.len());
    for y in 0..image.height {
        for x in 0..image.width {
            let at = |dx: u32, dy: u32| height(x + w + dx - 1, y + h + dy - 1);
            let across = at(2, 0) + 2.0 * at(2, 1) + at(2, 2) - at(0, 0) - 2.0 * at(0, 1) - at(0, 2);
            let down = at(0, 2) + 2.0 * at(1, 2) + at(2, 2) - at(0, 0) - 2.0 * at(1, 0) - at(2, 0);
            // Green points up in glTF, rows run down.
            let (nx, ny) = (-across * strength, down * strength);
            let length = (nx * nx + ny * ny + 1.0).sqrt();
            rgba.extend([byte(nx / length), byte(ny / length), byte(1.0 / length), 255]);
        }
    }
    Image { rgba, ..*image }
}

/// Returns a number from -1 to 1 as a byte.
fn byte(value: f32) -> u8 {
    (value * 127.5 + 128.0).clamp(0.0, 255.0) as u8
}

/// How a normal map is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NormalEncoding {
    /// x in R, y in G; z follows from them.
    RedGreen,
    /// x in A, y in G; R and B are filler.
    AlphaGreen,
    /// x, y, z in R, G, B.
    Plain,
}

/// Tells by content how a normal map is stored: nearly constant bright red and no blue is the alpha-green way. BC5 has only two
/// channels (`two_channels`).
pub fn normal_encoding(image: &Image, two_channels: bool) -> NormalEncoding {
    if two_channels {
        return NormalEncoding::RedGreen;
    }
    let total = image.rgba.len() / 4;
    let filler = image.pixels().filter(|[r, _, b, _]| *r >= 250 && *b <= 5).count();
    if total > 0 && filler * 50 >= total * 49 { NormalEncoding::AlphaGreen } else { NormalEncoding::Plain }
}

/// Returns the normal map with x, y, z in R, G, B, as glTF wants it. Plain ones stay as they are, without alpha.
pub fn decode_normal(image: &Image, encoding: NormalEncoding) -> Image {
    mapped(image, |[r, g, b, a]| match encoding {
        NormalEncoding::RedGreen => [r, g, third(r, g), 255],
        NormalEncoding::AlphaGreen => [a, g, third(a, g), 255],
        NormalEncoding::Plain => [r, g, b, 255],
    })
}

/// Returns the Fox Engine's normal map (x in A, y in G) as glTF wants it. In PES, whose filler is bright red without
/// blue, green points down the image; in MGSV, whose filler is grey, it points up.
///
/// ```
/// use galatea_texture::{Image, material};
/// let pes = material::fox_normal(&Image::filled(1, 1, [255, 100, 0, 90]));
/// assert_eq!(pes.rgba[..2], [90, 155]);
/// ```
pub fn fox_normal(image: &Image) -> Image {
    let down = normal_encoding(image, false) == NormalEncoding::AlphaGreen;
    mapped(image, |[_, g, _, a]| {
        let g = if down { 255 - g } else { g };
        [a, g, third(a, g), 255]
    })
}

/// Returns z from x and y, all as bytes.
fn third(x: u8, y: u8) -> u8 {
    let unit = |v: u8| (f32::from(v) - 127.5) / 127.5;
    let (x, y) = (unit(x), unit(y));
    byte((1.0 - x * x - y * y).max(0.0).sqrt())
}

/// Returns Reforged's unit: the colour is multiplied by the team's where the ORM's alpha says so. `None` if that alpha is 255
/// everywhere, which means that there is no mask. The two images may differ in size.
pub fn team_diffuse(diffuse: &Image, orm: &Image, team: [u8; 3]) -> Option<Image> {
    with_mask(diffuse, orm, |pixel, mask| {
        for (c, t) in pixel.iter_mut().zip(team) {
            let own = u32::from(*c);
            *c = ((own * (255 - mask) + own * u32::from(t) / 255 * mask + 127) / 255) as u8;
        }
    })
}

/// Returns the same unit for the classic game, which draws the team's colour below the skin: transparent where the ORM's alpha says so.
///
/// ```
/// use galatea_texture::{Image, material::team_holes};
/// let skin = Image::filled(2, 1, [10, 20, 30, 255]);
/// let orm = Image::new(2, 1, vec![0, 0, 0, 255, 0, 0, 0, 0]).unwrap();
/// assert_eq!(team_holes(&skin, &orm).unwrap().rgba, [10, 20, 30, 0, 10, 20, 30, 255]);
/// ```
pub fn team_holes(diffuse: &Image, orm: &Image) -> Option<Image> {
    with_mask(diffuse, orm, |[.., alpha], mask| *alpha = (255 - mask) as u8)
}

/// Changes every pixel by the mask in an ORM's alpha, from 0 to 255; `None` if there is none.
fn with_mask(diffuse: &Image, orm: &Image, change: impl Fn(&mut [u8; 4], u32)) -> Option<Image> {
    if orm.alpha() == Alpha::Opaque || orm.width == 0 || orm.height == 0 {
        return None;
    }
    let mut out = diffuse.clone();
    let scale = |at: u32, from: u32, to: u32| (u64::from(at) * u64::from(to) / u64::from(from.max(1))) as u32;
    let places = (0..diffuse.height).flat_map(|y| (0..diffuse.width).map(move |x| (x, y)));
    for (pixel, (x, y)) in out.rgba.as_chunks_mut::<4>().0.iter_mut().zip(places) {
        let mask = orm.pixel(scale(x, diffuse.width, orm.width), scale(y, diffuse.height, orm.height));
        change(pixel, u32::from(mask.map_or(0, |[_, _, _, a]| a)));
    }
    Some(out)
}

/// Returns the images over each other as one image, as large as the largest of them: each with how it is drawn and its opacity. The
/// alpha of the lowest stays.
///
/// ```
/// use galatea_texture::{Image, material::{Surface, layered}};
/// let team = Image::filled(1, 1, [255, 0, 0, 255]);
/// let skin = Image::new(2, 1, vec![10, 20, 30, 255, 10, 20, 30, 0]).unwrap();
/// assert_eq!(layered(&team, &[(&skin, Surface::Blend, 1.0)]).rgba, [10, 20, 30, 255, 255, 0, 0, 255]);
/// ```
pub fn layered(lowest: &Image, over: &[(&Image, Surface, f32)]) -> Image {
    let all = || std::iter::once(lowest).chain(over.iter().map(|(image, ..)| *image));
    let width = all().map(|i| i.width).max().unwrap_or(0);
    let height = all().map(|i| i.height).max().unwrap_or(0);
    let at = |image: &Image, x: u32, y: u32| {
        let scale =
            |at: u32, from: u32, to: u32| (u64::from(at) * u64::from(to) / u64::from(from.max(1))) as u32;
        image.pixel(scale(x, width, image.width), scale(y, height, image.height)).unwrap_or_default()
    };
    let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let [r, g, b, alpha] = at(lowest, x, y);
        let mut colour = [r, g, b].map(f32::from);
        for (image, surface, opacity) in over {
            let [r, g, b, a] = at(image, x, y);
            let a = f32::from(a) / 255.0 * opacity;
            for (under, new) in colour.iter_mut().zip([r, g, b].map(f32::from)) {
                *under = match surface {
                    Surface::Opaque => new,
                    Surface::Mask(cutoff) if a < *cutoff => *under,
                    Surface::Mask(_) => new,
                    Surface::Blend => *under + (new - *under) * a,
                    Surface::Additive => *under + new * a,
                    Surface::Modulate { twice } => *under * new / 255.0 * if *twice { 2.0 } else { 1.0 },
                };
            }
        }
        let [r, g, b] = colour.map(|c| (c + 0.5).clamp(0.0, 255.0) as u8);
        rgba.extend([r, g, b, alpha]);
    }
    Image { width, height, rgba }
}

/// Returns Reforged's ORM (occlusion, roughness, metalness) for glTF, which has the same packing: only the team mask goes.
pub fn orm(image: &Image) -> Image {
    opaque(image)
}

/// Returns the Fox Engine's SRM as glTF's metallic-roughness: roughness in G, no metal.
pub fn fox_roughness(srm: &Image) -> Image {
    mapped(srm, |[_, g, _, _]| [255, g, 0, 255])
}

/// Returns a metallic-roughness image with metal where another image is red, in the size of the first.
pub fn with_metal(rough: &Image, metal: &Image) -> Image {
    let mut out = rough.clone();
    let scale = |at: u32, from: u32, to: u32| (u64::from(at) * u64::from(to) / u64::from(from.max(1))) as u32;
    let places = (0..rough.height).flat_map(|y| (0..rough.width).map(move |x| (x, y)));
    for ([_, _, b, _], (x, y)) in out.rgba.as_chunks_mut::<4>().0.iter_mut().zip(places) {
        let pixel = metal.pixel(scale(x, rough.width, metal.width), scale(y, rough.height, metal.height));
        *b = pixel.map_or(0, |[r, ..]| r);
    }
    out
}

/// Returns the Fox Engine's SRM as the image of `KHR_materials_specular`: the specular mask in alpha.
pub fn fox_specular(srm: &Image) -> Image {
    mapped(srm, |[r, ..]| [255, 255, 255, r])
}

/// What a Fox Engine texture is for, by the last steps of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FoxRole {
    /// `_bsm`: colour; with `_alp` its alpha is opacity.
    Colour {
        /// Whether alpha is opacity.
        alpha: bool,
    },
    /// `_nrm`: normals.
    Normal,
    /// `_srm`: specular mask, roughness, reflection mask.
    Specular,
    /// `_mtm`, `_mtl`: which material preset.
    Material,
    /// `_trm`: translucency.
    Translucency,
    /// `_cbm`: cube map.
    Cube,
    /// `_dtm`, `_lym`, `_lbm`, `_sbm`, `_shm`, `_hgm` and the like: masks with no place in glTF.
    Mask,
    /// Anything else.
    Unknown,
}

/// Returns what a Fox Engine texture is for, by its name.
///
/// ```
/// use galatea_texture::material::{FoxRole, fox_role};
/// assert_eq!(fox_role("face_bsm_alp.ftex"), FoxRole::Colour { alpha: true });
/// assert_eq!(fox_role("/Assets/tpp/uss0_hand0_def_nrm.tga"), FoxRole::Normal);
/// ```
pub fn fox_role(name: &str) -> FoxRole {
    let lower = name.to_lowercase();
    let file = lower.rsplit(['/', '\\']).next().unwrap_or(&lower);
    let stem = file.split('.').next().unwrap_or(file);
    let alpha = stem.split('_').any(|step| step == "alp");
    for step in stem.rsplit('_') {
        return match step {
            "alp" | "clp" | "nrt" | "nmp" | "32b" => continue,
            "bsm" => FoxRole::Colour { alpha },
            "nrm" => FoxRole::Normal,
            "srm" => FoxRole::Specular,
            "mtm" | "mtl" => FoxRole::Material,
            "trm" => FoxRole::Translucency,
            "cbm" => FoxRole::Cube,
            "dtm" | "lym" | "lbm" | "sbm" | "shm" | "hgm" | "spr" => FoxRole::Mask,
            _ => FoxRole::Unknown,
        };
    }
    FoxRole::Unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(txi: &Txi) -> KotorSurface<'_> {
        KotorSurface {
            txi,
            alpha_mean: 1.0,
            node_alpha: 1.0,
            self_illumination: [0.0; 3],
            alpha: Alpha::Smooth,
        }
    }

    #[test]
    fn kotor_surfaces_follow_the_engines_order() {
        let plain = Txi::default();
        assert_eq!(look(&plain).surface(), Surface::Blend);
        assert_eq!(KotorSurface { alpha: Alpha::Opaque, ..look(&plain) }.surface(), Surface::Opaque);
        assert_eq!(KotorSurface { self_illumination: [1.0; 3], ..look(&plain) }.surface(), Surface::Opaque);
        let shiny = Txi::parse(b"envmaptexture CM_Test");
        assert_eq!(look(&shiny).surface(), Surface::Opaque);
        assert_eq!(KotorSurface { node_alpha: 0.5, ..look(&shiny) }.surface(), Surface::Blend);
        let leaf = Txi::parse(b"blending punchthrough\nenvmaptexture x");
        assert_eq!(look(&leaf).surface(), Surface::Mask(0.5));
        assert_eq!(KotorSurface { alpha_mean: 0.3, ..look(&leaf) }.surface(), Surface::Mask(0.3));
        assert_eq!(look(&Txi::parse(b"blending additive")).surface(), Surface::Additive);
    }

    #[test]
    fn an_added_image_mixed_over_black_looks_the_same() {
        let image = Image::new(3, 1, vec![200, 100, 50, 255, 0, 0, 0, 255, 80, 80, 80, 128]).unwrap();
        let mixed = additive(&image);
        for (add, mix) in image.pixels().zip(mixed.pixels()) {
            for (c, m) in add.iter().take(3).zip(mix) {
                let added = u32::from(*c) * u32::from(add[3]) / 255;
                let shown = u32::from(m) * u32::from(mix[3]) / 255;
                assert!(added.abs_diff(shown) <= 1, "{add:?} {mix:?}");
            }
        }
    }

    #[test]
    fn the_three_normal_maps_are_told_apart() {
        let nm = Image::filled(4, 4, [254, 123, 0, 131]);
        assert_eq!(normal_encoding(&nm, false), NormalEncoding::AlphaGreen);
        assert_eq!(normal_encoding(&Image::filled(4, 4, [128, 121, 239, 255]), false), NormalEncoding::Plain);
        assert_eq!(normal_encoding(&nm, true), NormalEncoding::RedGreen);
        let decoded = decode_normal(&nm, NormalEncoding::AlphaGreen);
        assert_eq!(decoded.rgba[..4], [131, 123, 255, 255]);
        let edge = decode_normal(&Image::filled(1, 1, [255, 128, 0, 255]), NormalEncoding::RedGreen);
        assert_eq!(edge.rgba[2], 128);
    }

    #[test]
    fn a_height_map_slopes_the_right_way() {
        // Brighter to the right: the normal leans left. Brighter to the top: it leans down.
        let right: Vec<u8> = (0..8u8).flat_map(|_| (0..8u8).flat_map(|x| [x * 20, 0, 0, 255])).collect();
        let normal = height_to_normal(&Image::new(8, 8, right).unwrap(), 1.0);
        assert!(normal.pixel(4, 4).unwrap()[0] < 120);
        let top: Vec<u8> =
            (0..8u8).flat_map(|y| (0..8u8).flat_map(move |_| [(7 - y) * 20, 0, 0, 255])).collect();
        let normal = height_to_normal(&Image::new(8, 8, top).unwrap(), 1.0);
        assert!(normal.pixel(4, 4).unwrap()[1] < 120);
    }

    #[test]
    fn a_team_mask_of_255_everywhere_is_none() {
        let diffuse = Image::filled(2, 2, [200, 200, 200, 255]);
        assert_eq!(team_diffuse(&diffuse, &Image::filled(1, 1, [1, 2, 3, 255]), [255, 0, 0]), None);
        let mut orm = Image::filled(2, 1, [0, 0, 0, 0]);
        orm.rgba[7] = 255;
        let out = team_diffuse(&diffuse, &orm, [255, 0, 0]).unwrap();
        assert_eq!(out.pixel(0, 0), Some([200, 200, 200, 255]));
        assert_eq!(out.pixel(1, 1), Some([200, 0, 0, 255]));
    }

    #[test]
    fn a_reflection_mask_is_smooth_metal_where_alpha_is_low() {
        let image = Image::new(2, 1, vec![9, 9, 9, 0, 9, 9, 9, 255]).unwrap();
        assert_eq!(reflection_mask(&image).rgba, [255, 38, 255, 255, 255, 255, 0, 255]);
    }
}
