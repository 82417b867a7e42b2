/** `npm run clients:build`: builds the programs of other languages, from the registries of their languages, into a cache folder. */
import { cp, mkdir, readdir, rename, rm } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { basename, join } from "node:path";
import { suites } from "../envtest/suites.ts";
import { interrupted } from "../real/interrupted.ts";
import { progress } from "../real/progress.ts";
import { withScratch } from "../real/scratch.ts";
import { builtFolder, cacheFolder, sourcesOf, state } from "./built.ts";
import { type ClientProgram, programs } from "./programs.ts";

const all = [...programs, suites];

async function main(): Promise<void> {
  if (state(all).missing.length > 0) {
    // Inherited by all compilers: minutes of every core, while somebody may be working here.
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    const signal = interrupted();
    const scratch = join(cacheFolder(), "building");
    const onWait = () => process.stderr.write("Another build is running; waiting for it.\n");
    await withScratch(scratch, { signal, onWait }, async () => {
      // Asked again: the build we waited for may have done our work.
      for (const program of state(all).missing) await build(program, scratch, signal);
    });
  }
  for (const { name, tool } of state(all).impossible) {
    process.stderr.write(`\n!!! ${name} is NOT BUILT, and will not be compared: ${tool} is not on PATH\n`);
  }
  const { impossible } = state(all);
  const built = all.filter((program) => program.tool !== undefined && !impossible.includes(program));
  process.stdout.write(`${built.map(({ name }) => name).join(", ") || "nothing"} in ${cacheFolder()}\n`);
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

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
