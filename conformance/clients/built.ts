import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { type ClientProgram, programs } from "./programs.ts";

/** The folder that `npm run clients:build` fills. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "pintle", "clients");
}

export function sourcesOf({ name, folder = join(import.meta.dirname, name) }: ClientProgram): string {
  return folder;
}

/** Where a program is, or will be, once it is built from the sources as they are now. */
export function builtFolder(program: ClientProgram): string {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
  for (const file of program.sources) digest(hash, program.name, sourcesOf(program), file);
  return join(cacheFolder(), `${program.name}-${hash.digest("hex").slice(0, 16)}`);
}

function digest(hash: ReturnType<typeof createHash>, name: string, folder: string, file: string): void {
  const path = join(folder, file);
  if (statSync(path).isDirectory()) for (const entry of readdirSync(path).sort()) digest(hash, name, folder, join(file, entry));
  else hash.update(`/${name}/${file}\n`).update(readFileSync(path));
}

/** Programs to build, and those that cannot be built here, for want of a tool. */
export function state(of: readonly ClientProgram[] = programs): {
  readonly missing: readonly ClientProgram[];
  readonly impossible: readonly ClientProgram[];
} {
  const absent = of.filter((program) => program.tool !== undefined && !existsSync(builtFolder(program)));
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
