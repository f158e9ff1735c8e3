// C++ without its library: constructors and destructors of globals, locals and local statics, virtual calls, new and
// delete in their forms, templates, calls that may throw.
// cflags: --driver-mode=g++
// exec:
// exec: a b
// levels: O0 O1 O2 O3
#include <cstdio>
#include <new>
#include <pthread.h>

struct Shape {
    int id;
    Shape(int id) : id(id) { printf("make %d\n", id); }
    virtual int area() const = 0;
    virtual ~Shape() { printf("drop %d\n", id); }
};

struct Square : Shape {
    int side;
    Square(int id, int side) : Shape(id), side(side) {}
    int area() const override { return side * side; }
};

struct Padded : Square {
    long pad[10];
    Padded(int id) : Square(id, 7)
    {
        for (int k = 0; k < 10; k++)
            pad[k] = k * id;
    }
    int area() const override { return (int)pad[9]; }
    ~Padded() override { printf("padded %d\n", id); }
};

static Square global(1, 3);

struct Counter {
    int n;
    Counter() : n(40) { printf("once\n"); }
    ~Counter() { printf("counter %d\n", n); }
};

static int next()
{
    static Counter counter;
    return ++counter.n;
}

template <class T> static T larger(T a, T b) { return a < b ? b : a; }

struct alignas(64) Aligned { int x; };

static void *run(void *) { return (void *)(long)next(); }

int main(int argc, char **)
{
    Shape *shapes[3] = {new Square(2, argc), new Padded(3), new Square(4, 5)};
    int sum = 0;
    for (auto *shape : shapes)
        sum += shape->area();
    for (auto *shape : shapes)
        delete shape;
    int *numbers = new int[argc + 5]();
    for (int i = 0; i < argc + 5; i++)
        numbers[i] += i;
    printf("%d %d\n", sum, numbers[argc + 4]);
    delete[] numbers;
    printf("%d %d\n", next(), next() - next());
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, &result);
    auto add = [&](int k) { return k + sum; };
    printf("%ld %d %d %g\n", (long)result, add(3), larger(argc, 7), larger(2.5, 1.5));
    Aligned *aligned = new Aligned;
    aligned->x = 4;
    printf("%d\n", aligned->x);
    delete aligned;
    char *quiet = new (std::nothrow) char[10];
    quiet[0] = 1;
    delete[] quiet;
    Padded *pair = new Padded[2]{Padded(8), Padded(9)};
    delete[] pair;
    try {
        sum += next();
    } catch (...) {
        sum = 0;
    }
    return sum & 15;
}
