// The mip level at which texels are about as large as pixels: each has a quarter of the texels of the one before.
float level_of(float texels) {
    return texels > 2.0 ? ceil(0.5 * log2(texels * 0.5)) : 0.0;
}

// Texture area per sample of the image, from the changes of texture coordinates.
float area_of(vec2 across, vec2 down) {
    return abs(across.x * down.y - across.y * down.x);
}
