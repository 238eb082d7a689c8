//! The table of rules for layouts. [`check`](super::check) applies them.

galatea_wire::rules! {
    /// All rules, in the order of their codes.
    pub static RULES;
    COUNT "KLYT0001" Info keep "a declared number is not that of the lines"
        "The game reads as many lines as it is told. If the number is smaller, the last rooms or hooks are missing in the game.";
    NO_MODEL "KLYT0002" Warning keep "a room has no model"
        "Nothing is seen there. Put the model beside the layout, into Override or into the module, or correct the name. If no room has a model, \
         the models are taken to be elsewhere.";
    NO_WALKMESH "KLYT0003" Info keep "a room has no walkmesh"
        "Usual for skies and for what is only seen from afar; otherwise characters cannot walk there.";
    UNREADABLE "KLYT0004" Error keep "a file of a room cannot be read"
        "The game crashes when it loads the area. Obtain the file again.";
    APART "KLYT0005" Warning keep "model and walkmesh of a room are at different places"
        "Walkmeshes are in the coordinates of the area, models are moved to the position of their room. Correct the position, or move the walkmesh.";
    SAME_WALKMESH "KLYT0006" Warning keep "two rooms have the same walkmesh"
        "Characters stand in one of the rooms while they are in the other. One of the files is probably a copy: give each room its own walkmesh.";
    TRANSITION "KLYT0007" Error keep "a transition leads to a room that the layout does not have"
        "Characters cannot leave the room there. The numbers of transitions are the places of rooms in the layout, counted from 0.";
    HOOK "KLYT0008" Info keep "a door hook is in a room that the layout does not have"
        "No door can be hung there. Harmless in layouts that are cut from larger ones, as those of cutscenes; otherwise correct the name of the room.";
    VISIBLE "KLYT0009" Warning keep "the VIS file names a room that the layout does not have"
        "The game ignores it. If a room was renamed, it is invisible now: rename it in the VIS file, too.";
    END "KLYT0010" Info keep "the layout does not end in `donelayout`"
        "The file may be cut off.";
    LONG_NAME "KLYT0011" Error keep "the name of a room is longer than 16 letters"
        "The game finds files by names of at most 16 letters, so the room is missing. Shorten the names of the room's files.";
}
