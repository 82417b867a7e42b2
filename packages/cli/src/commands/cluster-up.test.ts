import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { main } from "../main.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "pintle-up-"));
});
afterEach(() => rmSync(cwd, { recursive: true }));

/** Runs until it says that it is up, and stops it then. */
async function up(...flags: string[]) {
  const stop = new AbortController();
  let text = "";
  let kubeconfig = "";
  const code = await main(["cluster", "up", ...flags], {
    out(said) {
      text += said;
      kubeconfig = readFileSync(path.join(cwd, ".pintle/kubeconfig"), "utf8");
      stop.abort();
    },
    err: (said) => (text += said),
    tty: false,
    cwd,
    signal: stop.signal,
  });
  return { code, text, kubeconfig };
}

test("with --data, the cluster is the same one at the next start, and its kubeconfig stays", async () => {
  const first = await up("--data", "kept", "--fsync");
  expect(first.text).toMatch(/^cluster at https:\/\/127\.0\.0\.1:\d+, kept in kept\n/);
  expect(first.code).toBe(0);
  expect(existsSync(path.join(cwd, ".pintle/kubeconfig"))).toBe(true);
  expect(readdirSync(path.join(cwd, "kept")).sort()).toEqual(["00000001.log", "keys.pem"]);
  const second = await up("--data", "kept");
  const place = (kubeconfig: string) => /server: .*\n +certificate-authority-data: .*/.exec(kubeconfig)?.[0];
  expect(place(second.kubeconfig)).toBe(place(first.kubeconfig));
});

test("a folder that is damaged is refused in one sentence", async () => {
  await up("--data", "kept");
  writeFileSync(path.join(cwd, "kept/00000001.log"), "garbage");
  const { code, text } = await up("--data", "kept");
  expect(code).toBe(1);
  expect(text).toMatch(/^pintle: .*kept\/00000001\.log is damaged at byte 0: .*\n$/);
});

test("an etcd that is not there is named", async () => {
  const { code, text } = await up("--etcd-servers", "http://127.0.0.1:1");
  expect(code).toBe(1);
  expect(text).toMatch(/^pintle: etcd at http:\/\/127\.0\.0\.1:1\b.*: connect ECONNREFUSED 127\.0\.0\.1:1\n$/);
});
