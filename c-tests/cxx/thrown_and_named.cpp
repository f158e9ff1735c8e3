// An exception is thrown on some inputs. It is not followed: the result says so, with the type and the line.
// run: enumerate -- @
// expect: complete=false
// reason: throwing std::runtime_error is not supported
// reason: {thrown}
// exec: 2
// stdout: 2
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex lock;

static int checked(int n)
{
    if (n > 3)
        throw std::runtime_error("too big"); //~ thrown
    return n;
}

int main(int argc, char **argv)
{
    int n = std::atoi(argv[1]);
    std::thread other([n] {
        std::lock_guard<std::mutex> held(lock);
        try {
            std::printf("%d\n", checked(n));
        } catch (const std::runtime_error &error) {
            std::printf("%s\n", error.what());
        }
    });
    other.join();
    return 0;
}
