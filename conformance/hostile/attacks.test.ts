import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { realAnswers, recorded } from "../../packages/cluster/test/hostile/answers.ts";
import { attacks } from "../../packages/cluster/test/hostile/attacks.ts";
import { credentialsOf, type Exchange, exchange } from "../../packages/cluster/test/hostile/exchange.ts";
import { layGround } from "../../packages/cluster/test/hostile/ground.ts";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { full, seed } from "../sampling.ts";

/** The unit tests compare the embedded cluster with what was recorded; this compares what was recorded with a real server. */
describe("a real server", { timeout: 120_000 }, () => {
  let real: ControlPlane;
  let asked: Exchange;
  beforeAll(async () => {
    real = await startControlPlane();
    asked = exchange(credentialsOf(await readFile(real.kubeconfig, "utf8")));
    await layGround(asked);
  });
  afterAll(async () => {
    asked?.close();
    await real?.stop();
  });

  test("answers the attacks as it did when they were recorded", async () => {
    const expected = await realAnswers();
    const chosen = full ? attacks : attacks.filter((_, index) => index % 4 === seed % 4);
    const answers = new Map<string, unknown>();
    for (const attack of chosen) answers.set(attack.name, recorded(await asked.send(attack).catch(() => ({ code: 0 }))));
    expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(chosen.map(({ name }) => [name, expected[name]])));
  });
});
