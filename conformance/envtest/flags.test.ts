import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { binary } from "../real/index.ts";
import { full, seed } from "../sampling.ts";
import { REFUSED_WITH_REQUIRED, REFUSED_WITHOUT_REQUIRED, REQUIRED_FLAGS } from "./command-lines.ts";
import { buildDropin, type Dropin } from "./dropin.ts";

const all = [...REFUSED_WITHOUT_REQUIRED, ...REFUSED_WITH_REQUIRED.map((words) => [...REQUIRED_FLAGS, ...words])];
const sampled = full ? all : all.filter((_, index) => (index + seed) % 9 === 0);

/** The exit code and message of kube-apiserver for a command line. */
interface FlagsResult {
  readonly code: number;
  readonly text: string;
}

describe("command lines of kube-apiserver", () => {
  let ours: Dropin;
  let keys: string;
  beforeAll(async () => {
    ours = await buildDropin();
    keys = await mkdtemp(join(tmpdir(), "pintle-keys-"));
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    await writeFile(join(keys, "account.key"), privateKey.export({ type: "sec1", format: "pem" }));
  });
  afterAll(async () => {
    await ours?.[Symbol.asyncDispose]();
    await rm(keys, { recursive: true, force: true });
  });
  const runWithKeys = async (program: string, words: readonly string[]) =>
    runProgram(
      program,
      words.map((word) => word.replace("{keys}", keys)),
    );

  test.each(
    sampled.map(
      (words) =>
        [
          words.slice(words[0] === REQUIRED_FLAGS[0] && words.length > REQUIRED_FLAGS.length ? REQUIRED_FLAGS.length : 0).join(" ") ||
            "(nothing)",
          words,
        ] as const,
    ),
  )("refuses with the same message: %s", async (_, words) => {
    const real = await runWithKeys(binary("kube-apiserver"), words);
    expect(real.code).not.toBe(0);
    expect(await runWithKeys(join(ours.assets, "kube-apiserver"), words)).toEqual(real);
  });

  test("--version, --version=raw and --help succeed, and every flag of kube-apiserver is known", async () => {
    const [program, real] = [join(ours.assets, "kube-apiserver"), binary("kube-apiserver")];
    expect(await runWithKeys(program, ["--version"])).toEqual(await runWithKeys(real, ["--version"]));
    expect((await runWithKeys(program, ["--version=raw"])).text).toMatch(
      /^version\.Info\{Major:"1", Minor:"36", .*GitVersion:"v1\.36\.\d+"/,
    );
    const flags = async (from: string) =>
      [...(await runWithKeys(from, ["--help"])).text.matchAll(/^\s+(?:-\w, )?--([\w-]+)/gm)].map(([, name]) => name).sort();
    expect(await flags(program)).toEqual([...(await flags(real)), "version-info"].sort());
    // Not through the wrapper script, which handles --help itself.
    expect((await runWithKeys(program, ["--help", "extra"])).text).toBe((await runWithKeys(program, ["--help"])).text);
  });
});

/** Runs a program and returns its last error without time and source location; kills it after a timeout. */
function runProgram(program: string, words: readonly string[]): Promise<FlagsResult> {
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
