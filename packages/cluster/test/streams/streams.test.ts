import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import {
  BadRequest,
  type Client,
  createClient,
  createTransport,
  type DuplexChannel,
  loadClusterAccess,
  NotFound,
  ServerError,
  type Transport,
} from "pintle/client";
import { Pod } from "pintle/kinds/core/v1";
import { createCertificateAuthority } from "pintle/tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Listener } from "../../src/api/index.ts";
import { type Cluster, startCluster, startKubeletServer } from "../../src/index.ts";
import { createMachineNode, type MachineNode, waitUntil } from "./machine-node.ts";
import { createStreamFixtures, POD_REF } from "./stream-fixtures.ts";

/** The same requests in three ways: in process, over HTTPS, and over HTTPS to a node behind a kubelet's port. */
describe.each(["in process", "over HTTPS", "through a kubelet's port"] as const)("streams %s", (transportKind) => {
  const target = createServer({ allowHalfOpen: true });
  let folder: string;
  let node: MachineNode;
  let cluster: Cluster;
  let kubelet: Listener | undefined;
  let client: Client;
  let transport: Transport;
  let port: number;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pintle-streams-"));
    await once(target.listen(0, "127.0.0.1"), "listening");
    port = (target.address() as AddressInfo).port;
    node = createMachineNode(folder);
    for (const line of ["one", "two", "three"]) node.log(line);
    const keys = createCertificateAuthority("kubernetes", Date.now());
    if (transportKind === "through a kubelet's port") {
      const server = keys.issueServerCertificate({ commonName: "machine" }, ["127.0.0.1"]);
      kubelet = await startKubeletServer({
        streams: node,
        node: "machine",
        keys: server,
        clientCa: keys.certificate,
        allows: () => true,
      });
    }
    cluster = await startCluster({
      without: true,
      authority: { certificate: keys.certificate, key: keys.key },
      ...(transportKind === "in process" ? {} : { http: true }),
      ...(kubelet === undefined ? {} : { loopbackKubelets: [`127.0.0.1:${kubelet.port}`] }),
    });
    if (kubelet === undefined) cluster.nodeStreams.register("machine", node);
    await createStreamFixtures(cluster.transport, kubelet);
    if (transportKind === "in process") transport = cluster.transport;
    else {
      const file = join(folder, "kubeconfig");
      await cluster.writeKubeconfig(file);
      transport = await createTransport(await loadClusterAccess({ kubeconfig: file }));
    }
    client = createClient(transport);
  });
  afterAll(async () => {
    await client.close();
    await cluster.stop();
    await kubelet?.close();
    target.close();
    await rm(folder, { recursive: true });
  });
  const shell = (script: string) => ["sh", "-c", script];

  it("return a log in full, by lines, by bytes and by time", async () => {
    expect(await text(client.logs(Pod, POD_REF))).toBe("one\ntwo\nthree\n");
    expect(await text(client.logs(Pod, POD_REF, { tailLines: 1, timestamps: true }))).toBe("2026-03-01T12:00:02.000Z three\n");
    expect(await text(client.logs(Pod, POD_REF, { limitBytes: 5, container: "main" }))).toBe("one\nt");
    expect(await text(client.logs(Pod, POD_REF, { sinceTime: "2026-03-01T12:00:01Z" }))).toBe("two\nthree\n");
    expect(node.requests.at(-1)).toMatchObject({ namespace: "default", pod: "web", container: "main" });
  });

  it("follow a log until the client disconnects", async () => {
    let output = "";
    for await (const chunk of client.logs(Pod, POD_REF, { follow: true, tailLines: 1 })) {
      output += Buffer.from(chunk).toString();
      if (output.endsWith("during\n")) break;
      if (node.followers === 1) node.log("during");
    }
    expect(output).toMatch(/^three\n(during\n)+$/);
    await waitUntil(() => node.followers === 0);
  });

  it("execute a command with separate outputs, an exit code and input", async () => {
    const run = await client.exec(Pod, POD_REF, { command: shell("echo out; echo err >&2; exit 42") });
    expect([await text(run.stdout), await text(run.stderr), await run.exit]).toEqual(["out\n", "err\n", 42]);
    const sorted = await client.exec(Pod, POD_REF, { command: ["sort"], stdin: ["b\n", "a\n"] });
    expect([await text(sorted.stdout), await sorted.exit]).toEqual(["a\nb\n", 0]);
  });

  it("transfer large data and ignore input that the command does not read", async () => {
    const much = Buffer.alloc(4 << 20, "0123456789abcdef");
    const stdin = Array.from({ length: 64 }, (_, i) => much.subarray(i << 16, (i + 1) << 16));
    const run = await client.exec(Pod, POD_REF, { command: ["cat"], stdin });
    expect((await buffer(run.stdout)).equals(much)).toBe(true);
    const endless = (function* () {
      for (;;) yield "y\n".repeat(1000);
    })();
    const short = await client.exec(Pod, POD_REF, { command: shell("head -n 1; exit 5"), stdin: endless });
    expect([await text(short.stdout), await short.exit]).toEqual(["y\n", 5]);
  });

  it("resize a terminal", async () => {
    let sized = () => {};
    const answer = (async function* () {
      await new Promise<void>((resolve) => (sized = resolve));
      yield "yes\n";
    })();
    const run = await client.exec(Pod, POD_REF, { command: ["size"], stdin: answer, tty: true });
    run.resize({ columns: 81, rows: 26 });
    let output = "";
    for await (const chunk of run.stdout) {
      output += Buffer.from(chunk).toString();
      if (output === "size 26 81\r\n") sized();
    }
    expect([output, await run.exit]).toEqual(["size 26 81\r\ngot yes\r\n", 7]);
  });

  it("kill a command when the client disconnects", async () => {
    const run = await client.exec(Pod, POD_REF, { command: shell("echo $$; exec sleep 60") });
    const first = await run.stdout[Symbol.asyncIterator]().next();
    const id = Number(String(first.value));
    run.close();
    await waitUntil(() => {
      try {
        process.kill(id, 0);
        return false;
      } catch {
        return true;
      }
    });
  });

  it("report why a command cannot be executed", async () => {
    const run = await client.exec(Pod, POD_REF, { command: ["/no/such/program"] });
    const error = await run.exit.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ServerError);
    expect((error as Error).message).toContain('exec: "/no/such/program": executable file not found in $PATH');
  });

  it("respond without content for a pod without a node", async () => {
    const spec = { containers: [{ name: "main", image: "machine" }], automountServiceAccountToken: false };
    await client.create(Pod, { metadata: { name: "waiting", namespace: POD_REF.namespace }, spec });
    const answer = await transport.request({
      method: "GET",
      path: "/api/v1/namespaces/default/pods/waiting/log",
      query: { follow: "true" },
    });
    expect(answer.status).toBe(204);
    expect(await text(client.logs(Pod, { ...POD_REF, name: "waiting" }))).toBe("");
  });

  it("refuse containers and pods that do not exist", async () => {
    await expect(client.exec(Pod, POD_REF, { command: ["true"], container: "other" })).rejects.toThrow(
      "container other is not valid for pod web",
    );
    await expect(client.exec(Pod, { ...POD_REF, name: "pair" }, { command: ["true"] })).rejects.toThrow(
      "a container name must be specified for pod pair, choose one of: [main side]",
    );
    await expect(client.exec(Pod, { ...POD_REF, name: "missing" }, { command: ["true"] })).rejects.toThrow(NotFound);
    await expect(text(client.logs(Pod, POD_REF, { container: "other" }))).rejects.toThrow(BadRequest);
    await expect(client.portForward(Pod, { ...POD_REF, name: "missing" }, 80)).rejects.toThrow(NotFound);
  });

  it("attach to a container and detach", async () => {
    const channel = (await transport.open!({
      path: "/api/v1/namespaces/default/pods/web/attach",
      query: { stdin: "true", stdout: "true" },
      protocols: ["v5.channel.k8s.io"],
    })) as DuplexChannel;
    await channel.send(Buffer.concat([Buffer.of(0), Buffer.from("hello\n")]));
    const received: string[] = [];
    for await (const message of channel.messages()) {
      if (message.length > 1) received.push(Buffer.from(message).toString("latin1"));
      if (received.length === 1) await channel.send(Buffer.of(255, 0)).catch(() => {});
    }
    expect(received).toEqual(["\x01heard hello\n", '\x03{"metadata":{},"status":"Success"}']);
  });

  it("forward a port with a half-close of each side", async () => {
    const accepted = once(target, "connection") as Promise<[Socket]>;
    const ours = await client.portForward(Pod, POD_REF, port);
    const [theirs] = await accepted;
    ours.write("ping");
    expect(String((await once(theirs, "data"))[0])).toBe("ping");
    theirs.end("goodbye");
    expect(await text(ours)).toBe("goodbye");
    const refused = await client.portForward(Pod, POD_REF, 1);
    await expect(text(refused)).rejects.toThrow("ECONNREFUSED");
  });
});
