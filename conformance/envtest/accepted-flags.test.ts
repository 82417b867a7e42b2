/** Every flag of kube-apiserver's help, with values of its type: what kube-apiserver accepts, the drop-in accepts. */
import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FLAGS } from "../../packages/cluster/src/dropin/generated/kube-apiserver-flags.ts";
import { parseFlags } from "../../packages/cluster/src/dropin/kube-apiserver/flags.ts";
import { parseServerSettings, SettingsError } from "../../packages/cluster/src/dropin/kube-apiserver/server-settings.ts";
import { binary } from "../real/index.ts";
import { full, seed } from "../sampling.ts";
import { REQUIRED_FLAGS } from "./command-lines.ts";

const VALUES: Readonly<Record<string, readonly string[]>> = {
  bool: ["true", "false"],
  int: ["0", "-1", "5"],
  duration: ["0s", "5s", "-1s"],
  strings: ["", "a,b"],
  float: ["0", "0.01", "2"],
  float32: ["0", "0.5", "-1"],
  ip: ["", "10.0.0.1"],
  portRange: ["30000-30100"],
  stringToString: ["a=b"],
  Level: ["0"],
};
/** An invalid port ends kube-apiserver after it has validated all flags, with this message and those of other invalid flags. */
const INVALID_PORT = "--secure-port=0";
const PORT_ERROR = "--secure-port 0 must be between 1 and 65535, inclusive. It cannot be turned off with 0";

const all = FLAGS.filter(([name]) => !["secure-port", "help", "version"].includes(name)).flatMap(([name, type]) =>
  (VALUES[type] ?? ["", "x"]).map((value) => `--${name}=${value}`),
);
const sampled = full ? all : all.filter((_, index) => (index + seed) % 24 === 0);

let keys: string;
beforeAll(async () => {
  keys = await mkdtemp(join(tmpdir(), "pintle-keys-"));
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writeFile(join(keys, "account.key"), privateKey.export({ type: "sec1", format: "pem" }));
});
afterAll(() => rm(keys, { recursive: true, force: true }));

test.each(sampled)("accepts %s if kube-apiserver does", async (flag) => {
  const words = [...REQUIRED_FLAGS.map((word) => word.replace("{keys}", keys)), INVALID_PORT, flag];
  const isAccepted = (await runRealServer(words)).endsWith(`err="${PORT_ERROR}"`);
  if (isAccepted) expect(() => parseServerSettings(parseFlags(words, FLAGS))).toThrow(new SettingsError([PORT_ERROR]));
});

/** Returns the last line that kube-apiserver prints. */
function runRealServer(words: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(binary("kube-apiserver"), words, { timeout: 30_000 }, (_error, _stdout, stderr) => {
      const errors = stderr.split("\n").filter((line) => line.startsWith("Error") || line.includes("err="));
      resolve(errors.at(-1) ?? "");
    });
  });
}
