/** What the fault kit breaks is really broken, and mends again. */
import net from "node:net";
import { type Cluster, startCluster } from "@pintle/cluster";
import type { Client } from "pintle/client";
import { Pod } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { modes } from "./modes.ts";

const within = { timeout: 60_000 };
const NAMESPACE = "default";
const named = (pod: string) => ({ namespace: NAMESPACE, pod });

/** Says its pod's name to whoever connects. */
const SERVER = `require("node:net").createServer((socket) => socket.on("error", () => {}).end(process.env.NAME)).listen(9000, process.env.IP)`;
/** Connects once to the address it is given, and says what it heard, or why it did not. */
const CALLER = `const socket = require("node:net").connect({ host: process.argv[1], port: 9000, timeout: 1500 });
socket.on("data", (chunk) => { console.log(String(chunk)); process.exit(); });
socket.on("timeout", () => { console.log("nothing"); process.exit(); });
socket.on("error", (error) => { console.log(error.code); process.exit(); });`;

describe.each(modes)("%s", (mode) => {
  let cluster: Cluster;
  let client: Client;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: { kind: "process", mode } });
    await cluster.ready;
    client = cluster.client();
    for (const name of ["one", "two"]) {
      const field = (key: string, fieldPath: string) => ({ name: key, valueFrom: { fieldRef: { fieldPath } } });
      const container = {
        name: "main",
        image: "node:20",
        command: ["node", "-e", SERVER],
        env: [field("NAME", "metadata.name"), field("IP", "status.podIP")],
        readinessProbe: { tcpSocket: { port: 9000 }, periodSeconds: 1 },
        livenessProbe: { exec: { command: ["true"] }, periodSeconds: 600 },
        volumeMounts: [{ name: "disk", mountPath: "/disk" }],
      };
      const spec = { containers: [container], volumes: [{ name: "disk", emptyDir: {} }], terminationGracePeriodSeconds: 1 };
      await client.create(Pod, { metadata: { name, namespace: NAMESPACE }, spec });
    }
    for (const name of ["one", "two"]) await ready(name, true);
  });
  afterAll(async () => cluster?.stop());

  const ready = (name: string, wanted: boolean, restarts = 0) =>
    client.wait(
      Pod,
      { name, namespace: NAMESPACE },
      ({ status }) => status.containerStatuses?.[0]?.ready === wanted && status.containerStatuses[0].restartCount >= restarts,
      within,
    );
  const exec = async (pod: string, ...command: readonly string[]) => {
    const options = { stdin: false, stdout: true, stderr: true, tty: false };
    const session = await cluster.nodes[0]!.streams.exec({ ...named(pod), uid: "", container: "main" }, command, options);
    let said = "";
    const take = async (from: AsyncIterable<Uint8Array>) => {
      for await (const bytes of from) said += Buffer.from(bytes).toString();
    };
    await Promise.all([take(session.stdout), take(session.stderr)]);
    return said.trim();
  };

  test("a container that hangs answers nobody, and does when it goes on", async () => {
    const { faults } = cluster.nodes[0]!;
    faults.hang(named("two"));
    // A listener accepts for a process that is stopped: only what answers shows the difference.
    const { status } = await client.get(Pod, { name: "two", namespace: NAMESPACE });
    expect(await heard(status.podIP!)).toBe("nothing");
    faults.resume(named("two"));
    expect(await heard(status.podIP!)).toBe("two");
  });

  test("one that is killed is started again, the slower the image", async () => {
    const { faults } = cluster.nodes[0]!;
    faults.slowStart("node:20", 500);
    faults.kill(named("two"));
    await ready("two", false);
    await ready("two", true, 1);
    faults.slowStart("node:20", 0);
  });

  if (mode === "namespaces") {
    test("the way between two pods is cut and mended", async () => {
      const { faults } = cluster.nodes[0]!;
      const { status } = await client.get(Pod, { name: "two", namespace: NAMESPACE });
      const call = () => exec("one", "node", "-e", CALLER, status.podIP!);
      expect(await call()).toBe("two");
      await faults.cut(named("one"), named("two"));
      expect(await call()).toMatch(/nothing|ETIMEDOUT|EHOSTUNREACH/);
      // The machine itself still gets there.
      expect(await heard(status.podIP!)).toBe("two");
      await faults.mend(named("one"), named("two"));
      expect(await call()).toBe("two");
    });

    test("a disk is full, with what was on it", async () => {
      const { faults } = cluster.nodes[0]!;
      await exec("one", "sh", "-c", "echo before > /disk/old");
      faults.fullDisk(named("one"), "disk", 64 * 1024);
      faults.kill(named("one"));
      await ready("one", true, 1);
      expect(await exec("one", "cat", "/disk/old")).toBe("before");
      expect(await exec("one", "dd", "if=/dev/zero", "of=/disk/new", "bs=1024", "count=1000")).toContain("No space left on device");
    });
  } else {
    test("what needs namespaces says so", async () => {
      const { faults } = cluster.nodes[0]!;
      await expect(faults.cut(named("one"), named("two"))).rejects.toThrow("only where they have network namespaces");
      expect(() => faults.fullDisk(named("one"), "disk", 1)).toThrow("only where pods have mount namespaces");
    });
  }
});

/** What a pod says to somebody on this machine. */
function heard(host: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port: 9000, timeout: 1500 });
    socket.once("data", (chunk: Buffer) => resolve(chunk.toString()));
    socket.once("timeout", () => resolve("nothing"));
    socket.once("error", (error) => resolve(error.message));
    socket.once("close", () => socket.destroy());
  });
}
