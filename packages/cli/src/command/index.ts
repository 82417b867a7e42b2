/**
 * The command-line framework: what a command is, how its arguments are parsed, and how help, errors, progress and machine-readable output are
 * printed. Input: arguments and an `Io`. Output: parsed arguments and texts. Knows no particular command.
 */
export { findClosestMatch } from "./closest-match.ts";
export { type Command, type Io, type ParsedArguments, parseCommandArguments } from "./command.ts";
export { CommandError, errorCode, formatError, Interrupted } from "./errors.ts";
export { formatHelp, formatOverview } from "./help.ts";
export { OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "./output-format.ts";
export { withProgress } from "./progress.ts";
