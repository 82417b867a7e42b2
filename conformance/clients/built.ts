import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { type ClientProgram, programs } from "./programs.ts";

/** The folder that `npm run clients:build` fills. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "pintle", "clients");
}

export function sourcesOf({ name }: ClientProgram): string {
  return join(import.meta.dirname, name);
}

/** Where a program is, or will be, once it is built from the sources as they are now. */
export function builtFolder(program: ClientProgram): string {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
  for (const file of program.sources) digest(hash, join(sourcesOf(program), file));
  return join(cacheFolder(), `${program.name}-${hash.digest("hex").slice(0, 16)}`);
}

function digest(hash: ReturnType<typeof createHash>, path: string): void {
  if (statSync(path).isDirectory()) for (const entry of readdirSync(path).sort()) digest(hash, join(path, entry));
  else hash.update(`${path.slice(import.meta.dirname.length)}\n`).update(readFileSync(path));
}

/** Programs to build, and those that cannot be built here, for want of a tool. */
export function state(): { readonly missing: readonly ClientProgram[]; readonly impossible: readonly ClientProgram[] } {
  const absent = programs.filter((program) => program.tool !== undefined && !existsSync(builtFolder(program)));
  const canBuild = ({ tool }: ClientProgram) => isOnPath(tool as string);
  return { missing: absent.filter(canBuild), impossible: absent.filter((program) => !canBuild(program)) };
}

function isOnPath(tool: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, tool), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
