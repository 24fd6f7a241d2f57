// holdfast-sim: simulated worlds from seeds, watched by checkers. docs/simulation.md.

#include "tests/simulation/run/program.h"

int main(int argc, char** argv) { return holdfast::simulation::RunProgram(argc, argv); }
