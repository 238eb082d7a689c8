//! Lists that share one allocation with many others until they are changed.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A list. It reads like a slice; changing it gives it an allocation of its own.
///
/// A model has thousands of nodes with a few numbers each: read from a file, they share a few large allocations.
///
/// ```
/// use galatea_kotor::mdl::List;
/// let mut list: List<u32> = vec![1, 2].into();
/// list.push(3);
/// assert_eq!(list[..], [1, 2, 3]);
/// list[0] = 7;
/// assert_eq!(list.iter().sum::<u32>(), 12);
/// ```
pub struct List<T> {
    all: Option<Arc<Vec<T>>>,
    start: u32,
    /// Items from `start`, or [`WHOLE`] for all of them.
    len: u32,
}

const WHOLE: u32 = u32::MAX;

impl<T> List<T> {
    /// A part of a shared list.
    pub(crate) fn shared(all: &Arc<Vec<T>>, start: u32, len: u32) -> Self {
        if len == 0 { List::default() } else { List { all: Some(Arc::clone(all)), start, len } }
    }
}

impl<T: Clone> List<T> {
    /// The list as a vector of its own, to change it.
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if self.len != WHOLE {
            *self = self.to_vec().into();
        }
        Arc::make_mut(self.all.get_or_insert_default())
    }

    /// Adds an item.
    pub fn push(&mut self, item: T) {
        self.to_mut().push(item);
    }

    /// Takes the last item off.
    pub fn pop(&mut self) -> Option<T> {
        self.to_mut().pop()
    }

    /// Adds items.
    pub fn extend_from_slice(&mut self, items: &[T]) {
        self.to_mut().extend_from_slice(items);
    }

    /// Takes all items out.
    pub fn clear(&mut self) {
        *self = List::default();
    }
}

impl<T> Deref for List<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        match &self.all {
            None => &[],
            Some(all) if self.len == WHOLE => all,
            Some(all) => {
                let start = self.start as usize;
                all.get(start..start + self.len as usize).unwrap_or(&[])
            }
        }
    }
}

impl<T: Clone> DerefMut for List<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.to_mut()
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List { all: None, start: 0, len: WHOLE }
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        List { all: self.all.clone(), ..*self }
    }
}

impl<T> From<Vec<T>> for List<T> {
    fn from(own: Vec<T>) -> Self {
        List { all: (!own.is_empty()).then(|| Arc::new(own)), start: 0, len: WHOLE }
    }
}

impl<T> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Vec::from_iter(items).into()
    }
}

impl<'a, T> IntoIterator for &'a List<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T: Clone> IntoIterator for &'a mut List<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<T: Clone> Extend<T> for List<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.to_mut().extend(items);
    }
}

impl<T: PartialEq> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: fmt::Debug> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changing_a_part_leaves_the_others_alone() {
        let all = Arc::new(vec![1, 2, 3, 4, 5]);
        let mut a = List::shared(&all, 0, 2);
        let b = List::shared(&all, 2, 3);
        let c = b.clone();
        a.push(9);
        a[0] = 7;
        assert_eq!((&a[..], &b[..], &c[..]), (&[7, 2, 9][..], &[3, 4, 5][..], &[3, 4, 5][..]));
        let mut d = a.clone();
        d.pop();
        assert_eq!((a.len(), d.len()), (3, 2));
        a.clear();
        assert!(a.is_empty() && List::<u8>::from(Vec::new()).is_empty());
    }
}
