/**
 * The `pintle` command as a function: `main(words, io)` runs one command line and returns its exit code.
 * A command is a value in `commands/`; `scaffold/` holds the files a new project gets.
 */
export { CommandError, type Io } from "./command.ts";
export { main } from "./main.ts";
export { processIo } from "./process-io.ts";
export type { Config } from "./project/index.ts";
