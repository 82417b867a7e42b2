import { fork } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { CommandError } from "../command/index.ts";
import { bundle } from "./bundle.ts";
import { buildServiceEndpoint, withConversionEndpoint } from "./conversion-endpoint.ts";
import type { DescribeReport, ImportFailure } from "./describe-operator.ts";
import type { Project } from "./find-project.ts";
import { NODE_FLAGS } from "./node-flags.ts";
import type { OperatorDescription } from "./operator.ts";
import { readSources } from "./sources.ts";

const DESCRIBE_TIMEOUT_MS = 30_000;

/**
 * Returns the description of the project's operator. Imports the entry file in a child process in which `run()` starts nothing. `file` is
 * an existing bundle of the entry file.
 */
export async function describeProject(
  project: Project,
  file?: string | undefined,
  signal?: AbortSignal | undefined,
): Promise<OperatorDescription> {
  await using built = file === undefined ? await bundle(project.root, project.entry) : undefined;
  const report = await runDescribeProgram(project, built?.file ?? file!, signal);
  if ("error" in report) throw new CommandError("PINTLE7026", formatImportError(project, report));
  return withConversionEndpoint(report.operator, buildServiceEndpoint(project));
}

/** Names the file that threw, which is rarely the entry file: "src/store.ts:3:9: TypeError: ... (imported by src/main.ts)". */
function formatImportError(project: Project, { error, place }: ImportFailure): string {
  const { root, entry } = project;
  const [, missing] = /^Cannot find package '([^']+)' imported from /.exec(error) ?? [];
  const [, module, name] = /The requested module '([^']+)' does not provide an export named '([^']+)'$/.exec(error) ?? [];
  const importer = findImporter(project, missing ?? module, name);
  if (importer !== undefined)
    return name === undefined
      ? `${importer} imports the package ${missing}, which is not installed: run 'npm install ${missing}'`
      : `${importer} imports ${name} from ${module}, which has no such export`;
  if (place === undefined) return `${entry}: ${error}`;
  const [, file = "", position = ""] = /^(.*?)((?::\d+){0,2})$/.exec(place) ?? [];
  const relative = path.relative(root, file).replaceAll(path.sep, "/");
  return `${relative}${position}: ${error}${relative === entry ? "" : ` (imported by ${entry})`}`;
}

/** Returns the source file that imports a package, or a name from it. The bundle, of which errors tell, is one file. */
function findImporter(project: Project, module: string | undefined, name = ""): string | undefined {
  if (module === undefined) return undefined;
  const isOfModule = (line: string) => [`"${module}"`, `'${module}'`, `"${module}/`, `'${module}/`].some((text) => line.includes(text));
  const imports = (text: string) =>
    text.split(";").some((statement) => /\bimport\b/.test(statement) && isOfModule(statement) && statement.includes(name));
  return [...readSources(project)].find(([, text]) => imports(text))?.[0];
}

function runDescribeProgram({ root, entry }: Project, file: string, signal: AbortSignal | undefined): Promise<DescribeReport> {
  const child = fork(describeProgramPath(), [pathToFileURL(file).href], {
    cwd: root,
    execArgv: ["--enable-source-maps", ...NODE_FLAGS],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    timeout: DESCRIBE_TIMEOUT_MS,
  });
  return new Promise((resolve, reject) => {
    const kill = () => {
      child.kill("SIGKILL");
      reject(signal?.reason);
    };
    if (signal?.aborted) return kill();
    signal?.addEventListener("abort", kill, { once: true });
    child.once("close", () => signal?.removeEventListener("abort", kill));
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
