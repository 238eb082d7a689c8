//! Warcraft III and WoW alpha models.

use super::times;
use crate::mdlx::{Bounds, Keys, Model, Shape, Tracks};

/// Tracks whose values are lengths, speeds or accelerations.
const LENGTHS: [&[u8; 4]; 15] = [
    b"KGTR", b"KCTR", b"KTTR", b"KLAS", b"KLAE", b"KPES", b"KPEG", b"KP2S", b"KP2G", b"KP2N", b"KP2W",
    b"KP2Z", b"KPPS", b"KRHA", b"KRHB",
];

pub(super) fn scale(model: &mut Model, factor: f32) {
    for tracks in model.all_tracks_mut() {
        scale_tracks(tracks, factor);
    }
    scale_bounds(&mut model.info.bounds, factor);
    for sequence in &mut model.sequences {
        scale_bounds(&mut sequence.bounds, factor);
        sequence.move_speed *= factor;
    }
    for geoset in &mut model.geosets {
        times(geoset.vertices.as_flattened_mut(), factor);
        scale_bounds(&mut geoset.bounds, factor);
        geoset.sequence_bounds.iter_mut().for_each(|bounds| scale_bounds(bounds, factor));
        times(geoset.buffer.iter_mut().flat_map(|buffer| &mut buffer.center), factor);
    }
    times(model.pivots.as_flattened_mut(), factor);
    for [.., x, y, z] in &mut model.bind_poses {
        times([x, y, z], factor);
    }
    for light in &mut model.lights {
        times([&mut light.attenuation_start, &mut light.attenuation_end], factor);
    }
    for camera in &mut model.cameras {
        times(camera.position.iter_mut().chain(&mut camera.target), factor);
        times([&mut camera.near_clip, &mut camera.far_clip], factor);
    }
    for shape in &mut model.collision_shapes {
        scale_shape(&mut shape.shape, factor);
    }
    if let Some(mesh) = &mut model.collision_mesh {
        times(mesh.vertices.as_flattened_mut(), factor);
    }
    scale_emitters(model, factor);
}

fn scale_emitters(model: &mut Model, factor: f32) {
    for emitter in &mut model.particle_emitters {
        times([&mut emitter.speed, &mut emitter.gravity], factor);
    }
    for emitter in &mut model.particle_emitters2 {
        let lengths = [&mut emitter.speed, &mut emitter.gravity, &mut emitter.z_source];
        times(lengths.into_iter().chain([&mut emitter.length, &mut emitter.width]), factor);
        times(&mut emitter.segment_scalings, factor);
        if let Some(wow) = emitter.wow.as_deref_mut() {
            times(wow.wind.iter_mut().chain(wow.spline.as_flattened_mut()), factor);
        }
    }
    for ribbon in &mut model.ribbon_emitters {
        times([&mut ribbon.height_above, &mut ribbon.height_below, &mut ribbon.gravity], factor);
    }
    for emitter in &mut model.popcorn_emitters {
        emitter.speed *= factor;
    }
}

fn scale_tracks(tracks: &mut Tracks, factor: f32) {
    for track in tracks.iter_mut().filter(|track| LENGTHS.contains(&&track.tag.0)) {
        match &mut track.keys {
            Keys::Float(curve) => {
                times(curve.keys.iter_mut().map(|key| &mut key.value), factor);
                times(curve.tangents.iter_mut().flat_map(|t| [&mut t.incoming, &mut t.outgoing]), factor);
            }
            Keys::Vector(curve) => {
                times(curve.keys.iter_mut().flat_map(|key| &mut key.value), factor);
                times(
                    curve.tangents.iter_mut().flat_map(|t| t.incoming.iter_mut().chain(&mut t.outgoing)),
                    factor,
                );
            }
            Keys::Rotation(_) | Keys::Integer(_) => {}
        }
    }
}

fn scale_bounds(bounds: &mut Bounds, factor: f32) {
    times(bounds.min.iter_mut().chain(&mut bounds.max).chain([&mut bounds.radius]), factor);
}

fn scale_shape(shape: &mut Shape, factor: f32) {
    match shape {
        Shape::Box { corners: points } | Shape::PlanePoints { points } => {
            times(points.as_flattened_mut(), factor)
        }
        Shape::Cylinder { base, height, radius } => times(base.iter_mut().chain([height, radius]), factor),
        Shape::Sphere { center, radius } => times(center.iter_mut().chain([radius]), factor),
        Shape::Plane { length, width } => times([length, width], factor),
        Shape::CylinderPoints { points, radius } => {
            times(points.as_flattened_mut().iter_mut().chain([radius]), factor);
        }
    }
}
