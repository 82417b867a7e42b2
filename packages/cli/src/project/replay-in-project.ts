import { fork } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Fact } from "pintle";
import type { Replay } from "pintle/testing";
import { CommandError } from "../command/index.ts";
import { bundle } from "./bundle.ts";
import type { Project } from "./find-project.ts";
import { NODE_FLAGS } from "./node-flags.ts";

/** In the project, so that it uses the project's copy of the library, as the operator does. */
const PROGRAM = `import { loadControllers, replayRun } from "pintle/testing";
process.once("message", async ({ file, facts, run }) => {
  try {
    const controllers = await loadControllers(() => import(file));
    const names = new Set(controllers.map(({ name }) => name));
    const planned = new Set(facts.flatMap((fact) => (fact.type === "plan" ? [fact.run] : [])));
    // Controllers of an embedded cluster record plans, too.
    const isOwn = (fact) => fact.type === "run" && names.has(fact.controller) && planned.has(fact.id);
    const runs = run === undefined ? facts.filter(isOwn).map(({ id }) => id) : [run];
    const results = [];
    for (const run of runs) results.push(await replayRun(controllers, facts, run));
    const report = runs.length > 0 ? { results } : { error: "the trace has no run of " + [...names].join(", ") };
    process.send(report, () => process.exit(0));
  } catch (error) {
    process.send({ error: error instanceof Error ? error.message : String(error) }, () => process.exit(0));
  }
});
`;
type Report = { readonly results: readonly Replay[] } | { readonly error: string };

/** Replays a run, or all of the project's controllers, with the project's code, in a child process. */
export async function replayInProject(
  { root, entry }: Project,
  facts: readonly Fact[],
  run: string | undefined,
  signal: AbortSignal,
): Promise<readonly Replay[]> {
  await using built = await bundle(root, entry);
  const program = path.join(path.dirname(built.file), `replay-${path.basename(built.file)}`);
  writeFileSync(program, PROGRAM);
  try {
    const report = await new Promise<Report>((resolve, reject) => {
      // Facts can hold bigint, which JSON cannot.
      const child = fork(program, [], {
        cwd: root,
        execArgv: ["--enable-source-maps", ...NODE_FLAGS],
        stdio: ["ignore", "ignore", "inherit", "ipc"],
        serialization: "advanced",
      });
      const kill = () => {
        child.kill("SIGKILL");
        reject(signal.reason);
      };
      if (signal.aborted) return kill();
      signal.addEventListener("abort", kill, { once: true });
      child.once("message", (message) => resolve(message as Report));
      child.once("error", reject);
      child.once("exit", (code) => {
        signal.removeEventListener("abort", kill);
        reject(new CommandError("PINTLE7027", `${entry} exited with code ${code} during the replay`));
      });
      child.send({ file: pathToFileURL(built.file).href, facts, run });
    });
    if ("error" in report) throw new CommandError("PINTLE7026", report.error);
    return report.results;
  } finally {
    rmSync(program, { force: true });
  }
}
