// A program that does what no program should to those who watch it, and then has a race, or has none. It ends with 9 when
// something that it needs does not work, with 8 when this machine does not let it, and otherwise with the code that its
// list states. As a library it only launches.
//
//     attacker list
//     attacker MODE racy|clean [LIBRARY]
#include "common.h"
#include "descriptors.h"
#include "endings.h"
#include "environment.h"
#include "files.h"
#include "limits.h"
#include "loaders.h"
#include "processes.h"
#include "rights.h"
#include "signals.h"

namespace {

Modes plain() {
    return {
        {"plain", launch},
        {"divided", divided, Wanted::Clean},
        {"late", [] { usleep(300000); return launch(); }},
    };
}

char const *in_words(Wanted wanted) {
    switch (wanted) {
    case Wanted::Checked:
        return "checked";
    case Wanted::Named:
        return "named";
    case Wanted::Clean:
        return "clean";
    }
    return "";
}

} // namespace

extern "C" int launch_in_library(int racy) {
    is_racy = racy != 0;
    return launch();
}

int main(int count, char **arguments) {
    std::string const mode = count > 1 ? arguments[1] : "";
    is_racy = count > 2 && strcmp(arguments[2], "racy") == 0;
    library = count > 3 ? arguments[3] : nullptr;
    for (auto const &family : {plain, descriptors, environments, files, limits, rights, processes, endings, loaders, signals}) {
        for (Mode const &known : family()) {
            if (mode == "list") {
                printf("%s %s %d\n", known.name, in_words(known.wanted), known.code);
            } else if (mode == known.name) {
                return known.run();
            }
        }
    }
    return mode == "list" ? 0 : BROKEN;
}
