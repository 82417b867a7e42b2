import { describe, expect, test } from "vitest";
import { setNow } from "./comparable.ts";
import { casesOf, goldenOf, suiteNames } from "./files.ts";
import { ours } from "./ours.ts";
import { play } from "./script.ts";

for (const suite of await suiteNames()) {
  const cases = await casesOf(suite);
  const { at, answers } = await goldenOf(suite);
  describe(`built-in kinds answer as a real server did: ${suite}`, async () => {
    const send = await ours(at, suite);
    test.for(cases)("$case", async (one) => {
      setNow(at);
      expect(await play(send, one)).toEqual(answers[one.case]);
    });
  });
}
