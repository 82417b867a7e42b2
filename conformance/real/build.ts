import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { binaries, cacheFolder, versionOf } from "./binaries.ts";
import { compile } from "./compile.ts";
import { go } from "./go.ts";
import { interrupted } from "./interrupted.ts";
import { progress } from "./progress.ts";
import { type Program, programs } from "./recipes.ts";
import { withScratch } from "./scratch.ts";

const help = `Builds the programs of a real Kubernetes control plane into a cache folder.

Usage: npm run real:build -- [--only <program>,...]

  --only   ${programs.join(", ")}

A first build takes about ten minutes on two cores; what is built already is left alone.
With KUBEBUILDER_ASSETS set nothing is built: the programs in that folder are used.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { only: { type: "string" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const wanted = values.only === undefined ? programs : named(values.only);
  if (binaries().provided) {
    checkProvided(wanted, values.only !== undefined);
  } else if (missing(wanted).length > 0) {
    await build(wanted);
  }
  const { folder, found } = binaries();
  process.stdout.write(`${[...found].join(", ")} in ${folder}\n`);
}

async function build(wanted: readonly Program[]): Promise<void> {
  // Inherited by all compilers: minutes of every core, while somebody may be working here.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const signal = interrupted();
  // Said first and alone: nothing else matters where Go is missing.
  await go(["version"], { folder: process.cwd(), signal });
  const scratch = join(cacheFolder(), "building");
  const onWait = () => process.stderr.write("Another build is running; waiting for it.\n");
  await withScratch(scratch, { signal, onWait }, async () => {
    // Asked again: the build we waited for may have done our work.
    const todo = missing(wanted);
    for (const [index, program] of todo.entries()) {
      const done = progress(`${program} ${versionOf(program)} (${index + 1} of ${todo.length})`);
      try {
        await compile(program, { scratch, folder: binaries().folder, signal });
        done("built in");
      } catch (error) {
        done("not built after");
        throw error;
      }
    }
  });
}

function named(list: string): readonly Program[] {
  const names = list.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !(programs as readonly string[]).includes(name));
  if (unknown.length > 0) {
    throw new Error(`--only ${unknown.join(",")}: not one of ${programs.join(", ")}`);
  }
  return programs.filter((program) => names.includes(program));
}

function missing(wanted: readonly Program[]): readonly Program[] {
  return binaries().missing.filter((program) => wanted.includes(program));
}

/** A kubebuilder folder holds three programs; the others are asked of it only when named. */
function checkProvided(wanted: readonly Program[], named: boolean): void {
  const always: readonly Program[] = ["etcd", "kube-apiserver", "kubectl"];
  const absent = missing(named ? wanted : always);
  if (absent.length === 0) return;
  throw new Error(
    `${absent.join(", ")}: not in KUBEBUILDER_ASSETS (${binaries().folder}). Put it there, or unset KUBEBUILDER_ASSETS to build it.`,
  );
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
