//! `galatea info --parquet`: the figures of many files as a table for programs, such as DuckDB, pandas and Spark.

use std::sync::Arc;

use galatea::Summary;
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

/// The columns: those of `info --json`, and why a file could not be read.
const SCHEMA: &str = "message galatea {
    required binary path (UTF8);
    optional binary format (UTF8);
    optional binary version (UTF8);
    optional int64 nodes;
    optional int64 meshes;
    optional int64 vertices;
    optional int64 triangles;
    optional int64 bones;
    optional int64 clips;
    optional int64 bytes;
    optional binary error (UTF8);
}";

/// The figures of a file.
struct Figures {
    format: &'static str,
    version: String,
    numbers: [i64; 7],
}

/// A file, and what became of it.
struct Row {
    path: String,
    outcome: Result<Figures, String>,
}

/// The rows of a table, in the order of the inputs.
#[derive(Default)]
pub(super) struct Rows(Vec<Row>);

impl Rows {
    /// Adds a file that could be read.
    pub(super) fn add(&mut self, path: &str, format: &'static str, sum: &Summary, bytes: usize) {
        let numbers = [sum.nodes, sum.meshes, sum.vertices, sum.triangles, sum.bones, sum.clips, bytes];
        let numbers = numbers.map(|number| i64::try_from(number).unwrap_or(i64::MAX));
        let outcome = Ok(Figures { format, version: sum.version.to_string(), numbers });
        self.0.push(Row { path: path.to_owned(), outcome });
    }

    /// Adds a file that could not be read, and why.
    pub(super) fn add_failure(&mut self, path: &str, why: String) {
        self.0.push(Row { path: path.to_owned(), outcome: Err(why) });
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the table as a Parquet file.
    pub(super) fn file(&self) -> Result<Vec<u8>, ParquetError> {
        let mut out = Vec::new();
        let schema = Arc::new(parse_message_type(SCHEMA)?);
        let mut writer = SerializedFileWriter::new(&mut out, schema, Arc::default())?;
        let mut group = writer.next_row_group()?;
        let mut column = 0;
        while let Some(mut into) = group.next_column()? {
            match column {
                0 => {
                    let paths: Vec<ByteArray> = self.0.iter().map(|row| row.path.as_str().into()).collect();
                    into.typed::<ByteArrayType>().write_batch(&paths, None, None)?;
                }
                1 | 2 | 10 => {
                    let (texts, there) = self.column(|row| row.text(column).map(ByteArray::from));
                    into.typed::<ByteArrayType>().write_batch(&texts, Some(&there), None)?;
                }
                number => {
                    let figure = |row: &Row| row.outcome.as_ref().ok()?.numbers.get(number - 3).copied();
                    let (numbers, there) = self.column(figure);
                    into.typed::<Int64Type>().write_batch(&numbers, Some(&there), None)?;
                }
            }
            into.close()?;
            column += 1;
        }
        group.close()?;
        writer.close()?;
        Ok(out)
    }

    /// Returns the values of a column, and for each row whether it has one.
    fn column<T>(&self, value: impl Fn(&Row) -> Option<T>) -> (Vec<T>, Vec<i16>) {
        let values: Vec<Option<T>> = self.0.iter().map(value).collect();
        let there = values.iter().map(|value| i16::from(value.is_some())).collect();
        (values.into_iter().flatten().collect(), there)
    }
}

impl Row {
    /// Returns the text of a column.
    fn text(&self, column: usize) -> Option<&str> {
        match (column, &self.outcome) {
            (1, Ok(figures)) => Some(figures.format),
            (2, Ok(figures)) => Some(&figures.version),
            (10, Err(why)) => Some(why),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    #[test]
    fn a_table_has_a_row_for_each_file_and_the_reason_of_each_failure() {
        let mut rows = Rows::default();
        let sum = Summary { version: "800".into(), triangles: 12, bones: 3, ..Summary::default() };
        rows.add("a.mdx", "mdx", &sum, 4000);
        rows.add_failure("b.mdx", "truncated".into());
        let reader = SerializedFileReader::new(bytes(&rows)).expect("a Parquet file");
        let read: Vec<_> = reader.get_row_iter(None).expect("rows").map(|row| row.expect("a row")).collect();
        assert_eq!((read.len(), rows.len()), (2, 2));
        assert_eq!(read[0].get_string(0).expect("path"), "a.mdx");
        assert_eq!(read[0].get_string(2).expect("version"), "800");
        assert_eq!(
            (read[0].get_long(6).expect("triangles"), read[0].get_long(9).expect("bytes")),
            (12, 4000)
        );
        assert!(read[0].get_string(10).is_err() && read[1].get_long(6).is_err());
        assert_eq!(read[1].get_string(10).expect("error"), "truncated");
    }

    #[test]
    fn a_table_of_nothing_is_a_table() {
        let reader = SerializedFileReader::new(bytes(&Rows::default())).expect("a Parquet file");
        assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
        assert_eq!(reader.metadata().file_metadata().schema_descr().num_columns(), 11);
    }

    fn bytes(rows: &Rows) -> bytes::Bytes {
        rows.file().expect("a file").into()
    }
}
