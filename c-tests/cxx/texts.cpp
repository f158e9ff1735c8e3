// std::string: short ones and long ones, and what is done with them.
// exec:
// levels: O0 O1 O2
// variants: -std=c++17, -std=c++20
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

int main()
{
    std::string s = "short";
    for (int i = 0; i < 4; i++)
        s += " and longer";
    std::printf("%s %zu %d\n", s.c_str(), s.size(), s.capacity() >= s.size());
    std::string part = s.substr(6, 3), copy = part, moved = std::move(copy);
    moved.insert(0, "<").push_back('>');
    moved.replace(1, 1, "AA");
    std::printf("%s %s %zu %zu\n", part.c_str(), moved.c_str(), s.find("longer"), s.rfind("longer"));
    s.erase(5).resize(7, '.');
    std::printf("%s %d %d %d\n", s.c_str(), s == "short..", s < "shoru", s.compare(0, 2, "sh"));
    std::string number = std::to_string(-42) + "," + std::to_string(7u) + "," + std::to_string(1.5);
    std::printf("%s %d %.2f\n", number.c_str(), std::stoi("12x"), std::stod("2.25"));
    std::vector<std::string> words = {"pear", "apple", "a much longer word than these", "fig"};
    std::sort(words.begin(), words.end());
    for (const std::string &word : words)
        std::printf("%s|", word.c_str());
    std::string text(3, 'x');
    text.assign("assigned").append(2, '!').append("more text", 4);
    std::reverse(text.begin(), text.end());
    std::printf("\n%s %zu %c %d\n", text.c_str(), text.find_first_of("eg"), text.at(1), text.empty());
    text.clear();
    text.reserve(100);
    std::printf("%zu %d\n", text.size(), text.capacity() >= 100);
    return 0;
}
