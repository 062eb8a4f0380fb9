// CLEAN. Two threads look up in a map that nobody changes.
#include "../support.h"
#include <map>
#include <string>

static std::map<std::string, int> table;

static void reader() {
    CHECK(table.at("two") == 2);
    CHECK(table.find("four") == table.end());
}

int main() {
    table["one"] = 1;
    table["two"] = 2;
    run_both(reader, reader);
    return 0;
}
