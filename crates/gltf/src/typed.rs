//! Parts of the scene that glTF has no field for, to and from JSON in `extras.galatea`.

use galatea_scene::{
    Attachment, Billboard, Channel, Emitter, EmitterKind, Event, Extras, Inherit, Interpolation, Light,
    LightKind, Playback, Property, Shape, Slot, Target, Texture, UvTransform, Value, Wrap, float, floats,
    read_float, read_floats,
};

use crate::Role;
use crate::json::Object;

/// The key in extras for what other programs put there.
pub(crate) const FOREIGN: &str = "foreign";

pub(crate) fn text<'a>(map: &'a Extras, key: &str) -> Option<&'a str> {
    map.text(key)
}

pub(crate) fn int(map: &Extras, key: &str) -> Option<i64> {
    map.int(key)
}

pub(crate) fn array<const N: usize>(map: &Extras, key: &str) -> Option<[f32; N]> {
    map.floats(key)?.first_chunk().copied()
}

fn number(map: &Extras, key: &str) -> Option<f32> {
    read_float(map.get(key)?)
}

fn with(mut map: Extras, extras: &Extras) -> Value {
    if !extras.is_empty() {
        map.insert("extras", extras.clone());
    }
    Value::Object(map)
}

fn inner(map: &Extras) -> Extras {
    map.object("extras").cloned().unwrap_or_default()
}

pub(crate) fn attachment(value: &Attachment) -> Value {
    let mut map = Extras::new();
    if let Some(id) = value.id {
        map.insert("id", id);
    }
    if !value.path.is_empty() {
        map.insert("path", value.path.clone());
    }
    Value::Object(map)
}

pub(crate) fn read_attachment(value: &Value) -> Option<Attachment> {
    let map = value.as_object()?;
    let id = int(map, "id").and_then(|v| i32::try_from(v).ok());
    Some(Attachment { id, path: text(map, "path").unwrap_or("").to_owned() })
}

pub(crate) fn shape(value: &Shape) -> Value {
    Value::Object(match value {
        Shape::Box { min, max } => {
            Extras::from([("kind", "box".into()), ("min", floats(min)), ("max", floats(max))])
        }
        Shape::Sphere { center, radius } => {
            Extras::from([("kind", "sphere".into()), ("center", floats(center)), ("radius", float(*radius))])
        }
        Shape::Cylinder { from, to, radius } => Extras::from([
            ("kind", "cylinder".into()),
            ("from", floats(from)),
            ("to", floats(to)),
            ("radius", float(*radius)),
        ]),
        Shape::Plane { size } => Extras::from([("kind", "plane".into()), ("size", floats(size))]),
    })
}

pub(crate) fn read_shape(value: &Value) -> Option<Shape> {
    let map = value.as_object()?;
    Some(match text(map, "kind")? {
        "box" => Shape::Box { min: array(map, "min")?, max: array(map, "max")? },
        "sphere" => Shape::Sphere { center: array(map, "center")?, radius: number(map, "radius")? },
        "cylinder" => Shape::Cylinder {
            from: array(map, "from")?,
            to: array(map, "to")?,
            radius: number(map, "radius")?,
        },
        "plane" => Shape::Plane { size: array(map, "size")? },
        _ => return None,
    })
}

pub(crate) fn billboard(value: Billboard) -> &'static str {
    match value {
        Billboard::Full => "full",
        Billboard::AboutX => "x",
        Billboard::AboutY => "y",
        Billboard::AboutZ => "z",
    }
}

pub(crate) fn read_billboard(value: &str) -> Option<Billboard> {
    [Billboard::Full, Billboard::AboutX, Billboard::AboutY, Billboard::AboutZ]
        .into_iter()
        .find(|b| billboard(*b) == value)
}

pub(crate) fn inherit(value: Inherit) -> Value {
    Value::Object(Extras::from([
        ("translation", value.translation.into()),
        ("rotation", value.rotation.into()),
        ("scale", value.scale.into()),
    ]))
}

pub(crate) fn read_inherit(value: &Value) -> Option<Inherit> {
    let map = value.as_object()?;
    // Blender stores booleans as numbers.
    let flag =
        |key| map.get(key).is_none_or(|v: &Value| v.as_bool().unwrap_or_else(|| v.as_f64() != Some(0.0)));
    Some(Inherit { translation: flag("translation"), rotation: flag("rotation"), scale: flag("scale") })
}

const EMITTERS: [(EmitterKind, &str); 5] = [
    (EmitterKind::Particles, "particles"),
    (EmitterKind::Ribbon, "ribbon"),
    (EmitterKind::Models, "models"),
    (EmitterKind::Lightning, "lightning"),
    (EmitterKind::Effect, "effect"),
];

pub(crate) fn emitter(value: &Emitter, material: Option<&str>) -> Value {
    let kind = EMITTERS.iter().find(|(k, _)| *k == value.kind).map_or("particles", |(_, n)| n);
    let mut map = Extras::from([
        ("name", value.name.clone().into()),
        ("kind", kind.into()),
        ("rate", float(value.rate)),
        ("life", float(value.life)),
        ("speed", float(value.speed)),
        ("spread", float(value.spread)),
        ("gravity", float(value.gravity)),
        ("area", floats(&value.area)),
        ("colors", floats(value.colors.as_flattened())),
        ("sizes", floats(&value.sizes)),
        ("grid", galatea_scene::encode_u32s(&value.grid)),
        ("path", value.path.clone().into()),
    ]);
    if let Some(material) = material {
        map.insert("material", material.to_owned());
    }
    with(map, &value.extras)
}

/// Reads an emitter, and returns the name of its material.
pub(crate) fn read_emitter(value: &Value) -> Option<(Emitter, Option<&str>)> {
    let map = value.as_object()?;
    let word = text(map, "kind").unwrap_or("");
    let number = |key| number(map, key).unwrap_or(0.0);
    let list = |key| map.get(key).and_then(read_floats).unwrap_or_default();
    let grid: Option<[f32; 2]> = array(map, "grid");
    let emitter = Emitter {
        name: text(map, "name").unwrap_or("").to_owned(),
        kind: EMITTERS.iter().find(|(_, n)| *n == word).map_or(EmitterKind::Particles, |(k, _)| *k),
        rate: number("rate"),
        life: number("life"),
        speed: number("speed"),
        spread: number("spread"),
        gravity: number("gravity"),
        area: array(map, "area").unwrap_or_default(),
        colors: list("colors").chunks_exact(4).filter_map(|c| c.first_chunk().copied()).collect(),
        sizes: list("sizes"),
        grid: grid.map_or([0; 2], |g| g.map(|v| v as i64 as u32)),
        material: None,
        path: text(map, "path").unwrap_or("").to_owned(),
        extras: inner(map),
    };
    Some((emitter, text(map, "material")))
}

/// Returns a light of a kind that glTF does not have.
pub(crate) fn light(value: &Light) -> Value {
    let map = Extras::from([
        ("name", value.name.clone().into()),
        ("kind", "ambient".into()),
        ("color", floats(&value.color)),
        ("intensity", float(value.intensity)),
        ("range", value.range.map_or(Value::Bool(false), float)),
    ]);
    with(map, &value.extras)
}

pub(crate) fn read_light(value: &Value) -> Option<Light> {
    let map = value.as_object()?;
    Some(Light {
        name: text(map, "name").unwrap_or("").to_owned(),
        kind: LightKind::Ambient,
        color: array(map, "color").unwrap_or([1.0; 3]),
        intensity: number(map, "intensity").unwrap_or(1.0),
        range: number(map, "range"),
        extras: inner(map),
    })
}

const WRAPS: [(Wrap, &str, u64); 3] =
    [(Wrap::Repeat, "repeat", 10497), (Wrap::Mirror, "mirror", 33648), (Wrap::Clamp, "clamp", 33071)];

pub(crate) fn wrap_code(wrap: Wrap) -> u64 {
    WRAPS.iter().find(|(w, ..)| *w == wrap).map_or(10497, |(.., code)| *code)
}

pub(crate) fn read_wrap(code: u64) -> Wrap {
    WRAPS.iter().find(|(.., c)| *c == code).map_or(Wrap::Repeat, |(w, ..)| *w)
}

/// How a texture is placed: set of coordinates, wrapping, transform.
pub(crate) type Place = (u32, [Wrap; 2], Option<UvTransform>);

/// A texture that is drawn: its role, the name of its image, and its place if that is not the texture's own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shown {
    pub(crate) role: Role,
    pub(crate) image: String,
    pub(crate) place: Option<Place>,
}

fn put_place(map: &mut Extras, (uv_set, wraps, transform): &Place) {
    let mut put = |key: &'static str, value: Value| map.insert(key, value);
    if *uv_set != 0 {
        put("uv_set", (*uv_set).into());
    }
    for (key, wrap) in ["wrap_u", "wrap_v"].into_iter().zip(wraps) {
        if let Some((_, word, _)) = WRAPS.iter().find(|(w, ..)| w == wrap && *wrap != Wrap::Repeat) {
            put(key, (*word).into());
        }
    }
    if let Some(transform) = transform {
        put("offset", floats(&transform.offset));
        put("rotation", float(transform.rotation));
        put("scale", floats(&transform.scale));
    }
}

fn read_place(map: &Extras) -> Place {
    let wrap = |key| {
        let word = text(map, key).unwrap_or("repeat");
        WRAPS.iter().find(|(_, w, _)| *w == word).map_or(Wrap::Repeat, |(w, ..)| *w)
    };
    let transform = map.contains_key("offset").then(|| UvTransform {
        offset: array(map, "offset").unwrap_or_default(),
        rotation: number(map, "rotation").unwrap_or(0.0),
        scale: array(map, "scale").unwrap_or([1.0; 2]),
    });
    (int(map, "uv_set").unwrap_or(0) as u32, [wrap("wrap_u"), wrap("wrap_v")], transform)
}

pub(crate) fn texture(value: &Texture, shown: Option<&Shown>, notes: &Extras) -> Value {
    let slot = value.slot.name().to_owned();
    let mut map = Extras::from([("slot", slot.into()), ("name", value.name.clone().into())]);
    put_place(&mut map, &(value.uv_set, value.wrap, value.transform));
    if let Some(shown) = shown {
        map.insert("image", shown.image.clone());
        if shown.role.slot() != value.slot {
            map.insert("role", shown.role.name());
        }
        if let Some(place) = &shown.place {
            let mut shown = Extras::new();
            put_place(&mut shown, place);
            map.insert("shown", shown);
        }
    }
    if !notes.is_empty() {
        map.insert("notes", notes.clone());
    }
    with(map, &value.extras)
}

pub(crate) fn read_texture(value: &Value) -> Option<(Texture, Option<Shown>)> {
    let map = value.as_object()?;
    let (uv_set, wrap, transform) = read_place(map);
    let texture = Texture {
        slot: Slot::by_name(text(map, "slot")?),
        name: text(map, "name").unwrap_or("").to_owned(),
        uv_set,
        wrap,
        transform,
        extras: inner(map),
    };
    let shown = text(map, "image").and_then(|image| {
        let by_slot = || Role::ALL.into_iter().find(|r| r.slot() == texture.slot);
        let role = text(map, "role").and_then(Role::named).or_else(by_slot)?;
        let place = map.get("shown").and_then(Value::as_object).map(read_place);
        Some(Shown { role, image: image.to_owned(), place })
    });
    Some((texture, shown))
}

pub(crate) fn read_playback(value: &str) -> Playback {
    Playback::ALL.into_iter().find(|playback| playback.name() == value).unwrap_or_default()
}

pub(crate) fn event(value: &Event, node: Option<&str>) -> Value {
    let mut map = Extras::from([("time", float(value.time)), ("name", value.name.clone().into())]);
    if let Some(node) = node {
        map.insert("node", node.to_owned());
    }
    with(map, &value.extras)
}

pub(crate) fn read_event(value: &Value) -> Option<(Event, Option<&str>)> {
    let map = value.as_object()?;
    let event = Event {
        time: number(map, "time").unwrap_or(0.0),
        name: text(map, "name").unwrap_or("").to_owned(),
        node: None,
        extras: inner(map),
    };
    Some((event, text(map, "node")))
}

pub(crate) fn interpolation(value: Interpolation) -> &'static str {
    match value {
        Interpolation::Step => "STEP",
        Interpolation::Linear => "LINEAR",
        Interpolation::Cubic => "CUBICSPLINE",
    }
}

pub(crate) fn read_interpolation(value: &str) -> Interpolation {
    match value {
        "STEP" => Interpolation::Step,
        "CUBICSPLINE" => Interpolation::Cubic,
        _ => Interpolation::Linear,
    }
}

/// Returns the kind of object that a channel animates, and its index.
pub(crate) fn target(value: Target) -> (&'static str, u32) {
    match value {
        Target::Node(i) => ("node", i),
        Target::Material(i) => ("material", i),
        Target::Light(i) => ("light", i),
        Target::Camera(i) => ("camera", i),
        Target::Emitter(i) => ("emitter", i),
    }
}

pub(crate) fn read_target(kind: &str, index: u32) -> Option<Target> {
    Some(match kind {
        "node" => Target::Node(index),
        "material" => Target::Material(index),
        "light" => Target::Light(index),
        "camera" => Target::Camera(index),
        "emitter" => Target::Emitter(index),
        _ => return None,
    })
}

/// Writes a channel that glTF does not have, with its keys. Models have hundreds, so no value is built for them.
pub(crate) fn put_curve(o: &mut Object<'_>, value: &Channel, name: &str) {
    let (kind, _) = target(value.target);
    o.text("kind", kind);
    o.text("target", name);
    o.text("property", value.property.name());
    o.text("interpolation", interpolation(value.interpolation));
    o.exact_floats("times", &value.times);
    o.exact_floats("values", &value.values);
    if !value.extras.is_empty() {
        o.object("extras", |o| o.members(&value.extras));
    }
}

pub(crate) fn read_curve<'a>(
    value: &'a Value,
    find: impl Fn(&str, &'a str) -> Option<u32>,
) -> Option<Channel> {
    let map = value.as_object()?;
    let (kind, name) = (text(map, "kind")?, text(map, "target")?);
    Some(Channel {
        target: read_target(kind, find(kind, name)?)?,
        property: Property::by_name(text(map, "property")?),
        interpolation: read_interpolation(text(map, "interpolation").unwrap_or("")),
        times: read_floats(map.get("times")?)?,
        values: read_floats(map.get("values")?)?,
        extras: inner(map),
    })
}
