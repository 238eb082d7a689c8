//! The table of rules of the containers. Codes are stable and never reused.

galatea_wire::rules! {
    /// The rules of the containers, in the order of the codes.
    pub static RULES;
    OUTSIDE "ARCH0001" Error keep "an entry extends past the end of the file"
        "The archive was truncated, or its tables are damaged. The game crashes or ignores the entry. Obtain the archive again, or pack it again from its files.";
    OVERLAP "ARCH0002" Warning keep "entries share bytes"
        "Some packers store equal files once. If the files are not equal, the tables are damaged: changing one file in place would change the other.";
    TWICE "ARCH0003" Warning keep "two entries have the same name"
        "The game loads one of them, and which one differs between games and tools. Remove the other.";
    UNSAFE_NAME "ARCH0004" Error keep "the name of an entry leads out of the archive"
        "It holds `..`, a drive, a device or control characters. Galatea does not extract it; other tools may write outside their folder. Do not trust this archive.";
    ENTRY_NUMBER "ARCH0005" Info keep "the number of an entry is not its place"
        "The games count the entries and ignore the number; some tools look entries up by it.";
    UNKNOWN_TYPE "ARCH0006" Warning keep "unknown type of file"
        "No game has this number, so nothing loads the entry. It is listed and extracted with the number as its extension.";
    NO_NAME "ARCH0007" Error keep "an entry has no name"
        "Nothing can load it.";
    RESERVED "ARCH0008" Info keep "reserved bytes are not zero"
        "The game ignores them.";
    MISSING_PART "ARCH0009" Error keep "a file that belongs to the archive is missing"
        "Its entries are listed but cannot be read. Keep the KEY in the folder of the game, beside the folder `data` with the BIF files.";
    PART_SIZE "ARCH0010" Warning keep "a file that belongs to the archive has another size"
        "It was changed or replaced after the KEY was made. The game does not compare the sizes; entries may have moved.";
    FILE_SIZE "ARCH0011" Error keep "the size in the header is not that of the file"
        "The archive was truncated or edited by hand, and the game may refuse it. Pack it again.";
    NAME_HASH "ARCH0012" Error keep "the hash of a name does not belong to the name"
        "The game looks entries up by the hash and does not find this one. Pack the archive again.";
    UNALIGNED "ARCH0013" Warning keep "an entry does not begin at a multiple of 16"
        "No file of the game has this. The game may read it slowly or crash. Pack the archive again.";
    DAMAGED_ENTRY "ARCH0014" Error keep "the head of an entry does not agree with the directory"
        "One of the two is damaged. Readers differ in which they believe. Obtain the archive again.";
}
