//! Another size of a model: everything that is a length is multiplied.

use crate::{Bounds, Keys, Model, Shape, Tracks};

/// Numbers from here on are no lengths: they mark boxes around nothing, and would become infinite.
const NOWHERE: f32 = 1e30;

/// Tracks whose values are lengths, speeds or accelerations. The speed of a PopcornFX emitter (`KPPS`) is none: it multiplies
/// that of its effect.
const LENGTHS: [&[u8; 4]; 14] = [
    b"KGTR", b"KCTR", b"KTTR", b"KLAS", b"KLAE", b"KPES", b"KPEG", b"KP2S", b"KP2G", b"KP2N", b"KP2W",
    b"KP2Z", b"KRHA", b"KRHB",
];

fn scale<'a>(numbers: impl IntoIterator<Item = &'a mut f32>, by: f32) {
    numbers.into_iter().filter(|x| x.abs() < NOWHERE).for_each(|x| *x *= by);
}

fn scale_bounds(bounds: &mut Bounds, by: f32) {
    scale(bounds.min.iter_mut().chain(&mut bounds.max).chain([&mut bounds.radius]), by);
}

impl Model {
    /// Multiplies everything that is a length, so that the model looks the same from as many times as far away.
    ///
    /// ```
    /// use galatea_mdlx::{Model, Version};
    /// let mut model = Model::new(Version(800));
    /// model.pivots.push([1.0, 2.0, 3.0]);
    /// model.scale(2.0);
    /// assert_eq!(model.pivots, [[2.0, 4.0, 6.0]]);
    /// ```
    pub fn scale(&mut self, by: f32) {
        scale_bounds(&mut self.info.bounds, by);
        for sequence in &mut self.sequences {
            scale_bounds(&mut sequence.bounds, by);
            sequence.move_speed *= by;
        }
        for geoset in &mut self.geosets {
            scale(geoset.vertices.as_flattened_mut(), by);
            scale_bounds(&mut geoset.bounds, by);
            geoset.sequence_bounds.iter_mut().for_each(|b| scale_bounds(b, by));
            scale(geoset.buffer.iter_mut().flat_map(|b| &mut b.center), by);
        }
        scale(self.pivots.as_flattened_mut(), by);
        scale(self.bind_poses.iter_mut().flat_map(|pose| pose.iter_mut().skip(9)), by);
        for camera in &mut self.cameras {
            scale(camera.position.iter_mut().chain(&mut camera.target), by);
            scale([&mut camera.near_clip, &mut camera.far_clip], by);
        }
        for shape in &mut self.collision_shapes {
            let (kind, mut numbers) = shape.shape.numbers();
            scale(&mut numbers, by);
            shape.shape = Shape::from_numbers(kind, &numbers).unwrap_or(shape.shape);
        }
        if let Some(mesh) = &mut self.collision_mesh {
            scale(mesh.vertices.as_flattened_mut(), by);
        }
        self.scale_emitters(by);
        self.scale_tracks(by);
    }

    fn scale_emitters(&mut self, by: f32) {
        for light in &mut self.lights {
            scale([&mut light.attenuation_start, &mut light.attenuation_end], by);
        }
        for e in &mut self.particle_emitters {
            scale([&mut e.speed, &mut e.gravity], by);
        }
        for e in &mut self.particle_emitters2 {
            scale([&mut e.speed, &mut e.gravity, &mut e.length, &mut e.width, &mut e.z_source], by);
            scale(&mut e.segment_scalings, by);
            if let Some(wow) = e.wow.as_deref_mut() {
                scale(wow.wind.iter_mut().chain(wow.spline.as_flattened_mut()), by);
            }
        }
        for e in &mut self.ribbon_emitters {
            scale([&mut e.height_above, &mut e.height_below, &mut e.gravity], by);
        }
    }

    fn scale_tracks(&mut self, by: f32) {
        let tracks = self.all_tracks_mut().into_iter().flat_map(Tracks::iter_mut);
        for track in tracks.filter(|t| LENGTHS.contains(&&t.tag.0)) {
            match &mut track.keys {
                Keys::Float(curve) => {
                    scale(curve.keys.iter_mut().map(|k| &mut k.value), by);
                    scale(curve.tangents.iter_mut().flat_map(|t| [&mut t.incoming, &mut t.outgoing]), by);
                }
                Keys::Vector(curve) => {
                    scale(curve.keys.iter_mut().flat_map(|k| &mut k.value), by);
                    let tangents = curve.tangents.iter_mut();
                    scale(tangents.flat_map(|t| t.incoming.iter_mut().chain(&mut t.outgoing)), by);
                }
                Keys::Rotation(_) | Keys::Integer(_) => {}
            }
        }
    }
}
