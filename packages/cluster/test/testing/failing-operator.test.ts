import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";

const FOLDER = join(import.meta.dirname, "failing-operator");
const VITEST = join(import.meta.dirname, "../../../../node_modules/vitest/vitest.mjs");

interface JsonReport {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly title: string; readonly status: string; readonly failureMessages: readonly string[] }[];
  }[];
}

test("a failure of the operator under test fails the test, with the operator's error or log", async () => {
  const vitest = spawn(process.execPath, [VITEST, "run", "--config", join(FOLDER, "vitest.config.ts")], { cwd: FOLDER });
  const [stdout, stderr] = await Promise.all([text(vitest.stdout), text(vitest.stderr)]);
  const { testResults } = JSON.parse(stdout.slice(stdout.indexOf('{"'))) as JsonReport;
  const failures = Object.fromEntries(
    testResults.flatMap(({ assertionResults }) =>
      assertionResults.map(({ title, status, failureMessages }) => [title, `${status}: ${failureMessages.join("\n")}`]),
    ),
  );
  expect(failures).toEqual({
    "a programming error in reconcile": expect.stringMatching(
      /^failed: PintleError: the operator failed during the test: TypeError: Cannot read properties of undefined \(reading 'length'\)/s,
    ),
    "a permission that is not declared": expect.stringMatching(/^failed: AssertionError/),
    "a webhook that throws": expect.stringMatching(/^failed: .*the list of words is missing/s),
    "an operator that waits for a kind that is not installed": expect.stringMatching(
      /^failed: PintleError: the operator is not ready after 3 s: WARN +Gadget: the API server does not serve gadgets.missing.example.com/s,
    ),
    "a reconciliation that still runs": "passed: ",
    "an operator that cannot start": expect.stringMatching(/^failed: .*two controllers are called/s),
  });
  expect(stderr).toContain("the operator logged:");
  expect(stderr).toMatch(/operator-under-test\\?" is not allowed to create \\?"secrets/);
});
