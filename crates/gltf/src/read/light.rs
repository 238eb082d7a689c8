//! From glTF to the scene: lights and cameras.

use galatea_scene::{Camera, Light, LightKind, Projection, Scene, Value};

use super::{NameTables, array, extras_of, key_of, number, original, take_name, take_raw};
use crate::accessor::Document;
use crate::{blender, constraints, typed};

pub(super) fn read_lights(document: &Document<'_>, scene: &mut Scene, names: &mut NameTables) {
    let lights = document.root.get("extensions").and_then(|e| e.get("KHR_lights_punctual"));
    let lights = lights.and_then(|e| e.get("lights")).and_then(Value::as_array);
    for value in lights.into_iter().flatten() {
        let mut extras = extras_of(value);
        let raw = take_raw(&mut extras);
        names.lights.entry(key_of(value).to_owned()).or_insert(scene.lights.len() as u32);
        let kind = match value.get("type").and_then(Value::as_str) {
            Some("directional") => LightKind::Directional,
            Some("spot") => {
                let spot = value.get("spot").unwrap_or(&Value::Null);
                let inner = number(spot, "innerConeAngle").unwrap_or(0.0);
                let outer = number(spot, "outerConeAngle").unwrap_or(std::f32::consts::FRAC_PI_4);
                let [inner, outer] = original(&raw, "cone", [inner, outer], constraints::cone);
                LightKind::Spot { inner, outer }
            }
            _ => LightKind::Point,
        };
        let color = array(value, "color").unwrap_or([1.0; 3]);
        let intensity = number(value, "intensity").unwrap_or(1.0);
        let clamp = |c: [f32; 3]| constraints::finite(c).map(|c| c.clamp(0.0, 1.0));
        let [intensity] = original(&raw, "intensity", [intensity], |[i]| constraints::finite([i.max(0.0)]));
        let range = typed::array::<1>(&raw, "range").map(|[r]| r);
        // Another program that knows ranges has removed it.
        let carried = |r: &f32| r.is_finite() && *r > 0.0 && kind != LightKind::Directional;
        let range = range.filter(|r| blender::wrote(document.root) || !carried(r));
        scene.lights.push(Light {
            name: take_name(value, &mut extras, "light"),
            kind,
            color: original(&raw, "color", color, clamp),
            intensity,
            range: number(value, "range").or(range),
            extras,
        });
    }
}

/// Reads the cameras, but for their targets: nodes are read later.
pub(super) fn read_cameras(document: &Document<'_>, scene: &mut Scene, names: &mut NameTables) {
    for (i, value) in document.list("cameras").iter().enumerate() {
        names.cameras.entry(key_of(value).to_owned()).or_insert(i as u32);
        scene.cameras.push(read_camera(value));
    }
}

fn read_camera(value: &Value) -> Camera {
    let mut extras = extras_of(value);
    let raw = take_raw(&mut extras);
    extras.remove("target");
    let name = take_name(value, &mut extras, "camera");
    let none = Value::Null;
    let (projection, lens) = if value.get("type").and_then(Value::as_str) == Some("orthographic") {
        let lens = value.get("orthographic").unwrap_or(&none);
        let size = [number(lens, "xmag").unwrap_or(1.0), number(lens, "ymag").unwrap_or(1.0)];
        let allowed = |size: [f32; 2]| size.map(|s| if s.is_finite() && s > 0.0 { s } else { 1.0 });
        (Projection::Orthographic { size: original(&raw, "size", size, allowed) }, lens)
    } else {
        let lens = value.get("perspective").unwrap_or(&none);
        let allowed = |[yfov]: [f32; 1]| [if yfov.is_finite() { yfov.clamp(1e-3, 3.1) } else { 0.8 }];
        let [yfov] = original(&raw, "yfov", [number(lens, "yfov").unwrap_or(0.8)], allowed);
        let aspect = typed::array::<1>(&raw, "aspect").map(|[a]| a);
        (Projection::Perspective { yfov, aspect: number(lens, "aspectRatio").or(aspect) }, lens)
    };
    let is = number(lens, "znear").unwrap_or(0.1);
    let [near] = original(&raw, "near", [is], constraints::near);
    let edited =
        number(lens, "zfar").filter(|far| !raw.contains_key("far") || *far != constraints::default_far(is));
    let far = edited.or_else(|| typed::array::<1>(&raw, "far").map(|[f]| f));
    Camera { name, projection, near, far, target: None, extras }
}
