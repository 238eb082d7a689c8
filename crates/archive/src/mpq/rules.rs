//! The table of rules of MPQ archives. Codes are stable and never reused.

galatea_wire::rules! {
    /// The rules of MPQ archives, in the order of the codes.
    pub static RULES;
    HEAD_SIZE "AMPQ0001" Info keep "the size of the head is wrong"
        "The game ignores it in maps. Map protectors write nonsense here to keep other tools from opening the map.";
    ARCHIVE_SIZE "AMPQ0002" Info keep "the size of the archive is wrong"
        "The game ignores it. The file was protected, truncated, or something was appended to it.";
    TABLE_CUT "AMPQ0003" Warning keep "a table extends past the end of the file"
        "The rows up to the end are used. Either a map protector wrote a wrong count, or the file was truncated and files are missing.";
    HASH_COUNT "AMPQ0004" Error keep "the hash table's size is not a power of two"
        "The game looks files up by the lowest bits of a hash, so it does not find those in such a table. Pack the archive again.";
    NO_LIST "AMPQ0005" Warning keep "the archive has no list of its names"
        "The game does not need it. The names of usual files, imports and files that others refer to are found all the same; the others are listed by number.";
    LISTED_MISSING "AMPQ0006" Info keep "listed names that the archive does not have"
        "Tools that delete files often leave their names in the list. Harmless.";
    UNNAMED "AMPQ0007" Info keep "files whose names are not known"
        "Archives store hashes of names only. A file without a listed name is read by its name all the same, if you know it.";
    JUNK_SLOT "AMPQ0008" Info keep "entries of the hash table that lead to no file"
        "Map protectors add them to confuse other tools. The game ignores them.";
    DECOY "AMPQ0009" Info keep "the archive does not begin where it seems to"
        "Another head without tables precedes it: a map protector's decoy, which the game skips.";
    SIGNED "AMPQ0010" Info keep "the archive is signed"
        "Any change makes the signature invalid, so Galatea removes it when it changes the archive. The game then treats an official map as any other.";
    UNREADABLE "AMPQ0011" Error keep "a file is kept in a way that the game does not read"
        "Patches of other archives are of later games. Obtain the archive again, or pack it again from its files.";
}
