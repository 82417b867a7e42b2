import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Programs that check an image independently of our code, from the Debian packages of the same names; those not installed. */
export const missing = ["skopeo", "runc", "docker-registry"].filter((name) => spawnSync("which", [name]).status !== 0);

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts Debian's registry on a free port in its own folder; requires a login when an htpasswd file is given. */
export async function registry(htpasswd?: string): Promise<AsyncDisposable & { readonly host: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-registry-"));
  const host = `127.0.0.1:${await freePort()}`;
  if (htpasswd !== undefined) writeFileSync(path.join(folder, "htpasswd"), htpasswd);
  const config = {
    version: 0.1,
    log: { level: "error" },
    storage: { filesystem: { rootdirectory: path.join(folder, "data") }, delete: { enabled: true } },
    http: { addr: host },
    ...(htpasswd === undefined ? {} : { auth: { htpasswd: { realm: "test", path: path.join(folder, "htpasswd") } } }),
  };
  writeFileSync(path.join(folder, "config.yml"), JSON.stringify(config));
  const child = spawn("docker-registry", ["serve", path.join(folder, "config.yml")], { stdio: "ignore" });
  while (
    !(await fetch(`http://${host}/v2/`).then(
      () => true,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error(`docker-registry ended with ${child.exitCode}`);
    await delay(50);
  }
  return {
    host,
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
