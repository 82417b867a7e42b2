/** Three real memcached processes behind a Service. */
import net from "node:net";
import type { Client } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { Pod, Service } from "pintle/kinds/core/v1";
import { EndpointSlice } from "pintle/kinds/discovery/v1";
import { describe, expect, test } from "vitest";
import { environments } from "./environments.ts";
import { isProgramInstalled } from "./modes.ts";

const isInstalled = isProgramInstalled("memcached");
if (!isInstalled) console.warn("\n!!! SKIPPED: memcached is not installed, so no real server was tested. Install the Debian package.\n");

const PORT = 11211;
const within = { timeout: 60_000 };
const ref = { name: "cache", namespace: "default" };
const labels = { app: "cache" };

/** Sends one command; resolves to the response up to the terminating word. */
function sendCommand(host: string, command: string, end: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(PORT, host, () => socket.write(command));
    let received = "";
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString();
      if (!end.test(received)) return;
      resolve(received);
      socket.end();
    });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error(`${host} closed the connection after ${JSON.stringify(received)}`)));
  });
}
const set = (host: string, value: string) => sendCommand(host, `set who 0 0 ${value.length}\r\n${value}\r\n`, /STORED\r\n$/);
const get = (host: string) => sendCommand(host, "get who\r\n", /END\r\n$/);

async function deployMemcached(client: Client) {
  const container = {
    name: "memcached",
    image: "memcached:1.6-alpine",
    args: ["-m", "16"],
    ports: [{ containerPort: PORT }],
    readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 1 },
  };
  await client.create(Service, { metadata: ref, spec: { selector: labels, ports: [{ port: PORT }] } });
  await client.create(Deployment, {
    metadata: ref,
    spec: { replicas: 3, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
  });
  await client.waitFor(Deployment, ref, ({ status }) => status.readyReplicas === 3, within);
  const service = await client.get(Service, ref);
  const pods = (await client.list(Pod, { namespace: ref.namespace })).items;
  return { service, pods };
}

describe.skipIf(!isInstalled).each(environments)("$name", ({ start }) => {
  test("each server responds at its pod IP and behind the Service, and a killed one restarts", async () => {
    const environment = await start();
    try {
      const { client, nodes } = environment;
      const { service, pods } = await deployMemcached(client);
      const addresses = pods.map(({ status }) => status.podIP!);
      expect(new Set(addresses).size).toBe(3);
      for (const address of addresses) expect(await set(address, address)).toBe("STORED\r\n");
      // Each server has stored its own value: they are three servers, not one.
      for (const address of addresses) expect(await get(address)).toContain(`\r\n${address}\r\n`);
      const answered = new Set<string>();
      for (let n = 0; n < 40 && answered.size < 3; n++) answered.add(await get(service.spec.clusterIP!));
      expect(answered.size).toBe(3);

      const victim = pods[0]!;
      const ready = ({ metadata }: Pod) =>
        client.list(EndpointSlice, { namespace: metadata.namespace }).then(({ items }) => addressesReady(items));
      const left = watchEndpoint(client, victim.status.podIP!);
      nodes[0]!.faults.kill({ namespace: victim.metadata.namespace, pod: victim.metadata.name });
      const back = await client.waitFor(
        Pod,
        victim.metadata,
        ({ status }) => status.containerStatuses?.[0]?.restartCount === 1 && status.containerStatuses[0].ready,
        within,
      );
      expect(back.status.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({ exitCode: 137, reason: "Error" });
      expect(await left).toEqual(["left", "returned"]);
      expect(await ready(victim)).toContain(victim.status.podIP);
      // The restarted server lost its items, as a cache does.
      expect(await get(victim.status.podIP!)).toBe("END\r\n");
    } finally {
      await environment[Symbol.asyncDispose]();
    }
  });
});

const addressesReady = (slices: readonly EndpointSlice[]) =>
  slices.flatMap(({ endpoints }) =>
    (endpoints ?? []).filter(({ conditions }) => conditions?.ready === true).flatMap(({ addresses }) => addresses),
  );

/** Records the changes of a ready endpoint until it is ready again. */
async function watchEndpoint(client: Client, address: string): Promise<readonly string[]> {
  const seen: string[] = [];
  const { metadata } = await client.list(EndpointSlice, { namespace: ref.namespace });
  const options = { namespace: ref.namespace, resourceVersion: metadata.resourceVersion, signal: AbortSignal.timeout(within.timeout) };
  for await (const { type, object } of client.watch(EndpointSlice, options)) {
    if (type !== "MODIFIED" || object.metadata.labels?.["kubernetes.io/service-name"] !== ref.name) continue;
    const isThere = addressesReady([object]).includes(address);
    if (!isThere && seen.length === 0) seen.push("left");
    if (isThere && seen.length === 1) return [...seen, "returned"];
  }
  return seen;
}
