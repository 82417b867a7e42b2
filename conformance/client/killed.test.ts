import { EventEmitter, once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { type Client, ConnectionError, connect, hasCondition } from "pintle/client";
import { ConfigMap, Namespace, Pod, ServiceAccount } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { pod } from "./objects.ts";

/** Long enough for the client's retries, far less than any idle timeout. */
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

  /** Kills the server and returns the error of the call, which must follow promptly. */
  async function expectLossAfterKill(call: Promise<unknown>): Promise<ConnectionError> {
    call.catch(() => {});
    await real.killServer();
    return expectConnectionError(call);
  }
  async function expectConnectionError(call: Promise<unknown>): Promise<ConnectionError> {
    const startedAt = performance.now();
    const error = await call.then(
      (value) => new Error(`it worked: ${JSON.stringify(value)}`),
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ConnectionError);
    expect(performance.now() - startedAt).toBeLessThan(promptly);
    return error as ConnectionError;
  }

  beforeAll(async () => {
    await once(target.listen(0, "127.0.0.1"), "listening");
    port = (target.address() as AddressInfo).port;
    real = await startControlPlane({ nodes: 1, podPorts: [port] });
    client = await connect({ kubeconfig: real.kubeconfig });
    await client.create(Namespace, { metadata: { name: namespace } });
    await client.waitFor(ServiceAccount, at("default"), () => true, { timeout: 30_000 });
    await client.create(Pod, pod(at("web")));
    await client.waitFor(Pod, at("web"), hasCondition("Ready"), { timeout: 30_000 });
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

  it("ends a watch with an error and resumes it at the last resourceVersion", async () => {
    const opens = new EventEmitter();
    const opened = once(opens, "opened");
    const watch = client.watch(ConfigMap, { namespace, resourceVersion: version, onOpen: () => opens.emit("opened") });
    const event = watch.next();
    await opened;
    await expectLossAfterKill(event);
    expect(await watch.next()).toMatchObject({ done: true });

    await real.startServer();
    await client.create(ConfigMap, { metadata: at("afterwards") });
    const again = client.watch(ConfigMap, { namespace, resourceVersion: version });
    expect((await again.next()).value).toMatchObject({ type: "ADDED", object: { metadata: at("afterwards") } });
    await again.return?.();
  });

  it("ends a list with an error and lists again", async () => {
    await expectLossAfterKill(client.list(ConfigMap, { namespace }));
    expect((await expectConnectionError(client.get(ConfigMap, at("much-0")))).message).toContain("refused the connection");
    await expectConnectionError(client.create(ConfigMap, { metadata: at("never") }));

    await real.startServer();
    expect((await client.list(ConfigMap, { namespace })).items.length).toBeGreaterThanOrEqual(48);
    expect(await client.find(ConfigMap, at("never"))).toBeUndefined();
  });

  it("does not accept a truncated response", async () => {
    const answer = await client.request({ method: "GET", path: `/api/v1/namespaces/${namespace}/configmaps` });
    const body = answer.bytes()[Symbol.asyncIterator]();
    expect((await body.next()).done).toBe(false);
    // Not read until the server is dead: the socket buffers are far smaller than the response.
    await real.killServer();
    const readRest = async () => {
      while (!(await body.next()).done);
    };
    expect((await expectConnectionError(readRest())).message).toContain("in the middle of its response");
    await real.startServer();
  });

  it("keeps waiting in waitFor", async () => {
    const waited = client.waitFor(ConfigMap, at("awaited"), ({ data }) => data?.["a"] === "b", { timeout: 60_000 });
    await real.killServer();
    await real.startServer();
    await client.create(ConfigMap, { metadata: at("awaited"), data: { a: "b" } });
    expect((await waited).data).toEqual({ a: "b" });
  });

  it("ends pod streams with an error; new streams work after the restart", async () => {
    const run = await client.exec(Pod, at("web"), { command: ["cat"], stdin: new PassThrough() });
    const forwarded = await client.portForward(Pod, at("web"), port);
    forwarded.write("ping");
    expect(String((await once(forwarded, "data"))[0])).toBe("ping");
    const broken = once(forwarded, "close").catch((reason: unknown) => reason);
    const followed = text(client.logs(Pod, at("web"), { follow: true })).catch((reason: unknown) => reason);
    await expectLossAfterKill(run.exit);
    expect(await broken).toBeInstanceOf(ConnectionError);
    expect(await followed).toBeInstanceOf(ConnectionError);

    await real.startServer();
    expect(await (await client.exec(Pod, at("web"), { command: ["sh", "-c", "exit 4"] })).exit).toBe(4);
  });
});
