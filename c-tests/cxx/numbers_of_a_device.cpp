// Each number of std::random_device is an input: one of them makes the thread lock twice.
// ignore-native: what a device gives is another number each time
// run: enumerate
// expect: complete=true deadlocked=1
#include <mutex>
#include <random>
#include <thread>

int main() {
    std::random_device device;
    std::mutex m;
    bool twice = device() == 7;
    std::thread t([&] {
        m.lock();
        if (twice) m.lock();
    });
    t.join();
    return 0;
}
