/**
 * Asks a real server every case about built-in kinds, shows where we answer otherwise, and keeps its answers for the
 * tests that run without it. Words name suites; KUBECONFIG a server without admission plugins to ask instead of starting one.
 */
import { setNow } from "../../packages/cluster/test/builtin/comparable.ts";
import { casesOf, type Golden, suiteNames, writeGolden } from "../../packages/cluster/test/builtin/files.ts";
import { ours, WITH_ADMISSION } from "../../packages/cluster/test/builtin/ours.ts";
import { type Answers, play } from "../../packages/cluster/test/builtin/script.ts";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { disableAdmissionPlugins } from "./admission.ts";
import { differences } from "./differences.ts";
import { realServer } from "./real-server.ts";

const wanted = process.argv.slice(2);
const started = new Map<boolean, ControlPlane>();
try {
  for (const suite of await suiteNames()) {
    if (wanted.length > 0 && !wanted.includes(suite)) continue;
    const send = await realServer(await kubeconfigFor(WITH_ADMISSION.has(suite)));
    const at = Date.now();
    setNow(at);
    const answers: Record<string, Answers> = {};
    for (const one of await casesOf(suite)) answers[one.case] = await play(send, one);
    await writeGolden(suite, { at, answers });
    await report(suite, { at, answers });
  }
} finally {
  for (const real of started.values()) await real.stop();
}

async function kubeconfigFor(admission: boolean): Promise<string> {
  const given = process.env["KUBECONFIG"];
  if (given !== undefined && !admission) return given;
  const real = started.get(admission) ?? (await startControlPlane(admission ? {} : { disableAdmissionPlugins }));
  started.set(admission, real);
  return real.kubeconfig;
}

async function report(suite: string, { at, answers }: Golden): Promise<void> {
  const send = await ours(at, suite);
  for (const one of await casesOf(suite)) {
    const mine = await play(send, one);
    for (const [step, theirs] of answers[one.case]!.entries()) {
      for (const line of differences(theirs, mine[step])) {
        console.log(`${suite} / ${one.case} / ${step}${line}`);
        process.exitCode = 1;
      }
    }
  }
}
