import { describe, expect, test } from "vitest";
import { questions, requests } from "./decisions.ts";
import { startEmbeddedTarget } from "./embedded-target.ts";
import { readGolden } from "./golden-files.ts";
import { createFixtures, runScenario } from "./scenario.ts";
import { suites } from "./suites.ts";

for (const [suite, steps] of Object.entries(suites)) {
  describe(`authorization matches a real server: ${suite}`, async () => {
    await using server = await startEmbeddedTarget();
    await createFixtures(server);
    const answers = await runScenario(server, steps);
    const golden = await readGolden(suite);
    test.for(steps.map(({ step }) => ({ step })))("$step", ({ step }) => {
      expect(answers[step]).toEqual(golden[step]);
    });
  });
}

test("refuses a request exactly when the access review denies it", async () => {
  const answered = await readGolden("requests");
  const decided = (await readGolden("questions")) as Readonly<Record<string, { allowed: boolean } | undefined>>;
  for (const { step } of requests) expect((answered[step] as { code?: number }).code !== 403, step).toBe(decided[step]?.allowed);
  expect(requests.length).toBeGreaterThan(200);
  expect(questions.length).toBeGreaterThan(requests.length);
});
