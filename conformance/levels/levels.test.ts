import { describe, expect, test } from "vitest";
import { createLevelCheck, type Level, measureLevel, type Proof } from "./index.ts";

const passingProof = (level: Level): Proof => ({ level, statement: `proof of ${level}`, run: async () => {} });
const failingProof = (level: Level): Proof => ({
  level,
  statement: `proof of ${level}`,
  run: () => Promise.reject(new Error("it does not")),
});

describe("the level of an operator", () => {
  test.each<[what: string, proofs: readonly Proof[], reached: number, why: string]>([
    ["no proof is run", [], 0, "not I Basic Install, because no proof was run"],
    ["the first proof passes", [passingProof(1)], 1, "not II Seamless Upgrades, because no proof was run"],
    ["level 2 has no proof", [passingProof(1), passingProof(3)], 1, "not II Seamless Upgrades, because no proof was run"],
    ["one of two fails", [passingProof(1), passingProof(2), failingProof(2), passingProof(3)], 1, "because proof of 2: it does not"],
    [
      "all proofs pass",
      [passingProof(5), passingProof(4), passingProof(3), passingProof(2), passingProof(1)],
      5,
      "this is the highest level",
    ],
  ])("%s", async (_, proofs, reached, why) => {
    const verdict = await measureLevel("sample", proofs);
    expect(verdict.reached).toBe(reached);
    expect(verdict.text).toContain(why);
  });

  test("lists a missing capability whatever else was proven", async () => {
    const check = createLevelCheck("sample", { lacking: [{ level: 2, reason: "it cannot" }] });
    await check.prove(passingProof(1));
    await check.prove(passingProof(2));
    await expect(check.prove(failingProof(1))).rejects.toThrow("it does not");
    expect(check.verdict().text).toContain("sample: level none; not I Basic Install, because proof of 1: it does not");
    const better = createLevelCheck("sample", { lacking: [{ level: 2, reason: "it cannot" }] });
    await better.prove(passingProof(1));
    expect(better.verdict()).toMatchObject({ reached: 1, text: expect.stringContaining("not II Seamless Upgrades, because it cannot") });
  });

  test("lists an exempt capability without lowering the level", async () => {
    const check = createLevelCheck("sample", { exempt: [{ level: 1, reason: "there is nothing to keep" }] });
    await check.prove(passingProof(1));
    expect(check.verdict()).toMatchObject({
      reached: 1,
      text: expect.stringContaining("I Basic Install: does not apply: there is nothing to keep"),
    });
  });
});
