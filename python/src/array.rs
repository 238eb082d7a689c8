//! Vectors as arrays of numpy, and back. Vectors are moved into arrays, never copied.

use numpy::{Element, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Returns rows of numbers as an array with that many columns.
pub(crate) fn rows<T: Element, const N: usize>(
    py: Python<'_>,
    rows: Vec<[T; N]>,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let count = rows.len();
    PyArray1::from_vec(py, rows.into_flattened()).reshape([count, N])
}

/// Returns rows of numbers as an array, or `None` if there are none.
pub(crate) fn some_rows<T: Element, const N: usize>(
    py: Python<'_>,
    given: Vec<[T; N]>,
) -> PyResult<Option<Bound<'_, PyArray2<T>>>> {
    if given.is_empty() { Ok(None) } else { rows(py, given).map(Some) }
}

/// Returns an image as an array: rows, columns, four channels.
pub(crate) fn image(
    py: Python<'_>,
    width: u32,
    height: u32,
    pixels: Vec<u8>,
) -> PyResult<Bound<'_, PyArray3<u8>>> {
    PyArray1::from_vec(py, pixels).reshape([height as usize, width as usize, 4])
}

/// Returns the numbers of an array whose rows lie behind each other.
pub(crate) fn numbers<'a, T: Element, D: numpy::ndarray::Dimension>(
    array: &'a PyReadonlyArray<'_, T, D>,
    what: &str,
) -> PyResult<&'a [T]> {
    array.as_slice().map_err(|_| PyValueError::new_err(format!("{what}: must be contiguous")))
}

/// Returns an array as rows of `N` numbers; fails if it has another number of columns.
pub(crate) fn to_rows<'a, T: Element, const N: usize, D: numpy::ndarray::Dimension>(
    array: &'a PyReadonlyArray<'_, T, D>,
    what: &str,
) -> PyResult<&'a [[T; N]]> {
    let (rows, rest) = numbers(array, what)?.as_chunks::<N>();
    if rest.is_empty() { Ok(rows) } else { Err(PyValueError::new_err(format!("{what}: needs {N} columns"))) }
}
