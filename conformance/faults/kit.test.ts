import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Runs the files in `kit` as a user would, and returns what is printed. */
async function runKit(): Promise<string> {
  const vitest = join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs");
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0", VITEST: "", VITEST_WORKER_ID: "", VITEST_POOL_ID: "" };
  // Node itself loads the setup file.
  const args = [
    "--conditions=@pintle/source",
    "--import",
    "tsx",
    vitest,
    "run",
    "--config",
    join(import.meta.dirname, "kit/vitest.config.ts"),
  ];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part: string) => (text += part));
  await new Promise((resolve) => child.once("close", resolve));
  return text;
}

test("parallel test files share a cluster, and a failing test prints the last requests and the pods", async () => {
  const text = await runKit();
  expect(text).toMatch(/Tests\s+1 failed \| 4 passed \(5\)/);
  expect(text).toContain("the last requests:");
  expect(text).toContain("kubernetes-admin: get configmaps default/wanted -> 404 NotFound");
  expect(text).toContain("default/sick: Running, CrashLoopBackOff");
});
