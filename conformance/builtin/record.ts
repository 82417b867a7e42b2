/**
 * Runs every case of the built-in kinds on a real server, reports differences of the embedded one, and records the responses for the
 * tests that run without it. Arguments select suites; KUBECONFIG names a server without admission plugins to use instead of a new one.
 */

import { SUITES_WITH_ADMISSION, startEmbeddedServer } from "../../packages/cluster/test/builtin/embedded-server.ts";
import { setReferenceTime } from "../../packages/cluster/test/builtin/normalize-response.ts";
import { type CaseResponses, runCase } from "../../packages/cluster/test/builtin/run-case.ts";
import { type GoldenSuite, listSuites, readCases, writeGolden } from "../../packages/cluster/test/builtin/suite-files.ts";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { disableAdmissionPlugins } from "./admission.ts";
import { listDifferences } from "./differences.ts";
import { connectRealServer } from "./real-server.ts";

const requestedSuites = process.argv.slice(2);
const controlPlanes = new Map<boolean, ControlPlane>();
try {
  for (const suite of await listSuites()) {
    if (requestedSuites.length > 0 && !requestedSuites.includes(suite)) continue;
    const send = await connectRealServer(await kubeconfigFor(SUITES_WITH_ADMISSION.has(suite)));
    const at = Date.now();
    setReferenceTime(at);
    const responses: Record<string, CaseResponses> = {};
    for (const one of await readCases(suite)) responses[one.case] = await runCase(send, one);
    await writeGolden(suite, { at, responses });
    await reportDifferences(suite, { at, responses });
  }
} finally {
  for (const real of controlPlanes.values()) await real.stop();
}

async function kubeconfigFor(admission: boolean): Promise<string> {
  const kubeconfig = process.env["KUBECONFIG"];
  if (kubeconfig !== undefined && !admission) return kubeconfig;
  const real = controlPlanes.get(admission) ?? (await startControlPlane(admission ? {} : { disableAdmissionPlugins }));
  controlPlanes.set(admission, real);
  return real.kubeconfig;
}

async function reportDifferences(suite: string, { at, responses }: GoldenSuite): Promise<void> {
  const send = await startEmbeddedServer(at, suite);
  for (const one of await readCases(suite)) {
    const embeddedResponses = await runCase(send, one);
    for (const [step, theirs] of responses[one.case]!.entries()) {
      for (const line of listDifferences(theirs, embeddedResponses[step])) {
        console.log(`${suite} / ${one.case} / ${step}${line}`);
        process.exitCode = 1;
      }
    }
  }
}
