// Clerks in std::threads sell tickets under a std::mutex. Whoever asks for more than 100 makes the first clerk return
// with the mutex held.
//
// By hand: two schedules. With more than 100 the second clerk waits for the mutex for ever, and main for that clerk.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=1
// constraint: atoi(argv[1]) > 100
// holds: 101 -> deadlock
// run: check -- @
// finding: confirmed deadlock/leaked-lock ... office::seats
// exec: 5
// stdout: 6 sold
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <thread>

namespace office {

std::mutex seats;
static int sold;

class Clerk {
public:
    void sell(int n)
    {
        seats.lock();
        sold += n;
        if (n > 100)
            return;
        seats.unlock();
    }
};

} // namespace office

int main(int argc, char **argv)
{
    int n = std::atoi(argv[1]);
    office::Clerk first, second;
    std::thread one(&office::Clerk::sell, &first, n), other(&office::Clerk::sell, &second, 1);
    one.join();
    other.join();
    std::cout << office::sold << " sold" << std::endl;
    return 0;
}
