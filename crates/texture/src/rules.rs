//! The table of rules of all texture formats. Codes are stable and never reused.

galatea_wire::rules! {
    /// Every rule of the texture formats, in the order of the codes.
    pub static RULES;
    NOT_POWER_OF_TWO "TEXR0001" Warning keep "a side is no power of two"
        "KotOR and classic Warcraft III stretch, blur or refuse such textures. Resize it to 64, 128, 256, 512 or 1024 pixels a side.";
    NOT_WHOLE_BLOCKS "TEXR0002" Warning keep "a side of a block-compressed texture is no multiple of four"
        "Direct3D refuses to create such a texture, so it stays white or black in the game. Resize it to multiples of four.";
    CHAIN_STOPS "TEXR0003" Info keep "the smaller levels stop before one pixel"
        "Seen from afar the texture flickers, or some drivers show black. Make the levels anew, down to 1x1 (4x4 is enough for the Fox Engine and PES).";
    ONE_LEVEL "TEXR0004" Info keep "there are no smaller levels"
        "Fine for icons and screens. On a model it flickers from afar: convert it again with mips.";
    TPC_SIZE "TEXR0005" Error fix "the header's size is not that of the first level"
        "The game reads the levels from wrong places: the texture becomes noise. The size follows from width, height and encoding; `--fix` sets it if the levels fill the file up to the TXI.";
    TPC_ALPHA_MEAN "TEXR0006" Warning fix "the header's alpha value is not between 0 and 1"
        "It is the threshold of the alpha test; with such a value everything or nothing is cut away. 1.0 is what nearly every texture has.";
    TPC_UNUSED "TEXR0007" Info fix "unused header bytes are not zero"
        "The game does not look at them, but a tool that does may misread the file.";
    TPC_TAIL "TEXR0008" Warning keep "what follows the pixels is no text"
        "The game reads it as TXI commands. Either the number of levels is wrong or a tool left rubbish: convert the texture again.";
    TXI_UNKNOWN "TEXR0009" Info keep "a TXI command that no game or tool knows"
        "The game skips it. Look for a misspelling.";
    TXI_ARGUMENT "TEXR0010" Warning keep "a TXI command without the argument it needs"
        "The game takes 0 or nothing for it, so that the effect is missing. Add the number or name.";
    TPC_CUBE "TEXR0011" Warning keep "the TXI and the size disagree about a cube map"
        "A cube map is six times as high as wide and says `cube 1`. As it is, the reflection shows a smear, or the texture is taken for a cube.";
    BLP_CUT "TEXR0012" Error keep "a level lies beyond the end of the file"
        "The file was cut off. The game may crash when it needs that level. Get the file again, or convert it again from its largest level.";
    BLP_TOO_MANY "TEXR0013" Info keep "more levels than the size has"
        "Levels below one pixel are never used; they only make the file longer. Or the width or height is wrong.";
    BLP_JPEG_KIND "TEXR0014" Error keep "the JPEG inside is not of the kind the game reads"
        "It needs four components of full resolution without an Adobe marker, as B, G, R, A. Anything else shows wrong colours or crashes. Convert it again.";
    BLP_JPEG_SIZE "TEXR0015" Error keep "the JPEG inside has another size than the header says"
        "The game reads pixels that are not there. Convert it again.";
    BLP_SHARED "TEXR0016" Info keep "a smaller level shares the pixels of a larger one"
        "Saves room, but the small level is not small: the texture flickers from afar.";
    BLP_HAS_MIPS "TEXR0017" Info fix "the flag for smaller levels is neither 0 nor 1"
        "The game takes anything but 0 for 1; other tools may not. `--fix` goes by the levels that are there.";
    BLP_ALPHA_BITS "TEXR0018" Info fix "an alpha depth that does not exist"
        "0, 1, 4 and 8 exist with a palette, 0 and 8 with JPEG. The game takes others for 8; other tools may refuse the file. `--fix` goes by the bytes of the levels, else takes 8.";
    BLP_LEVEL_SIZE "TEXR0019" Error keep "a level has not the bytes its size needs"
        "The game shows noise below, or reads past the end. Convert it again.";
    BLP_JPEG_HEADER "TEXR0020" Warning keep "the shared JPEG header is longer than 624 bytes"
        "No file of the game has a longer one, and its buffer is said to end there. Convert it again.";
    DDS_MISSING "TEXR0021" Error keep "levels that the header announces are not in the file"
        "The file was cut off, or the count is wrong. The game may refuse it. Get the file again or convert it again.";
    DDS_TAIL "TEXR0022" Warning keep "bytes follow the last level"
        "The game ignores them. If the texture looks wrong, its size, format or number of levels is not what the header says.";
    DDS_SIZES "TEXR0023" Error fix "the header's own sizes are wrong"
        "They are 124 and 32 in every valid DDS; strict loaders refuse anything else.";
    DDS_MIP_FLAG "TEXR0024" Info fix "there are smaller levels, but the flag for them is not set"
        "Loaders that go by the flag use only the largest level, and the texture flickers. `--fix` sets it if all levels are there.";
    DDS_LAYERS "TEXR0025" Warning fix "an array of no layers"
        "Direct3D refuses it; every ordinary texture has one layer.";
    FTEX_LEVEL "TEXR0026" Error keep "a level does not unpack to the bytes its size needs"
        "The game shows noise or crashes. Pack the texture again.";
    FTEX_STORED_BIT "TEXR0027" Info keep "a stored chunk is not marked as stored"
        "The game goes by the sizes, as do we; tools that go by the mark fail to unpack it. Or one of the sizes is wrong.";
    FTEX_PARTS "TEXR0028" Warning fix "the number of FTEXS files is not that of the table"
        "The game does not load the largest levels, and the texture stays blurred. `--fix` sets one of the two numbers if the other and the mark for streaming are right.";
    FTEX_ELSEWHERE "TEXR0029" Info keep "levels are in FTEXS files that are not at hand"
        "Only smaller levels can be shown. Put the numbered .ftexs files beside the .ftex; packs often hold only the first.";
    FTEX_STREAMED "TEXR0030" Warning fix "the mark for streaming disagrees with where the pixels are"
        "With the mark the game looks for FTEXS files, without it in the FTEX itself: the texture stays black. `--fix` sets it if both numbers of files are right.";
    TGA_KIND "TEXR0031" Warning keep "a TGA of a kind that no file of the games has"
        "KotOR and Warcraft III read true colour of 24 or 32 bits. Save it as such, without palette.";
}
