// Virtual functions with one base, several, and a virtual one; dynamic_cast; smart pointers, std::function, a
// destructor that runs in a thread.
// exec:
// run: enumerate
// expect: complete=true deadlocked=0
#include <cstdio>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

struct Shape {
    virtual ~Shape() {}
    virtual int sides() const { return 0; }
};

struct Named {
    virtual ~Named() {}
    int name = 7;
};

struct Square : Shape, Named {
    int sides() const override { return 4; }
};

struct Base : virtual Shape {
    int sides() const override { return 2; }
};

struct Both : Base, Named {
    int sides() const override { return Base::sides() + 1; }
};

int main()
{
    std::vector<std::unique_ptr<Shape>> shapes;
    shapes.push_back(std::make_unique<Shape>());
    shapes.emplace_back(new Square);
    shapes.emplace_back(new Both);
    int sum = 0, named = 0;
    std::thread counter([&] {
        for (auto &shape : shapes) {
            sum = sum * 10 + shape->sides();
            if (Named *name = dynamic_cast<Named *>(shape.get()))
                named += name->name;
        }
    });
    counter.join();
    std::shared_ptr<Shape> shared = std::make_shared<Square>(), other = shared;
    std::function<int(int)> plus = [shared](int n) { return n + shared->sides(); };
    bool is_both = dynamic_cast<Both *>(shapes[1].get()) != nullptr;
    std::printf("%d %d %d %d %ld\n", sum, named, plus(3), is_both, shared.use_count());
    return 0;
}
