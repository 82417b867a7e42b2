import { cp, mkdir, readdir, rename, rm } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { basename, join } from "node:path";
import { progress } from "../real/progress.ts";
import { withScratch } from "../real/scratch.ts";
import { builtFolder, cacheFolder, sourcesOf, state } from "./built.ts";
import type { ClientProgram } from "./programs.ts";

/** Builds those of `all` that are not built yet and can be; the first that fails throws. One build of a user at a time. */
export async function buildMissing(all: readonly ClientProgram[], signal: AbortSignal): Promise<void> {
  if (state(all).missing.length === 0) return;
  // Inherited by all compilers: minutes of every core, while somebody may be working here.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const scratch = join(cacheFolder(), "building");
  const onWait = () => process.stderr.write("Another build is running; waiting for it.\n");
  await withScratch(scratch, { signal, onWait }, async () => {
    // Asked again: the build we waited for may have done our work.
    for (const program of state(all).missing) await build(program, scratch, signal);
  });
}

async function build(program: ClientProgram, scratch: string, signal: AbortSignal): Promise<void> {
  const done = progress(program.name);
  const into = join(scratch, `${program.name}-built`);
  const sources = join(scratch, program.name);
  try {
    await mkdir(into, { recursive: true });
    for (const file of program.sources) await cp(join(sourcesOf(program), file), join(sources, file), { recursive: true });
    await program.build(into, { sources, signal });
    await forgetOlder(program);
    // Whole or not at all.
    await rename(into, builtFolder(program));
    done("built in");
  } catch (error) {
    done("not built after");
    throw error;
  } finally {
    await rm(sources, { recursive: true, force: true });
  }
}

async function forgetOlder(program: ClientProgram): Promise<void> {
  const current = basename(builtFolder(program));
  const older = (await readdir(cacheFolder())).filter((name) => name !== current && /^(.+)-[0-9a-f]{16}$/.exec(name)?.[1] === program.name);
  await Promise.all(older.map((name) => rm(join(cacheFolder(), name), { recursive: true, force: true })));
}
