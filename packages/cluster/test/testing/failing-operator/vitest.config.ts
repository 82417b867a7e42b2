import { defineConfig } from "vitest/config";

/** Runs the cases of this folder, which fail on purpose; `failing-operator.test.ts` checks how. */
export default defineConfig({
  resolve: { conditions: ["@pintle/source"] },
  ssr: { resolve: { conditions: ["@pintle/source"] } },
  test: { include: ["*.case.ts"], root: import.meta.dirname, reporters: ["json"], disableConsoleIntercept: true },
});
