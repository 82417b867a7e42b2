import { defineConfig } from "vitest/config";
import base from "../../../vitest.config.ts";

const { conditions } = base.resolve!;

/** A project of a user, played by `kit.test.ts`: two files share one cluster, and one test of a third fails. */
export default defineConfig({
  ...base,
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    root: import.meta.dirname,
    include: ["**/*.played.ts"],
    globalSetup: ["./cluster.ts"],
    testTimeout: 60_000,
    maxWorkers: 2,
  },
} as Parameters<typeof defineConfig>[0]);
