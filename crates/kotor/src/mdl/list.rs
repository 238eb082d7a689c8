//! Lists that are nearly always short.

use std::fmt;
use std::ops::{Deref, DerefMut};

use galatea_wire::Wire;

/// A list. It reads like a slice, and up to five items need no allocation.
///
/// A model has thousands of nodes, most of them with one child or none.
///
/// ```
/// use galatea_kotor::mdl::List;
/// let mut list: List<u32> = vec![1, 2].into();
/// list.extend([3, 4]);
/// list[0] = 7;
/// assert_eq!(list[..], [7, 2, 3, 4]);
/// list.edit(|items| items.remove(1));
/// assert_eq!(list.iter().sum::<u32>(), 14);
/// ```
#[derive(Clone)]
pub struct List<T>(Items<T>);

#[derive(Clone)]
enum Items<T> {
    /// As most lists are: then there is nothing to fill in.
    None,
    /// So many of these.
    Few(u32, [T; FEW]),
    Many(Vec<T>),
}

const FEW: usize = 5;

impl<T: Copy + Default> List<T> {
    /// A list of one item with room for so many.
    #[inline]
    pub(crate) fn with_room(first: T, count: usize) -> Self {
        if count <= FEW {
            return List(Items::Few(1, [first; FEW]));
        }
        let mut items = Vec::with_capacity(count);
        items.push(first);
        List(Items::Many(items))
    }

    /// The items in these bytes.
    #[inline]
    pub(crate) fn read(bytes: &[u8]) -> Self
    where
        T: Wire,
    {
        let item = |i: usize| bytes.get(i * T::SIZE..).map_or(T::ZERO, T::get);
        match bytes.len() / T::SIZE {
            0 => List::default(),
            count @ 1..=FEW => List(Items::Few(count as u32, std::array::from_fn(item))),
            _ => List(Items::Many(bytes.chunks_exact(T::SIZE).map(T::get).collect())),
        }
    }

    /// Changes the list in any way that a vector can be changed.
    pub fn edit<R>(&mut self, change: impl FnOnce(&mut Vec<T>) -> R) -> R {
        let mut items = match std::mem::take(self).0 {
            Items::None => Vec::new(),
            Items::Few(count, items) => items.into_iter().take(count as usize).collect(),
            Items::Many(items) => items,
        };
        let result = change(&mut items);
        *self = items.into();
        result
    }

    /// Adds an item.
    #[inline]
    pub fn push(&mut self, item: T) {
        match &mut self.0 {
            Items::None => self.0 = Items::Few(1, [item; FEW]),
            Items::Many(items) => items.push(item),
            Items::Few(count, items) => match items.get_mut(*count as usize) {
                Some(slot) => {
                    *slot = item;
                    *count += 1;
                }
                None => self.edit(|items| items.push(item)),
            },
        }
    }

    /// Takes the last item off.
    pub fn pop(&mut self) -> Option<T> {
        self.edit(Vec::pop)
    }

    /// Adds items.
    pub fn extend_from_slice(&mut self, items: &[T]) {
        self.extend(items.iter().copied());
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
        match &self.0 {
            Items::None => &[],
            Items::Few(count, items) => items.get(..*count as usize).unwrap_or(items),
            Items::Many(items) => items,
        }
    }
}

impl<T> DerefMut for List<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Items::None => &mut [],
            Items::Few(count, items) => {
                let (few, _) = items.split_at_mut((*count as usize).min(FEW));
                few
            }
            Items::Many(items) => items,
        }
    }
}

impl<T: Copy + Default> Default for List<T> {
    #[inline]
    fn default() -> Self {
        List(Items::None)
    }
}

impl<T: Copy + Default> From<Vec<T>> for List<T> {
    fn from(items: Vec<T>) -> Self {
        if items.len() > FEW { List(Items::Many(items)) } else { items.into_iter().collect() }
    }
}

impl<T: Copy + Default, const N: usize> From<[T; N]> for List<T> {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Copy + Default> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut list = List::default();
        list.extend(items);
        list
    }
}

impl<'a, T> IntoIterator for &'a List<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut List<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<T: Copy + Default> Extend<T> for List<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.push(item));
    }
}

impl<T: PartialEq> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for List<T> {}

impl<T: PartialEq, const N: usize> PartialEq<[T; N]> for List<T> {
    fn eq(&self, other: &[T; N]) -> bool {
        **self == *other
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
    fn a_list_is_the_same_however_long_it_once_was() {
        let numbers: Vec<u32> = (0..10).collect();
        for count in 0..numbers.len() {
            let long = &numbers[..count];
            let mut list: List<u32> = long.iter().copied().collect();
            assert_eq!((&list[..], &List::from(long.to_vec())), (long, &list));
            list.extend_from_slice(&numbers);
            list.iter_mut().for_each(|n| *n += 1);
            assert_eq!(list.len(), count + 10);
            while list.len() > count {
                list.pop();
            }
            list.iter_mut().for_each(|n| *n -= 1);
            assert_eq!(&list[..], long);
            if let Some((first, rest)) = long.split_first() {
                let mut roomy = List::with_room(*first, count);
                rest.iter().for_each(|n| roomy.push(*n));
                assert_eq!(roomy, list);
            }
            list.clear();
            assert!(list.is_empty());
        }
    }
}
