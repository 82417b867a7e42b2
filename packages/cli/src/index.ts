/**
 * The `pintle` command as a function: `main(args, io)` executes one command line and returns its exit code. `commands/` holds the commands,
 * `scaffold/` the files of a new project.
 */
export { CommandError, type Io } from "./command/index.ts";
export { main } from "./main.ts";
export { processIo } from "./process/index.ts";
export type { Config } from "./project/index.ts";
