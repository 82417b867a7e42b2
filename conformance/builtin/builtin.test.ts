import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setNow } from "../../packages/cluster/test/builtin/comparable.ts";
import { casesOf, goldenOf, suiteNames } from "../../packages/cluster/test/builtin/files.ts";
import { ours, WITH_ADMISSION } from "../../packages/cluster/test/builtin/ours.ts";
import { play, type Send } from "../../packages/cluster/test/builtin/script.ts";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { disableAdmissionPlugins } from "./admission.ts";
import { realServer } from "./real-server.ts";

const planes: ControlPlane[] = [];
/** With and without a stock server's own admission. */
const askReal = new Map<boolean, Send>();
beforeAll(async () => {
  for (const admission of [true, false]) {
    const plane = await startControlPlane(admission ? {} : { disableAdmissionPlugins });
    planes.push(plane);
    askReal.set(admission, await realServer(plane.kubeconfig));
  }
}, 120_000);
afterAll(() => Promise.all(planes.map((each) => each.stop())));

for (const suite of await suiteNames()) {
  const cases = await casesOf(suite);
  const golden = await goldenOf(suite);
  describe(`built-in kinds: ${suite}`, async () => {
    const at = Date.now();
    const askOurs = await ours(at, suite);
    test.for(cases)("$case", async (one) => {
      setNow(at);
      const answers = await play(askReal.get(WITH_ADMISSION.has(suite))!, one);
      expect(await play(askOurs, one), "ours").toEqual(answers);
      // What the tests without a real server hold us to is still what it says.
      expect(golden.answers[one.case], "golden").toEqual(answers);
    });
  });
}
