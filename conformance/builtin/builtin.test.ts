import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SUITES_WITH_ADMISSION, startEmbeddedServer } from "../../packages/cluster/test/builtin/embedded-server.ts";
import { setReferenceTime } from "../../packages/cluster/test/builtin/normalize-response.ts";
import { runCase, type SendRequest } from "../../packages/cluster/test/builtin/run-case.ts";
import { listSuites, readCases, readGolden } from "../../packages/cluster/test/builtin/suite-files.ts";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { disableAdmissionPlugins } from "./admission.ts";
import { connectRealServer } from "./real-server.ts";

const planes: ControlPlane[] = [];
/** Clients of the real servers by whether the default admission plugins are enabled. */
const sendToReal = new Map<boolean, SendRequest>();
beforeAll(async () => {
  for (const admission of [true, false]) {
    const plane = await startControlPlane(admission ? {} : { disableAdmissionPlugins });
    planes.push(plane);
    sendToReal.set(admission, await connectRealServer(plane.kubeconfig));
  }
}, 120_000);
afterAll(() => Promise.all(planes.map((each) => each.stop())));

for (const suite of await listSuites()) {
  const cases = await readCases(suite);
  const golden = await readGolden(suite);
  describe(`built-in kinds: ${suite}`, async () => {
    const at = Date.now();
    const sendToEmbedded = await startEmbeddedServer(at, suite);
    test.for(cases)("$case", async (one) => {
      setReferenceTime(at);
      const responses = await runCase(sendToReal.get(SUITES_WITH_ADMISSION.has(suite))!, one);
      expect(await runCase(sendToEmbedded, one), "ours").toEqual(responses);
      // The recorded responses, which tests without a real server use, are current.
      expect(golden.responses[one.case], "golden").toEqual(responses);
    });
  });
}
