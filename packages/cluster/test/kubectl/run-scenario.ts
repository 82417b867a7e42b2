import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parse, stringify } from "yaml";
import type { Kubectl } from "./kubectls.ts";
import { normalizeOutput } from "./normalize-output.ts";
import { type CommandOptions, type CommandOutput, runCommand } from "./run-command.ts";
import { type CommandStep, type KubectlScenario, selectSteps } from "./scenario.ts";

export interface RecordedOutput {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}
export interface RecordedStep {
  readonly run: string;
  readonly answer: RecordedOutput;
}

/** How long a step with `until` is repeated. Milliseconds. */
const TIMEOUT = 60_000;
const RETRY_DELAY = 100;

/**
 * Runs a scenario with one kubectl against the server of a kubeconfig, in the namespace of the scenario's name. kubectl gets its own home,
 * so that no cache or configuration leaks in or out.
 */
export async function runScenario(scenario: KubectlScenario, kubectl: Kubectl, kubeconfig: string): Promise<readonly RecordedStep[]> {
  const folder = await mkdtemp(join(tmpdir(), "pintle-kubectl-"));
  try {
    const run = await prepareScenario(scenario, kubectl, kubeconfig, folder);
    const { code, err } = await run({ run: `create namespace ${scenario.name}` });
    if (code !== 0) throw new Error(`scenario ${scenario.name}: cannot create its namespace: ${err}`);
    const recorded: RecordedStep[] = [];
    for (const step of selectSteps(scenario, kubectl.minor)) {
      recorded.push({ run: step.run, answer: normalizeOutput(await runStep(step, run), { ...step, folder }) });
    }
    return recorded;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type RunStep = (step: CommandStep, onLines?: CommandOptions["onLines"]) => Promise<CommandOutput>;

async function prepareScenario(scenario: KubectlScenario, kubectl: Kubectl, kubeconfig: string, folder: string): Promise<RunStep> {
  const [config, editor] = [join(folder, ".kubeconfig"), join(folder, ".editor")];
  await writeFile(config, buildKubeconfig(await readFile(kubeconfig, "utf8"), scenario.name), { mode: 0o600 });
  await writeFile(editor, '#!/bin/sh\nexec sed -i.bak -e "$EDIT" "$1"\n');
  await chmod(editor, 0o755);
  for (const [name, text] of Object.entries(scenario.files)) {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const env = { PATH: process.env["PATH"], HOME: folder, TMPDIR: folder, KUBECONFIG: config, KUBE_EDITOR: editor };
  return ({ run, stdin, edit = "" }, onLines) =>
    runCommand({ path: kubectl.path, args: splitWords(run), folder, env: { ...env, EDIT: edit }, stdin, onLines });
}

/** The same server and user under fixed names, in the scenario's namespace. */
function buildKubeconfig(kubeconfig: string, namespace: string): string {
  const { clusters, users } = parse(kubeconfig) as { clusters: [object]; users: [object] };
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "matrix",
    clusters: [{ ...clusters[0], name: "matrix" }],
    users: [{ ...users[0], name: "matrix" }],
    contexts: [{ name: "matrix", context: { cluster: "matrix", user: "matrix", namespace } }],
  });
}

async function runStep(step: CommandStep, run: RunStep): Promise<CommandOutput> {
  if (step.watch !== undefined) return await runWatchStep(step, step.watch, run);
  const pattern = step.until === undefined ? undefined : new RegExp(step.until);
  for (const end = Date.now() + TIMEOUT; ; await delay(RETRY_DELAY)) {
    const ended = await run(step);
    if (pattern === undefined || pattern.test(ended.out) || Date.now() > end) return ended;
  }
}

async function runWatchStep(
  step: CommandStep,
  { after, do: lines, until }: NonNullable<CommandStep["watch"]>,
  run: RunStep,
): Promise<CommandOutput> {
  let acting: Promise<void> | undefined;
  const act = async () => {
    for (const line of lines) await run({ run: line });
  };
  const ended = await run(step, (shown, end) => {
    if (shown >= after) acting ??= act();
    if (shown >= until) end();
  });
  await acting;
  // More lines may have arrived before the command was stopped.
  return { ...ended, out: (ended.out.match(/.*\n/g) ?? []).slice(0, until).join("") };
}

/** Splits a command line as a shell does: at spaces, with quotes, without expansion. */
function splitWords(line: string): readonly string[] {
  const found: string[] = [];
  for (const [, word = ""] of line.matchAll(/((?:[^\s'"]|'[^']*'|"[^"]*")+)/g)) {
    found.push(word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ""));
  }
  return found;
}
