//! Extras, names and small parts of the scene.
#![cfg(test)]

use galatea_scene::{
    Attribute, Bounds, Camera, Extras, Light, LightKind, Material, Projection, Property, Purpose, Slot,
    Texture, Value, Vertices, decode_u32s, each_ulp_delta, encode_u32s, float, floats, hex, latin,
    read_float, read_floats, unhex, unlatin,
};

/// One value of each kind.
fn kinds() -> [Value; 7] {
    [
        Value::Null,
        Value::from(true),
        Value::from(-3),
        Value::Float(0.5),
        Value::from("text"),
        Value::from(vec![Value::Null]),
        Value::from([("key", Value::from(1u8))]),
    ]
}

#[test]
fn a_value_is_of_one_kind() {
    let [null, yes, int, half, text, list, object] = kinds();
    assert_eq!((yes.as_bool(), null.as_bool()), (Some(true), None));
    assert_eq!((int.as_f64(), half.as_f64(), text.as_f64()), (Some(-3.0), Some(0.5), None));
    assert_eq!((int.as_u64(), Value::from(7usize).as_u64(), half.as_u64()), (None, Some(7), None));
    assert_eq!((text.as_str(), list.as_str()), (Some("text"), None));
    assert_eq!((list.as_array().map(Vec::len), object.as_array()), (Some(1), None));
    assert_eq!((object.get("key"), object.get("none"), null.get("key")), (Some(&Value::Int(1)), None, None));
    for (i, a) in kinds().iter().enumerate() {
        for (j, b) in kinds().iter().enumerate() {
            assert_eq!(a == b, i == j, "{a:?} {b:?}");
        }
    }
}

#[test]
fn members_are_replaced_removed_and_edited() {
    let mut value = Value::from([("a", Value::from(1u16)), ("b", Value::from("x".to_owned()))]);
    let members = value.as_object_mut().unwrap();
    members.insert("a", 2);
    members.insert("c", 3i64);
    assert_eq!(members.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!((members.remove("b"), members.remove("b")), (Some(Value::from("x")), None));
    assert_eq!((members.int("a"), members.int("c"), members.len()), (Some(2), Some(3), 2));
    members.clear();
    assert!(members.is_empty());
    assert!(Value::Null.as_object_mut().is_none());
}

#[test]
fn many_members_at_once_replace_those_with_the_same_key() {
    for count in [3u32, 40] {
        let mut extras = Extras::from([("n1", Value::from("old")), ("kept", Value::Null)]);
        extras.extend((0..count).map(|i| (format!("n{i}"), Value::from(i))));
        assert_eq!(extras.len(), count as usize + 1);
        assert_eq!((extras.int("n1"), extras.get("kept")), (Some(1), Some(&Value::Null)));
        assert_eq!(extras.into_iter().next(), Some(("n1".into(), Value::Int(1))), "in the old place");
    }
}

#[test]
fn extras_give_what_was_put_in() {
    let nested = Extras::from([("deep", Value::from(1))]);
    let extras = Extras::from([
        ("text", Value::from("x")),
        ("floats", floats(&[0.5, f32::INFINITY])),
        ("words", encode_u32s(&[7, u32::MAX])),
        ("object", Value::from(nested.clone())),
        ("objects", [Value::from(nested.clone()), Value::Null].into_iter().collect()),
    ]);
    assert_eq!((extras.text("text"), extras.text("floats")), (Some("x"), None));
    assert_eq!(extras.floats("floats"), Some(vec![0.5, f32::INFINITY]));
    assert_eq!((extras.u32s("words"), extras.ints("words")), (Some(vec![7, u32::MAX]), Some(vec![7, -1])));
    assert_eq!(extras.object("object"), Some(&nested));
    assert_eq!(extras.objects("objects").collect::<Vec<_>>(), [&nested]);
    assert_eq!((extras.objects("text").count(), extras.int("none"), Extras::none().len()), (0, None, 0));
}

#[test]
fn numbers_that_json_lacks_are_texts() {
    assert_eq!(float(f32::NEG_INFINITY), Value::from("0xFF800000"));
    assert_eq!(read_float(&Value::from("0xFF800000")), Some(f32::NEG_INFINITY));
    assert_eq!((read_float(&Value::from("FF")), read_float(&Value::Null)), (None, None));
    assert_eq!(
        floats(&[f32::INFINITY]),
        Value::from([("bits", [Value::Int(0x7F80_0000)].into_iter().collect())])
    );
    assert_eq!((read_floats(&Value::Null), read_floats(&Value::from([("b", Value::Null)]))), (None, None));
    assert_eq!((decode_u32s(&Value::Null), decode_u32s(&Value::from("!"))), (None, None));
    // Source maps write 0, 1, -1, 15 and 16 like this.
    assert_eq!(decode_u32s(&Value::from("ACDegB")), Some(vec![0, 1, u32::MAX, 15, 16]));
    let mut rows = Vec::new();
    let notes = Value::from([("at", encode_u32s(&[4])), ("by", encode_u32s(&[1, 2]))]);
    each_ulp_delta(&notes, 2, |row, by| rows.push((row, by.to_vec())));
    assert_eq!(rows, [(4, vec![1, 2])]);
    each_ulp_delta(&Value::Null, 2, |_, _| rows.clear());
    assert_eq!(rows.len(), 1);
}

#[test]
fn bytes_survive_as_text() {
    let bytes: Vec<u8> = (0..=255).collect();
    assert_eq!((latin(b"abc"), latin(b"\xE9")), ("abc".to_owned(), "é".to_owned()));
    assert_eq!(unlatin(&latin(&bytes)), bytes);
    assert_eq!(unlatin("a€"), b"a?");
    assert_eq!((hex(&[0, 0x1F, 0xE9]), unhex("001fE9")), ("001fe9".to_owned(), Some(vec![0, 0x1F, 0xE9])));
    assert_eq!((unhex(&hex(&bytes)), unhex("0g")), (Some(bytes), None));
}

#[test]
fn names_of_properties_slots_and_purposes_lead_back() {
    let properties = "translation rotation scale visibility color alpha emissive intensity range uv_offset uv_rotation \
        uv_scale field_of_view";
    for name in properties.split_whitespace() {
        let property = Property::by_name(name);
        assert_eq!(property.name(), name);
        assert!(!matches!(property, Property::Other(_)), "{name}");
    }
    assert_eq!(Property::by_name("birthrate"), Property::Other("birthrate".to_owned()));
    for name in ["base", "lightmap", "normal", "orm", "emissive", "specular", "environment", "team_color"] {
        let slot = Slot::by_name(name);
        assert_eq!(slot.name(), name);
        assert!(!matches!(slot, Slot::Other(_)), "{name}");
    }
    assert_eq!(Slot::by_name("Dirty_Tex_LIN").name(), "Dirty_Tex_LIN");
    assert_eq!(Purpose::ALL.map(Purpose::name), ["render", "walk", "collision", "aabb", "hidden"]);
}

#[test]
fn the_first_texture_of_a_slot_counts() {
    let texture = |slot, name: &str| Texture { slot, name: name.to_owned(), ..Texture::default() };
    let textures = vec![texture(Slot::Base, "a"), texture(Slot::Normal, "b"), texture(Slot::Normal, "c")];
    let material = Material { textures, ..Material::default() };
    assert_eq!(material.texture(&Slot::Normal).map(|t| t.name.as_str()), Some("b"));
    assert_eq!(material.texture(&Slot::Emissive), None);
}

#[test]
fn attributes_are_found_by_name() {
    let attribute = Attribute { name: "_SOFTNESS".to_owned(), width: 1, values: vec![0.5] };
    let vertices = Vertices { attributes: vec![attribute], ..Vertices::default() };
    assert_eq!((vertices.attribute("_SOFTNESS"), vertices.attribute("_OTHER")), (&[0.5][..], &[][..]));
}

#[test]
fn bounds_grow_and_are_measured() {
    let bounds = |min, max| Bounds { min, max };
    let both = bounds([0.0; 3], [1.0; 3]).union(bounds([-1.0, 0.5, 2.0], [0.5, 4.0, 6.0]));
    assert_eq!(both, bounds([-1.0, 0.0, 0.0], [1.0, 4.0, 6.0]));
    assert_eq!((both.center(), both.size()), ([0.0, 2.0, 3.0], 56f32.sqrt()));
    assert_eq!(bounds([f32::MAX; 3], [f32::MAX; 3]).center(), [f32::MAX; 3]);
}

#[test]
fn lights_and_cameras_have_defaults_that_show_something() {
    let light = Light::default();
    assert_eq!(
        (light.kind, light.color, light.intensity, light.range),
        (LightKind::Point, [1.0; 3], 1.0, None)
    );
    let camera = Camera::default();
    assert_eq!((camera.near, camera.far, camera.target), (0.1, None, None));
    assert!(
        matches!(camera.projection, Projection::Perspective { yfov, aspect: None } if yfov > 0.0 && yfov < 3.0)
    );
}
