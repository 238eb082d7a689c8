//! Scenes through serde.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail loudly")]

use galatea_scene::{
    AlphaMode, Billboard, Camera, Channel, Emitter, Event, Extras, Interpolation, Light, LightKind, Property,
    Scene, Shape, Slot, Target, Texture, UvTransform, Value, example,
};

/// The example, with something in every list and in every optional field.
fn full() -> Scene {
    let mut scene = example();
    scene.lights.push(Light {
        kind: LightKind::Spot { inner: 0.25, outer: 0.5 },
        range: Some(3.0),
        ..Light::default()
    });
    scene.cameras.push(Camera { far: Some(100.0), target: Some(0), ..Camera::default() });
    scene.emitters.push(Emitter { path: "spark.mdx".into(), colors: vec![[0.5; 4]], ..Emitter::default() });
    scene.nodes[0].shape = Some(Shape::Sphere { center: [0.0, 1.0, 0.0], radius: 2.0 });
    scene.nodes[0].billboard = Some(Billboard::AboutZ);
    scene.nodes[0].extras.insert("flags", Value::from_iter([Value::Int(7), Value::Float(0.1)]));
    scene.materials[0].alpha = AlphaMode::Mask { cutoff: 0.5 };
    let transform = Some(UvTransform { rotation: 0.1, ..UvTransform::default() });
    for slot in [Slot::OcclusionRoughnessMetallic, Slot::Other("Dirty_Tex_LIN".into())] {
        let texture = Texture { slot, name: "dirt".into(), transform, ..Texture::default() };
        scene.materials[0].textures.push(texture);
    }
    scene.clips[0].events.push(Event { time: 0.1, name: "snd_step".into(), ..Event::default() });
    scene.clips[0].channels.push(Channel {
        target: Target::Emitter(0),
        property: Property::Other("birthrate".into()),
        interpolation: Interpolation::Step,
        times: vec![0.0, 0.3],
        values: vec![1.0, f32::MIN_POSITIVE],
        extras: Extras::new(),
    });
    scene
}

#[test]
fn a_scene_comes_back_from_json() {
    let scene = full();
    let text = serde_json::to_string(&scene).unwrap();
    assert_eq!(serde_json::from_str::<Scene>(&text).unwrap(), scene);
}

#[test]
fn what_is_left_out_has_its_default() {
    let scene: Scene = serde_json::from_str(r#"{"name": "dot", "nodes": [{"name": "root"}]}"#).unwrap();
    let mut expected = Scene::new("dot");
    expected.add_node(None, galatea_scene::Node::new("root"));
    assert_eq!(scene, expected);
}

#[test]
fn variants_are_named_as_in_the_documentation() {
    let scene = full();
    let json = serde_json::to_value(&scene).unwrap();
    let textures = json["materials"][0]["textures"].as_array().unwrap();
    let slots: Vec<_> = textures.iter().rev().take(2).map(|t| t["slot"].to_string()).collect();
    assert_eq!(slots, [r#"{"other":"Dirty_Tex_LIN"}"#, r#""orm""#]);
    assert_eq!(json["meshes"][0]["purpose"], "render");
}
