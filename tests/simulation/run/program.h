// The program holdfast-sim: reads its arguments, runs the seeds, says what came of it.
//
// Called by main alone. Thread: the process's only one. Exit: 0 sound, 1 found wanting, 2 usage or could not run.

#pragma once

namespace holdfast::simulation {

int RunProgram(int argc, char** argv);

}  // namespace holdfast::simulation
