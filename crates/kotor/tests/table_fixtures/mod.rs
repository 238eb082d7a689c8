//! 2DA and GFF files for tests, laid out as the games' own tools do.

/// A binary 2DA. The rows are labelled by their numbers; `size` is what the file says about the size of its texts, 0 as most programs.
pub(crate) fn two_da(columns: &[&str], rows: &[&[&str]]) -> Vec<u8> {
    let mut out = b"2DA V2.b\n".to_vec();
    columns.iter().for_each(|name| out.extend([name.as_bytes(), b"\t"].concat()));
    out.push(0);
    out.extend((rows.len() as u32).to_le_bytes());
    (0..rows.len()).for_each(|row| out.extend(format!("{row}\t").bytes()));
    let mut pool: Vec<u8> = Vec::new();
    for cell in rows.iter().flat_map(|row| (0..columns.len()).map(|i| row.get(i).copied().unwrap_or(""))) {
        let text = [cell.as_bytes(), &[0]].concat();
        let at = pool.windows(text.len()).position(|w| w == text);
        let at = at.filter(|at| *at == 0 || pool[at - 1] == 0).unwrap_or_else(|| {
            pool.extend(&text);
            pool.len() - text.len()
        });
        out.extend((at as u16).to_le_bytes());
    }
    out.extend([0, 0]);
    out.extend(pool);
    out
}

/// A value of a GFF.
#[derive(Clone)]
pub(crate) enum Value {
    Byte(u8),
    Int(i32),
    Dword(u32),
    Float(f32),
    String(String),
    ResRef(String),
    List(Vec<Struct>),
}

/// A struct of a GFF: its type and its fields.
#[derive(Clone)]
pub(crate) struct Struct(pub(crate) u32, pub(crate) Vec<(&'static str, Value)>);

/// A text as the name of a file.
pub(crate) fn resref(name: &str) -> Value {
    Value::ResRef(name.to_owned())
}

/// A GFF with this root.
pub(crate) fn gff(kind: &[u8; 4], root: Vec<(&'static str, Value)>) -> Vec<u8> {
    let mut tables = Tables::default();
    tables.add(&Struct(u32::MAX, root));
    let Tables { structs, fields, labels, data, indices, lists } = tables;
    let labels: Vec<u8> = labels
        .iter()
        .flat_map(|label| {
            let mut raw = [0; 16];
            raw[..label.len()].copy_from_slice(label.as_bytes());
            raw
        })
        .collect();
    let words = |list: &[u32]| -> Vec<u8> { list.iter().flat_map(|word| word.to_le_bytes()).collect() };
    let parts: [(Vec<u8>, usize); 6] = [
        (words(&structs.concat()), structs.len()),
        (words(&fields.concat()), fields.len()),
        (labels.clone(), labels.len() / 16),
        (data.clone(), data.len()),
        (words(&indices), indices.len() * 4),
        (words(&lists), lists.len() * 4),
    ];
    let mut out = [kind.as_slice(), b"V3.2"].concat();
    let mut at = 56;
    for (bytes, count) in &parts {
        out.extend((at as u32).to_le_bytes());
        out.extend((*count as u32).to_le_bytes());
        at += bytes.len();
    }
    parts.iter().for_each(|(bytes, _)| out.extend(bytes));
    out
}

#[derive(Default)]
struct Tables {
    structs: Vec<[u32; 3]>,
    fields: Vec<[u32; 3]>,
    labels: Vec<&'static str>,
    data: Vec<u8>,
    indices: Vec<u32>,
    lists: Vec<u32>,
}

impl Tables {
    fn add(&mut self, Struct(kind, values): &Struct) -> u32 {
        let number = self.structs.len();
        self.structs.push([*kind, 0, values.len() as u32]);
        let numbers: Vec<u32> = values.iter().map(|(label, value)| self.field(label, value)).collect();
        self.structs[number][1] = match numbers.as_slice() {
            [only] => *only,
            _ => {
                let at = self.indices.len() * 4;
                self.indices.extend(&numbers);
                at as u32
            }
        };
        number as u32
    }

    fn field(&mut self, label: &'static str, value: &Value) -> u32 {
        let known = self.labels.iter().position(|known| *known == label);
        let label = known.unwrap_or_else(|| {
            self.labels.push(label);
            self.labels.len() - 1
        });
        let number = self.fields.len();
        self.fields.push([0, label as u32, 0]);
        let at = self.data.len() as u32;
        let (kind, data) = match value {
            Value::Byte(value) => (0, u32::from(*value)),
            Value::Dword(value) => (4, *value),
            Value::Int(value) => (5, *value as u32),
            Value::Float(value) => (8, value.to_bits()),
            Value::String(text) => {
                self.data.extend((text.len() as u32).to_le_bytes());
                self.data.extend(text.bytes());
                (10, at)
            }
            Value::ResRef(text) => {
                self.data.push(text.len() as u8);
                self.data.extend(text.bytes());
                (11, at)
            }
            Value::List(list) => {
                let numbers: Vec<u32> = list.iter().map(|one| self.add(one)).collect();
                let at = self.lists.len() * 4;
                self.lists.push(numbers.len() as u32);
                self.lists.extend(numbers);
                (15, at as u32)
            }
        };
        self.fields[number] = [kind, label as u32, data];
        number as u32
    }
}
