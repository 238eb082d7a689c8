//! Cameras and styles as numbers for the programs.

use galatea::preview::style::{Blend, Chart, Style, Surroundings};
use galatea::preview::{AMBIENT, Camera, KEY, KEY_LIGHT, SurfaceView};
use galatea::scene::Wrap;

/// A texture of a style: its number in the subject, whether it is no light, and its wrap mode.
pub(super) type Image = (u32, bool, [Wrap; 2]);

/// Textures of a surface.
pub(super) const IMAGES: usize = 7;

/// Returns the numbers of `u_camera`.
pub(super) fn camera(camera: &Camera) -> [[f32; 4]; 5] {
    let [right, up, back] = camera.axes();
    let [half_x, half_y] = camera.half();
    let along =
        |[x, y, z]: [f64; 3], by: f64, w: f64| [(x / by) as f32, (y / by) as f32, (z / by) as f32, w as f32];
    let [kr, ku, kb] = KEY;
    let mut key = [0.0; 3];
    for (value, ((r, u), b)) in key.iter_mut().zip(right.into_iter().zip(up).zip(back)) {
        *value = kr * r + ku * u + kb * b;
    }
    let [everywhere, above] = AMBIENT;
    [
        along(right, half_x, camera.distance()),
        along(up, half_y, camera.near()),
        along(back, 1.0, KEY_LIGHT),
        along(camera.target(), 1.0, everywhere),
        along(key, 1.0, above),
    ]
}

/// What a surface is painted with.
#[derive(Debug, Clone)]
pub(super) struct Look {
    pub(super) vectors: [[f32; 4]; 21],
    pub(super) images: [Option<Image>; IMAGES],
}

/// The color that a surface shows in place of its material.
pub(super) fn mode(view: &SurfaceView) -> f32 {
    match view {
        SurfaceView::Normals => 1.0,
        SurfaceView::Uv => 2.0,
        SurfaceView::Masks => 3.0,
        _ => 0.0,
    }
}

/// Returns the numbers of a style.
pub(super) fn look(style: &Style<u32>, view: &SurfaceView, has_normals: bool, samples: u32) -> Look {
    let mut images: [Option<Image>; IMAGES] = [None; IMAGES];
    let [base, baked, glow, bumps, rough, occlusion, around] = &mut images;
    *base = style.texture.map(|t| (t, false, style.wrap));
    *baked = style.lightmap.map(|(t, wrap)| (t, false, wrap));
    *glow = style.glow.map(|t| (t, false, style.wrap));
    let yes = |yes: bool| f32::from(u8::from(yes));
    let (cutoff, kind, factor) = match style.blend {
        Blend::Mask(cutoff) => (cutoff, 0.0, 1.0),
        Blend::Alpha => (-1.0, 1.0, 1.0),
        Blend::Add => (-1.0, 2.0, 1.0),
        Blend::Multiply(factor) => (-1.0, 3.0, factor),
        _ => (-1.0, 0.0, 1.0),
    };
    let color = if style.texture.is_some() { 1.0 } else { 2.0 * yes(style.checker) };
    let shown = match mode(view) {
        2.0 if !style.coordinates => 0.0,
        mode => mode,
    };
    let textured = style.glows || style.glow.is_some() && style.glow == style.texture;
    let glows = if textured { 1.0 } else { 2.0 * yes(style.glow.is_some()) };
    let mut vectors = [[0.0; 4]; 21];
    let [v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, _] =
        &mut vectors;
    *v0 = style.colour;
    let [r, g, b] = style.emissive;
    *v1 = [r, g, b, 0.0];
    *v2 = [color, cutoff, yes(style.unlit), shown];
    *v3 = [yes(style.lightmap.is_some()), glows, kind, factor];
    put(style.transform.after(&style.moved), v4, v5);
    put(style.lightmap_transform.after(&galatea::preview::style::UvPlacement::NONE), v6, v7);
    let [_, _, mirror, flat] = v9;
    *flat = yes(!has_normals);
    if let Some(relief) = &style.relief {
        *v8 =
            [1.0, yes(relief.normal.is_some()), yes(relief.rough.is_some()), yes(relief.occlusion.is_some())];
        let charts = [
            (&relief.normal, bumps, v10, v11),
            (&relief.rough, rough, v12, v13),
            (&relief.occlusion, occlusion, v14, v15),
        ];
        for (chart, image, first, second) in charts {
            if let Some(Chart { texture, wrap, place }) = chart {
                *image = Some((*texture, true, *wrap));
                put(*place, first, second);
            }
        }
        match &relief.mirror {
            Some(Surroundings::Cube(texture, turn)) => {
                *mirror = 2.0;
                *around = Some((*texture, false, [Wrap::Clamp; 2]));
                for (vector, axis) in [v16, v17, v18].into_iter().zip([turn.x_axis, turn.y_axis, turn.z_axis])
                {
                    *vector = axis.extend(0.0).to_array();
                }
            }
            Some(Surroundings::Studio) => *mirror = 1.0,
            None => {}
        }
        let [metallic, roughness, _, _] = v9;
        (*metallic, *roughness) = (relief.metallic, relief.roughness);
    }
    // What is cut out is shaded for each sample; the texture of everything else is as fine as pixels.
    let fine = if matches!(style.blend, Blend::Mask(_)) { 1.0 } else { (samples * samples) as f32 };
    let [area, ..] = v19;
    *area = fine;
    Look { vectors, images }
}

fn put([a, b, c, d, e, f]: [f32; 6], first: &mut [f32; 4], second: &mut [f32; 4]) {
    (*first, *second) = ([a, b, c, 0.0], [d, e, f, 0.0]);
}
