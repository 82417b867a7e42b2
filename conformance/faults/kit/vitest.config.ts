import { defineConfig } from "vitest/config";
import base from "../../../vitest.config.ts";

const { conditions } = base.resolve!;

/** A user's project, run by `kit.test.ts`: two files share one cluster, and one test of a third fails. */
export default defineConfig({
  ...base,
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    root: import.meta.dirname,
    include: ["**/*.fixture.ts"],
    globalSetup: ["./cluster.ts"],
    testTimeout: 60_000,
    maxWorkers: 2,
  },
} as Parameters<typeof defineConfig>[0]);
