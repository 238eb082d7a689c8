//! The numbers that KotOR's containers have for file types.

/// The types of KotOR's resources, by their numbers.
const TYPES: &[(u16, &str)] = &[
    (1, "bmp"),
    (3, "tga"),
    (4, "wav"),
    (6, "plt"),
    (7, "ini"),
    (10, "txt"),
    (2000, "plh"),
    (2001, "tex"),
    (2002, "mdl"),
    (2003, "thg"),
    (2005, "fnt"),
    (2007, "lua"),
    (2008, "slt"),
    (2009, "nss"),
    (2010, "ncs"),
    (2011, "mod"),
    (2012, "are"),
    (2013, "set"),
    (2014, "ifo"),
    (2015, "bic"),
    (2016, "wok"),
    (2017, "2da"),
    (2018, "tlk"),
    (2022, "txi"),
    (2023, "git"),
    (2024, "bti"),
    (2025, "uti"),
    (2026, "btc"),
    (2027, "utc"),
    (2029, "dlg"),
    (2030, "itp"),
    (2031, "btt"),
    (2032, "utt"),
    (2033, "dds"),
    (2034, "bts"),
    (2035, "uts"),
    (2036, "ltr"),
    (2037, "gff"),
    (2038, "fac"),
    (2039, "bte"),
    (2040, "ute"),
    (2041, "btd"),
    (2042, "utd"),
    (2043, "btp"),
    (2044, "utp"),
    (2045, "dft"),
    (2046, "gic"),
    (2047, "gui"),
    (2048, "css"),
    (2049, "ccs"),
    (2050, "btm"),
    (2051, "utm"),
    (2052, "dwk"),
    (2053, "pwk"),
    (2054, "btg"),
    (2055, "utg"),
    (2056, "jrl"),
    (2057, "sav"),
    (2058, "utw"),
    (2059, "4pc"),
    (2060, "ssf"),
    (2061, "hak"),
    (2062, "nwm"),
    (2063, "bik"),
    (2064, "ndb"),
    (2065, "ptm"),
    (2066, "ptt"),
    (3000, "lyt"),
    (3001, "vis"),
    (3002, "rim"),
    (3003, "pth"),
    (3004, "lip"),
    (3005, "bwm"),
    (3006, "txb"),
    (3007, "tpc"),
    (3008, "mdx"),
    (3009, "rsv"),
    (3010, "sig"),
    (3011, "xbx"),
    (9997, "erf"),
    (9998, "bif"),
    (9999, "key"),
];

/// Returns the extension of a KotOR resource type; `None` for numbers that no game has.
pub fn kotor_extension(number: u16) -> Option<&'static str> {
    let at = TYPES.binary_search_by_key(&number, |(known, _)| *known).ok()?;
    TYPES.get(at).map(|(_, extension)| *extension)
}

/// Returns the number of a KotOR resource type by its extension, ignoring case.
pub fn kotor_type(extension: &str) -> Option<u16> {
    let found = TYPES.iter().find(|(_, known)| known.eq_ignore_ascii_case(extension));
    found.map(|(number, _)| *number)
}

/// Returns the name of a resource with its extension. A type that no game has is written as its number, `name.2999`.
pub(crate) fn file_name(resref: &str, number: u16) -> String {
    match kotor_extension(number) {
        Some(extension) => format!("{resref}.{extension}"),
        None => format!("{resref}.{number}"),
    }
}

/// Splits a file name into the name and the type of a resource; `None` if its extension means no type.
pub(crate) fn resource_name(file: &str) -> Option<(&str, u16)> {
    let (resref, extension) = file.rsplit_once('.')?;
    let number = || extension.parse().ok().filter(|number| kotor_extension(*number).is_none());
    Some((resref, kotor_type(extension).or_else(number)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_one_extension_and_back() {
        assert!(TYPES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (number, extension) in TYPES {
            assert_eq!((kotor_extension(*number), kotor_type(extension)), (Some(*extension), Some(*number)));
        }
        assert_eq!(kotor_type("MDL"), Some(2002));
    }

    #[test]
    fn a_type_that_no_game_has_is_kept_as_its_number() {
        assert_eq!(file_name("a", 2999), "a.2999");
        assert_eq!(resource_name("a.2999"), Some(("a", 2999)));
        assert_eq!(resource_name("a.2002"), None);
        assert_eq!(resource_name("a.b.mdl"), Some(("a.b", 2002)));
        assert_eq!(resource_name("readme"), None);
    }
}
