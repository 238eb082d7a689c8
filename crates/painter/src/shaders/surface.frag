in vec3 v_place;
in vec3 v_normal;
in vec2 v_light;
in vec4 v_color;
in vec2 v_uv;
in vec2 v_lightmap;

uniform vec4 u_style[21];
uniform sampler2D u_base;
uniform sampler2D u_baked;
uniform sampler2D u_glow;
uniform sampler2D u_bumps;
uniform sampler2D u_rough;
uniform sampler2D u_occlusion;
uniform sampler2D u_around;

out vec4 o_color;

const vec3 HUE = vec3(1.0, 0.995, 0.985);

// A faint checkerboard for missing textures, fainter where its cells would be smaller than pixels.
vec4 checker(vec2 uv, float cells) {
    float faint = step(0.06, cells) + step(0.12, cells) + step(0.25, cells) + step(0.5, cells);
    float contrast = 0.06 * (4.0 - faint) / 4.0;
    vec2 cell = mod(floor(uv * 8.0), 2.0);
    float value = cell.x == cell.y ? 0.56 + contrast : 0.56 - contrast;
    return vec4(value, value, value, 1.0);
}

// Texture coordinates as colors.
vec3 coordinates(vec2 uv) {
    vec2 inside = uv - floor(uv);
    vec2 cell = floor(inside * 8.0);
    float light = mod(cell.x + cell.y, 2.0) < 1.0 ? 1.0 : 0.55;
    return vec3(inside, 0.2) * light;
}

// Light from a direction of a studio, blurred by the roughness of what reflects it.
vec3 studio(float up, float rough) {
    float ground = 0.10 + 0.10 * (1.0 + min(up, 0.0));
    float sky = 0.55 - 0.20 * max(up, 0.0);
    float share = clamp(0.5 + 0.5 * up / (0.08 + 0.6 * rough), 0.0, 1.0);
    float value = ground + (sky - ground) * share * share * (3.0 - 2.0 * share);
    return vec3(value * 0.97, value * 0.99, value);
}

// The pixel of six images below each other in a direction.
vec3 cube(vec3 direction) {
    vec3 v = u_style[16].xyz * direction.x + u_style[17].xyz * direction.y + u_style[18].xyz * direction.z;
    vec3 a = abs(v);
    float face;
    vec2 at;
    float major;
    if (a.x >= a.y && a.x >= a.z) {
        face = v.x > 0.0 ? 0.0 : 1.0;
        at = vec2(v.x > 0.0 ? -v.z : v.z, -v.y);
        major = a.x;
    } else if (a.y >= a.z) {
        face = v.y > 0.0 ? 2.0 : 3.0;
        at = vec2(v.x, v.y > 0.0 ? v.z : -v.z);
        major = a.y;
    } else {
        face = v.z > 0.0 ? 4.0 : 5.0;
        at = vec2(v.z > 0.0 ? v.x : -v.x, -v.y);
        major = a.z;
    }
    float inset = 0.5 / float(textureSize(u_around, 0).x);
    vec2 inside = clamp(0.5 + 0.5 * at / max(major, 1e-6), inset, 1.0 - inset);
    return textureLod(u_around, vec2(inside.x, (face + inside.y) / 6.0), 0.0).rgb;
}

vec3 unit(vec3 v) {
    float squared = dot(v, v);
    return squared > 0.0 ? v * inversesqrt(squared) : vec3(0.0);
}

// A map beside the color, at the level that looks like the color's.
vec4 chart(sampler2D image, int rows, float level, float across) {
    vec3 uv = vec3(v_uv, 1.0);
    vec2 place = vec2(dot(u_style[rows].xyz, uv), dot(u_style[rows + 1].xyz, uv));
    float own = floor(log2(float(textureSize(image, 0).x)) + 0.001);
    return textureLod(image, place, max(level + own - floor(log2(max(across, 1.0)) + 0.001), 0.0));
}

float highlight(vec3 normal, vec3 key, vec3 towards, float rough) {
    vec3 middle = unit(key + towards);
    float along = max(dot(normal, middle), 0.0);
    float across = max(dot(key, middle), 0.0);
    float power = rough * rough;
    float squared = power * power;
    float wide = along * along * (squared - 1.0) + 1.0;
    return squared / max(wide * wide * max(across * across, 0.1) * (power * 4.0 + 2.0), 1e-6);
}

// How much of its surroundings a surface reflects at an angle.
vec2 reflectance(float rough, float along) {
    vec4 r = vec4(1.0 - rough, 0.0425 - 0.0275 * rough, 1.04 - 0.572 * rough, 0.022 * rough - 0.04);
    float edge = min(r.x * r.x, exp2(-9.28 * along)) * r.x + r.y;
    return vec2(-1.04 * edge + r.z, 1.04 * edge + r.w);
}

// The color of a surface with maps in this light, without the light that it emits.
vec3 relief(vec3 smooth_normal, vec3 flat_normal, vec4 color, float level, bool baked, vec3 light, vec2 du, vec2 dv, vec3 px, vec3 py) {
    vec3 normal = unit(smooth_normal);
    float across = u_style[2].x == 1.0 ? float(textureSize(u_base, 0).x) : 1.0;
    if (u_style[8].y > 0.0) {
        vec4 texel = chart(u_bumps, 10, level, across);
        vec2 first = vec2(dot(u_style[10].xy, du), dot(u_style[11].xy, du));
        vec2 second = vec2(dot(u_style[10].xy, dv), dot(u_style[11].xy, dv));
        float turn = first.x * second.y - first.y * second.x < 0.0 ? -1.0 : 1.0;
        vec3 tangent = unit((px * second.y - py * first.y) * turn);
        vec3 down = (py * first.x - px * second.x) * turn;
        float hand = dot(cross(flat_normal, tangent), down) > 0.0 ? -1.0 : 1.0;
        vec3 along = tangent - normal * dot(tangent, normal);
        if (dot(along, along) >= 1e-12) {
            along = unit(along);
            vec3 up = cross(normal, along) * hand;
            vec3 v = texel.xyz * (255.0 / 127.0) - 128.0 / 127.0;
            normal = unit(along * v.x + up * v.y + normal * max(v.z, 0.05));
        }
    }
    vec4 rough_texel = u_style[8].z > 0.0 ? chart(u_rough, 12, level, across) : vec4(1.0);
    float occlusion = u_style[8].w > 0.0 ? chart(u_occlusion, 14, level, across).r : 1.0;
    float rough = clamp(u_style[9].y * rough_texel.g, 0.04, 1.0);
    float metal = clamp(u_style[9].x * rough_texel.b, 0.0, 1.0);
    vec3 key = u_camera[4].xyz;
    float facing = max(dot(normal, key), 0.0);
    vec3 diffuse = light;
    if (!baked) {
        float around = (u_camera[3].w + u_camera[4].w * (0.5 + 0.5 * normal.y)) * occlusion;
        diffuse = (u_camera[2].w * facing + around) * HUE;
    }
    vec3 towards = unit(u_camera[2].xyz * u_camera[0].w - v_place);
    float along = dot(normal, towards);
    vec3 reflected = normal * (2.0 * along) - towards;
    if (u_style[9].z > 0.0) {
        vec3 image = u_style[9].z > 1.0 ? cube(reflected) : studio(reflected.y, 0.3);
        return color.rgb * diffuse + image * (1.0 - clamp(color.a, 0.0, 1.0));
    }
    vec3 plain = vec3(0.04) + (color.rgb - 0.04) * metal;
    float glint = baked ? 0.0 : highlight(normal, key, towards, rough) * facing * u_camera[2].w;
    vec2 scale = reflectance(rough, clamp(along, 1e-3, 1.0));
    vec3 image = studio(reflected.y, rough) * occlusion;
    return color.rgb * (1.0 - metal) * diffuse + plain * glint + image * (plain * scale.x + scale.y);
}

void main() {
    vec2 du = dFdx(v_uv);
    vec2 dv = dFdy(v_uv);
    vec3 px = dFdx(v_place);
    vec3 py = dFdy(v_place);
    vec3 flat_normal = unit(cross(px, py));
    float area = area_of(du, dv) * u_style[19].x;

    vec4 color = v_color;
    float level = 0.0;
    if (u_style[2].x == 1.0) {
        vec2 size = vec2(textureSize(u_base, 0));
        level = level_of(area * size.x * size.y);
        color *= textureLod(u_base, v_uv, level);
    } else if (u_style[2].x == 2.0) {
        color *= checker(v_uv, area * 64.0);
    } else if (u_style[2].w == 2.0) {
        color.rgb = coordinates(v_uv);
    }
    float alpha = clamp(color.a, 0.0, 1.0);
    if (u_style[2].y >= 0.0 && alpha < u_style[2].y) discard;

    bool lit = u_style[2].z == 0.0;
    bool front = gl_FrontFacing;
    vec3 normal = front ? v_normal : -v_normal;
    float value = front ? v_light.x : v_light.y;
    if (u_style[9].w > 0.0) {
        // Without normals surfaces are flat.
        normal = flat_normal;
        value = u_camera[2].w * max(dot(normal, u_camera[4].xyz), 0.0) + u_camera[3].w + u_camera[4].w * (0.5 + 0.5 * normal.y);
    }
    vec3 light = lit ? value * HUE : vec3(1.0);
    vec3 own = u_style[1].rgb;
    bool baked = u_style[3].x > 0.0;
    bool textured = u_style[3].y == 1.0;
    if (baked) {
        // Baked light replaces ours. Emissive light is added to it in display values.
        vec3 sum = min(sqrt(textureLod(u_baked, v_lightmap, 0.0).rgb) + own, 1.0);
        light = sum * sum;
        own = vec3(0.0);
    } else if (textured) {
        // Textured emissive surfaces are lit fully at most.
        light += own * max(1.0 - light, 0.0);
        own = vec3(0.0);
    } else if (u_style[3].y == 2.0) {
        own *= textureLod(u_glow, v_uv, 0.0).rgb;
    }
    if (u_style[8].x > 0.0 && lit) {
        vec3 bright = relief(normal, flat_normal, color, level, baked, light, du, dv, px, py);
        vec3 glow = baked ? vec3(0.0) : u_style[1].rgb;
        color.rgb = textured ? max(bright, color.rgb * clamp(glow, 0.0, 1.0)) : bright + own;
    } else {
        color.rgb = color.rgb * light + own;
    }
    int blend = int(u_style[3].z);
    if (blend == 1) {
        o_color = vec4(color.rgb * alpha, alpha);
    } else if (blend == 2) {
        float bright = max(color.r, max(color.g, color.b)) * alpha;
        o_color = vec4(color.rgb * alpha, clamp(bright, 0.0, 1.0));
    } else if (blend == 3) {
        o_color = vec4(color.rgb * u_style[3].w, 1.0);
    } else {
        o_color = vec4(color.rgb, 1.0);
    }
}
