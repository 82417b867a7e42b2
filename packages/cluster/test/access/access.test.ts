import { describe, expect, test } from "vitest";
import { questions, requests } from "./decisions.ts";
import { goldenOf } from "./files.ts";
import { ours } from "./ours.ts";
import { furnish, play } from "./script.ts";
import { suites } from "./suites.ts";

for (const [suite, steps] of Object.entries(suites)) {
  describe(`access is decided as a real server did: ${suite}`, async () => {
    await using server = await ours();
    await furnish(server);
    const answers = await play(server, steps);
    const golden = await goldenOf(suite);
    test.for(steps.map(({ step }) => ({ step })))("$step", ({ step }) => {
      expect(answers[step]).toEqual(golden[step]);
    });
  });
}

test("a request is refused exactly when a review says so", async () => {
  const answered = await goldenOf("requests");
  const decided = (await goldenOf("questions")) as Readonly<Record<string, { allowed: boolean } | undefined>>;
  for (const { step } of requests) expect((answered[step] as { code?: number }).code !== 403, step).toBe(decided[step]?.allowed);
  expect(requests.length).toBeGreaterThan(200);
  expect(questions.length).toBeGreaterThan(requests.length);
});
