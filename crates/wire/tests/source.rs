//! Offset formats: claims, gaps, text, and what the inspector makes of them.
#![cfg(test)]

use galatea_wire::{ErrorKind, Field, Inspector, Limits, Offset, Plan, Source, Text, Wire, Writer, wire};

wire! {
    /// One value of every kind.
    struct Kinds(32) {
        a: i8 = 0,
        b: u8 = 1,
        c: i16 = 2,
        d: u16 = 4,
        e: [u8; 2] = 6,
        f: i32 = 8,
        g: u32 = 12,
        h: u64 = 16,
        i: Offset = 24,
        j: Text<4> = 28,
    }
}

const KINDS: [u8; 32] = [
    0xFF, 200, 0xFE, 0xFF, 0x10, 0x27, 1, 0xAB, 0xFD, 0xFF, 0xFF, 0xFF, 1, 0, 1, 0, 8, 7, 6, 5, 4, 3, 2, 1,
    0x2C, 1, 0, 0, b'o', b'"', 0, b'x',
];

/// The lines of the field tree: depth, name, type and value.
fn tree(bytes: &[u8], claim: impl FnOnce(&Source<'_>)) -> Vec<(usize, String, String, String)> {
    let source = Source::new(bytes, &Limits::default());
    claim(&source);
    let coverage = source.into_coverage();
    let mut lines = Vec::new();
    Inspector::new(bytes, &coverage)
        .walk(2, &mut |item| lines.push((item.depth, item.name, item.ty, item.value)));
    lines
}

fn line(depth: usize, name: &str, ty: &str, value: &str) -> (usize, String, String, String) {
    (depth, name.to_owned(), ty.to_owned(), value.to_owned())
}

#[test]
fn the_tree_shows_every_kind_of_value() {
    let lines = tree(&KINDS, |source| {
        let scope = source.reader().enter("chunk", Some(2), 0).unwrap();
        scope.label(28, 1);
        scope.at::<Kinds>(0, "kinds").unwrap();
    });
    assert_eq!(lines[0], line(0, "chunk[2] \"o\"", "", ""));
    assert_eq!(lines[1], line(1, "kinds", "Kinds", ""));
    let fields = [
        ("a", "i8", "-1"),
        ("b", "u8", "200"),
        ("c", "i16", "-2"),
        ("d", "u16", "10000"),
        ("e", "[u8; 2]", "01 ab"),
        ("f", "i32", "-3"),
        ("g", "u32", "65537"),
        ("h", "u64", "0x0102030405060708"),
        ("i", "Offset", "0x12C"),
        ("j", "text[4]", "\"o\\\"\""),
    ];
    assert_eq!(lines[2..], fields.map(|(name, ty, value)| line(2, name, ty, value)));
}

#[test]
fn long_arrays_and_texts_are_shortened() {
    let mut bytes = [0u8; 44];
    bytes[..3].copy_from_slice(b"ab\0");
    bytes[40..].copy_from_slice(&[0, 0, 0xC0, 0x7F]);
    let lines = tree(&bytes, |source| {
        source.reader().bytes(0, 4, "text").unwrap();
        source.reader().bytes(4, 36, "zeros").unwrap();
        source.reader().at::<f32>(40, "nan").unwrap();
        source.reader().array::<[u16; 2]>(4, 3, "pairs").unwrap();
    });
    assert_eq!(lines[0], line(0, "text", "4 x u8", "\"ab\""));
    assert_eq!(lines[1], line(0, "zeros", "36 x u8", &format!("{} ...", ["00"; 32].join(" "))));
    assert_eq!(lines[2], line(0, "nan", "f32", "NaN(0x7fc00000)"));
    assert_eq!(lines[3], line(0, "pairs", "3 x [u16; 2]", ""));
    assert_eq!(lines[4], line(1, "[0]", "[u16; 2]", "(0, 0)"));
    assert_eq!(lines.len(), 4 + 2, "of three items, two are shown");
}

#[test]
fn rows_are_shown_by_their_columns() {
    static HALF: galatea_wire::Schema =
        galatea_wire::Schema { name: "f16", size: 2, kind: galatea_wire::Kind::F16, doc: "" };
    let columns = || {
        vec![
            Field { name: "x", offset: 0, schema: &HALF, ty: "f16", doc: "" },
            Field { name: "y", offset: 2, schema: &HALF, ty: "f16", doc: "" },
        ]
    };
    // 1, -2; the largest half, infinity.
    let bytes = [0x00, 0x3C, 0x00, 0xC0, 0xFF, 0x7B, 0x00, 0x7C];
    let lines = tree(&bytes, |source| {
        source.reader().rows(0, 2, 4, "rows", columns).unwrap();
    });
    let expected = [
        line(0, "rows", "2 x 4 bytes", ""),
        line(1, "[0]", "", ""),
        line(2, "x", "f16", "1.0"),
        line(2, "y", "f16", "-2.0"),
        line(1, "[1]", "", ""),
        line(2, "x", "f16", "65504.0"),
        line(2, "y", "f16", "inf"),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn many_scattered_claims_leave_the_gaps_between_them() {
    let data = vec![0; 8000];
    let source = Source::new(&data, &Limits::default()).unnamed();
    // Backwards, so that no claim continues the one before.
    for i in (0..1000).rev() {
        source.reader().bytes(i * 8, 5, "part").unwrap();
    }
    let gaps: Vec<_> = (0..1000).map(|i| i * 8 + 5..i * 8 + 8).collect();
    assert_eq!(source.gaps(), gaps);
    source.reader().bytes(100, 7000, "most").unwrap();
    let ends: Vec<_> = gaps.into_iter().filter(|gap| gap.end <= 100 || gap.start >= 7100).collect();
    assert_eq!(source.gaps(), ends);
    assert_eq!(source.claimed(), 5000 + 7000);
}

#[test]
fn texts_end_with_nul() {
    let data = *b"ab\0cd";
    let source = Source::new(&data, &Limits::default());
    let reader = source.reader();
    assert_eq!(reader.peek_cstr(1, "name").unwrap(), b"b");
    assert_eq!(source.claimed(), 0, "looking claims nothing");
    assert_eq!(reader.cstr(0, "name").unwrap(), b"ab");
    assert_eq!(source.gaps().first(), Some(&(3..5)));
    let message = "0x3 name: expected text that ends with NUL, found the end of the file";
    assert_eq!(reader.cstr(3, "name").unwrap_err().to_string(), message);
    assert!(reader.peek_cstr(99, "name").is_err());
}

#[test]
fn looking_ahead_claims_nothing() {
    let data = [1, 0, 2, 0];
    let source = Source::new(&data, &Limits::default());
    let reader = source.reader();
    assert_eq!((reader.peek(1, 2), reader.peek(3, 2)), (Some(&data[1..3]), None));
    assert_eq!((reader.peek_at::<u16>(2), reader.peek_at::<u16>(3)), (Some(2), None));
    assert_eq!((reader.data(), reader.len(), reader.is_empty()), (&data[..], 4, false));
    assert_eq!(reader.array::<u32>(99, 0, "empty").unwrap(), [], "a table without entries may be anywhere");
    assert_eq!((source.claimed(), source.data()), (0, &data[..]));
    let error = reader.mismatch(2, "flag", "0 or 1", "2");
    assert_eq!(error.to_string(), "0x2 flag: expected 0 or 1, found 2");
}

#[test]
fn two_tables_are_claimed_whether_they_touch_or_not() {
    let data: Vec<u8> = (0..16).collect();
    for (next, gaps) in [(4, vec![0..2, 8..16]), (10, vec![0..2, 4..10, 14..16])] {
        for named in [true, false] {
            let mut source = Source::new(&data, &Limits::default());
            if !named {
                source = source.unnamed();
            }
            let both = source.reader().raw_both::<u8, u16>((2, 2, "a"), (next, 2, "b")).unwrap();
            assert_eq!(both, (&data[2..4], &data[next..next + 4]));
            assert_eq!(source.gaps(), gaps);
            assert!(source.reader().raw_both::<u8, u16>((2, 2, "a"), (next, 9, "b")).is_err());
        }
    }
}

#[test]
fn the_number_of_scopes_is_limited() {
    for named in [true, false] {
        let limits = Limits::default().with_nodes(2);
        let mut source = Source::new(&[], &limits);
        if !named {
            source = source.unnamed();
        }
        assert_eq!((source.reader().limits(), source.reader().keeps_names()), (&limits, named));
        source.reader().enter("a", None, 0).unwrap();
        source.reader().enter("b", None, 0).unwrap();
        assert_eq!(*source.reader().enter("c", None, 0).unwrap_err().kind(), ErrorKind::Limit("nodes"));
    }
}

#[test]
fn kept_gaps_are_written_back() {
    let data = [1, 2, 3, 4, 5, 6];
    let source = Source::new(&data, &Limits::default());
    source.reader().at::<u16>(2, "value").unwrap();
    let gaps = source.into_coverage().keep_gaps(&data);
    let mut writer = Writer::new(6);
    writer.gaps(&gaps).unwrap();
    writer.slice(2, 2).unwrap().copy_from_slice(&[3, 4]);
    assert_eq!(writer.into_bytes(), data);
    assert!(Writer::new(5).gaps(&gaps).is_err());
}

#[test]
fn plans_know_the_next_place() {
    let mut plan = Plan::new(0);
    assert!(plan.is_empty());
    assert_eq!((plan.block(5), plan.align(4), plan.record::<u16>(), plan.len()), (0, 8, 8, 10));
    assert!(!plan.is_empty());
    let error = Writer::count(1 << 32, "faces").unwrap_err();
    assert_eq!(error.to_string(), "4294967296 faces are more than 32 bits can count");
}

#[test]
fn short_bytes_decode_as_zero_and_are_not_written() {
    assert_eq!(
        (u32::get(&[1, 2]), <[u8; 4]>::get(&[1, 2]), <[u16; 2]>::get(&[1, 2, 3])),
        (0, [1, 2, 0, 0], [0x201, 0])
    );
    assert_eq!(Kinds::get(&KINDS[1..]), Kinds::default());
    let mut short = [7; 3];
    0u32.put(&mut short);
    Kinds::default().put(&mut short);
    Text::<4>::default().put(&mut short);
    assert_eq!(short, [7; 3]);
}

#[test]
fn texts_and_offsets_are_shown_as_such() {
    let text = Text(*b"caf\xE9\0");
    assert_eq!((text.lossy().as_ref(), format!("{text:?}").as_str()), ("caf\u{FFFD}", "\"caf\\xe9\""));
    assert_eq!((Text::<4>::default().bytes(), format!("{:?}", Offset(300)).as_str()), (&b""[..], "0x12C"));
}
