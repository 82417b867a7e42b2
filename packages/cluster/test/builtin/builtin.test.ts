import { describe, expect, test } from "vitest";
import { startEmbeddedServer } from "./embedded-server.ts";
import { setReferenceTime } from "./normalize-response.ts";
import { runCase } from "./run-case.ts";
import { listSuites, readCases, readGolden } from "./suite-files.ts";

for (const suite of await listSuites()) {
  const cases = await readCases(suite);
  const { at, responses } = await readGolden(suite);
  describe(`built-in kinds respond as kube-apiserver does: ${suite}`, async () => {
    const send = await startEmbeddedServer(at, suite);
    test.for(cases)("$case", async (one) => {
      setReferenceTime(at);
      expect(await runCase(send, one)).toEqual(responses[one.case]);
    });
  });
}
