in vec2 v_uv;
in vec4 v_color;

// Whether it has a texture, the cutoff of its alpha or -1, the kind of blending, and the factor of what is multiplied. Then the samples of a
// pixel.
uniform vec4 u_sprite[2];
uniform sampler2D u_base;

out vec4 o_color;

// A soft round spot in place of a texture.
vec4 dot_of(vec2 uv, float blend) {
    vec2 at = uv - 0.5;
    float spot = max(1.0 - 4.0 * dot(at, at), 0.0);
    spot *= spot;
    if (blend == 3.0) return vec4(vec3((1.0 - 0.5 * spot) / u_sprite[0].w), 1.0);
    if (u_sprite[0].y >= 0.0) return vec4(1.0, 1.0, 1.0, spot > 0.0 ? 1.0 : 0.0);
    return vec4(1.0, 1.0, 1.0, spot);
}

void main() {
    float area = area_of(dFdx(v_uv), dFdy(v_uv)) * u_sprite[1].x;
    float blend = u_sprite[0].z;
    vec4 texel;
    if (u_sprite[0].x > 0.0) {
        vec2 size = vec2(textureSize(u_base, 0));
        texel = textureLod(u_base, v_uv, level_of(area * size.x * size.y));
        texel.rgb = sqrt(texel.rgb);
    } else {
        texel = dot_of(v_uv, blend);
    }
    vec3 color = v_color.rgb * texel.rgb;
    float alpha = clamp(v_color.a * texel.a, 0.0, 1.0);
    if (u_sprite[0].y >= 0.0 && alpha < u_sprite[0].y) discard;
    if (blend == 3.0) {
        // As in the games, pixels that are almost invisible are left out.
        if (alpha < 0.02) discard;
        o_color = vec4(color, 1.0);
    } else if (blend == 2.0) {
        float bright = max(color.r, max(color.g, color.b)) * alpha;
        o_color = vec4(color * alpha, clamp(bright, 0.0, 1.0));
    } else {
        o_color = vec4(min(color, 1.0) * alpha, alpha);
    }
}
