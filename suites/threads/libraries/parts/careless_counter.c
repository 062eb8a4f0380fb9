// A library whose counter has no lock.

int counter;

void count(void) {
    counter++;  //~ race: data-race (with itself)
}
