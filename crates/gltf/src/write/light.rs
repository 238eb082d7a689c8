//! From the scene to glTF: lights and cameras.

use galatea_scene::{Camera, Extras, Light, LightKind, Projection, Target, floats};

use super::{Context, kept, put_extras, put_name, put_raw};
use crate::constraints;
use crate::json::{List, Object};

/// Writes the lights, and returns them with the index of each; ambient lights have none, since glTF has no such kind.
pub(super) fn write_lights(cx: &mut Context<'_>) -> (List, Vec<Option<u32>>) {
    let mut list = List::default();
    let mut indices = Vec::with_capacity(cx.scene.lights.len());
    for (id, (light, name)) in cx.scene.lights.iter().zip(&cx.light_names).enumerate() {
        let written = light.kind != LightKind::Ambient;
        indices.push(written.then(|| list.push(|o| put_light(o, cx, id, light, name))));
    }
    if list.count > 0 {
        cx.extensions.insert("KHR_lights_punctual");
    }
    (list, indices)
}

/// Writes the cameras.
pub(super) fn write_cameras(cx: &Context<'_>) -> List {
    let mut list = List::default();
    for (id, (camera, name)) in cx.scene.cameras.iter().zip(&cx.camera_names).enumerate() {
        list.push(|o| put_camera(o, cx, id, camera, name));
    }
    list
}

fn put_light(o: &mut Object<'_>, cx: &Context<'_>, id: usize, light: &Light, name: &str) {
    let (mut own, mut raw) = (Extras::default(), Extras::default());
    cx.put_key(&mut own, Target::Light(id as u32), name);
    put_name(o, &mut own, &light.name, name);
    o.text(
        "type",
        match light.kind {
            LightKind::Directional => "directional",
            LightKind::Spot { .. } => "spot",
            _ => "point",
        },
    );
    let clamped = constraints::finite(light.color).map(|c| c.clamp(0.0, 1.0));
    o.floats("color", &kept(&mut raw, "color", light.color, clamped));
    let [intensity] =
        kept(&mut raw, "intensity", [light.intensity], constraints::finite([light.intensity.max(0.0)]));
    o.float("intensity", intensity);
    if let Some(range) = light.range {
        if range.is_finite() && range > 0.0 && light.kind != LightKind::Directional {
            o.float("range", range);
        }
        // Blender has no range, and drops it.
        raw.insert("range", floats(&[range]));
    }
    if let LightKind::Spot { inner, outer } = light.kind {
        let cone = [inner, outer];
        let [inner, outer] = kept(&mut raw, "cone", cone, constraints::cone(cone));
        o.object("spot", |o| {
            o.float("innerConeAngle", inner);
            o.float("outerConeAngle", outer);
        });
    }
    put_raw(&mut own, raw);
    put_extras(o, &light.extras, &own);
}

fn put_camera(o: &mut Object<'_>, cx: &Context<'_>, id: usize, camera: &Camera, name: &str) {
    let (mut own, mut raw) = (Extras::default(), Extras::default());
    cx.put_key(&mut own, Target::Camera(id as u32), name);
    put_name(o, &mut own, &camera.name, name);
    let [near] = kept(&mut raw, "near", [camera.near], constraints::near([camera.near]));
    let far = camera.far.filter(|far| far.is_finite() && *far > near);
    let required = matches!(camera.projection, Projection::Orthographic { .. });
    if far.is_none() && (required || camera.far.is_some()) {
        raw.insert("far", floats(camera.far.as_slice()));
    }
    match camera.projection {
        Projection::Perspective { yfov, aspect } => {
            let allowed = if yfov.is_finite() { yfov.clamp(1e-3, 3.1) } else { 0.8 };
            let [yfov] = kept(&mut raw, "yfov", [yfov], [allowed]);
            o.text("type", "perspective");
            o.object("perspective", |o| {
                o.float("yfov", yfov);
                match aspect {
                    Some(aspect) if aspect.is_finite() && aspect > 0.0 => o.float("aspectRatio", aspect),
                    Some(aspect) => raw.insert("aspect", floats(&[aspect])),
                    None => {}
                }
                o.float("znear", near);
                if let Some(far) = far {
                    o.float("zfar", far);
                }
            });
        }
        Projection::Orthographic { size } => {
            let allowed = size.map(|s| if s.is_finite() && s > 0.0 { s } else { 1.0 });
            let [x, y] = kept(&mut raw, "size", size, allowed);
            o.text("type", "orthographic");
            o.object("orthographic", |o| {
                o.float("xmag", x);
                o.float("ymag", y);
                o.float("znear", near);
                o.float("zfar", far.unwrap_or(constraints::default_far(near)));
            });
        }
    }
    if let Some(target) = camera.target.and_then(|t| cx.name_of(Target::Node(t))) {
        own.insert("target", target.to_owned());
    }
    put_raw(&mut own, raw);
    put_extras(o, &camera.extras, &own);
}
