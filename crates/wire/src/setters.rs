//! Builder methods for structs of options, which may get more fields later.

/// Declares a builder method for each of the listed fields of a struct of options. Such a struct is `#[non_exhaustive]`, so that
/// it can grow: other crates begin with its default and change fields one by one.
///
/// ```
/// #[derive(Debug, Clone, Default)]
/// #[non_exhaustive]
/// pub struct Options {
///     /// Whether it is loud.
///     pub loud: bool,
/// }
/// galatea_wire::setters! { Options { with_loud: loud: bool } }
/// assert!(Options::default().with_loud(true).loud);
/// ```
#[macro_export]
macro_rules! setters {
    ($options:ident $(<$life:lifetime>)? { $($with:ident: $field:ident: $type:ty),* $(,)? }) => {
        impl $(<$life>)? $options $(<$life>)? {
            $(
                #[doc = concat!(
                    "Returns the same options with another [`", stringify!($field), "`](Self::", stringify!($field), ")."
                )]
                #[must_use]
                pub fn $with(self, $field: $type) -> Self {
                    Self { $field, ..self }
                }
            )*
        }
    };
}
