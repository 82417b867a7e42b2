import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parse, stringify } from "yaml";
import { type Chapter, type Step, stepsFor } from "./chapter.ts";
import { type Command, command, type Ended } from "./command.ts";
import { comparable } from "./comparable.ts";
import type { Kubectl } from "./kubectls.ts";
import { words } from "./words.ts";

export interface Answer {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}
export interface Played {
  readonly run: string;
  readonly answer: Answer;
}

/** How long `until` waits. */
const PATIENCE = 60_000;
const PAUSE = 100;

/**
 * Plays a chapter with one kubectl against the server of a kubeconfig, in the namespace of the chapter's name.
 * kubectl gets a home of its own, so that no cache or configuration leaks in or out.
 */
export async function play(chapter: Chapter, kubectl: Kubectl, kubeconfig: string): Promise<readonly Played[]> {
  const folder = await mkdtemp(join(tmpdir(), "pintle-kubectl-"));
  try {
    const run = await prepared(chapter, kubectl, kubeconfig, folder);
    const { code, err } = await run({ run: `create namespace ${chapter.name}` });
    if (code !== 0) throw new Error(`chapter ${chapter.name}: its namespace could not be made: ${err}`);
    const played: Played[] = [];
    for (const step of stepsFor(chapter, kubectl.minor)) {
      played.push({ run: step.run, answer: comparable(await finished(step, run), { ...step, folder }) });
    }
    return played;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Run = (step: Step, onLines?: Command["onLines"]) => Promise<Ended>;

async function prepared(chapter: Chapter, kubectl: Kubectl, kubeconfig: string, folder: string): Promise<Run> {
  const [config, editor] = [join(folder, ".kubeconfig"), join(folder, ".editor")];
  await writeFile(config, configOf(await readFile(kubeconfig, "utf8"), chapter.name), { mode: 0o600 });
  await writeFile(editor, '#!/bin/sh\nexec sed -i.bak -e "$EDIT" "$1"\n');
  await chmod(editor, 0o755);
  for (const [name, text] of Object.entries(chapter.files)) {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const env = { PATH: process.env["PATH"], HOME: folder, TMPDIR: folder, KUBECONFIG: config, KUBE_EDITOR: editor };
  return ({ run, stdin, edit = "" }, onLines) =>
    command({ path: kubectl.path, args: words(run), folder, env: { ...env, EDIT: edit }, stdin, onLines });
}

/** The same server and user under names that are the same everywhere, in the chapter's namespace. */
function configOf(kubeconfig: string, namespace: string): string {
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

async function finished(step: Step, run: Run): Promise<Ended> {
  if (step.watch !== undefined) return await watched(step, step.watch, run);
  const awaited = step.until === undefined ? undefined : new RegExp(step.until);
  for (const end = Date.now() + PATIENCE; ; await delay(PAUSE)) {
    const ended = await run(step);
    if (awaited === undefined || awaited.test(ended.out) || Date.now() > end) return ended;
  }
}

async function watched(step: Step, { after, do: lines, until }: NonNullable<Step["watch"]>, run: Run): Promise<Ended> {
  let acting: Promise<void> | undefined;
  const act = async () => {
    for (const line of lines) await run({ run: line });
  };
  const ended = await run(step, (shown, end) => {
    if (shown >= after) acting ??= act();
    if (shown >= until) end();
  });
  await acting;
  // More may have come before the end did.
  return { ...ended, out: (ended.out.match(/.*\n/g) ?? []).slice(0, until).join("") };
}
