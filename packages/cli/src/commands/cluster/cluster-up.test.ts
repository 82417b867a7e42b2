import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { main } from "../../main.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "pintle-up-"));
});
afterEach(() => rmSync(cwd, { recursive: true }));

/** Runs `cluster up` until it reports that the cluster is up, then stops it. */
async function up(...flags: string[]) {
  const stop = new AbortController();
  let text = "";
  let kubeconfig = "";
  const code = await main(["cluster", "up", ...flags], {
    out(output) {
      text += output;
      kubeconfig = readFileSync(path.join(cwd, ".pintle/kubeconfig"), "utf8");
      stop.abort();
    },
    err: (output) => (text += output),
    tty: false,
    cwd,
    signal: stop.signal,
  });
  return { code, text, kubeconfig };
}

test("keeps the cluster's address, CA and kubeconfig across restarts with --data", async () => {
  const first = await up("--data", "data-folder", "--fsync");
  expect(first.text).toMatch(/^cluster https:\/\/127\.0\.0\.1:\d+ is running, data in data-folder\n/);
  expect(first.code).toBe(0);
  expect(existsSync(path.join(cwd, ".pintle/kubeconfig"))).toBe(true);
  expect(readdirSync(path.join(cwd, "data-folder")).sort()).toEqual(["00000001.log", "keys.pem", "writer"]);
  const second = await up("--data", "data-folder");
  const place = (kubeconfig: string) => /server: .*\n +certificate-authority-data: .*/.exec(kubeconfig)?.[0];
  expect(place(second.kubeconfig)).toBe(place(first.kubeconfig));
});

test("fails with one error message when the data folder is corrupt", async () => {
  await up("--data", "data-folder");
  writeFileSync(path.join(cwd, "data-folder/00000001.log"), "garbage");
  const { code, text } = await up("--data", "data-folder");
  expect(code).toBe(1);
  expect(text).toMatch(/^error: .*data-folder\/00000001\.log is damaged at byte 0: .*\n$/);
});

test("names the etcd endpoint that is unreachable", async () => {
  const { code, text } = await up("--etcd-servers", "http://127.0.0.1:1");
  expect(code).toBe(1);
  expect(text).toMatch(/^error: .*etcd at http:\/\/127\.0\.0\.1:1\b.*: connect ECONNREFUSED 127\.0\.0\.1:1( \(PINTLE\d+\))?\n$/);
});

test("names the port that is in use", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  const { code, text } = await up("--port", String(port));
  server.close();
  expect(code).toBe(1);
  expect(text).toMatch(
    new RegExp(`^error: .*EADDRINUSE.*:${port}\\. Choose another port, or stop the process that uses it \\(PINTLE6530\\)\n$`),
  );
});

test("names the file that exists where the kubeconfig's folder should be", async () => {
  writeFileSync(path.join(cwd, ".pintle"), "");
  const { code, text } = await up();
  expect(code).toBe(1);
  expect(text).toMatch(
    /^error: cannot write kubeconfig .*\.pintle\/kubeconfig \((EEXIST|ENOTDIR)\): use another --kubeconfig \(PINTLE7087\)\n$/,
  );
});
