import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "pintle/client";
import { ConfigMap, Secret } from "pintle/kinds/core/v1";
import { afterEach, expect, test } from "vitest";
import { startCluster } from "../../src/index.ts";

const children: ChildProcess[] = [];
const folders: string[] = [];
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const stop of stops.splice(0)) await stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "a %s during a pass that blocks the event loop lets the pass end and starts no other",
  async (signal) => {
    const folder = mkdtempSync(path.join(tmpdir(), "pintle-stop-"));
    folders.push(folder);
    const kubeconfig = path.join(folder, "kubeconfig");
    const released = path.join(folder, "released");
    const cluster = await startCluster({ http: true });
    stops.push(() => cluster.stop());
    await cluster.writeKubeconfig(kubeconfig);
    const client = await connect({ kubeconfig });
    for (const name of ["a", "b", "c"])
      await client.create(ConfigMap, { metadata: { name, namespace: "default", labels: { "stop.example.com/reconciled": "true" } } });

    const program = fileURLToPath(new URL("blocking-operator.ts", import.meta.url));
    const args = ["--conditions=@pintle/source", "--import", "tsx", program, kubeconfig, released];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    children.push(child);
    let passes = "";
    let log = "";
    child.stderr.on("data", (text) => (log += text));
    const hasStarted = new Promise<void>((resolve) => {
      child.stdout.on("data", (text) => {
        passes += text;
        resolve();
      });
    });
    await hasStarted;
    const exited = once(child, "exit");
    child.kill(signal);
    // Only now the pass goes on: the signal has arrived before.
    writeFileSync(released, "");
    expect(await exited, log).toEqual([0, null]);
    expect(passes.trim().split("\n"), log).toHaveLength(1);
    const [controller, name] = passes.trim().split(" ");
    const written = (await client.list(Secret, { namespace: "default" })).items.map(({ metadata }) => metadata.name);
    expect(written).toEqual(controller === "configs" ? [name] : []);
    await client.close();
  },
);
