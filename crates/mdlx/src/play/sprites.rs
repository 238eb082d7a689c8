//! Particles and ribbons as quads of a frame.

use galatea_scene::{Sprite, UvTransform};
use glam::{Mat4, Vec3};

use super::{Particle, ParticleSystem, RibbonSystem, View};
use crate::node_flags;

/// The way from the model to the scene, and the directions of the camera in the model.
pub(super) struct Space {
    axes: Mat4,
    right: Vec3,
    up: Vec3,
    back: Vec3,
}

impl Space {
    pub(super) fn new(axes: Mat4, view: &View) -> Space {
        Space { axes, right: view.rotation * Vec3::X, up: view.rotation * Vec3::Y, back: view.back() }
    }

    /// Returns a point of the model in the scene.
    pub(super) fn point(&self, place: Vec3) -> [f32; 3] {
        self.axes.transform_point3(place).into()
    }
}

/// Returns the corners of a cell: left top, left bottom, right bottom, right top.
fn cell([left, top, right, bottom]: [f32; 4]) -> [[f32; 2]; 4] {
    [[left, top], [left, bottom], [right, bottom], [right, top]]
}

/// Adds the quads of an emitter's particles. `node` is the transform of the emitter.
pub(super) fn particle_sprites(
    out: &mut Vec<Sprite>,
    system: &ParticleSystem<'_>,
    node: Mat4,
    material: u32,
    space: &Space,
) {
    let emitter = system.emitter();
    let own_space = emitter.node.has(node_flags::MODEL_SPACE);
    let mut particles: Vec<Particle> = system.particles().to_vec();
    if own_space {
        for particle in &mut particles {
            particle.position = node.transform_point3(particle.position);
            particle.velocity = node.transform_vector3(particle.velocity);
        }
    }
    if emitter.node.has(node_flags::SORT_PRIMS_FAR_Z) {
        particles.sort_by(|a, b| a.position.dot(space.back).total_cmp(&b.position.dot(space.back)));
    }
    for particle in &particles {
        let [r, g, b] = particle.color;
        let mut add = |corners: [Vec3; 4], uv: [f32; 4]| {
            if corners.iter().all(|c| c.is_finite()) {
                out.push(Sprite {
                    corners: corners.map(|c| space.point(c)),
                    uvs: cell(uv),
                    color: [r, g, b, particle.alpha],
                    material,
                    order: emitter.priority_plane,
                });
            }
        };
        if emitter.head_or_tail != 1 {
            let flat = emitter.node.has(node_flags::XY_QUAD);
            let (right, up) = if flat { lying(particle) } else { (space.right, space.up) };
            let (right, up) = (right * particle.size, up * particle.size);
            let p = particle.position;
            add([p - right + up, p - right - up, p + right - up, p + right + up], particle.head_uv);
        }
        if emitter.head_or_tail != 0
            && let Some(corners) = tail(particle, emitter.tail_length, space.back)
        {
            add(corners, particle.tail_uv);
        }
    }
}

/// Returns the directions of a quad in the XY plane whose top points along the particle's way.
fn lying(particle: &Particle) -> (Vec3, Vec3) {
    let up = particle.velocity.with_z(0.0).normalize_or(Vec3::X);
    (Vec3::new(up.y, -up.x, 0.0), up)
}

/// Returns the corners of a tail: from the particle back along its way, as wide as the particle. The left edge of the cell is at
/// the particle.
fn tail(particle: &Particle, length: f32, back: Vec3) -> Option<[Vec3; 4]> {
    let (from, to) = (particle.position, particle.position - particle.velocity * length);
    let side = (to - from).cross(back).try_normalize()? * particle.size;
    Some([from + side, from - side, to - side, to + side])
}

/// Adds the quads between the edges of a ribbon.
pub(super) fn ribbon_sprites(
    out: &mut Vec<Sprite>,
    system: &RibbonSystem<'_>,
    (material, order): (u32, i32),
    moved: &UvTransform,
    space: &Space,
) {
    let look = system.look();
    let ([r, g, b], [left, top, right, bottom]) = (look.color, look.uv);
    let u = |along: f32| left + (right - left) * along;
    for pair in system.edges().windows(2) {
        let [old, new] = pair else { continue };
        let corners = [new.above, new.below, old.below, old.above];
        if corners.iter().all(|c| c.is_finite()) {
            let uvs =
                [[u(new.along), top], [u(new.along), bottom], [u(old.along), bottom], [u(old.along), top]];
            out.push(Sprite {
                corners: corners.map(|c| space.point(c)),
                uvs: uvs.map(|uv| moved.apply(uv)),
                color: [r, g, b, look.alpha],
                material,
                order,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_reaches_back_along_the_way() {
        let particle = Particle {
            position: Vec3::new(1.0, 2.0, 3.0),
            velocity: Vec3::new(0.0, 0.0, 8.0),
            gravity: 0.0,
            age: 0.0,
            size: 2.0,
            color: [1.0; 3],
            alpha: 1.0,
            head_uv: [0.0; 4],
            tail_uv: [0.0; 4],
        };
        let [a, b, c, d] = tail(&particle, 0.5, Vec3::X).unwrap_or_default();
        assert_eq!((a + b) / 2.0, particle.position);
        assert_eq!((c + d) / 2.0, particle.position - Vec3::new(0.0, 0.0, 4.0));
        assert_eq!((a - b).length(), 4.0);
        assert!(tail(&Particle { velocity: Vec3::ZERO, ..particle }, 0.5, Vec3::X).is_none());
    }
}
