/** Tests that injected faults take effect and that healing them restores service. */
import net from "node:net";
import { type Cluster, startCluster } from "@pintle/cluster";
import type { Client } from "pintle/client";
import { Pod } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { modes } from "./modes.ts";

const within = { timeout: 60_000 };
const NAMESPACE = "default";
const podRef = (pod: string) => ({ namespace: NAMESPACE, pod });

/** Sends its pod's name to every client that connects. */
const SERVER = `require("node:net").createServer((socket) => socket.on("error", () => {}).end(process.env.NAME)).listen(9000, process.env.IP)`;
/** Connects once to the given address, and prints what it received, or the error code. */
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
    client.waitFor(
      Pod,
      { name, namespace: NAMESPACE },
      ({ status }) => status.containerStatuses?.[0]?.ready === wanted && status.containerStatuses[0].restartCount >= restarts,
      within,
    );
  const exec = async (pod: string, ...command: readonly string[]) => {
    const options = { stdin: false, stdout: true, stderr: true, tty: false };
    const session = await cluster.nodes[0]!.streams.exec({ ...podRef(pod), uid: "", container: "main" }, command, options);
    let output = "";
    const readAll = async (from: AsyncIterable<Uint8Array>) => {
      for await (const bytes of from) output += Buffer.from(bytes).toString();
    };
    await Promise.all([readAll(session.stdout), readAll(session.stderr)]);
    return output.trim();
  };

  test("a paused container does not respond until it is resumed", async () => {
    const { faults } = cluster.nodes[0]!;
    faults.pause(podRef("two"));
    // The kernel accepts connections for a stopped process: only a response shows the difference.
    const { status } = await client.get(Pod, { name: "two", namespace: NAMESPACE });
    expect(await readGreeting(status.podIP!)).toBe("nothing");
    faults.resume(podRef("two"));
    expect(await readGreeting(status.podIP!)).toBe("two");
  });

  test("restarts a killed container, later for an image with a slow start", async () => {
    const { faults } = cluster.nodes[0]!;
    faults.slowStart("node:20", 500);
    faults.kill(podRef("two"));
    await ready("two", false);
    await ready("two", true, 1);
    faults.slowStart("node:20", 0);
  });

  if (mode === "namespaces") {
    test("partitions and reconnects two pods", async () => {
      const { faults } = cluster.nodes[0]!;
      const { status } = await client.get(Pod, { name: "two", namespace: NAMESPACE });
      const call = () => exec("one", "node", "-e", CALLER, status.podIP!);
      expect(await call()).toBe("two");
      await faults.partition(podRef("one"), podRef("two"));
      expect(await call()).toMatch(/nothing|ETIMEDOUT|EHOSTUNREACH/);
      // The host itself still reaches the pod.
      expect(await readGreeting(status.podIP!)).toBe("two");
      await faults.heal(podRef("one"), podRef("two"));
      expect(await call()).toBe("two");
    });

    test("fills a volume and keeps its content", async () => {
      const { faults } = cluster.nodes[0]!;
      await exec("one", "sh", "-c", "echo before > /disk/old");
      faults.limitDiskSpace(podRef("one"), "disk", 64 * 1024);
      faults.kill(podRef("one"));
      await ready("one", true, 1);
      expect(await exec("one", "cat", "/disk/old")).toBe("before");
      expect(await exec("one", "dd", "if=/dev/zero", "of=/disk/new", "bs=1024", "count=1000")).toContain("No space left on device");
    });
  } else {
    test("rejects faults that need namespaces", async () => {
      const { faults } = cluster.nodes[0]!;
      await expect(faults.partition(podRef("one"), podRef("two"))).rejects.toThrow('a network partition requires the mode "namespaces"');
      expect(() => faults.limitDiskSpace(podRef("one"), "disk", 1)).toThrow('a disk space limit requires the mode "namespaces"');
    });
  }
});

/** Connects from the host; resolves to what the pod sent. */
function readGreeting(host: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port: 9000, timeout: 1500 });
    socket.once("data", (chunk: Buffer) => resolve(chunk.toString()));
    socket.once("timeout", () => resolve("nothing"));
    socket.once("error", (error) => resolve(error.message));
    socket.once("close", () => socket.destroy());
  });
}
