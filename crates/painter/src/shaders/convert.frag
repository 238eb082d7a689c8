// Light to display values, or back.
uniform sampler2D u_image;
uniform vec4 u_way[1];

out vec4 o_color;

void main() {
    vec4 pixel = texelFetch(u_image, ivec2(gl_FragCoord.xy), 0);
    o_color = vec4(u_way[0].x > 0.0 ? sqrt(max(pixel.rgb, 0.0)) : pixel.rgb * pixel.rgb, pixel.a);
}
