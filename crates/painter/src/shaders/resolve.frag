// The mean of the samples of each pixel, as display values.
uniform sampler2D u_image;
// Samples of a pixel across, where the image begins, and whether colors are multiplied by alpha; then whether squares are behind it, and its
// height.
uniform vec4 u_resolve[2];

out vec4 o_color;

void main() {
    int samples = int(u_resolve[0].x);
    ivec2 pixel = ivec2(gl_FragCoord.xy) - ivec2(u_resolve[0].yz);
    vec4 sum = vec4(0.0);
    for (int y = 0; y < samples; y++) {
        for (int x = 0; x < samples; x++) {
            sum += texelFetch(u_image, pixel * samples + ivec2(x, y), 0);
        }
    }
    sum /= float(samples * samples);
    float alpha = clamp(sum.a, 0.0, 1.0);
    vec3 color = sum.a > 0.0 ? sqrt(clamp(sum.rgb / sum.a, 0.0, 1.0)) : vec3(0.0);
    if (u_resolve[1].x > 0.0) {
        int row = int(u_resolve[1].y) - 1 - pixel.y;
        float below = ((pixel.x / 16 + row / 16) & 1) == 0 ? 168.0 / 255.0 : 128.0 / 255.0;
        color = mix(vec3(below), color, alpha);
        alpha = 1.0;
    }
    o_color = vec4(u_resolve[0].w > 0.0 ? color * alpha : color, alpha);
}
