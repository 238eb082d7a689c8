//! The table of rules of all texture formats. Codes are stable and never reused.

galatea_wire::rules! {
    /// Every rule of the texture formats, in the order of the codes.
    pub static RULES;
    NOT_POWER_OF_TWO "TEXR0001" Warning keep "width or height is not a power of two"
        "KotOR and classic Warcraft III stretch, blur or reject such textures. Resize it to 64, 128, 256, 512 or 1024 pixels per side.";
    NOT_WHOLE_BLOCKS "TEXR0002" Warning keep "width or height of a block-compressed texture is not a multiple of four"
        "Direct3D cannot create such a texture, so it is white or black in the game. Resize it to multiples of four.";
    CHAIN_STOPS "TEXR0003" Info keep "incomplete mip chain"
        "The texture flickers at a distance, and some drivers show black. Regenerate the mip levels down to 1x1 (4x4 is enough for the Fox Engine and PES).";
    ONE_LEVEL "TEXR0004" Info keep "no mip levels"
        "Fine for icons and screens. On a model the texture flickers at a distance: convert it again with mip levels.";
    TPC_SIZE "TEXR0005" Error fix "the size in the header is not that of the first level"
        "The game reads the levels from the wrong offsets, and the texture becomes noise. The size follows from width, height and encoding; `--fix` sets it if the levels fill the file up to the TXI.";
    TPC_ALPHA_MEAN "TEXR0006" Warning fix "the alpha value in the header is not between 0 and 1"
        "It is the threshold of the alpha test: with this value everything or nothing is discarded. Nearly every texture has 1.0.";
    TPC_UNUSED "TEXR0007" Info fix "unused header bytes are not zero"
        "The game ignores them, but other tools may misread the file.";
    TPC_TAIL "TEXR0008" Warning keep "the bytes after the pixels are not text"
        "The game reads them as TXI commands. Either the number of levels is wrong, or a tool left garbage: convert the texture again.";
    TXI_UNKNOWN "TEXR0009" Info keep "unknown TXI command"
        "No game or tool knows this command, and the game skips it. Check the spelling.";
    TXI_ARGUMENT "TEXR0010" Warning keep "TXI command without its argument"
        "The game uses 0 or nothing instead, so the effect is missing. Add the number or name.";
    TPC_CUBE "TEXR0011" Warning keep "the TXI and the size disagree about a cube map"
        "A cube map is six times as high as wide and has `cube 1`. As it is, the reflection is smeared, or the texture is treated as a cube map.";
    BLP_CUT "TEXR0012" Error keep "a mip level extends past the end of the file"
        "The file was truncated. The game may crash when it needs this level. Obtain the file again, or convert it again from its largest level.";
    BLP_TOO_MANY "TEXR0013" Info keep "more mip levels than the size allows"
        "Levels below one pixel are never used. Either the file is needlessly long, or width or height is wrong.";
    BLP_JPEG_KIND "TEXR0014" Error keep "the embedded JPEG is not of the kind the game reads"
        "The game needs four components at full resolution without an Adobe marker, as B, G, R, A. Others show wrong colors or crash. Convert it again.";
    BLP_JPEG_SIZE "TEXR0015" Error keep "the embedded JPEG does not have the size in the header"
        "The game reads pixels that do not exist. Convert it again.";
    BLP_SHARED "TEXR0016" Info keep "a mip level shares the pixels of a larger one"
        "This saves space, but the level is not smaller: the texture flickers at a distance.";
    BLP_HAS_MIPS "TEXR0017" Info fix "the mip flag is neither 0 nor 1"
        "The game treats any value but 0 as 1; other tools may not. `--fix` sets it by the levels that are present.";
    BLP_ALPHA_BITS "TEXR0018" Info fix "invalid alpha depth"
        "Valid depths are 0, 1, 4 and 8 with a palette, 0 and 8 with JPEG. The game treats others as 8; other tools may reject the file. `--fix` derives it from the size of the first level with a palette, and sets 8 otherwise.";
    BLP_LEVEL_SIZE "TEXR0019" Error keep "the length of a mip level does not match its size"
        "The game shows noise, or reads past the end. Convert it again.";
    BLP_JPEG_HEADER "TEXR0020" Warning keep "the shared JPEG header is longer than 624 bytes"
        "No game file has a longer one, and the game's buffer is said to end there. Convert it again.";
    DDS_MISSING "TEXR0021" Error keep "missing mip levels"
        "The header announces more levels than the file has: it was truncated, or the count is wrong. The game may reject it. Obtain the file again or convert it again.";
    DDS_TAIL "TEXR0022" Warning keep "bytes after the last level"
        "The game ignores them. If the texture looks wrong, its size, format or number of levels in the header is wrong.";
    DDS_SIZES "TEXR0023" Error fix "the structure sizes in the header are wrong"
        "They are 124 and 32 in every valid DDS; strict loaders reject anything else.";
    DDS_MIP_FLAG "TEXR0024" Info fix "the mip flag is not set"
        "There are mip levels, but loaders that use the flag load only the largest, and the texture flickers. `--fix` sets the flag if all levels are present.";
    DDS_LAYERS "TEXR0025" Warning fix "array without layers"
        "Direct3D rejects it; every ordinary texture has one layer.";
    FTEX_LEVEL "TEXR0026" Error keep "the unpacked length of a mip level does not match its size"
        "The game shows noise or crashes. Pack the texture again.";
    FTEX_STORED_BIT "TEXR0027" Info keep "an uncompressed chunk is not marked as such"
        "The game compares the sizes; tools that rely on the mark cannot unpack it. Or one of the sizes is wrong.";
    FTEX_PARTS "TEXR0028" Warning fix "the number of FTEXS files is not that of the table"
        "The game does not load the largest levels, and the texture stays blurred. `--fix` sets one of the two numbers if the other and the streaming flag are right.";
    FTEX_ELSEWHERE "TEXR0029" Info keep "mip levels are in FTEXS files that were not found"
        "Only smaller levels can be shown. Put the numbered .ftexs files into the directory of the .ftex; archives often contain only the first.";
    FTEX_STREAMED "TEXR0030" Warning fix "the streaming flag is wrong"
        "With the flag the game looks for FTEXS files, without it in the FTEX itself: the texture stays black. `--fix` sets it if both numbers of files are right.";
    TGA_KIND "TEXR0031" Warning keep "unsupported kind of TGA"
        "KotOR and Warcraft III read true color with 24 or 32 bits. Save it as such, without a palette.";
}
