import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import {
  BadRequest,
  type Channel,
  type Client,
  clientOver,
  locate,
  NotFound,
  ServerError,
  type Transport,
  transportTo,
} from "pintle/client";
import { Pod } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Listener } from "../../src/api/index.ts";
import { type Cluster, kubeletServer, startCluster } from "../../src/index.ts";
import { authority } from "../../src/tls/index.ts";
import { type Machine, machine, until } from "./machine.ts";
import { AT, settle } from "./world.ts";

/** The same questions in three ways: from inside, over HTTPS, and over HTTPS to a node that is only a kubelet's port. */
describe.each(["in this process", "over HTTPS", "through a kubelet's port"] as const)("streams %s", (way) => {
  const target = createServer({ allowHalfOpen: true });
  let folder: string;
  let node: Machine;
  let cluster: Cluster;
  let kubelet: Listener | undefined;
  let client: Client;
  let transport: Transport;
  let port: number;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pintle-streams-"));
    await once(target.listen(0, "127.0.0.1"), "listening");
    port = (target.address() as AddressInfo).port;
    node = machine(folder);
    for (const line of ["one", "two", "three"]) node.log(line);
    const keys = authority("kubernetes", Date.now());
    cluster = await startCluster({
      without: true,
      authority: { certificate: keys.certificate, key: keys.key },
      ...(way === "in this process" ? {} : { http: true }),
    });
    if (way === "through a kubelet's port") {
      const server = keys.server({ commonName: "machine" }, ["127.0.0.1"]);
      kubelet = await kubeletServer({
        streams: node,
        node: "machine",
        keys: server,
        clientAuthority: keys.certificate,
        allows: () => true,
      });
    } else cluster.nodeStreams.register("machine", node);
    await settle(cluster.transport, kubelet);
    if (way === "in this process") transport = cluster.transport;
    else {
      const file = join(folder, "kubeconfig");
      await cluster.writeKubeconfig(file);
      transport = await transportTo(await locate({ kubeconfig: file }));
    }
    client = clientOver(transport);
  });
  afterAll(async () => {
    await client.close();
    await cluster.stop();
    await kubelet?.close();
    target.close();
    await rm(folder, { recursive: true });
  });
  const shell = (script: string) => ["sh", "-c", script];

  it("gives a log whole, by its end, by its length, by its time", async () => {
    expect(await text(client.logs(Pod, AT))).toBe("one\ntwo\nthree\n");
    expect(await text(client.logs(Pod, AT, { tailLines: 1, timestamps: true }))).toBe("2026-03-01T12:00:02.000Z three\n");
    expect(await text(client.logs(Pod, AT, { limitBytes: 5, container: "main" }))).toBe("one\nt");
    expect(await text(client.logs(Pod, AT, { sinceTime: "2026-03-01T12:00:01Z" }))).toBe("two\nthree\n");
    expect(node.asked.at(-1)).toMatchObject({ namespace: "default", pod: "web", container: "main" });
  });

  it("follows a log until nobody wants more", async () => {
    let seen = "";
    for await (const chunk of client.logs(Pod, AT, { follow: true, tailLines: 1 })) {
      seen += Buffer.from(chunk).toString();
      if (seen.endsWith("during\n")) break;
      if (node.followers === 1) node.log("during");
    }
    expect(seen).toMatch(/^three\n(during\n)+$/);
    await until(() => node.followers === 0);
  });

  it("runs a command: outputs apart, exit code, input and its end", async () => {
    const run = await client.exec(Pod, AT, { command: shell("echo out; echo err >&2; exit 42") });
    expect([await text(run.stdout), await text(run.stderr), await run.exit]).toEqual(["out\n", "err\n", 42]);
    const sorted = await client.exec(Pod, AT, { command: ["sort"], stdin: ["b\n", "a\n"] });
    expect([await text(sorted.stdout), await sorted.exit]).toEqual(["a\nb\n", 0]);
  });

  it("loses nothing of much, and does not mind input that is left unread", async () => {
    const much = Buffer.alloc(4 << 20, "0123456789abcdef");
    const stdin = Array.from({ length: 64 }, (_, i) => much.subarray(i << 16, (i + 1) << 16));
    const run = await client.exec(Pod, AT, { command: ["cat"], stdin });
    expect((await buffer(run.stdout)).equals(much)).toBe(true);
    const endless = (function* () {
      for (;;) yield "y\n".repeat(1000);
    })();
    const short = await client.exec(Pod, AT, { command: shell("head -n 1; exit 5"), stdin: endless });
    expect([await text(short.stdout), await short.exit]).toEqual(["y\n", 5]);
  });

  it("tells a terminal its size", async () => {
    let sized = () => {};
    const answer = (async function* () {
      await new Promise<void>((resolve) => (sized = resolve));
      yield "yes\n";
    })();
    const run = await client.exec(Pod, AT, { command: ["size"], stdin: answer, tty: true });
    run.resize({ columns: 81, rows: 26 });
    let seen = "";
    for await (const chunk of run.stdout) {
      seen += Buffer.from(chunk).toString();
      if (seen === "size 26 81\r\n") sized();
    }
    expect([seen, await run.exit]).toEqual(["size 26 81\r\ngot yes\r\n", 7]);
  });

  it("hangs up on a command that nobody listens to", async () => {
    const run = await client.exec(Pod, AT, { command: shell("echo $$; exec sleep 60") });
    const first = await run.stdout[Symbol.asyncIterator]().next();
    const id = Number(String(first.value));
    run.close();
    await until(() => {
      try {
        process.kill(id, 0);
        return false;
      } catch {
        return true;
      }
    });
  });

  it("says why a command cannot be run", async () => {
    const run = await client.exec(Pod, AT, { command: ["/no/such/program"] });
    const error = await run.exit.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ServerError);
    expect((error as Error).message).toContain('exec: "/no/such/program": executable file not found in $PATH');
  });

  it("has nothing to say of a pod that is on no node yet", async () => {
    const spec = { containers: [{ name: "main", image: "machine" }], automountServiceAccountToken: false };
    await client.create(Pod, { metadata: { name: "waiting", namespace: AT.namespace }, spec });
    const answer = await transport.request({
      method: "GET",
      path: "/api/v1/namespaces/default/pods/waiting/log",
      query: { follow: "true" },
    });
    expect(answer.status).toBe(204);
    expect(await text(client.logs(Pod, { ...AT, name: "waiting" }))).toBe("");
  });

  it("refuses what is not there", async () => {
    await expect(client.exec(Pod, AT, { command: ["true"], container: "other" })).rejects.toThrow(
      "container other is not valid for pod web",
    );
    await expect(client.exec(Pod, { ...AT, name: "pair" }, { command: ["true"] })).rejects.toThrow(
      "a container name must be specified for pod pair, choose one of: [main side]",
    );
    await expect(client.exec(Pod, { ...AT, name: "nobody" }, { command: ["true"] })).rejects.toThrow(NotFound);
    await expect(text(client.logs(Pod, AT, { container: "other" }))).rejects.toThrow(BadRequest);
    await expect(client.portForward(Pod, { ...AT, name: "nobody" }, 80)).rejects.toThrow(NotFound);
  });

  it("attaches to what runs, and leaves it when it goes", async () => {
    const channel = (await transport.open!({
      path: "/api/v1/namespaces/default/pods/web/attach",
      query: { stdin: "true", stdout: "true" },
      protocols: ["v5.channel.k8s.io"],
    })) as Channel;
    await channel.send(Buffer.concat([Buffer.of(0), Buffer.from("hello\n")]));
    const heard: string[] = [];
    for await (const message of channel.messages()) {
      if (message.length > 1) heard.push(Buffer.from(message).toString("latin1"));
      if (heard.length === 1) await channel.send(Buffer.of(255, 0)).catch(() => {});
    }
    expect(heard).toEqual(["\x01heard hello\n", '\x03{"metadata":{},"status":"Success"}']);
  });

  it("forwards a port: bytes both ways, and the end of each side", async () => {
    const accepted = once(target, "connection") as Promise<[Socket]>;
    const ours = await client.portForward(Pod, AT, port);
    const [theirs] = await accepted;
    ours.write("ping");
    expect(String((await once(theirs, "data"))[0])).toBe("ping");
    theirs.end("goodbye");
    expect(await text(ours)).toBe("goodbye");
    const refused = await client.portForward(Pod, AT, 1);
    await expect(text(refused)).rejects.toThrow("ECONNREFUSED");
  });
});
