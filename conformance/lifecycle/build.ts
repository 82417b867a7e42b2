/**
 * Builds the reference programs for bundles and catalogs, from the Go module proxy, into a cache folder: `npm run lifecycle:build`. They are a
 * program of our own around the code of OLM v1, and opm.
 */

import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { dirname, join } from "node:path";
import { go } from "../real/build/go.ts";
import { progress } from "../real/build/progress.ts";
import { withScratch } from "../real/scratch.ts";
import { createShutdownSignal } from "../real/shutdown-signal.ts";
import { buildPrograms } from "./build-programs.ts";
import { OPERATOR_CONTROLLER, OPM, opmFile, referenceFile } from "./reference.ts";
import { buildSpdxTools } from "./spdx-tools.ts";
import { makeWritable } from "./writable.ts";

interface GoModule {
  readonly module: string;
  readonly version: string;
}

/** Of the operator-controller module: what the program imports. */
const CONTROLLER_FOLDERS = ["api", "internal"];
/** Of the operator-registry module: what opm imports. */
const OPM_FOLDERS = ["alpha", "cmd", "internal", "pkg"];
/** Required by the module, not needed by the program, and not served by the module proxy. */
const UNUSED = "pkg.package-operator.run/boxcutter";
const FLAGS = ["-trimpath", "-ldflags", "-s -w", "-tags", "containers_image_openpgp"];

await buildProgram("the reference program of bundles and catalogs", referenceFile(), async (folder, signal) => {
  await copyModule(OPERATOR_CONTROLLER, CONTROLLER_FOLDERS, folder, signal);
  await mkdir(join(folder, "cmd"), { recursive: true });
  await cp(join(import.meta.dirname, "reference"), join(folder, "cmd", "reference"), { recursive: true });
  await go(["build", ...FLAGS, "-o", "reference", "./cmd/reference"], { folder, signal });
});
await buildProgram("opm", opmFile(), async (folder, signal) => {
  await copyModule(OPM, OPM_FOLDERS, folder, signal);
  await go(["build", ...FLAGS, "-o", "opm", "./cmd/opm"], { folder, signal });
});
await buildPrograms(createShutdownSignal());
await buildSpdxTools(createShutdownSignal());

/** Builds a program in a scratch folder, where `build` leaves it under its name, unless it exists. */
async function buildProgram(name: string, file: string, build: (folder: string, signal: AbortSignal) => Promise<void>): Promise<void> {
  if (!existsSync(file)) {
    // Inherited by all compilers: the build uses every core for minutes.
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    const signal = createShutdownSignal();
    const folder = join(dirname(dirname(file)), "building");
    const onWait = () => process.stderr.write("Another build is running; waiting for it.\n");
    await withScratch(folder, { signal, onWait }, async () => {
      const done = progress(name);
      await build(folder, signal);
      await mkdir(dirname(file), { recursive: true });
      await rename(join(folder, file.slice(dirname(file).length + 1)), file);
      done("built in");
    });
  }
  process.stdout.write(`${file}\n`);
}

/** Copies a module into `folder`: its internal packages can be imported only from inside of it. */
async function copyModule({ module, version }: GoModule, folders: readonly string[], folder: string, signal: AbortSignal): Promise<void> {
  const answer = await go(["mod", "download", "-json", `${module}@${version}`], { folder, signal });
  const { Dir } = JSON.parse(answer) as { readonly Dir: string };
  for (const name of folders) await cp(join(Dir, name), join(folder, name), { recursive: true });
  await makeWritable(folder);
  const manifest = await readFile(join(Dir, "go.mod"), "utf8");
  await writeFile(
    join(folder, "go.mod"),
    manifest
      .split("\n")
      .filter((line) => !line.includes(UNUSED))
      .join("\n"),
  );
  await writeFile(join(folder, "go.sum"), await readFile(join(Dir, "go.sum")));
}
