/** Builds helm from the Go module proxy into a cache folder: `node --import tsx conformance/cli/build-helm.ts`. */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { dirname, join } from "node:path";
import { go } from "../real/build/go.ts";
import { progress } from "../real/build/progress.ts";
import { withScratch } from "../real/scratch.ts";
import { createShutdownSignal } from "../real/shutdown-signal.ts";
import { HELM, helm, helmFile } from "./helm.ts";

if (helm() === undefined) {
  // Inherited by all compilers: the build uses every core for minutes.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const signal = createShutdownSignal();
  const into = dirname(helmFile());
  const folder = join(dirname(into), "building");
  const onWait = () => process.stderr.write("Another build is running; waiting for it.\n");
  await withScratch(folder, { signal, onWait }, async () => {
    const done = progress("helm");
    await writeFile(join(folder, "go.mod"), `module helm\n\ngo 1.25\n\nrequire ${HELM.module} ${HELM.version}\n`);
    await go(["build", "-trimpath", "-ldflags", "-s -w", "-o", "helm", HELM.program], { folder, signal });
    await mkdir(into, { recursive: true });
    await rename(join(folder, "helm"), helmFile());
    done("built in");
  });
}
process.stdout.write(`${helmFile()}\n`);
