//! The table of rules for areas. [`check`](super::check) applies them.

galatea_wire::rules! {
    /// All rules, in the order of their codes.
    pub static RULES;
    NO_LAYOUT "KGIT0001" Info keep "the layout of the area was not found"
        "The rooms are not shown then. The layout has the name of the area and is in the archives of the game; name its folder with --game-dir.";
    NO_TEMPLATE "KGIT0002" Warning keep "the template of an object was not found"
        "The game leaves the object out. Put the UTD, UTP or UTC of this name into the module, or correct the name. Without the game nothing is \
         said: most templates are in its archives.";
    NO_MODEL "KGIT0003" Warning keep "the model of an object was not found"
        "The template has a number that the game's table does not have, or the table names a model that is not there. The object is invisible in the \
         game, and a door cannot be opened.";
    NO_HOOK "KGIT0004" Info keep "a door is not at a hook of the layout"
        "The game hangs the door where the area says. Editors place doors by the hooks, so that one that is elsewhere may have been moved by mistake.";
    PLACE "KGIT0005" Error keep "the place of an object is not a number"
        "The game may crash. Give the object a position.";
}
