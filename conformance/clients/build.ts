/** `npm run clients:build`: builds the programs of other languages, from the registries of their languages, into a cache folder. */
import { envtestSuites } from "../envtest/suites.ts";
import { createShutdownSignal } from "../real/shutdown-signal.ts";
import { cacheFolder, getBuildState } from "./build-state.ts";
import { buildMissing } from "./builder.ts";
import { programs } from "./programs.ts";

const all = [...programs, envtestSuites];

async function main(): Promise<void> {
  await buildMissing(all, createShutdownSignal());
  const { impossible } = getBuildState(all);
  for (const { name, tool } of impossible) {
    process.stderr.write(`\n!!! ${name} is NOT BUILT, and will not be compared: ${tool} is not on PATH\n`);
  }
  const built = all.filter((program) => program.tool !== undefined && !impossible.includes(program));
  process.stdout.write(`${built.map(({ name }) => name).join(", ") || "nothing"} in ${cacheFolder()}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
