import { fork } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { CommandError } from "../command/index.ts";
import { bundle } from "./bundle.ts";
import { webhookServiceEndpoint, withConversionEndpoint } from "./conversion-endpoint.ts";
import type { DescribeReport } from "./describe-operator.ts";
import type { Project } from "./find-project.ts";
import { NODE_FLAGS } from "./node-flags.ts";
import type { OperatorDescription } from "./operator.ts";

const DESCRIBE_TIMEOUT_MS = 30_000;

/**
 * Returns the description of the project's operator. Imports the entry file in a child process in which `run()` starts nothing. `file` is
 * an existing bundle of the entry file.
 */
export async function describeProject(project: Project, file?: string | undefined): Promise<OperatorDescription> {
  await using built = file === undefined ? await bundle(project.root, project.entry) : undefined;
  const report = await runDescribeProgram(project, built?.file ?? file!);
  if ("error" in report) throw new CommandError("PINTLE7026", `${project.entry}: ${report.error}`);
  return withConversionEndpoint(report.operator, webhookServiceEndpoint(project));
}

function runDescribeProgram({ root, entry }: Project, file: string): Promise<DescribeReport> {
  const child = fork(describeProgramPath(), [pathToFileURL(file).href], {
    cwd: root,
    execArgv: ["--enable-source-maps", ...NODE_FLAGS],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    timeout: DESCRIBE_TIMEOUT_MS,
  });
  return new Promise((resolve, reject) => {
    child.once("message", (report) => resolve(report as DescribeReport));
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      const outcome = signal === null ? `exited with code ${code}` : `did not finish within ${DESCRIBE_TIMEOUT_MS / 1000}s`;
      reject(new CommandError("PINTLE7027", `${entry} ${outcome} when imported: it must only declare the operator and call run()`));
    });
  });
}

/** Path of the child process's program: the built file, or its source in this repository. */
function describeProgramPath(): string {
  if (!import.meta.url.endsWith(".ts")) return createRequire(import.meta.url).resolve("@pintle/cli/describe-operator");
  return fileURLToPath(new URL("./describe-operator.ts", import.meta.url));
}
