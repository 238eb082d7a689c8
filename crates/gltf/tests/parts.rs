//! Lights, cameras, emitters, shapes and other parts that come back from glTF as they were.
#![cfg(test)]

use galatea_gltf::{Options, read, write_glb, write_gltf};
use galatea_scene::{
    Attachment, Billboard, Camera, Clip, Emitter, EmitterKind, Extras, Inherit, Light, LightKind, Material,
    Node, Playback, Projection, Scene, Shape, Value,
};
use galatea_wire::Limits;

/// The scene as it comes back from a GLB.
fn back(scene: &Scene) -> Scene {
    let bytes = write_glb(scene, &Options::default()).unwrap();
    read(&bytes, &Limits::default(), &mut |_| None).unwrap().scene
}

/// The document as JSON.
fn json(scene: &Scene) -> Value {
    serde_json::from_str(&write_gltf(scene, &Options::default(), "a.bin").0).unwrap()
}

/// A scene with a light of each kind, on nodes of their own.
fn lit(kinds: impl IntoIterator<Item = Light>) -> Scene {
    let mut scene = Scene::new("x");
    for (i, light) in (0..).zip(kinds) {
        scene.lights.push(Light { name: format!("light{i}"), ..light });
        scene.add_node(None, Node { light: Some(i), ..Node::new(&format!("node{i}")) });
    }
    scene
}

fn of_kind(kind: LightKind) -> Light {
    Light { kind, color: [1.0, 0.5, 0.25], intensity: 3.0, range: Some(8.0), ..Light::default() }
}

#[test]
fn lights_of_every_kind_come_back() {
    let spot = LightKind::Spot { inner: 0.25, outer: 0.5 };
    let scene = lit([LightKind::Point, LightKind::Directional, spot, LightKind::Ambient].map(of_kind));
    let read = back(&scene);
    let by_name = |scene: &Scene| {
        let mut lights = scene.lights.clone();
        lights.sort_by(|a, b| a.name.cmp(&b.name));
        lights
    };
    assert_eq!(by_name(&read), by_name(&scene));
    for (node, light) in read.nodes.iter().filter_map(|n| Some((n, n.light?))) {
        assert_eq!(read.lights[light as usize].name.replace("light", "node"), node.name);
    }
    let json = json(&scene);
    let lights =
        json.get("extensions").and_then(|e| e.get("KHR_lights_punctual")).and_then(|e| e.get("lights"));
    let lights = lights.and_then(Value::as_array).unwrap();
    let types: Vec<_> = lights.iter().filter_map(|l| l.get("type")?.as_str()).collect();
    assert_eq!(types, ["point", "directional", "spot"], "glTF has no ambient lights");
    assert!(lights[1].get("range").is_none(), "nor a range of the sun");
    assert_eq!(lights[2].get("spot").and_then(|s| s.get("outerConeAngle")), Some(&Value::Float(0.5)));
}

#[test]
fn lights_that_gltf_forbids_are_valid_there_and_come_back() {
    let spot = |inner, outer| of_kind(LightKind::Spot { inner, outer });
    let scene = lit([
        Light { color: [-1.0, 2.0, 0.5], intensity: -4.0, range: Some(-1.0), ..Light::default() },
        spot(1.0, 0.5),
        spot(0.5, 3.0),
        spot(f32::INFINITY, f32::INFINITY),
    ]);
    assert_eq!(back(&scene).lights, scene.lights);
    let json = json(&scene);
    let lights =
        json.get("extensions").and_then(|e| e.get("KHR_lights_punctual")).and_then(|e| e.get("lights"));
    for light in lights.and_then(Value::as_array).unwrap() {
        let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_f64);
        assert!(number(light, "intensity").unwrap() >= 0.0);
        assert!(number(light, "range").is_none_or(|range| range > 0.0));
        let color = light.get("color").and_then(Value::as_array).unwrap();
        assert!(color.iter().all(|c| (0.0..=1.0).contains(&c.as_f64().unwrap())));
        if let Some(spot) = light.get("spot") {
            let (inner, outer) =
                (number(spot, "innerConeAngle").unwrap(), number(spot, "outerConeAngle").unwrap());
            assert!(
                0.0 <= inner && inner < outer && outer <= std::f64::consts::FRAC_PI_2 + 1e-6,
                "{inner} {outer}"
            );
        }
    }
}

#[test]
fn an_edited_cone_wins_over_the_original() {
    let scene = lit([of_kind(LightKind::Spot { inner: 0.0, outer: 3.0 })]);
    let (text, bin) = write_gltf(&scene, &Options::default(), "a.bin");
    let written = "\"outerConeAngle\":1.5707964";
    assert!(text.contains(written), "{text}");
    let edited = text.replace(written, "\"outerConeAngle\":0.75");
    let read = read(edited.as_bytes(), &Limits::default(), &mut |_| Some(bin.clone())).unwrap().scene;
    assert_eq!(read.lights[0].kind, LightKind::Spot { inner: 0.0, outer: 0.75 });
}

fn filmed(cameras: impl IntoIterator<Item = Camera>) -> Scene {
    let mut scene = Scene::new("x");
    scene.add_node(None, Node::new("goal"));
    for (i, camera) in (0..).zip(cameras) {
        scene.cameras.push(Camera { name: format!("camera{i}"), ..camera });
        scene.add_node(None, Node { camera: Some(i), ..Node::new(&format!("node{i}")) });
    }
    scene
}

#[test]
fn cameras_come_back() {
    let perspective = Projection::Perspective { yfov: 0.5, aspect: Some(1.5) };
    let odd = Projection::Perspective { yfov: 4.0, aspect: Some(-1.0) };
    let plan = |x, y| Projection::Orthographic { size: [x, y] };
    let scene = filmed([
        Camera { projection: perspective, near: 0.25, far: Some(64.0), target: Some(0), ..Camera::default() },
        Camera { projection: perspective, far: None, ..Camera::default() },
        Camera { projection: plan(2.0, 3.0), near: 0.5, far: Some(8.0), ..Camera::default() },
        Camera { projection: plan(-2.0, 3.0), near: -1.0, far: None, ..Camera::default() },
        Camera { projection: plan(2.0, 3.0), near: 4.0, far: Some(1.0), ..Camera::default() },
        Camera { projection: odd, near: 0.0, far: Some(-1.0), ..Camera::default() },
    ]);
    assert_eq!(back(&scene).cameras, scene.cameras);
    let json = json(&scene);
    let cameras = json.get("cameras").and_then(Value::as_array).unwrap();
    for camera in cameras {
        let kind = camera.get("type").and_then(Value::as_str).unwrap();
        let number = |key| camera.get(kind).and_then(|lens| lens.get(key)).and_then(Value::as_f64);
        let near = number("znear").unwrap();
        assert!(near > 0.0);
        assert!(number("zfar").is_none_or(|far| far > near), "{camera:?}");
        match kind {
            "perspective" => {
                assert!(number("yfov").is_some_and(|fov| fov > 0.0 && fov < std::f64::consts::PI))
            }
            _ => assert!(number("xmag").is_some_and(|x| x > 0.0) && number("zfar").is_some()),
        }
    }
}

#[test]
fn what_gltf_has_no_word_for_comes_back_from_extras() {
    let mut scene = Scene::new("x");
    scene.materials.push(Material { name: "spark".into(), ..Material::default() });
    let kinds = [
        EmitterKind::Particles,
        EmitterKind::Ribbon,
        EmitterKind::Models,
        EmitterKind::Lightning,
        EmitterKind::Effect,
    ];
    for (i, kind) in (0..).zip(kinds) {
        scene.emitters.push(Emitter {
            name: format!("emitter{i}"),
            kind,
            rate: 1.0,
            life: 2.0,
            speed: 3.0,
            spread: 4.0,
            gravity: -5.0,
            area: [6.0, 7.0],
            colors: vec![[1.0, 0.5, 0.25, 0.0]; 3],
            sizes: vec![1.0, 2.0, 3.0],
            grid: [4, 2],
            material: (i == 0).then_some(0),
            path: "effects/spark".into(),
            extras: Extras::from([("squirt", Value::from(1))]),
        });
    }
    let shapes = [
        Shape::Box { min: [-1.0; 3], max: [1.0, 2.0, 3.0] },
        Shape::Sphere { center: [1.0, 2.0, 3.0], radius: 4.0 },
        Shape::Cylinder { from: [0.0; 3], to: [0.0, 1.0, 0.0], radius: 0.5 },
        Shape::Plane { size: [2.0, 3.0] },
    ];
    let billboards = [Billboard::Full, Billboard::AboutX, Billboard::AboutY, Billboard::AboutZ];
    for (i, (shape, billboard)) in (0..).zip(shapes.into_iter().zip(billboards)) {
        scene.add_node(
            None,
            Node {
                shape: Some(shape),
                billboard: Some(billboard),
                emitter: Some(i),
                attachment: Some(Attachment { id: Some(i as i32 - 1), path: "hat".into() }),
                inherit: Inherit { translation: i != 0, rotation: i != 1, scale: i != 2 },
                ..Node::new(&format!("node{i}"))
            },
        );
    }
    scene.add_node(None, Node { emitter: Some(4), ..Node::new("node4") });
    for playback in [Playback::Loop, Playback::Once, Playback::Always] {
        scene.clips.push(Clip { name: format!("{playback:?}"), length: 1.0, playback, ..Clip::default() });
    }
    let read = back(&scene);
    assert_eq!(read.emitters, scene.emitters);
    assert_eq!(read.nodes, scene.nodes);
    assert_eq!(read.clips, scene.clips);
}

#[test]
fn gltf_is_known_by_its_first_bytes() {
    assert!(galatea_gltf::detect(b"\xEF\xBB\xBF \n{\"asset\": {\"version\": \"2.0\"}}"));
    assert!(galatea_gltf::detect(b"glTF\x02\0\0\0"));
    for other in [&b"{}"[..], b"", b"[\"asset\", \"version\"]", b"{\"asset\": 1}"] {
        assert!(!galatea_gltf::detect(other), "{other:?}");
    }
}
