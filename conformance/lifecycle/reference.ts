import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The release of OLM v1 whose code is the reference. Its go.mod pins operator-registry, the operator-framework API and crdify. */
export const OPERATOR_CONTROLLER = { module: "github.com/operator-framework/operator-controller", version: "v1.11.0" } as const;

/** Changes with the files in `reference`, so that an older build is not taken for the current one. */
const REVISION = createHash("sha256")
  .update(
    readdirSync(join(import.meta.dirname, "reference"))
      .sort()
      .map((name) => readFileSync(join(import.meta.dirname, "reference", name), "utf8"))
      .join(""),
  )
  .digest("hex")
  .slice(0, 12);

/** The path of the program that `npm run lifecycle:build` builds. */
export function referenceFile(env: NodeJS.ProcessEnv = process.env): string {
  return join(cacheFolder(env), `${OPERATOR_CONTROLLER.version}-${REVISION}`, "reference");
}

function cacheFolder(env: NodeJS.ProcessEnv): string {
  return join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "pintle", "lifecycle");
}

/** The opm of operator-registry, built by the same command. */
export const OPM = { module: "github.com/operator-framework/operator-registry", version: "v1.73.0" } as const;

/** The path of opm. */
export function opmFile(env: NodeJS.ProcessEnv = process.env): string {
  return join(cacheFolder(env), `opm-${OPM.version}`, "opm");
}

/** The path of opm; undefined, with a loud message, if it is not built. */
export function findOpm(): string | undefined {
  const file = opmFile();
  if (existsSync(file)) return file;
  console.warn("\n!!! lifecycle: NOTHING WAS COMPARED: opm is missing. Build it with: npm run lifecycle:build\n");
  return undefined;
}

/** The path of the program; undefined, with a loud message, if it is not built. */
export function findReference(): string | undefined {
  const file = referenceFile();
  if (existsSync(file)) return file;
  console.warn("\n!!! lifecycle: NOTHING WAS COMPARED: the reference program is missing. Build it with: npm run lifecycle:build\n");
  return undefined;
}

/** A question to the real code of OLM v1; reference/main.go lists the operations. */
export type Question = { readonly op: string } & Readonly<Record<string, unknown>>;

/** The fields that the operations answer with. */
export interface ReferenceResult {
  readonly error?: string;
  readonly matches?: readonly (boolean | string)[];
  readonly panic?: string;
  readonly [field: string]: unknown;
}

/** A running reference program. Questions are answered in order. */
export class Reference {
  readonly #child: ChildProcess;
  readonly #waiting: ((answer: ReferenceResult) => void)[] = [];

  constructor(file: string) {
    this.#child = spawn(file, { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.#child.stdout! }).on("line", (line) => this.#waiting.shift()?.(JSON.parse(line) as ReferenceResult));
    this.#child.once("exit", (code) => {
      for (const resolve of this.#waiting.splice(0)) resolve({ failure: `the reference program exited with ${code}` });
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  async ask(question: Question): Promise<ReferenceResult> {
    const answer = await new Promise<ReferenceResult>((resolve) => {
      this.#waiting.push(resolve);
      this.#child.stdin!.write(`${JSON.stringify(question)}\n`);
    });
    if (answer["failure"] !== undefined) throw new Error(`${question.op}: ${String(answer["failure"])}`);
    return answer;
  }

  async stop(): Promise<void> {
    const exited = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin!.end();
    await exited;
  }
}
