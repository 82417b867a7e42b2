import { describe, expect, it } from "vitest";
import { cachePluginCredential } from "./credentials.ts";

function createCountingPlugin(lifetime: number | undefined) {
  const clock = { time: 1_000_000, now: () => clock.time, sleep: async () => {} };
  let runs = 0;
  const credentials = cachePluginCredential(async () => {
    runs++;
    await Promise.resolve();
    return { token: `t${runs}`, expires: lifetime === undefined ? undefined : clock.time + lifetime };
  }, clock);
  return { clock, credentials, runs: () => runs };
}

describe("cachePluginCredential", () => {
  it("runs the plugin once for concurrent callers", async () => {
    const { credentials, runs } = createCountingPlugin(undefined);
    const all = await Promise.all(Array.from({ length: 20 }, () => credentials.current()));
    expect(new Set(all.map((one) => one.token))).toEqual(new Set(["t1"]));
    expect(runs()).toBe(1);
    expect(credentials.current()).toEqual({ token: "t1", expires: undefined });
  });

  it.each([
    [600_000, 569_999, 570_001],
    [60_000, 53_999, 54_001],
  ])("renews a credential of %i ms before it expires", async (lifetime, good, due) => {
    const { clock, credentials, runs } = createCountingPlugin(lifetime);
    await credentials.current();
    clock.time += good;
    await credentials.current();
    expect(runs()).toBe(1);
    clock.time += due - good;
    expect((await credentials.current()).token).toBe("t2");
    expect(runs()).toBe(2);
  });

  it("runs the plugin again after a failure", async () => {
    let runs = 0;
    const credentials = cachePluginCredential(
      async () => {
        if (++runs === 1) throw new Error("not yet");
        return { token: "t" };
      },
      { now: () => 0, sleep: async () => {} },
    );
    await expect(credentials.current()).rejects.toThrow("not yet");
    expect((await credentials.current()).token).toBe("t");
  });
});
