import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { binary } from "../real/index.ts";
import { full, seed } from "../sampling.ts";
import { BARE, NEEDED, REFUSED } from "./command-lines.ts";
import { type Dropin, dropin } from "./dropin.ts";

const all = [...BARE, ...REFUSED.map((words) => [...NEEDED, ...words])];
const chosen = full ? all : all.filter((_, index) => (index + seed) % 9 === 0);

/** What kube-apiserver says to a command line, and how it ends. */
interface Said {
  readonly code: number;
  readonly text: string;
}

describe("command lines of kube-apiserver", () => {
  let ours: Dropin;
  let keys: string;
  beforeAll(async () => {
    ours = await dropin();
    keys = await mkdtemp(join(tmpdir(), "pintle-keys-"));
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    await writeFile(join(keys, "account.key"), privateKey.export({ type: "sec1", format: "pem" }));
  });
  afterAll(async () => {
    await ours?.[Symbol.asyncDispose]();
    await rm(keys, { recursive: true, force: true });
  });
  const asked = async (program: string, words: readonly string[]) =>
    said(
      program,
      words.map((word) => word.replace("{keys}", keys)),
    );

  test.each(
    chosen.map(
      (words) =>
        [words.slice(words[0] === NEEDED[0] && words.length > NEEDED.length ? NEEDED.length : 0).join(" ") || "(nothing)", words] as const,
    ),
  )("refused alike: %s", async (_, words) => {
    const real = await asked(binary("kube-apiserver"), words);
    expect(real.code).not.toBe(0);
    expect(await asked(join(ours.assets, "kube-apiserver"), words)).toEqual(real);
  });

  test("--version, --version=raw and --help end well, and every flag of the real one is known", async () => {
    const [program, real] = [join(ours.assets, "kube-apiserver"), binary("kube-apiserver")];
    expect(await asked(program, ["--version"])).toEqual(await asked(real, ["--version"]));
    expect((await asked(program, ["--version=raw"])).text).toMatch(/^version\.Info\{Major:"1", Minor:"36", .*GitVersion:"v1\.36\.\d+"/);
    const flags = async (from: string) =>
      [...(await asked(from, ["--help"])).text.matchAll(/^\s+(?:-\w, )?--([\w-]+)/gm)].map(([, name]) => name).sort();
    expect(await flags(program)).toEqual(await flags(real));
    // Not through the script, which answers by itself.
    expect((await asked(program, ["--help", "extra"])).text).toBe((await asked(program, ["--help"])).text);
  });
});

/** The last thing it says, without time and place; a server that does not end is ended. */
function said(program: string, words: readonly string[]): Promise<Said> {
  return new Promise((resolve) => {
    execFile(program, words, { timeout: 20_000, maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
      const last = stderr
        .split("\n")
        .filter((line) => /^Error: |"command failed"/.test(line))
        .at(-1);
      resolve({
        code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1,
        text: last?.replace(/^E.*?\] /, "") ?? stdout,
      });
    });
  });
}
