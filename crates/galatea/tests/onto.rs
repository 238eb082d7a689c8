//! Edited GLBs laid onto native originals, and the refusal of GLBs that have lost their extras.
#![cfg(test)]

use galatea::{
    Comparison, ConvertError, ConvertOptions, Document, FormatId, Gltf, Input, SceneContext, compare,
    convert, convert_onto, gltf, scene,
};
use serde_json::Value;

/// The natives that can be made of the example scene.
const NATIVE: [FormatId; 4] = [FormatId::KotorMdl, FormatId::Mdx, FormatId::Fmdl, FormatId::Mdl];

fn open(bytes: &[u8]) -> Box<dyn Document> {
    galatea::open(&Input::new(bytes).with_name("arm.glb"), &Default::default()).unwrap()
}

/// The example as a document of a game.
fn native(to: FormatId) -> Box<dyn Document> {
    let glb = gltf::write_glb(&scene::example(), &Default::default()).unwrap();
    let made = convert(open(&glb).as_ref(), to, &ConvertOptions::default(), &SceneContext::new("arm"));
    galatea::open(&made.unwrap().output.input(), &Default::default()).unwrap()
}

fn to_glb(document: &dyn Document) -> Vec<u8> {
    let context = SceneContext::new("arm");
    convert(document, FormatId::Glb, &ConvertOptions::default(), &context).unwrap().output.bytes
}

/// A GLB without extras, changed by `edit`, as a program leaves it that carries none.
fn stripped(glb: &[u8], edit: impl FnOnce(&mut Value)) -> Vec<u8> {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.remove("extras");
                map.values_mut().for_each(strip);
            }
            Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let length = u32::from_le_bytes(*glb[12..].first_chunk().unwrap()) as usize;
    let mut json: Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    strip(&mut json);
    edit(&mut json);
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let rest = &glb[20 + length..];
    let mut out = b"glTF\x02\0\0\0".to_vec();
    out.extend(((20 + text.len() + rest.len()) as u32).to_le_bytes());
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(b"JSON");
    out.extend(text);
    out.extend(rest);
    out
}

#[test]
fn a_glb_of_ours_without_extras_is_refused() {
    for to in NATIVE {
        let original = native(to);
        let edited = open(&stripped(&to_glb(original.as_ref()), |_| {}));
        let context = SceneContext::new("arm");
        let refused = convert(edited.as_ref(), to, &ConvertOptions::default(), &context);
        assert!(matches!(refused, Err(ConvertError::LostExtras)), "{to}");
        let new = convert(edited.as_ref(), to, &ConvertOptions::default().with_as_new(true), &context);
        assert!(new.is_ok(), "{to}");
        // It is still a glTF.
        assert!(convert(edited.as_ref(), FormatId::Gltf, &ConvertOptions::default(), &context).is_ok());
    }
    let whole = open(&to_glb(native(FormatId::Mdx).as_ref()));
    assert!(!whole.has_lost_extras());
    assert!(
        convert(whole.as_ref(), FormatId::Mdx, &ConvertOptions::default(), &SceneContext::new("arm")).is_ok()
    );
}

#[test]
fn without_an_edit_the_original_is_written_byte_for_byte() {
    for to in NATIVE {
        let original = native(to);
        let edited = open(&stripped(&to_glb(original.as_ref()), |_| {}));
        let context = SceneContext::new("arm");
        let onto = convert_onto(
            edited.as_ref(),
            original.as_ref(),
            to,
            &ConvertOptions::default(),
            &context,
            &context,
        );
        let onto = onto.unwrap();
        assert!(onto.account.is_unchanged(), "{to}: {:?}", onto.account.changes);
        assert_eq!(onto.converted.output.bytes, original.write().unwrap().bytes, "{to}");
    }
}

#[test]
fn a_moved_node_is_all_that_differs() {
    let mut moved = Vec::new();
    for to in NATIVE {
        let original = native(to);
        let glb = to_glb(original.as_ref());
        let name = {
            let document = open(&glb);
            let scene = document.as_any().downcast_ref::<Gltf>().unwrap().scene();
            let joints: Vec<u32> = scene.skins.iter().flat_map(|s| s.joints.clone()).collect();
            let moved = scene.nodes.iter().enumerate().find(|(id, n)| {
                n.mesh.is_some() && n.skin.is_none() && n.parent.is_some() && !joints.contains(&(*id as u32))
            });
            // Every mesh of Warcraft III is skinned; there, a node without one moves.
            moved.map_or("hand".to_owned(), |(_, n)| n.name.clone())
        };
        let edited = open(&stripped(&glb, |json| {
            let nodes = json["nodes"].as_array_mut().unwrap();
            let node = nodes.iter_mut().find(|n| n["name"] == name.as_str()).unwrap();
            node["translation"] = serde_json::json!([0.25, 0.5, 0.75]);
        }));
        let context = SceneContext::new("arm");
        let onto = convert_onto(
            edited.as_ref(),
            original.as_ref(),
            to,
            &ConvertOptions::default(),
            &context,
            &context,
        );
        let onto = onto.unwrap();
        assert_eq!(onto.account.changes.iter().filter(|c| c.fate != scene::Fate::Kept).count(), 1, "{to}");
        let back = galatea::open(&onto.converted.output.input(), &Default::default()).unwrap();
        let lines = compare(original.as_ref(), back.as_ref(), &Comparison::default()).unwrap();
        // Nothing but its place, which Warcraft III stores as a pivot and in vertices, and Fox Engine in vertices and bounds.
        let places: &[&str] = match to {
            FormatId::KotorMdl => &["nodes[5] \"plate\" > "],
            FormatId::Fmdl => &["meshes[1] > ", "runs[1] > bounds > ", "bounds > "],
            _ => &["GEOS > geosets[0] > ", "PIVT > pivots"],
        };
        assert!(!lines.is_empty(), "{to}");
        let elsewhere: Vec<_> = lines.iter().filter(|l| !places.iter().any(|p| l.starts_with(p))).collect();
        assert!(elsewhere.is_empty(), "{to}: {elsewhere:#?}");
        moved.push(to);
    }
    assert_eq!(moved, NATIVE);
}

#[test]
fn unordered_comparisons_ignore_the_order_of_vertices_and_nothing_else() {
    let original = native(FormatId::KotorMdl);
    let mut shuffled = original.to_scene(&SceneContext::new("arm")).unwrap();
    // The last triangle first.
    for primitive in shuffled.meshes.iter_mut().flat_map(|m| &mut m.primitives) {
        let last = primitive.indices.len().saturating_sub(3);
        primitive.indices.rotate_left(last);
    }
    let from_scene = FormatId::KotorMdl.format().from_scene.unwrap();
    let (back, _) = from_scene(&shuffled, &ConvertOptions::default()).unwrap();
    let exact = compare(original.as_ref(), back.as_ref(), &Comparison::default()).unwrap();
    let loose = Comparison::default().with_unordered(true).with_tolerance(1e-4);
    let loose = compare(original.as_ref(), back.as_ref(), &loose).unwrap();
    assert!(!exact.is_empty());
    assert_eq!(loose, [""; 0]);
}
