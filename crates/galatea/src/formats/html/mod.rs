//! A page that shows one model: a GLB and a small player for it, in a single file that refers to nothing else.
//!
//! The player is JavaScript on WebGL 2 and part of the library. It plays the GLB that `convert` would write, with what that says in
//! extras: blending, visibility, billboards. Effects are in it as meshes.

use galatea_scene::Scene;

use super::gltf_write;
use crate::textures::Images;
use crate::{
    ConvertError, ConvertOption, ConvertOptions, Converted, Document, Format, FormatId, Output, SceneContext,
};

pub(super) static FORMAT: Format = Format {
    extensions: &["html"],
    options: &[ConvertOption::Level],
    write_extension: Some("html"),
    write_scene: Some(page),
    ..Format::model(FormatId::Html, "html", "page that shows a model in a browser")
};

const PAGE: &str = include_str!("page.html");

/// The player, part by part.
const VIEWER: [&str; 6] = [
    include_str!("glb.js"),
    include_str!("scene.js"),
    include_str!("draw.js"),
    include_str!("model.js"),
    include_str!("view.js"),
    include_str!("page.js"),
];

/// Writes the scene of a document as a page.
fn page(
    scene: &Scene,
    document: &dyn Document,
    options: &ConvertOptions,
    context: &SceneContext<'_>,
) -> Result<Converted, ConvertError> {
    let inside = options.with_images(Images::Embed);
    let Converted { output, losses } = gltf_write::glb(scene, document, &inside, context)?;
    let title = if context.name.is_empty() { &scene.name } else { context.name };
    let bytes = filled(title, &output.bytes).into_bytes();
    Ok(Converted { output: Output::single(bytes), losses })
}

/// Returns the page with a title and a GLB.
fn filled(title: &str, glb: &[u8]) -> String {
    let mut out = String::with_capacity(PAGE.len() + glb.len() * 4 / 3 + 64 * 1024);
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((name, after)) = after.split_once("}}") else { break };
        match name {
            "title" => push_escaped(&mut out, title),
            "model" => push_base64(&mut out, glb),
            _ => VIEWER.iter().for_each(|part| out.push_str(part)),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Appends text such that it is text in HTML, also between quotes.
fn push_escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
}

fn push_base64(out: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for three in bytes.chunks(3) {
        let byte = |at: usize| three.get(at).copied().map_or(0, u32::from);
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let value = (word >> (18 - 6 * digit) & 63) as usize;
            let known = DIGITS.get(value).copied().filter(|_| digit <= three.len());
            out.push(char::from(known.unwrap_or(b'=')));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_in_the_page() {
        let page = filled("</title><script>alert('1')</script>\u{7}", b"glTF");
        assert!(!page.contains("<script>alert"));
        assert!(
            page.contains("<title>&lt;/title&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; </title>")
        );
        assert!(page.contains(">Z2xURg==</script>"));
        assert!(!page.contains("{{"), "everything is filled in");
    }

    #[test]
    fn every_number_of_bytes_has_its_padding() {
        let of = |bytes: &[u8]| {
            let mut out = String::new();
            push_base64(&mut out, bytes);
            out
        };
        assert_eq!([of(b""), of(b"f"), of(b"fo"), of(b"foo")], ["", "Zg==", "Zm8=", "Zm9v"]);
        assert_eq!(of(&[0xfb, 0xff, 0xbf, 0x00]), "+/+/AA==");
    }

    #[test]
    fn the_page_asks_for_nothing_from_elsewhere() {
        let page = filled("statue", b"glTF");
        assert!(page.contains("default-src 'none'"));
        for word in ["http://", "https://", "import ", "fetch(", "src="] {
            assert!(!page.contains(word), "{word}");
        }
    }
}
