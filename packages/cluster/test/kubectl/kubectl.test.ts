import { describe, expect, test } from "vitest";
import { startEmbeddedServer } from "./embedded-server.ts";
import { formatTranscript, listMinors, readGolden, selectGolden } from "./golden.ts";
import { findKubectls } from "./kubectls.ts";
import { runScenario } from "./run-scenario.ts";
import { readScenario } from "./scenario.ts";

const scenario = await readScenario(new URL("./memcached.yaml", import.meta.url));
const golden = await readGolden(new URL("./memcached.golden.yaml", import.meta.url));
const available = findKubectls().filter(({ minor }) => listMinors(golden).has(minor));
const kubectls = [...new Set([...available.slice(0, 1), ...available.slice(-1)])];
if (kubectls.length === 0) {
  const minors = [...listMinors(golden)].join(", ");
  console.warn(`\nSKIPPED: no kubectl of the minors ${minors} was found on the PATH or beside it.\n`);
}

describe.skipIf(kubectls.length === 0)("the Memcached operator under kubectl", () => {
  test.concurrent.each(kubectls)("prints what a real cluster prints with kubectl $minor", { timeout: 60_000 }, async (kubectl) => {
    await using server = await startEmbeddedServer(scenario.on);
    const recorded = await runScenario(scenario, kubectl, server.kubeconfig);
    expect(formatTranscript(recorded)).toBe(formatTranscript(selectGolden(golden, kubectl.minor)));
  });
});
