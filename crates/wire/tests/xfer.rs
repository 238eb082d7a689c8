//! Variable records: bytes written by hand are read, and written again.
#![cfg(test)]

use galatea_wire::{ErrorKind, Inspector, Limits, Part, ReadXfer, Record, Result, Text, WriteXfer, xfer};

#[derive(Debug, Default, PartialEq)]
struct Pivot {
    height: u32,
}

#[derive(Debug, Default, PartialEq)]
struct Bone {
    name: Text<4>,
    pairs: Vec<[u8; 2]>,
    doubled: Vec<u32>,
    wide: Vec<u16>,
    sizes: Option<Vec<u16>>,
    groups: Option<Vec<u8>>,
    pivot: Option<Pivot>,
    boxed: Option<Box<Pivot>>,
    flagged: bool,
    rest: Vec<u8>,
}

xfer! {
    impl Record for Pivot {
        fn xfer(self, x, _context: ()) {
            let Pivot { height } = self;
            x.tag(*b"PIVT")?;
            x.val("height", height)
        }
    }
    impl Record for Bone {
        fn xfer(self, x, _context: ()) {
            let Bone { name, pairs, doubled, wide, sizes, groups, pivot, boxed, flagged, rest } = self;
            x.name("name", name)?;
            let count = x.derived("count", pairs.len() as u16)?;
            x.repeat("pairs", pairs, count.into(), |x, pair| x.val("pair", pair))?;
            x.counted_as("doubled", doubled, |disk: u16| u32::from(disk) * 2, |v| u16::try_from(v / 2).ok())?;
            x.counted_bytes("wide", wide)?;
            x.optional(*b"SIZE", "sizes", sizes, true)?;
            x.optional(*b"GRPS", "groups", groups, false)?;
            x.boxed(boxed, ())?;
            x.maybe(*b"PIVT", pivot, ())?;
            let present = x.comes(*b"FLAG", *flagged);
            x.note(flagged, present);
            if present {
                x.tag(*b"FLAG")?;
            }
            x.rest("rest", rest)
        }
    }
}

fn full() -> (Bone, Vec<u8>) {
    let bone = Bone {
        name: Text(*b"ab\0\0"),
        pairs: vec![[1, 2], [3, 4]],
        doubled: vec![10, 12],
        wide: vec![1, 0x0203],
        sizes: Some(vec![7, 8]),
        groups: Some(vec![9]),
        pivot: Some(Pivot { height: 10 }),
        boxed: Some(Box::new(Pivot { height: 11 })),
        flagged: true,
        rest: vec![0xEE, 0xFF],
    };
    let parts: [&[u8]; 11] = [
        b"ab\0\0",
        &[2, 0, 1, 2, 3, 4],
        &[2, 0, 0, 0, 5, 0, 6, 0],
        &[4, 0, 0, 0, 1, 0, 3, 2],
        b"SIZE\x04\0\0\0\x07\0\x08\0",
        b"GRPS\x01\0\0\0\x09",
        b"PIVT\x0B\0\0\0",
        b"PIVT\x0A\0\0\0",
        b"FLAG",
        &[0xEE],
        &[0xFF],
    ];
    (bone, parts.concat())
}

fn read(bytes: &[u8]) -> Result<Bone> {
    let mut bone = Bone::default();
    ReadXfer::new(bytes, &Limits::default()).scope("bones", Some(3), |x| x.record(&mut bone, ()))?;
    Ok(bone)
}

fn written(bone: &Bone) -> Result<Vec<u8>> {
    let mut out = WriteXfer::with_capacity(64);
    out.record(bone, ())?;
    assert_eq!(out.left(), usize::MAX);
    assert!(out.pos() > 0);
    Ok(out.into_bytes())
}

#[test]
fn every_kind_of_part_is_read_and_written() {
    let (bone, bytes) = full();
    assert_eq!(read(&bytes).unwrap(), bone);
    assert_eq!(written(&bone).unwrap(), bytes);
}

#[test]
fn parts_that_are_missing_stay_missing() {
    let bytes = b"\0\0\0\0\0\0\0\0\0\0\0\0\0\0PIVT\0\0\0\0";
    let bone = read(bytes).unwrap();
    assert_eq!(bone, Bone { boxed: Some(Box::default()), ..Bone::default() });
    assert_eq!(written(&bone).unwrap(), bytes);
    assert_eq!(written(&Bone::default()).unwrap(), bytes, "an empty box is written with its defaults");
}

#[test]
fn an_error_names_the_record_by_its_own_name() {
    let (_, mut bytes) = full();
    bytes[18] = 3;
    let error = read(&bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "0x16 bones[3] \"ab\" > wide: expected a multiple of 2 bytes, found 3 bytes"
    );
}

#[test]
fn the_inspector_shows_every_field_below_its_record() {
    let (_, bytes) = full();
    let mut reader = ReadXfer::new(&bytes, &Limits::default()).traced();
    reader.scope("bones", Some(3), |x| x.record(&mut Bone::default(), ())).unwrap();
    assert_eq!((reader.pos(), reader.left(), reader.data().len()), (bytes.len(), 0, bytes.len()));
    assert_eq!(reader.limits(), &Limits::default());
    let coverage = reader.into_coverage();
    assert!(coverage.gaps(bytes.len()).is_empty() && coverage.overlaps(1).is_empty());
    let field = |at| Inspector::new(&bytes, &coverage).at(at).map(|f| (f.path, f.value));
    let shown = |path: &str, value: &str| Some((path.to_owned(), value.to_owned()));
    assert_eq!(field(8), shown("bones[3] \"ab\" > pairs[1] > pair[0]", "3"));
    assert_eq!(field(51), shown("bones[3] \"ab\" > height", "11"));
}

#[test]
fn values_that_do_not_fit_are_not_written() {
    let bone = Bone { doubled: vec![2, 200_000], ..Bone::default() };
    assert_eq!(written(&bone).unwrap_err().to_string(), "doubled: a value does not fit");
    let mut out = WriteXfer::new();
    let message = "pairs: 1 where the rest of the record asks for 2";
    let error = out.repeat("pairs", &[7u8], 2, |x, v| x.val("pair", v)).unwrap_err();
    assert_eq!(error.to_string(), message);
    assert_eq!(out.array("pairs", &[7u8], 2).unwrap_err().to_string(), message);
    assert!(out.into_bytes().is_empty());
}

#[test]
fn errors_of_writing_name_the_path() {
    let fails = |x: &mut WriteXfer| x.array("weights", &[1u8], 2);
    let mut out = WriteXfer::new();
    let error = out.scope("model", None, |x| {
        x.scope("bones", Some(4), |x| x.repeat("sets", &[0u8], 1, |x, _| fails(x)))
    });
    let message = "model > bones[4] > sets[0]: weights: 1 where the rest of the record asks for 2";
    assert_eq!(error.unwrap_err().to_string(), message);
    let bones = [Bone::default(), Bone { doubled: vec![u32::MAX], ..Bone::default() }];
    let mut part = Part { start: 0, count: 2, announced: None };
    let error = out.list("bones", &bones, &mut part, ()).unwrap_err();
    assert_eq!(error.to_string(), "bones[1]: doubled: a value does not fit");
}

#[test]
fn a_size_counts_itself_or_only_what_follows() {
    for (inclusive, size) in [(true, 6), (false, 2)] {
        let mut out = WriteXfer::new();
        out.sized(inclusive, |x| x.val("value", &0x0201u16)).unwrap();
        let bytes = out.into_bytes();
        assert_eq!(bytes, [size, 0, 0, 0, 1, 2]);
        let mut value = 0u16;
        ReadXfer::new(&bytes, &Limits::default()).sized(inclusive, |x| x.val("value", &mut value)).unwrap();
        assert_eq!(value, 0x0201);
    }
}

#[test]
fn a_size_beyond_its_surroundings_is_an_error() {
    let error = |bytes: &[u8], inclusive| {
        ReadXfer::new(bytes, &Limits::default()).sized(inclusive, |_| Ok(())).unwrap_err().to_string()
    };
    assert_eq!(error(&[3, 0, 0, 0], true), "0x0 size: expected a size that counts itself, found 3");
    assert_eq!(error(&[9, 0, 0, 0], true), "0x0 size: needs 9 bytes, have 4");
    assert_eq!(error(&[9, 0, 0, 0, 0], false), "0x0 size: needs 9 bytes, have 1");
}

#[test]
fn a_wrong_size_is_kept() {
    for (present, bytes, expected) in
        [(true, &[5, 0, 0, 0, 7][..], None), (true, &[99, 0, 0, 0, 7][..], Some(99)), (false, &[7][..], None)]
    {
        let (mut kept, mut value) = (None, 0u8);
        let mut reader = ReadXfer::new(bytes, &Limits::default());
        reader.sized_or_kept(present, &mut kept, |x| x.val("value", &mut value)).unwrap();
        assert_eq!((kept, value), (expected, 7));
        let mut out = WriteXfer::new();
        out.sized_or_kept(present, &kept, |x| x.val("value", &value)).unwrap();
        assert_eq!(out.into_bytes(), bytes);
    }
}

#[test]
fn announced_lists_and_values_that_fill_a_scope_are_read() {
    let bytes = b"\x02\0\0\0PIVT\x01\0\0\0PIVT\x02\0\0\0\x05\0\x06\0";
    let mut reader = ReadXfer::new(bytes, &Limits::default());
    let (mut pivots, mut part) = (Vec::<Pivot>::new(), Part::default());
    reader.announce(&mut part).unwrap();
    reader.list("pivots", &mut pivots, &mut part, ()).unwrap();
    assert_eq!(part, Part { start: 0, count: 2, announced: Some(2) });
    assert_eq!(pivots, [Pivot { height: 1 }, Pivot { height: 2 }]);
    let (mut values, mut filled) = (vec![4u16], Part::default());
    reader.fill("values", &mut values, &mut filled).unwrap();
    assert_eq!((values.as_slice(), filled.start, filled.count), (&[4, 5, 6][..], 1, 2));
    let mut out = WriteXfer::new();
    out.announce(&mut part).unwrap();
    out.list("pivots", &pivots, &mut part, ()).unwrap();
    out.fill("values", &values, &mut filled).unwrap();
    assert_eq!(out.into_bytes(), bytes);
}

#[test]
fn values_may_be_kept_as_something_else() {
    let bytes = [1, 0, 2, 0];
    let (mut halves, mut room) = (Vec::new(), 0);
    let mut reader = ReadXfer::new(&bytes, &Limits::default());
    reader.decode("halves", 2, 4, |n| room = n, |v: u16| halves.push(f32::from(v) / 2.0)).unwrap();
    assert_eq!((halves.as_slice(), room), (&[0.5, 1.0][..], 2));
    let mut out = WriteXfer::new();
    out.encode(halves.iter().map(|v| (v * 2.0) as u16));
    assert_eq!(out.into_bytes(), bytes);
}

#[derive(Debug, Default)]
struct Nothing;

xfer! {
    impl Record for Nothing {
        fn xfer(self, x, nested: u32) {
            x.scope("nothing", None, |x| if nested > 0 { x.record(self, nested - 1) } else { Ok(()) })
        }
    }
}

#[test]
fn records_of_no_bytes_do_not_repeat_forever() {
    let mut reader = ReadXfer::new(&[0], &Limits::default());
    let error = reader.list("items", &mut Vec::<Nothing>::new(), &mut Part::default(), 0).unwrap_err();
    assert_eq!(error.to_string(), "0x0 items[0]: expected a record, found no bytes");
}

#[test]
fn depth_number_and_size_of_records_are_limited() {
    let kind = |limits: Limits, nested| {
        let mut reader = ReadXfer::new(&[0; 16], &limits);
        Nothing.read(&mut reader, nested).unwrap_err().kind().clone()
    };
    assert_eq!(kind(Limits::default().with_depth(3), 3), ErrorKind::Limit("depth"));
    assert_eq!(kind(Limits::default().with_nodes(3), 3), ErrorKind::Limit("nodes"));
    let limits = Limits::default().with_ratio(0).with_base_allowance(15);
    let mut reader = ReadXfer::new(&[0; 16], &limits);
    let error = reader.rest("bytes", &mut Vec::new()).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Limit("decoded bytes"));
    reader.array("bytes", &mut Vec::<u8>::new(), 15).unwrap();
    assert!(reader.repeat("items", &mut Vec::new(), 1, |_, _: &mut u8| Ok(())).is_err());
}
