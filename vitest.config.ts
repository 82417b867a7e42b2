import { defineConfig } from "vitest/config";

/** Where CI wants the counts, if it asks for them. */
const report = process.env["PINTLE_TEST_REPORT"];

export default defineConfig({
  // Workspace packages resolve to their TypeScript sources, so tests never run against a stale build.
  resolve: { conditions: ["@pintle/source"] },
  ssr: { resolve: { conditions: ["@pintle/source"] } },
  test: {
    include: [
      "packages/*/{src,test,generator}/**/*.test.ts",
      "examples/*/test/**/*.test.ts",
      "scripts/**/*.test.ts",
      "bench/**/*.test.ts",
      "conformance/resource/{definition,embedded}.test.ts",
      "conformance/apply/recordings.test.ts",
    ],
    reporters: report === undefined ? ["default"] : ["default", "json"],
    ...(report === undefined ? {} : { outputFile: { json: report } }),
    // One worker less is left alone otherwise, which is half of a small machine.
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
