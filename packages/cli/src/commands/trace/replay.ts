import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Trace } from "@pintle/cluster";
import type { RunFact } from "pintle";
import type { Replay } from "pintle/testing";
import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { findProject, replayInProject } from "../../project/index.ts";
import { openTrace, toPrintable } from "./open-trace.ts";

export const replay: Command = {
  name: "replay",
  summary: "Run the project's current reconcile on the inputs of recorded runs, and compare the plans. Sends no requests.",
  usage: "<file> [--run ID] [--as-test FILE] [--output json|yaml]",
  options: { run: { type: "string" }, "as-test": { type: "string" }, ...OUTPUT_OPTION },
  optionDescriptions: {
    run: "replay this run only, as 'pintle trace show' names it (default: all runs of the operator)",
    "as-test": "write a vitest test that replays the run, and fails or passes as the recording did; needs --run",
    ...OUTPUT_DESCRIPTION,
  },
  examples: [
    "pintle replay failed.pintle-trace",
    "pintle replay failed.pintle-trace --run 5c0b1f3a-88",
    "pintle replay failed.pintle-trace --run 5c0b1f3a-88 --as-test test/regression.test.ts",
  ],
  maxPositionals: 1,
  async run(args, io) {
    const output = outputFormatter(args);
    const trace = await openTrace(args, io, "replay");
    const { run: id, "as-test": testFile } = args.values as Readonly<Record<string, string | undefined>>;
    const runs = selectRuns(trace, id);
    const project = await findProject(io.cwd);
    if (testFile !== undefined) {
      if (id === undefined) throw new CommandError("PINTLE7006", "--as-test needs --run: name the run that the test replays", 2);
      const file = path.resolve(io.cwd, testFile);
      if (existsSync(file)) throw new CommandError("PINTLE7006", `${testFile} exists: choose another file`, 2);
      const [found] = await replayInProject(project, trace.facts, id, io.signal);
      const obstacle = found?.passes.find(({ incomparable }) => incomparable !== undefined);
      if (obstacle !== undefined)
        throw new CommandError("PINTLE7110", `no test of run ${id}: pass ${obstacle.pass} cannot be compared: ${obstacle.incomparable}`);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(
        file,
        formatTest(runs[0] as RunFact, file, path.resolve(io.cwd, args.positionals[0] as string), path.join(project.root, project.entry)),
      );
      return io.out(`wrote ${testFile}\n`);
    }
    const results = await replayInProject(project, trace.facts, id, io.signal);
    io.out(output === undefined ? `${toPrintable(results.map(formatReplay).join("\n"))}\n${formatSum(results)}\n` : output(results));
    return results.every(({ isSame }) => isSame) ? 0 : 1;
  },
};

/** The runs to replay: those of controllers that record plans, which are the operator's. */
function selectRuns({ facts }: Trace, id: string | undefined): readonly RunFact[] {
  const planned = new Set(facts.flatMap((fact) => (fact.type === "plan" ? [fact.run] : [])));
  const runs = facts.filter((fact): fact is RunFact => fact.type === "run" && planned.has(fact.id));
  if (id === undefined) {
    if (runs.length === 0) throw new CommandError("PINTLE7110", "the trace has no run of an operator");
    return runs;
  }
  const found = runs.find((run) => run.id === id);
  if (found === undefined)
    throw new CommandError(
      "PINTLE7110",
      `the trace has no run ${id} of an operator; it has ${
        runs
          .map((run) => run.id)
          .slice(0, 10)
          .join(", ") || "none"
      }`,
    );
  return [found];
}

function formatReplay({ run, passes }: Replay): string {
  const lines = passes.flatMap(({ pass, incomparable, differences, replayed }) => {
    if (incomparable !== undefined) return [`  pass ${pass}: not comparable: ${incomparable}`];
    if (differences.length > 0) return [`  pass ${pass} decides otherwise:`, ...differences.map((difference) => `    ${difference}`)];
    return [
      `  pass ${pass} decides the same: ${replayed.error ?? (replayed.steps.map(({ step, kind, name }) => `${step} ${kind} ${name}`).join(", ") || "nothing to do")}`,
    ];
  });
  return [`run ${run.id} of ${run.controller} ${run.key} (${run.result})`, ...lines].join("\n");
}

function formatSum(results: readonly Replay[]): string {
  const passes = results.flatMap((result) => result.passes);
  const incomparable = passes.filter((pass) => pass.incomparable !== undefined).length;
  const changed = passes.filter((pass) => pass.incomparable === undefined && pass.differences.length > 0).length;
  return `${results.length} runs, ${passes.length} passes: ${passes.length - incomparable - changed} the same, ${changed} otherwise, ${incomparable} not comparable`;
}

function formatTest({ id, key, controller, error }: RunFact, file: string, trace: string, entry: string): string {
  const from = (to: string) => {
    const relative = path.relative(path.dirname(file), to).replaceAll(path.sep, "/");
    return JSON.stringify(relative.startsWith(".") ? relative : `./${relative}`);
  };
  const [title, expectation] =
    error === undefined
      ? [`decides about ${key} as recorded in run ${id}`, "expect(passes.flatMap(({ differences }) => differences)).toEqual([]);"]
      : [
          `reconciles ${key}, which failed in run ${id}`,
          "expect(passes.map(({ replayed }) => replayed.error)).toEqual(passes.map(() => undefined));",
        ];
  return `import { fileURLToPath } from "node:url";
import { readTrace } from "@pintle/cluster";
import { loadControllers, replayRun } from "pintle/testing";
import { expect, test } from "vitest";

// The operator is loaded first.
test(${JSON.stringify(`${controller} ${title}`)}, { timeout: 60_000 }, async () => {
  const { facts } = await readTrace(fileURLToPath(new URL(${from(trace)}, import.meta.url)));
  const controllers = await loadControllers(() => import(${from(entry)}));
  const { passes } = await replayRun(controllers, facts, ${JSON.stringify(id)});
  ${expectation}
});
`;
}
