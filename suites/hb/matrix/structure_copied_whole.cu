// RACY. A structure that is copied as a whole against one of its fields.
//@ launch: copy<<<2, 1>>>(from: u32[4], to: u32[4])

struct Point {
    float x, y, z, w;
};

__global__ void copy(Point* from, Point* to) {
    if (blockIdx.x == 0) {
        from->z = 1.0f;
    } else {
        *to = *from;  //~ race: missing-sync error (with line 10)
    }
}
