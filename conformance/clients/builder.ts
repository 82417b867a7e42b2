import { cp, mkdir, readdir, rename, rm } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { basename, join } from "node:path";
import { progress } from "../real/build/progress.ts";
import { withScratch } from "../real/scratch.ts";
import { builtFolder, cacheFolder, getBuildState, sourceFolder } from "./build-state.ts";
import type { ClientProgram } from "./programs.ts";

/** Builds the programs of `all` that are missing and can be built; throws on the first failure. One build per user at a time. */
export async function buildMissing(all: readonly ClientProgram[], signal: AbortSignal): Promise<void> {
  if (getBuildState(all).missing.length === 0) return;
  // Inherited by all compilers: the build uses every core for minutes.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const scratch = join(cacheFolder(), "building");
  const onWait = () => process.stderr.write("Another build is running; waiting for it.\n");
  await withScratch(scratch, { signal, onWait }, async () => {
    // Checked again: the build that held the lock may have built these programs.
    for (const program of getBuildState(all).missing) await buildProgram(program, scratch, signal);
  });
}

async function buildProgram(program: ClientProgram, scratch: string, signal: AbortSignal): Promise<void> {
  const done = progress(program.name);
  const into = join(scratch, `${program.name}-built`);
  const sources = join(scratch, program.name);
  try {
    await mkdir(into, { recursive: true });
    for (const file of program.sources) await cp(join(sourceFolder(program), file), join(sources, file), { recursive: true });
    await program.build(into, { sources, signal });
    await removeOlderBuilds(program);
    // Renamed when complete, so that a partial build is never used.
    await rename(into, builtFolder(program));
    done("built in");
  } catch (error) {
    done("not built after");
    throw error;
  } finally {
    await rm(sources, { recursive: true, force: true });
  }
}

async function removeOlderBuilds(program: ClientProgram): Promise<void> {
  const current = basename(builtFolder(program));
  const older = (await readdir(cacheFolder())).filter((name) => name !== current && /^(.+)-[0-9a-f]{16}$/.exec(name)?.[1] === program.name);
  await Promise.all(older.map((name) => rm(join(cacheFolder(), name), { recursive: true, force: true })));
}
