/**
 * Asks a real server every case about built-in kinds, shows where we answer otherwise, and keeps its answers for the
 * tests that run without it. Words name suites; KUBECONFIG a server to ask instead of starting one.
 */
import { setNow } from "../../packages/cluster/test/builtin/comparable.ts";
import { casesOf, type Golden, suiteNames, writeGolden } from "../../packages/cluster/test/builtin/files.ts";
import { ours } from "../../packages/cluster/test/builtin/ours.ts";
import { type Answers, play } from "../../packages/cluster/test/builtin/script.ts";
import { startControlPlane } from "../real/index.ts";
import { disableAdmissionPlugins } from "./admission.ts";
import { differences } from "./differences.ts";
import { realServer } from "./real-server.ts";

const wanted = process.argv.slice(2);
const given = process.env["KUBECONFIG"];
const real = given === undefined ? await startControlPlane({ disableAdmissionPlugins }) : undefined;
try {
  const send = await realServer(given ?? real!.kubeconfig);
  for (const suite of await suiteNames()) {
    if (wanted.length > 0 && !wanted.includes(suite)) continue;
    const at = Date.now();
    setNow(at);
    const answers: Record<string, Answers> = {};
    for (const one of await casesOf(suite)) answers[one.case] = await play(send, one);
    await writeGolden(suite, { at, answers });
    await report(suite, { at, answers });
  }
} finally {
  await real?.stop();
}

async function report(suite: string, { at, answers }: Golden): Promise<void> {
  const send = await ours(at);
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
