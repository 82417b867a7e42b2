import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import type { Container } from "pintle/kinds/core/v1";
import type { ImageEntry } from "./table.ts";

/** What a container runs, in the words of its image: command and arguments of the pod before those of the image. */
export function commandOf(
  container: Container,
  entry: ImageEntry,
  loopback: boolean,
  /** Where arguments may name a program instead of the image's own. */
  isProgram?: ((word: string) => boolean) | undefined,
): readonly string[] {
  const { command = [], args: given = [] } = container;
  const usual = (loopback ? entry.loopback?.args : undefined) ?? entry.args ?? [];
  const entrance = entry.command ?? [];
  const [first = ""] = given;
  const isNamed = path.basename(first) === path.basename(entrance[0] ?? "");
  const givesWay = isProgram !== undefined && entrance.length === 1 && !first.startsWith("-") && (isNamed || isProgram(first));
  const own =
    command.length > 0 ? [...command, ...given] : given.length === 0 ? [...entrance, ...usual] : givesWay ? given : [...entrance, ...given];
  const { append = [], unless = [] } = (loopback ? entry.loopback : undefined) ?? {};
  const isImages = entry.command?.[0] !== undefined && path.basename(own[0] ?? "") === path.basename(entry.command[0]);
  const isSaid = own.some((arg) => unless.some((start) => arg === start || arg.startsWith(start)));
  return isImages && !isSaid ? [...own, ...append] : own;
}

/** The program of this machine that a word means in an image: one the image brings, or one found as a shell would. */
export function programOf(word: string, { programs = {} }: ImageEntry, search: string): string | undefined {
  const mapped = programs[word] ?? programs[path.basename(word)];
  return found(mapped ?? word, search) ?? (mapped === undefined && word.includes("/") ? found(path.basename(word), search) : undefined);
}

function found(word: string, search: string): string | undefined {
  const candidates = word.includes("/") ? [word] : search.split(":").map((folder) => path.join(folder, word));
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

/** Administrators' programs count too: a service's is often there. */
export function searchPath(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const usual = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
  return [...new Set([...(env["PATH"] ?? "").split(":").filter((folder) => folder !== ""), ...usual])].join(":");
}
