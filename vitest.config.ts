import { configDefaults, defineConfig } from "vitest/config";
import { guideSnippets } from "./scripts/guides/snippets.ts";

/** File for the numbers of tests, set by scripts/ci.ts. */
const report = process.env["PINTLE_TEST_REPORT"];

/** Tests of values and of the runtime in one process. */
const UNIT_TESTS = ["packages/*/src/**/*.test.ts", "packages/pintle/test/**/*.test.ts", "packages/lifecycle/test/**/*.test.ts"];

export default defineConfig({
  plugins: [guideSnippets()],
  // Workspace packages resolve to their TypeScript sources, so tests never run against a stale build.
  resolve: { conditions: ["@pintle/source"] },
  ssr: { resolve: { conditions: ["@pintle/source"] } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "units",
          include: UNIT_TESTS,
          // These files change nothing that a process shares, so a worker loads the modules once: a third of their CPU time.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "packages",
          exclude: [...configDefaults.exclude, ...UNIT_TESTS],
          include: [
            "packages/*/{test,generator}/**/*.test.ts",
            "scripts/**/*.test.ts",
            "bench/**/*.test.ts",
            "conformance/resource/{definition,embedded}.test.ts",
            "conformance/apply/recordings.test.ts",
          ],
        },
      },
      {
        extends: true,
        test: { name: "examples", include: ["examples/*/test/**/*.test.ts"], setupFiles: ["scripts/examples/record-suites.ts"] },
      },
    ],
    reporters: report === undefined ? ["default"] : ["default", "json"],
    ...(report === undefined ? {} : { outputFile: { json: report } }),
    // By default vitest leaves one processor idle, which is half of a machine with two.
    maxWorkers: "100%",
    // `npm run coverage`: on demand, because it costs a third of the speed.
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**/*.ts"],
      exclude: ["**/generated/**", "**/*.test*.ts"],
      reporter: ["text-summary", "html"],
    },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
