import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import type { Container } from "pintle/kinds/core/v1";
import type { ImageEntry } from "./image-table.ts";

/** Builds the command line of a container from command and args of the pod and of the image. */
export function buildCommand(
  container: Container,
  entry: ImageEntry,
  loopback: boolean,
  /** Returns whether a word is a program, if arguments may replace the image's entrypoint. */
  isProgram?: ((program: string) => boolean) | undefined,
): readonly string[] {
  const { command = [], args: podArgs = [] } = container;
  const defaultArgs = (loopback ? entry.loopback?.args : undefined) ?? entry.args ?? [];
  const entrypoint = entry.command ?? [];
  const [first = ""] = podArgs;
  const isNamed = path.basename(first) === path.basename(entrypoint[0] ?? "");
  const isReplaced = isProgram !== undefined && entrypoint.length === 1 && !first.startsWith("-") && (isNamed || isProgram(first));
  const argv =
    command.length > 0
      ? [...command, ...podArgs]
      : podArgs.length === 0
        ? [...entrypoint, ...defaultArgs]
        : isReplaced
          ? podArgs
          : [...entrypoint, ...podArgs];
  const { append = [], unless = [] } = (loopback ? entry.loopback : undefined) ?? {};
  const isImages = entry.command?.[0] !== undefined && path.basename(argv[0] ?? "") === path.basename(entry.command[0]);
  const isGiven = argv.some((arg) => unless.some((start) => arg === start || arg.startsWith(start)));
  return isImages && !isGiven ? [...argv, ...append] : argv;
}

/** Finds the program of this machine for a word: one that the image maps, or one on the search path. */
export function findProgram(program: string, { programs = {} }: ImageEntry, search: string): string | undefined {
  const mapped = programs[program] ?? programs[path.basename(program)];
  return (
    searchProgram(mapped ?? program, search) ??
    (mapped === undefined && program.includes("/") ? searchProgram(path.basename(program), search) : undefined)
  );
}

function searchProgram(program: string, search: string): string | undefined {
  const candidates = program.includes("/") ? [program] : search.split(":").map((folder) => path.join(folder, program));
  return candidates.find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Returns the search path, with the sbin folders, which often contain daemons. */
export function getSearchPath(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const defaultFolders = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
  return [...new Set([...(env["PATH"] ?? "").split(":").filter((folder) => folder !== ""), ...defaultFolders])].join(":");
}
