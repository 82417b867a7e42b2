import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { User } from "./access.ts";
import { ConfigError } from "./config-error.ts";
import { credentials } from "./credentials.ts";

describe("credentials", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pintle-credentials-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const clock = { time: 0, now: () => clock.time, sleep: async () => {} };
  const of = (user: User) => credentials({ server: "https://a", user }, clock, { env: process.env, terminal: false });

  it.each<[string, User, string | undefined]>([
    ["nobody", {}, undefined],
    ["a token", { token: "t" }, "Bearer t"],
    ["a password", { basic: { username: "u", password: "p:w" } }, `Basic ${Buffer.from("u:p:w").toString("base64")}`],
    [
      "a token rather than a plugin",
      {
        token: "t",
        exec: {
          apiVersion: "client.authentication.k8s.io/v1",
          command: "no",
          args: [],
          env: {},
          provideClusterInfo: false,
          interactiveMode: "Never",
        },
      },
      "Bearer t",
    ],
  ])("are %s, at once", (_, user, authorization) => {
    expect(of(user).current()).toEqual({ authorization, ca: undefined, cert: undefined, key: undefined });
  });

  it("stay the same object as long as nothing changes", () => {
    const one = of({ token: "t" });
    expect(one.current()).toBe(one.current());
  });

  it("follow a token file as it rotates, also when the server is first to notice", async () => {
    const tokenFile = join(folder, "token");
    await writeFile(tokenFile, "one\n");
    const rotating = of({ tokenFile, token: "fallback" });
    const first = await rotating.current();
    expect(first.authorization).toBe("Bearer one");

    await writeFile(tokenFile, "two\n");
    expect(rotating.current()).toBe(first);
    clock.time += 10_001;
    const second = await rotating.current();
    expect(second.authorization).toBe("Bearer two");

    expect(await rotating.instead(first)).toBe(second);
    expect(await rotating.instead(second)).toBeUndefined();
    await writeFile(tokenFile, "three\n");
    expect((await rotating.instead(second))?.authorization).toBe("Bearer three");
  });

  it("outlive a token file that is away for a moment, but not one that never was", async () => {
    const tokenFile = join(folder, "away");
    await expect(of({ tokenFile }).current()).rejects.toThrow(ConfigError);
    await writeFile(tokenFile, "one");
    const rotating = of({ tokenFile });
    await rotating.current();
    await rm(tokenFile);
    clock.time += 10_001;
    expect((await rotating.current()).authorization).toBe("Bearer one");
  });

  it("follow certificate files", async () => {
    const cert = join(folder, "crt");
    const key = join(folder, "key");
    await writeFile(cert, "c1");
    await writeFile(key, "k1");
    const rotating = of({ cert: { file: cert }, key: { file: key } });
    expect(await rotating.current()).toMatchObject({ cert: "c1", key: "k1" });
    await writeFile(cert, "c2");
    await writeFile(key, "k2");
    clock.time += 60_001;
    expect(await rotating.current()).toMatchObject({ cert: "c2", key: "k2" });
  });

  it("of a plugin are renewed once when the server refuses them", async () => {
    const log = join(folder, "runs");
    const script = `
      const fs = require("node:fs");
      fs.appendFileSync(${JSON.stringify(log)}, "x");
      const token = "t" + fs.readFileSync(${JSON.stringify(log)}, "utf8").length;
      console.log(JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status: { token } }));`;
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: process.execPath,
      args: ["-e", script],
      env: {},
      provideClusterInfo: false,
      interactiveMode: "Never",
    } as const;
    const handed = of({ exec });
    const [first, again] = await Promise.all([handed.current(), handed.current()]);
    expect(first.authorization).toBe("Bearer t1");
    expect(again).toBe(first);
    const instead = await Promise.all([handed.instead(first), handed.instead(first)]);
    expect(instead.map((one) => one?.authorization)).toEqual(["Bearer t2", "Bearer t2"]);
  });
});
