import { link, mkdir, rm } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { type Binaries, binaries, cacheFolder, filesOf, isStamped, stampFile } from "./binaries.ts";
import { compile } from "./build/compile.ts";
import { go } from "./build/go.ts";
import { progress } from "./build/progress.ts";
import { COMPATIBILITY_PROGRAMS, type Program, programs, recipeOf } from "./build/recipes.ts";
import { withScratch } from "./scratch.ts";
import { createShutdownSignal } from "./shutdown-signal.ts";
import { KUBERNETES_VARIABLE, selectedKubernetes, versions } from "./versions.ts";

const help = `Builds the programs of a real Kubernetes control plane into a cache folder.

Usage: npm run real:build -- [--kubernetes <version>] [--only <program>,...]

  --kubernetes   ${[versions.kubernetes, ...versions.olderKubernetes].join(", ")} (default: the first); a minor such as 1.35 is enough.
                 Of an older one only ${COMPATIBILITY_PROGRAMS.join(", ")} are built by default.
  --only         ${programs.join(", ")}

A first build takes about ten minutes on two cores; what is built already is left alone.
With KUBEBUILDER_ASSETS set nothing is built: the programs in that folder are used.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { kubernetes: { type: "string" }, only: { type: "string" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  if (values.kubernetes !== undefined) process.env[KUBERNETES_VARIABLE] = values.kubernetes;
  const byDefault = selectedKubernetes() === versions.kubernetes ? programs : COMPATIBILITY_PROGRAMS;
  const wanted = values.only === undefined ? byDefault : parseProgramList(values.only);
  if (binaries().provided) {
    checkProvided(wanted, values.only !== undefined);
  } else if (findMissing(wanted).length > 0) {
    await build(wanted);
  }
  const { folder, found } = binaries();
  process.stdout.write(`${[...found].join(", ")} in ${folder}\n`);
}

async function build(wanted: readonly Program[]): Promise<void> {
  // Inherited by all compilers, which use every core for minutes: keep the machine usable.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const signal = createShutdownSignal();
  // Checked first: nothing else matters if Go is missing.
  await go(["version"], { folder: process.cwd(), signal });
  const scratch = join(cacheFolder(), "building");
  const onWait = () => process.stderr.write("Another build is running; waiting for it.\n");
  await withScratch(scratch, { signal, onWait }, async () => {
    // Checked again: the build that held the lock may have built the same programs.
    const todo = findMissing(wanted);
    for (const [index, program] of todo.entries()) {
      const to = binaries();
      const done = progress(`${program} ${recipeOf(program, to.kubernetes).version} (${index + 1} of ${todo.length})`);
      try {
        if (await linkFromOtherVersion(program, to)) {
          done("linked in");
          continue;
        }
        await compile(program, { scratch, to, signal });
        done("built in");
      } catch (error) {
        done("not built after");
        throw error;
      }
    }
  });
}

/** Programs that do not depend on the Kubernetes version, such as etcd, are built once and linked into the folder of every other version. */
async function linkFromOtherVersion(program: Program, to: Binaries): Promise<boolean> {
  for (const version of [versions.kubernetes, ...versions.olderKubernetes]) {
    const folder = join(dirname(cacheFolder()), version, "bin");
    if (version === to.kubernetes || !isStamped(folder, program, to.kubernetes)) continue;
    await mkdir(to.folder, { recursive: true });
    // The stamp last: a reader of the folder sees a complete program or none.
    for (const file of [...filesOf(program, to.kubernetes), basename(stampFile(folder, program))]) {
      await rm(join(to.folder, file), { force: true });
      await link(join(folder, file), join(to.folder, file));
    }
    return true;
  }
  return false;
}

function parseProgramList(list: string): readonly Program[] {
  const names = list.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !(programs as readonly string[]).includes(name));
  if (unknown.length > 0) {
    throw new Error(`--only ${unknown.join(",")}: not one of ${programs.join(", ")}`);
  }
  return programs.filter((program) => names.includes(program));
}

function findMissing(wanted: readonly Program[]): readonly Program[] {
  return binaries().missing.filter((program) => wanted.includes(program));
}

/** A kubebuilder folder has three programs; the others are required of it only if named. */
function checkProvided(wanted: readonly Program[], named: boolean): void {
  const always: readonly Program[] = ["etcd", "kube-apiserver", "kubectl"];
  const absent = findMissing(named ? wanted : always);
  if (absent.length === 0) return;
  throw new Error(
    `${absent.join(", ")}: not in KUBEBUILDER_ASSETS (${binaries().folder}). Put it there, or unset KUBEBUILDER_ASSETS to build it.`,
  );
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
