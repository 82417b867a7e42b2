import { EventEmitter, once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { type Client, ConnectionError, condition, connect } from "pintle/client";
import { ConfigMap, Namespace, Pod, ServiceAccount } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { pod } from "./objects.ts";

/** Long enough for the client's own attempts, far less than any timeout of silence. */
const promptly = 5000;
const megabyte = 1 << 20;

describe("a client whose API server is killed -9", () => {
  const namespace = "killed";
  const at = (name: string) => ({ name, namespace });
  const target = createServer((socket) => socket.pipe(socket));
  let real: ControlPlane;
  let client: Client;
  let port: number;
  let version: string;

  /** Kills the server; the error that the call then ends with, and soon. */
  async function lostBy(call: Promise<unknown>): Promise<ConnectionError> {
    call.catch(() => {});
    await real.killServer();
    return lost(call);
  }
  async function lost(call: Promise<unknown>): Promise<ConnectionError> {
    const began = performance.now();
    const error = await call.then(
      (value) => new Error(`it worked: ${JSON.stringify(value)}`),
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ConnectionError);
    expect(performance.now() - began).toBeLessThan(promptly);
    return error as ConnectionError;
  }

  beforeAll(async () => {
    await once(target.listen(0, "127.0.0.1"), "listening");
    port = (target.address() as AddressInfo).port;
    real = await startControlPlane({ nodes: 1, podPorts: [port] });
    client = await connect({ kubeconfig: real.kubeconfig });
    await client.create(Namespace, { metadata: { name: namespace } });
    await client.wait(ServiceAccount, at("default"), () => true, { timeout: 30_000 });
    await client.create(Pod, pod(at("web")));
    await client.wait(Pod, at("web"), condition("Ready"), { timeout: 30_000 });
    const data = { much: "x".repeat(megabyte / 2) };
    for (let i = 0; i < 48; i++) await client.create(ConfigMap, { metadata: at(`much-${i}`), data });
  });
  beforeEach(async () => {
    version = (await client.list(ConfigMap, { namespace: "default" })).metadata.resourceVersion;
  });
  afterAll(async () => {
    await client.close();
    await real.stop();
    target.close();
  });

  it("hears of it in a watch, and watches on where it was", async () => {
    const heard = new EventEmitter();
    const opened = once(heard, "opened");
    const watch = client.watch(ConfigMap, { namespace, resourceVersion: version, opened: () => heard.emit("opened") });
    const event = watch.next();
    await opened;
    await lostBy(event);
    expect(await watch.next()).toMatchObject({ done: true });

    await real.startServer();
    await client.create(ConfigMap, { metadata: at("afterwards") });
    const again = client.watch(ConfigMap, { namespace, resourceVersion: version });
    expect((await again.next()).value).toMatchObject({ type: "ADDED", object: { metadata: at("afterwards") } });
    await again.return?.();
  });

  it("hears of it in a list, and lists again", async () => {
    await lostBy(client.list(ConfigMap, { namespace }));
    expect((await lost(client.get(ConfigMap, at("much-0")))).message).toContain("refused the connection");
    await lost(client.create(ConfigMap, { metadata: at("never") }));

    await real.startServer();
    expect((await client.list(ConfigMap, { namespace })).items.length).toBeGreaterThanOrEqual(48);
    expect(await client.find(ConfigMap, at("never"))).toBeUndefined();
  });

  it("does not take half an answer for a whole one", async () => {
    const answer = await client.request({ method: "GET", path: `/api/v1/namespaces/${namespace}/configmaps` });
    const body = answer.bytes()[Symbol.asyncIterator]();
    expect((await body.next()).done).toBe(false);
    // Not read until the server is dead: what the sockets hold in between is far less than the answer.
    await real.killServer();
    const rest = async () => {
      while (!(await body.next()).done);
    };
    expect((await lost(rest())).message).toContain("in the middle of its answer");
    await real.startServer();
  });

  it("waits through it", async () => {
    const waited = client.wait(ConfigMap, at("awaited"), ({ data }) => data?.["a"] === "b", { timeout: 60_000 });
    await real.killServer();
    await real.startServer();
    await client.create(ConfigMap, { metadata: at("awaited"), data: { a: "b" } });
    expect((await waited).data).toEqual({ a: "b" });
  });

  it("hears of it in streams of a pod, which work again afterwards", async () => {
    const run = await client.exec(Pod, at("web"), { command: ["cat"], stdin: new PassThrough() });
    const forwarded = await client.portForward(Pod, at("web"), port);
    forwarded.write("ping");
    expect(String((await once(forwarded, "data"))[0])).toBe("ping");
    const broken = once(forwarded, "close").catch((reason: unknown) => reason);
    const followed = text(client.logs(Pod, at("web"), { follow: true })).catch((reason: unknown) => reason);
    await lostBy(run.exit);
    expect(await broken).toBeInstanceOf(ConnectionError);
    expect(await followed).toBeInstanceOf(ConnectionError);

    await real.startServer();
    expect(await (await client.exec(Pod, at("web"), { command: ["sh", "-c", "exit 4"] })).exit).toBe(4);
  });
});
