import { describe, expect, test } from "vitest";
import { type Level, levelOf, levels, type Proof } from "./index.ts";

const holds = (level: Level): Proof => ({ level, shows: `proof of ${level}`, run: async () => {} });
const fails = (level: Level): Proof => ({ level, shows: `proof of ${level}`, run: () => Promise.reject(new Error("it does not")) });

describe("the level of an operator", () => {
  test.each<[what: string, proofs: readonly Proof[], reached: number, why: string]>([
    ["nothing is tried", [], 0, "not I Basic Install, because nothing was tried"],
    ["the first holds", [holds(1)], 1, "not II Seamless Upgrades, because nothing was tried"],
    ["a gap counts", [holds(1), holds(3)], 1, "not II Seamless Upgrades, because nothing was tried"],
    ["one of two fails", [holds(1), holds(2), fails(2), holds(3)], 1, "because proof of 2: it does not"],
    ["all hold", [holds(5), holds(4), holds(3), holds(2), holds(1)], 5, "there is no higher one"],
  ])("%s", async (_, proofs, reached, why) => {
    const verdict = await levelOf("sample", proofs);
    expect(verdict.reached).toBe(reached);
    expect(verdict.text).toContain(why);
  });

  test("what an operator does not do at all is said, whatever else was shown", async () => {
    const told = levels("sample", { lacking: [{ level: 2, why: "it cannot" }] });
    await told.prove(holds(1));
    await told.prove(holds(2));
    await expect(told.prove(fails(1))).rejects.toThrow("it does not");
    expect(told.verdict().text).toContain("sample: level none; not I Basic Install, because proof of 1: it does not");
    const better = levels("sample", { lacking: [{ level: 2, why: "it cannot" }] });
    await better.prove(holds(1));
    expect(better.verdict()).toMatchObject({ reached: 1, text: expect.stringContaining("not II Seamless Upgrades, because it cannot") });
  });

  test("what does not apply is said, and is no reason to be lower", async () => {
    const told = levels("sample", { exempt: [{ level: 1, why: "there is nothing to keep" }] });
    await told.prove(holds(1));
    expect(told.verdict()).toMatchObject({
      reached: 1,
      text: expect.stringContaining("I Basic Install: does not apply: there is nothing to keep"),
    });
  });
});
