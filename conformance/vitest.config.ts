import { defineConfig } from "vitest/config";
import base from "../vitest.config.ts";

// The projects of `npm test` have folders and setup files of their own.
const { projects: _, ...shared } = base.test ?? {};

/** The suites that need a real API server, kubectl or another external program; each warns loudly when one is missing. */
export default defineConfig({
  ...base,
  test: {
    ...shared,
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Most of the time is waiting for leases, namespaces and processes.
    maxWorkers: 2,
  },
});
