/** The programs that judge bundles and signatures, built from the Go module proxy into a cache folder: `npm run lifecycle:build`. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { go } from "../real/build/go.ts";
import { progress } from "../real/build/progress.ts";
import { withScratch } from "../real/scratch.ts";
import { makeWritable } from "./writable.ts";

interface Program {
  readonly module: string;
  readonly version: string;
  /** The package of its entry point. */
  readonly main: string;
  /** A file of this repository that becomes the entry point. */
  readonly source?: string | undefined;
  /** Lines of the entry point that are left out: clients of clouds, which take longer to build than all the rest. */
  readonly without?: RegExp | undefined;
}

const PROGRAMS = {
  cosign: {
    module: "github.com/sigstore/cosign/v3",
    version: "v3.0.2",
    main: "cmd/cosign",
    without: /pkg\/signature\/kms\//,
  },
  "operator-sdk": {
    module: "github.com/operator-framework/operator-sdk",
    version: "v1.42.2",
    main: "cmd/reference",
    source: join(import.meta.dirname, "sdk", "main.go"),
  },
} satisfies Readonly<Record<string, Program>>;

export type ProgramName = keyof typeof PROGRAMS;

/** The path of the program, which need not exist. */
export function programFile(name: ProgramName, env: NodeJS.ProcessEnv = process.env): string {
  const { version, source }: Program = PROGRAMS[name];
  const cache = env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  const revision = source === undefined ? "" : `-${createHash("sha256").update(readFileSync(source)).digest("hex").slice(0, 12)}`;
  return join(cache, "pintle", "lifecycle", `${version}${revision}`, name);
}

/** The path of the program; undefined, with a loud message, if it is not built. */
export function findProgram(name: ProgramName): string | undefined {
  const file = programFile(name);
  if (existsSync(file)) return file;
  console.warn(`\n!!! lifecycle: NOTHING WAS COMPARED with ${name}: it is missing. Build it with: npm run lifecycle:build\n`);
  return undefined;
}

/** Builds the programs that are missing. */
export async function buildPrograms(signal: AbortSignal): Promise<void> {
  for (const [name, program] of Object.entries(PROGRAMS) as [ProgramName, Program][]) {
    const file = programFile(name);
    if (!existsSync(file)) await buildProgram(name, program, file, signal);
    process.stdout.write(`${file}\n`);
  }
}

async function buildProgram(name: ProgramName, { module, version, main, source, without }: Program, file: string, signal: AbortSignal) {
  const folder = join(dirname(dirname(file)), `building-${name}`);
  const onWait = () => process.stderr.write("Another build is running; waiting for it.\n");
  await withScratch(folder, { signal, onWait }, async () => {
    const done = progress(`${name} ${version}`);
    const answer = await go(["mod", "download", "-json", `${module}@${version}`], { folder, signal });
    const { Dir } = JSON.parse(answer) as { readonly Dir: string };
    await cp(Dir, folder, { recursive: true });
    await makeWritable(folder);
    const entry = join(folder, main, "main.go");
    await mkdir(dirname(entry), { recursive: true });
    if (source !== undefined) await cp(source, entry);
    if (without !== undefined) {
      const lines = (await readFile(entry, "utf8")).split("\n");
      await writeFile(entry, lines.filter((line) => !without.test(line)).join("\n"));
    }
    const flags = ["-trimpath", "-ldflags", "-s -w", "-tags", "containers_image_openpgp"];
    await go(["build", ...flags, "-o", "program", `./${main}`], { folder, signal });
    await mkdir(dirname(file), { recursive: true });
    await rename(join(folder, "program"), file);
    done("built in");
  });
}
