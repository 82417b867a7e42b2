import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigError } from "./access-errors.ts";
import type { AuthInfo } from "./cluster-access.ts";
import { createCredentialSource } from "./credentials.ts";

describe("createCredentialSource", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pintle-credentials-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const clock = { time: 0, now: () => clock.time, sleep: async () => {} };
  const of = (user: AuthInfo) => createCredentialSource({ server: "https://a", user }, clock, { env: process.env, hasTerminal: false });

  it.each<[string, AuthInfo, string | undefined]>([
    ["an anonymous user", {}, undefined],
    ["a token", { token: "t" }, "Bearer t"],
    ["a password", { basicAuth: { username: "u", password: "p:w" } }, `Basic ${Buffer.from("u:p:w").toString("base64")}`],
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
  ])("returns the credential of %s synchronously", (_, user, authorization) => {
    expect(of(user).current()).toEqual({ authorization, ca: undefined, cert: undefined, key: undefined });
  });

  it("returns the same object as long as nothing changes", () => {
    const one = of({ token: "t" });
    expect(one.current()).toBe(one.current());
  });

  it("reads a rotated token file again, at the latest when the server rejects the old token", async () => {
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

    expect(await rotating.refresh(first)).toBe(second);
    expect(await rotating.refresh(second)).toBeUndefined();
    await writeFile(tokenFile, "three\n");
    expect((await rotating.refresh(second))?.authorization).toBe("Bearer three");
  });

  it("keeps the last token while its file is missing, and fails if the file never existed", async () => {
    const tokenFile = join(folder, "away");
    await expect(of({ tokenFile }).current()).rejects.toThrow(ConfigError);
    await writeFile(tokenFile, "one");
    const rotating = of({ tokenFile });
    await rotating.current();
    await rm(tokenFile);
    clock.time += 10_001;
    expect((await rotating.current()).authorization).toBe("Bearer one");
  });

  it("reads replaced certificate files again", async () => {
    const cert = join(folder, "crt");
    const key = join(folder, "key");
    await writeFile(cert, "c1");
    await writeFile(key, "k1");
    const rotating = of({ clientCertificate: { file: cert }, clientKey: { file: key } });
    expect(await rotating.current()).toMatchObject({ cert: "c1", key: "k1" });
    await writeFile(cert, "c2");
    await writeFile(key, "k2");
    clock.time += 60_001;
    expect(await rotating.current()).toMatchObject({ cert: "c2", key: "k2" });
  });

  it("runs the exec plugin once more when the server rejects its credential", async () => {
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
    const source = of({ exec });
    const [first, again] = await Promise.all([source.current(), source.current()]);
    expect(first.authorization).toBe("Bearer t1");
    expect(again).toBe(first);
    const instead = await Promise.all([source.refresh(first), source.refresh(first)]);
    expect(instead.map((one) => one?.authorization)).toEqual(["Bearer t2", "Bearer t2"]);
  });
});
