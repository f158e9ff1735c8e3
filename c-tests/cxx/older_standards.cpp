// Texts as C++11 and C++14 call their constructors, and names of types that stay as they are.
// exec:
// run: enumerate
// variants: -std=c++11, -std=c++14
// expect: complete=true deadlocked=0
#include <cstdio>
#include <string>
#include <thread>

int main() {
    std::string word("word"), line(3, '-');
    std::thread t([&] { word += "s"; });
    t.join();
    std::printf("%s %s\n", word.c_str(), line.c_str());
    return word.size() == 5 ? 0 : 1;
}
