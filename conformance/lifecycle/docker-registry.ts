import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether Debian's docker-registry is installed; warns loudly if not. */
export function hasDockerRegistry(): boolean {
  const found = spawnSync("docker-registry", ["--version"]).status === 0;
  if (!found) console.warn("\n!!! SKIPPED: no docker-registry on the PATH, so nothing was stored in it. Debian has it.\n");
  return found;
}

/** A docker-registry on this machine, empty, over plain HTTP. */
export interface DockerRegistry {
  readonly host: string;
  stop(): Promise<void>;
}

/** Starts a registry, and resolves when it answers. */
export async function startDockerRegistry(): Promise<DockerRegistry> {
  const folder = mkdtempSync(join(tmpdir(), "pintle-docker-registry-"));
  const port = await findFreePort();
  const host = `localhost:${port}`;
  const config = { version: "0.1", storage: { filesystem: { rootdirectory: folder } }, http: { addr: `127.0.0.1:${port}` } };
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
  const child: ChildProcess = spawn("docker-registry", ["serve", join(folder, "config.json")], { stdio: "ignore" });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(`http://${host}/v2/`).catch(() => undefined);
    if (response?.ok) break;
    if (attempt === 600 || child.exitCode !== null) throw new Error("docker-registry does not answer");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    host,
    async stop() {
      child.kill();
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
