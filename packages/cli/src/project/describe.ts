import { fork } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { CommandError } from "../command.ts";
import { bundle } from "./bundle.ts";
import type { Report } from "./describe-operator.ts";
import type { Project } from "./find-project.ts";
import { NODE_FLAGS } from "./node-flags.ts";
import type { Operator } from "./operator.ts";
import { placed, serviceOf } from "./placed.ts";

const TIMEOUT = 30_000;

/**
 * What the project's operator is made of. Its entry file is imported in a process of its own, where `run()` starts nothing.
 * Whoever has it bundled already says where.
 */
export async function describe(project: Project, file?: string | undefined): Promise<Operator> {
  await using built = file === undefined ? await bundle(project.root, project.entry) : undefined;
  const report = await ask(project, built?.file ?? file!);
  if ("error" in report) throw new CommandError(`pintle: ${project.entry}: ${report.error}`);
  return placed(report.operator, serviceOf(project));
}

function ask({ root, entry }: Project, file: string): Promise<Report> {
  const child = fork(program(), [pathToFileURL(file).href], {
    cwd: root,
    execArgv: ["--enable-source-maps", ...NODE_FLAGS],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    timeout: TIMEOUT,
  });
  return new Promise((resolve, reject) => {
    child.once("message", (report) => resolve(report as Report));
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      const why = signal === null ? `ended with exit code ${code}` : `did not finish within ${TIMEOUT / 1000} s`;
      reject(new CommandError(`pintle: ${entry} ${why} when it was imported: let it only define things, and call run()`));
    });
  });
}

/** The program above as built, or, in this repository, as its source. */
function program(): string {
  if (!import.meta.url.endsWith(".ts")) return createRequire(import.meta.url).resolve("@pintle/cli/describe-operator");
  return fileURLToPath(new URL("./describe-operator.ts", import.meta.url));
}
