//! 2DA and GFF: what they say, and damaged copies of them.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod table_fixtures;

use galatea_kotor::table::{Gff, Record, TwoDa};
use galatea_robustness::{Tally, Trial};
use galatea_wire::{Error, Limits};
use table_fixtures::{Struct, Value, gff, resref, two_da};

const TEXT: &[u8] = b"2DA V2.0\r\nDEFAULT: none\r\n  label  race  walk\r\n0 A_dog c_dog 1\r\n1 \"a cat\" **** 0x10\r\n\r\n2 bird\r\n";

fn table() -> Vec<u8> {
    two_da(&["label", "Race", "walk"], &[&["A_dog", "c_dog", "1"], &["a cat", "****", "0x10"], &["bird"]])
}

#[test]
fn both_forms_of_a_table_say_the_same() {
    let limits = Limits::default();
    let (binary, text) = (TwoDa::read(&table(), &limits).unwrap(), TwoDa::read(TEXT, &limits).unwrap());
    for table in [&binary, &text] {
        assert_eq!((table.rows(), table.label(2), table.columns()[0].as_str()), (3, Some("2"), "label"));
        assert_eq!(table.cell(0, "race").as_deref(), Some("c_dog"));
        assert_eq!((table.cell(1, "RACE"), table.cell(1, "label").as_deref()), (None, Some("a cat")));
        assert_eq!([0, 1, 3].map(|row| table.number(row, "walk")), [Some(1), Some(16), None]);
        assert_eq!((table.cell(0, "no"), table.cell(3, "race"), table.number(0, "race")), (None, None, None));
    }
    // What is missing at the end of a line has the value of the second line.
    assert_eq!((binary.cell(2, "race"), text.cell(2, "race").as_deref()), (None, Some("none")));
}

/// Two doors of an area.
fn area() -> Vec<u8> {
    let door = |name: &str, x: f32| {
        let fields =
            vec![("TemplateResRef", resref(name)), ("X", Value::Float(x)), ("Bearing", Value::Float(0.5))];
        Struct(8, fields)
    };
    let doors = Value::List(vec![door("gate", 1.5), door("hatch", -2.0)]);
    let one = Value::List(vec![Struct(4, vec![("Tag", Value::String("lone".into()))])]);
    gff(
        b"GIT ",
        vec![
            ("Door List", doors),
            ("List", one),
            ("Byte", Value::Byte(200)),
            ("Int", Value::Int(-3)),
            ("Big", Value::Dword(u32::MAX)),
        ],
    )
}

#[test]
fn values_are_found_by_their_labels() {
    let bytes = area();
    assert!(Gff::detect(&bytes, b"GIT ") && !Gff::detect(&bytes, b"UTD "));
    let area = Gff::read(&bytes, &Limits::default()).unwrap();
    let doors: Vec<Record<'_>> = area.root().list("Door List").collect();
    assert_eq!((doors.len(), doors[1].kind()), (2, 8));
    assert_eq!(doors[1].text("TemplateResRef").as_deref(), Some("hatch"));
    assert_eq!((doors[0].float("X"), doors[0].float("Y"), doors[0].number("X")), (Some(1.5), None, None));
    assert_eq!((area.root().number("Byte"), area.root().float("Int")), (Some(200), Some(-3.0)));
    assert_eq!(area.root().number("Big"), Some(u32::MAX.into()));
    let lone = area.root().list("List").next().unwrap();
    assert_eq!((lone.text("Tag").as_deref(), lone.list("Tag").count()), (Some("lone"), 0));
    assert_eq!(area.root().list("no such list").count(), 0);
}

/// Asks a record for everything it may have.
fn ask(record: Record<'_>, depth: u32) {
    for label in ["Door List", "List", "TemplateResRef", "X", "Bearing", "Tag", "Byte", "Int"] {
        let _ = (record.number(label), record.float(label), record.text(label), record.record(label));
        if depth < 2 {
            record.list(label).take(50).for_each(|below| ask(below, depth + 1));
        }
    }
}

fn read_gff(bytes: &[u8]) -> Result<(), Error> {
    ask(Gff::read(bytes, &Limits::default())?.root(), 0);
    Ok(())
}

fn read_two_da(bytes: &[u8]) -> Result<(), Error> {
    let table = TwoDa::read(bytes, &Limits::default())?;
    for column in table.columns().iter().take(20) {
        for row in 0..table.rows().min(50) {
            let _ = (table.cell(row, column), table.number(row, column));
        }
    }
    Ok(())
}

fn trials(name: &str, bytes: &[u8], read: &dyn Fn(&[u8]) -> Result<(), Error>) -> [Tally; 2] {
    let trial = Trial { name, bytes, read };
    assert!(trial.whole());
    let cuts = trial.cuts();
    assert_eq!(trial.flips().tried, bytes.len() * 4);
    assert!(trial.words(0..bytes.len() - 3).tried > 0);
    [cuts, trial.mutations(3, 4000)]
}

#[test]
fn damaged_tables() {
    let [cuts, mutations] = trials("a.2da", &table(), &read_two_da);
    assert!(cuts.opened < 10 && mutations.opened < mutations.tried, "{cuts:?} {mutations:?}");
    let [cuts, _] = trials("text.2da", TEXT, &read_two_da);
    // A text without its last lines is a shorter table.
    assert!(cuts.opened > 0 && cuts.opened < cuts.tried);
    let [cuts, mutations] = trials("a.git", &area(), &read_gff);
    assert!(cuts.opened == 0 && mutations.opened < mutations.tried, "{cuts:?} {mutations:?}");
}

#[test]
fn counts_that_are_not_there_allocate_nothing() {
    let mut wild = b"2DA V2.b\na\t\0".to_vec();
    wild.extend(u32::MAX.to_le_bytes());
    for bytes in [wild.clone(), [wild, vec![b'\t'; 5000]].concat()] {
        let trial = Trial { name: "rows", bytes: &bytes, read: &read_two_da };
        assert!(!trial.whole());
    }
    // Many columns, and rows that have none of them.
    let names: String = (0..30_000).map(|_| "c ").collect();
    let text = format!("2DA V2.0\n\n{names}\n{}", "r\n".repeat(30_000));
    let trial = Trial { name: "empty rows", bytes: text.as_bytes(), read: &read_two_da };
    assert!(!trial.whole());
    // A million labels of nothing.
    let many = [&b"2DA V2.b\n"[..], &vec![b'\t'; 1_000_000], b"\0\0\0\0\0\0\0"].concat();
    let trial = Trial { name: "columns", bytes: &many, read: &read_two_da };
    assert!(!trial.whole());
}

#[test]
fn structs_of_each_others_fields_take_no_time() {
    // Every struct claims all fields, and a list has all structs.
    const MANY: u32 = 40_000;
    let mut bytes = gff(b"GIT ", Vec::new());
    let structs = bytes.len() as u32;
    (0..MANY).for_each(|_| bytes.extend([[0; 4], [0; 4], MANY.to_le_bytes()].concat()));
    let fields = bytes.len() as u32;
    bytes.extend([15u32, 1, 0].iter().flat_map(|w| w.to_le_bytes()));
    (1..MANY).for_each(|_| bytes.extend([0u32, 0, 0].iter().flat_map(|w| w.to_le_bytes())));
    let labels = bytes.len() as u32;
    bytes.extend([&[0; 16][..], b"Door List\0\0\0\0\0\0\0"].concat());
    let indices = bytes.len() as u32;
    (0..MANY).for_each(|i| bytes.extend(i.to_le_bytes()));
    let lists = bytes.len() as u32;
    bytes.extend(MANY.to_le_bytes());
    (0..MANY).for_each(|i| bytes.extend(i.to_le_bytes()));
    let head = [structs, MANY, fields, MANY, labels, 2, 56, 0, indices, MANY * 4, lists, MANY * 4 + 4];
    bytes[8..56].copy_from_slice(&head.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>());
    let read = |bytes: &[u8]| {
        let file = Gff::read(bytes, &Limits::default())?;
        assert_eq!(file.root().list("Door List").count(), MANY as usize);
        for door in file.root().list("Door List") {
            assert_eq!(door.text("TemplateResRef"), None);
        }
        Ok(())
    };
    let trial = Trial { name: "shared fields", bytes: &bytes, read: &read };
    assert!(trial.whole());
}
