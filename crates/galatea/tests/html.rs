//! Pages that show a model: the model is in them as a GLB, with its effects, and nothing is asked for from elsewhere.
#![cfg(test)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail loudly")]

use galatea::{ConvertError, ConvertOptions, Document, FormatId, Input, Limits, SceneContext, convert};

fn example(name: &str) -> Box<dyn Document> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    galatea::open(&Input::new(&std::fs::read(path).unwrap()), &Limits::default()).unwrap()
}

fn page(document: &dyn Document, name: &str) -> String {
    let options = ConvertOptions::default();
    let converted = convert(document, FormatId::Html, &options, &SceneContext::new(name)).unwrap();
    assert!(converted.output.siblings.is_empty() && converted.output.companions.is_empty());
    String::from_utf8(converted.output.bytes).unwrap()
}

/// The GLB in a page.
fn model(page: &str) -> Vec<u8> {
    let text = page.split_once("id=\"model\">").unwrap().1.split_once("</script>").unwrap().0;
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let values = text.bytes().filter(|b| *b != b'=').map(|b| digits.iter().position(|d| *d == b).unwrap());
    let (mut out, mut word, mut bits) = (Vec::new(), 0u32, 0);
    for value in values {
        (word, bits) = (word << 6 | value as u32, bits + 6);
        if bits >= 8 {
            bits -= 8;
            out.push((word >> bits) as u8);
        }
    }
    out
}

#[test]
fn the_page_holds_the_model_with_its_effects() {
    let document = example("beacon.mdx");
    let page = page(document.as_ref(), "beacon");
    assert!(page.contains("<title>beacon</title>"));
    let options = ConvertOptions::default().with_bake_effects(true);
    let glb = convert(document.as_ref(), FormatId::Glb, &options, &SceneContext::new("beacon")).unwrap();
    assert_eq!(model(&page), glb.output.bytes);
    // It can be taken out and read again.
    let read = galatea::open(&Input::new(&model(&page)), &Limits::default()).unwrap();
    assert_eq!(read.summary().triangles, document.summary().triangles);
}

#[test]
fn every_kind_of_model_becomes_a_page() {
    for name in
        ["statue_800.mdl", "room.wok", "statue.fmdl", "statue_800.mdx", "statue.glb", "statue.mdl.ascii"]
    {
        let bytes = page(example(name).as_ref(), "x").into_bytes();
        assert!(bytes.starts_with(b"<!doctype html>") && bytes.ends_with(b"</html>\n"), "{name}");
    }
}

#[test]
fn textures_do_not_become_pages_and_pages_are_not_read() {
    let texture = example("statue.tga");
    let error =
        convert(texture.as_ref(), FormatId::Html, &ConvertOptions::default(), &SceneContext::new("statue"));
    assert!(matches!(error, Err(ConvertError::UnsupportedConversion { .. })), "{error:?}");
    assert!(galatea::detect(page(example("room.wok").as_ref(), "room").as_bytes()).is_none());
}
