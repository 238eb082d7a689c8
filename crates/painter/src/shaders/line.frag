in vec4 v_color;
in vec2 v_offset;
flat in vec2 v_dot;

out vec4 o_color;

void main() {
    if (v_dot.x > 0.0) {
        // An octagon.
        vec2 at = abs(v_offset) / max(v_dot.y, 1e-6);
        bool inside = (at.x <= 1.082 && at.y <= 0.448) || (at.x <= 0.448 && at.y <= 1.082) || max(at.x, at.y) <= 0.766;
        if (!inside) discard;
    }
    o_color = vec4(v_color.rgb * v_color.a, v_color.a);
}
