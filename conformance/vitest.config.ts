import { defineConfig } from "vitest/config";
import base from "../vitest.config.ts";

/** The suites that need a real API server, kubectl or another outside part; each says loudly what it could not find. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Much of this is waiting for leases, namespaces and processes.
    maxWorkers: 2,
  },
});
