// A ray tracer with a pool of tasks, the kind of DaCapo's sunflow: tiles come from a queue with a lock and a
// condition, shapes are objects with virtual functions, and samples of a pixel are drawn from a cache that each
// thread has for itself. Size: rows and columns of the picture.

#include "bench.h"
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace {

struct Vector {
    double x = 0, y = 0, z = 0;
    Vector operator+(const Vector &o) const { return {x + o.x, y + o.y, z + o.z}; }
    Vector operator-(const Vector &o) const { return {x - o.x, y - o.y, z - o.z}; }
    Vector operator*(double f) const { return {x * f, y * f, z * f}; }
    double dot(const Vector &o) const { return x * o.x + y * o.y + z * o.z; }
    Vector unit() const { return *this * (1 / std::sqrt(dot(*this))); }
};

struct Ray {
    Vector from, way;
};

class Shape {
public:
    virtual ~Shape() = default;
    // The distance along the ray, or a negative number.
    virtual double hit(const Ray &ray) const = 0;
    virtual Vector normal(const Vector &point) const = 0;
    Vector colour;
};

class Ball : public Shape {
public:
    Ball(Vector centre, double radius) : centre(centre), radius(radius) {}
    double hit(const Ray &ray) const override {
        Vector to = centre - ray.from;
        double along = to.dot(ray.way);
        double square = radius * radius - to.dot(to) + along * along;
        return square < 0 ? -1 : along - std::sqrt(square);
    }
    Vector normal(const Vector &point) const override { return (point - centre).unit(); }

private:
    Vector centre;
    double radius;
};

class Floor : public Shape {
public:
    explicit Floor(double height) : height(height) {}
    double hit(const Ray &ray) const override {
        return ray.way.y > -1e-9 ? -1 : (height - ray.from.y) / ray.way.y;
    }
    Vector normal(const Vector &) const override { return {0, 1, 0}; }

private:
    double height;
};

struct Tile {
    long x, y, edge;
};

class Queue {
public:
    void put(Tile tile) {
        {
            std::lock_guard<std::mutex> guard(lock);
            tiles.push_back(tile);
        }
        changed.notify_one();
    }
    void close() {
        {
            std::lock_guard<std::mutex> guard(lock);
            closed = true;
        }
        changed.notify_all();
    }
    bool take(Tile *tile) {
        std::unique_lock<std::mutex> guard(lock);
        changed.wait(guard, [this] { return closed || !tiles.empty(); });
        if (tiles.empty()) {
            return false;
        }
        *tile = tiles.front();
        tiles.pop_front();
        return true;
    }

private:
    std::mutex lock;
    std::condition_variable changed;
    std::deque<Tile> tiles;
    bool closed = false;
};

std::vector<std::unique_ptr<Shape>> shapes;
std::vector<uint32_t> picture;
Queue queue;

const Shape *nearest(const Ray &ray, double *distance) {
    const Shape *found = nullptr;
    *distance = 1e9;
    for (const auto &shape : shapes) {
        double hit = shape->hit(ray);
        if (hit > 1e-4 && hit < *distance) {
            *distance = hit;
            found = shape.get();
        }
    }
    return found;
}

Vector trace(const Ray &ray, uint64_t *seed, int depth) {
    double distance;
    const Shape *shape = nearest(ray, &distance);
    if (shape == nullptr) {
        return {0.4, 0.5, 0.7};
    }
    Vector point = ray.from + ray.way * distance;
    Vector normal = shape->normal(point);
    if (depth == 2) {
        return shape->colour * 0.2;
    }
    Vector random = {bench_random_unit(seed) - 0.5, bench_random_unit(seed) - 0.5, bench_random_unit(seed) - 0.5};
    Ray next = {point, (normal + random).unit()};
    Vector light = trace(next, seed, depth + 1);
    return {shape->colour.x * light.x, shape->colour.y * light.y, shape->colour.z * light.z};
}

void render(const Tile &tile) {
    for (long y = tile.y; y < tile.y + tile.edge && y < bench_size; y++) {
        for (long x = tile.x; x < tile.x + tile.edge && x < bench_size; x++) {
            uint64_t seed = static_cast<uint64_t>(y * bench_size + x);
            Vector sum;
            for (int sample = 0; sample < 4; sample++) {
                double px = (x + bench_random_unit(&seed)) / bench_size - 0.5;
                double py = 0.5 - (y + bench_random_unit(&seed)) / bench_size;
                sum = sum + trace({{0, 1, -12}, Vector{px, py, 1}.unit()}, &seed, 0);
            }
            uint32_t red = static_cast<uint32_t>(sum.x * 60), green = static_cast<uint32_t>(sum.y * 60);
            picture[y * bench_size + x] = red << 16 | green << 8 | static_cast<uint32_t>(sum.z * 60);
        }
    }
}

void work(int self) {
    const long edge = 16;
    if (self == 0) {
        for (long y = 0; y < bench_size; y += edge) {
            for (long x = 0; x < bench_size; x += edge) {
                queue.put({x, y, edge});
            }
        }
        queue.close();
    }
    for (Tile tile; queue.take(&tile);) {
        render(tile);
    }
}

}  // namespace

int main(int argc, char **argv) {
    bench_options(argc, argv, 1500);
    picture.resize(bench_size * bench_size);
    uint64_t seed = 53;
    for (int i = 0; i < 30; i++) {
        Vector centre = {bench_random_unit(&seed) * 10 - 5, bench_random_unit(&seed) * 5 - 1, bench_random_unit(&seed) * 10};
        shapes.push_back(std::make_unique<Ball>(centre, 0.8));
        shapes.back()->colour = {bench_random_unit(&seed), bench_random_unit(&seed), bench_random_unit(&seed)};
    }
    shapes.push_back(std::make_unique<Floor>(-2));
    shapes.back()->colour = {0.8, 0.8, 0.8};
    bench_team(work);
    uint64_t sum = 0;
    for (uint32_t pixel : picture) {
        sum = bench_mix(sum, pixel);
    }
    bench_result("sunflow", sum);
    return 0;
}
