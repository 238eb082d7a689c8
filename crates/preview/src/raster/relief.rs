//! Surfaces with normal maps, roughness, metal and reflections: shaded pixel by pixel.

use galatea_scene::Wrap;
use glam::{Vec2, Vec3};

use crate::camera::Camera;
use crate::style::{Chart, Relief, Surroundings};
use crate::texture::Texture;
use crate::{AMBIENT, KEY, KEY_LIGHT};

impl Chart<&Texture> {
    fn uv(&self, [u, v]: [f32; 2]) -> [f32; 2] {
        let [a, b, c, d, e, f] = self.place;
        [a * u + b * v + c, d * u + e * v + f]
    }

    fn sample(&self, uv: [f32; 2], level: usize, across: usize) -> [f32; 4] {
        self.texture.sample_data(self.uv(uv), self.wrap, self.texture.same_level(level, across))
    }
}

/// Directions of a triangle in which its texture coordinates grow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Grain {
    /// Where the normal map's u grows.
    tangent: Vec3,
    /// -1 if its image is mirrored.
    hand: f32,
}

impl Relief<&Texture> {
    /// Returns the directions of a triangle from its places, the texture coordinates of its color and its normal.
    pub(crate) fn grain(&self, places: [[f32; 3]; 3], uvs: [[f32; 2]; 3], normal: [f64; 3]) -> Grain {
        let [a, b, c] = places.map(Vec3::from);
        let [ua, ub, uc] = uvs.map(|uv| Vec2::from(self.normal.map_or(uv, |chart| chart.uv(uv))));
        let ((first, second), (one, two)) = ((b - a, c - a), (ub - ua, uc - ua));
        let turn = if one.perp_dot(two) < 0.0 { -1.0 } else { 1.0 };
        let tangent = ((first * two.y - second * one.y) * turn).normalize_or_zero();
        // Coordinates go down the image; the green of a normal map is up.
        let down = (second * one.x - first * two.x) * turn;
        let up = Vec3::from(normal.map(|v| v as f32)).cross(tangent);
        Grain { tangent, hand: if up.dot(down) > 0.0 { -1.0 } else { 1.0 } }
    }
}

/// The light of an image, and the view through each of its places.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Light {
    right: Vec3,
    up: Vec3,
    back: Vec3,
    half: Vec2,
    /// Towards the key light.
    key: Vec3,
    size: Vec2,
}

impl Light {
    pub(crate) fn new(camera: &Camera, width: usize, height: usize) -> Light {
        let [right, up, back] = camera.axes().map(|axis| Vec3::from(axis.map(|v| v as f32)));
        let [kr, ku, kb] = KEY.map(|v| v as f32);
        let half = Vec2::from(camera.half().map(|v| v as f32));
        let size = Vec2::new(width as f32, height as f32);
        Light { right, up, back, half, key: right * kr + up * ku + back * kb, size }
    }

    /// Returns the direction from a place of the image towards the viewer.
    pub(crate) fn towards(&self, place: [f32; 2]) -> Vec3 {
        let place = (Vec2::from(place) / self.size * 2.0 - 1.0) * self.half;
        (self.back - self.right * place.x + self.up * place.y).normalize_or_zero()
    }
}

/// A pixel of a surface.
pub(super) struct Spot {
    pub(super) uv: [f32; 2],
    pub(super) normal: [f32; 3],
    pub(super) towards: Vec3,
    /// Mip level and width of the color's texture.
    pub(super) level: usize,
    pub(super) across: usize,
    /// Baked light, in place of ours.
    pub(super) baked: Option<[f32; 3]>,
}

impl Relief<&Texture> {
    /// Returns a surface's color in this light, without the light that it emits. `color` is the one it has in white light; its alpha
    /// tells how much of the surroundings a mirror does not show.
    pub(super) fn lit(&self, light: &Light, grain: Grain, spot: &Spot, color: [f32; 4]) -> [f32; 3] {
        let at = |chart: &Chart<&Texture>| chart.sample(spot.uv, spot.level, spot.across);
        let smooth = Vec3::from(spot.normal).normalize_or_zero();
        let normal = self.normal.map_or(smooth, |chart| bumped(smooth, grain, at(&chart)));
        let [_, green, blue, _] = self.rough.map_or([1.0; 4], |chart| at(&chart));
        let [occlusion, ..] = self.occlusion.map_or([1.0; 4], |chart| at(&chart));
        let rough = (self.roughness * green).clamp(0.04, 1.0);
        let metal = (self.metallic * blue).clamp(0.0, 1.0);
        let [r, g, b, alpha] = color;
        let color = Vec3::new(r, g, b);
        let facing = normal.dot(light.key).max(0.0);
        let diffuse = spot.baked.map_or_else(
            || {
                let sky = 0.5 + 0.5 * normal.y;
                let [everywhere, above] = AMBIENT.map(|v| v as f32);
                let value = KEY_LIGHT as f32 * facing + (everywhere + above * sky) * occlusion;
                Vec3::new(value, value * 0.995, value * 0.985)
            },
            Vec3::from,
        );
        let along = normal.dot(spot.towards);
        let reflected = normal * (2.0 * along) - spot.towards;
        if let Some(mirror) = &self.mirror {
            return (color * diffuse + mirror.at(reflected, 0.3) * (1.0 - alpha.clamp(0.0, 1.0))).into();
        }
        let plain = Vec3::splat(0.04) + (color - 0.04) * metal;
        let glint = if spot.baked.is_some() {
            0.0
        } else {
            highlight(normal, light.key, spot.towards, rough) * facing * KEY_LIGHT as f32
        };
        let (scale, offset) = reflectance(rough, along.clamp(1e-3, 1.0));
        let image = Surroundings::Studio.at(reflected, rough) * occlusion;
        (color * (1.0 - metal) * diffuse + plain * glint + image * (plain * scale + offset)).into()
    }
}

impl Surroundings<&Texture> {
    /// Returns the light from a direction of the scene, blurred by the roughness of what reflects it.
    fn at(&self, direction: Vec3, rough: f32) -> Vec3 {
        match self {
            Surroundings::Studio => {
                let up = direction.y;
                // From the ground over a bright horizon to the sky; rough surfaces see the mean of it.
                let ground = 0.10 + 0.10 * (1.0 + up.min(0.0));
                let sky = 0.55 - 0.20 * up.max(0.0);
                let edge = 0.08 + 0.6 * rough;
                let share = (0.5 + 0.5 * up / edge).clamp(0.0, 1.0);
                let value = ground + (sky - ground) * share * share * (3.0 - 2.0 * share);
                Vec3::new(value * 0.97, value * 0.99, value)
            }
            Surroundings::Cube(texture, turn) => {
                let [r, g, b, _] = cube(texture, *turn * direction);
                Vec3::new(r, g, b)
            }
        }
    }
}

/// Returns the pixel of a cube map in a direction.
fn cube(texture: &Texture, direction: Vec3) -> [f32; 4] {
    let [x, y, z] = direction.to_array();
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, s, t, major) = if ax >= ay && ax >= az {
        if x > 0.0 { (0.0, -z, -y, ax) } else { (1.0, z, -y, ax) }
    } else if ay >= az {
        if y > 0.0 { (2.0, x, z, ay) } else { (3.0, x, -z, ay) }
    } else if z > 0.0 {
        (4.0, x, -y, az)
    } else {
        (5.0, -x, -y, az)
    };
    let major = major.max(1e-6);
    // Half a pixel away from the faces above and below.
    let inset = 0.5 / texture.width().max(1) as f32;
    let inside = |v: f32| (0.5 + 0.5 * v / major).clamp(inset, 1.0 - inset);
    texture.sample([inside(s), (face + inside(t)) / 6.0], [Wrap::Clamp; 2], 0)
}

/// Returns the normal that a texel of a normal map gives.
fn bumped(smooth: Vec3, grain: Grain, [x, y, z, _]: [f32; 4]) -> Vec3 {
    let along = grain.tangent - smooth * grain.tangent.dot(smooth);
    if along.length_squared() < 1e-12 {
        return smooth;
    }
    let along = along.normalize_or_zero();
    let up = smooth.cross(along) * grain.hand;
    // 128 is 0: maps without relief are flat.
    let signed = |v: f32| v * (255.0 / 127.0) - 128.0 / 127.0;
    (along * signed(x) + up * signed(y) + smooth * signed(z).max(0.05)).normalize_or_zero()
}

/// Returns the strength of a highlight: the distribution of GGX with visibility and Fresnel in one term, as approximated for
/// small devices.
fn highlight(normal: Vec3, key: Vec3, towards: Vec3, rough: f32) -> f32 {
    let middle = (key + towards).normalize_or_zero();
    let (along, across) = (normal.dot(middle).max(0.0), key.dot(middle).max(0.0));
    let power = rough * rough;
    let squared = power * power;
    let wide = along * along * (squared - 1.0) + 1.0;
    squared / (wide * wide * (across * across).max(0.1) * (power * 4.0 + 2.0)).max(1e-6)
}

/// Returns how much of its surroundings a surface reflects at an angle: a factor of its color at right angles, and what is added.
/// Karis' approximation.
fn reflectance(rough: f32, seen: f32) -> (f32, f32) {
    let (x, y, z, w) = (1.0 - rough, 0.0425 - 0.0275 * rough, 1.04 - 0.572 * rough, 0.022 * rough - 0.04);
    let edge = (x * x).min(libm::exp2f(-9.28 * seen)) * x + y;
    (-1.04 * edge + z, 1.04 * edge + w)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRONT: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    fn relief() -> Relief<&'static Texture> {
        Relief { normal: None, rough: None, occlusion: None, metallic: 0.0, roughness: 1.0, mirror: None }
    }

    #[test]
    fn green_is_up_the_image_and_red_along_it() {
        let up = Vec3::Z;
        // Coordinates go down the image, so its upper edge is at the upper vertex.
        let plain = relief().grain(FRONT, [[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]], [0.0, 0.0, 1.0]);
        let mirrored = relief().grain(FRONT, [[1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0.0, 0.0, 1.0]);
        let near = |a: Vec3, b: Vec3| assert!((a - b).length_squared() < 1e-3, "{a} {b}");
        let (red, green, flat) =
            ([1.0, 0.502, 0.502, 1.0], [0.502, 1.0, 0.502, 1.0], [0.502, 0.502, 1.0, 1.0]);
        near(bumped(up, plain, flat), up);
        near(bumped(up, plain, red), Vec3::new(1.0, 0.0, 0.05).normalize());
        near(bumped(up, plain, green), Vec3::new(0.0, 1.0, 0.05).normalize());
        near(bumped(up, mirrored, red), Vec3::new(-1.0, 0.0, 0.05).normalize());
        near(bumped(up, mirrored, green), Vec3::new(0.0, 1.0, 0.05).normalize());
        // Without coordinates there is no direction, and the surface stays smooth.
        near(bumped(up, relief().grain(FRONT, [[0.0; 2]; 3], [0.0, 0.0, 1.0]), red), up);
    }

    #[test]
    fn each_face_of_a_cube_is_where_its_axis_points() {
        let rows: Vec<u8> = (0..6u8).flat_map(|face| [[face * 40, 0, 0, 255]; 16].concat()).collect();
        let texture = Texture::new(4, 24, &rows).into_iter().next();
        let Some(texture) = texture else { return assert!(texture.is_some()) };
        let face =
            |direction: [f32; 3]| (cube(&texture, direction.into())[0].sqrt() * 255.0 / 40.0).round() as u32;
        let axes = [[1.0, 0.2, 0.1], [-1.0, 0.3, 0.2], [0.1, 1.0, 0.3], [0.5, -1.0, 0.4]];
        assert_eq!(axes.map(face), [0, 1, 2, 3]);
        assert_eq!([[0.3, 0.2, 1.0], [0.9, 0.9, -1.0]].map(face), [4, 5]);
    }

    #[test]
    fn smooth_surfaces_have_small_bright_highlights() {
        let up = Vec3::Z;
        let of = |rough: f32, tilt: f32| highlight(up, Vec3::new(tilt, 0.0, 1.0).normalize(), up, rough);
        assert!(of(0.2, 0.0) > 5.0 * of(0.8, 0.0));
        assert!(of(0.2, 1.0) < of(0.8, 1.0));
        // At a grazing angle nearly everything is reflected, from above nearly what the color says.
        let (scale, offset) = reflectance(0.1, 1.0);
        assert!(scale > 0.9 && offset < 0.05, "{scale} {offset}");
        let (scale, offset) = reflectance(0.1, 0.02);
        assert!(scale + offset > 0.9 && offset > 0.3, "{scale} {offset}");
    }
}
