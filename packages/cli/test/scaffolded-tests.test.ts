import { execFile } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createTestProject } from "./test-project.ts";

const VITEST = fileURLToPath(new URL("../../../node_modules/vitest/vitest.mjs", import.meta.url));
/** Resolves the packages to their sources; a user's project needs no such file. */
const VITEST_CONFIG = `const resolve = { conditions: ["@pintle/source"] };\nexport default { resolve, ssr: { resolve } };\n`;

interface TestFileResult {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly unknown[];
}

test("the tests that init --no-api and create api write pass in the new project", { timeout: 120_000 }, async () => {
  using here = createTestProject();
  expect(await here.pintle("init", ".", "--name", "shop", "--no-api", "--yes")).toMatchObject({ code: 0, err: "" });
  expect(here.files()).toContain("test/cluster.test.ts");
  for (const words of [["Storefront"], ["RegionPlan", "--cluster-scoped"]])
    expect(await here.pintle("create", "api", "--kind", ...words)).toMatchObject({ code: 0, err: "" });
  here.write("vitest.config.ts", VITEST_CONFIG);
  const { stdout } = await promisify(execFile)(process.execPath, [VITEST, "run", "--reporter=json"], { cwd: here.root });
  const { testResults } = JSON.parse(stdout) as { readonly testResults: readonly TestFileResult[] };
  const passed = testResults.map(({ name, status, assertionResults }) => [path.basename(name), status, assertionResults.length]);
  expect(passed.sort()).toEqual([
    ["cluster.test.ts", "passed", 1],
    ["regionplan.test.ts", "passed", 2],
    ["storefront.test.ts", "passed", 2],
  ]);
});
