import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { type ClientProgram, programs } from "./programs.ts";

/** The folder that `npm run clients:build` fills. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "pintle", "clients");
}

export function sourceFolder({ name, folder = join(import.meta.dirname, name) }: ClientProgram): string {
  return folder;
}

/** The folder of a program, built or not, for the current content of its sources. */
export function builtFolder(program: ClientProgram): string {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
  for (const file of program.sources) updateDigest(hash, program.name, sourceFolder(program), file);
  return join(cacheFolder(), `${program.name}-${hash.digest("hex").slice(0, 16)}`);
}

function updateDigest(hash: ReturnType<typeof createHash>, name: string, folder: string, file: string): void {
  const path = join(folder, file);
  if (statSync(path).isDirectory()) for (const entry of readdirSync(path).sort()) updateDigest(hash, name, folder, join(file, entry));
  else hash.update(`/${name}/${file}\n`).update(readFileSync(path));
}

/** The programs that are not built, and those that cannot be built because a tool is missing. */
export function getBuildState(of: readonly ClientProgram[] = programs): {
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
