import { constants } from "node:os";
import { type ErrorCode, formatErrorChain, PintleError } from "pintle/internal/errors";

/** The abort reason of a command's signal after SIGINT or SIGTERM, and after the reader of its output closed the pipe. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly signal: "SIGINT" | "SIGTERM" | "SIGPIPE";
  /** True for Ctrl-C on a terminal, which also signals every child process of the foreground group. */
  readonly fromTerminal: boolean;
  constructor(signal: Interrupted["signal"], fromTerminal = false) {
    super("interrupted");
    this.signal = signal;
    this.fromTerminal = fromTerminal;
  }
  /** The exit code of a process that the signal ended, as shells report it. */
  get exitCode(): number {
    return 128 + constants.signals[this.signal];
  }
}

/**
 * A failure that the user can act on: printed as one message with its code, without a stack trace. Exit code 1, or 2 for wrong usage.
 *
 * @example
 * ```ts
 * import { CommandError } from "@pintle/cli";
 *
 * const error = new CommandError("PINTLE7001", 'unknown command "lunch"', 2);
 * console.error(`${error.message} (${error.code})`);
 * process.exitCode = error.exitCode;
 * ```
 */
export class CommandError extends PintleError {
  override readonly name = "CommandError";
  /** The exit code of the process. Default: 1. */
  readonly exitCode: number;
  constructor(code: ErrorCode, message: string, exitCode = 1) {
    super(code, message);
    this.exitCode = exitCode;
  }
}

/** Returns the code of an error of any Pintle package. */
export function errorCode(error: unknown): ErrorCode | undefined {
  const code = error instanceof Error ? (error as { readonly code?: unknown }).code : undefined;
  return typeof code === "string" && /^PINTLE\d{4}$/.test(code) ? (code as ErrorCode) : undefined;
}

const ACCESS_ERRORS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left on the device",
  ENOTDIR: "a part of the path is a file",
  EEXIST: "a file is in its place",
};

/** Explains a failure of the file system in one sentence; `undefined` for other errors. */
function describeAccessError(error: unknown): string | undefined {
  const { code = "", path, syscall } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const reason = ACCESS_ERRORS[code];
  if (reason === undefined || path === undefined) return undefined;
  const action = syscall === "open" ? "open" : "write to";
  return `cannot ${action} ${path}: ${reason} (${code}); make it accessible to this user, or use another folder`;
}

/** Formats an error as "error: message (PINTLE7001)". The code comes at the end of the first line. */
export function formatError(error: unknown): string {
  const accessError = describeAccessError(error);
  const message = error instanceof Error && error.cause === undefined ? error.message : formatErrorChain(error);
  const [first = "", ...lines] = (accessError ?? message).split("\n");
  const code = accessError === undefined ? errorCode(error) : "PINTLE7028";
  const head = code === undefined ? first : first.replace(/:?$/, (colon) => ` (${code})${colon}`);
  return [`error: ${head}`, ...lines].join("\n");
}
