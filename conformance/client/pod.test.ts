import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { appendFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type Duplex, PassThrough } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { BadRequest, type Client, Conflict, ConnectionError, connect, hasCondition, NotFound, ServerError } from "pintle/client";
import { Namespace, Pod, ServiceAccount } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { pod } from "./objects.ts";

/** The API server and the node's streaming code are real; only the containers are simulated. */
describe("a running pod, through a real API server", () => {
  const at = { name: "web", namespace: "streams" };
  const target = createServer({ allowHalfOpen: true });
  let real: ControlPlane;
  let client: Client;
  let port: number;

  beforeAll(async () => {
    await once(target.listen(0, "127.0.0.1"), "listening");
    port = (target.address() as AddressInfo).port;
    real = await startControlPlane({ nodes: 1, podPorts: [port] });
    client = await connect({ kubeconfig: real.kubeconfig });
    await client.create(Namespace, { metadata: { name: at.namespace } });
    await client.waitFor(ServiceAccount, { name: "default", namespace: at.namespace }, () => true, { timeout: 30_000 });
    await client.create(Pod, pod(at));
    await client.waitFor(Pod, at, hasCondition("Ready"), { timeout: 30_000 });
  });
  afterAll(async () => {
    await client.close();
    await real.stop();
    target.close();
  });

  it("is evicted and deleted; a precondition on another uid is refused", async () => {
    const running = { ...at, name: "evicted" };
    await client.create(Pod, pod(running));
    const { metadata } = await client.waitFor(Pod, running, hasCondition("Ready"), { timeout: 30_000 });
    await expect(client.evict(Pod, running, { uid: "0b3e7c4e-6f0f-4a53-9a51-1c3d5f3f9e01" })).rejects.toThrow(Conflict);
    await client.evict(Pod, running, { uid: metadata.uid });
    await client.waitForDeletion(Pod, running, { timeout: 30_000 });
  });

  describe("logs", () => {
    const write = (...lines: readonly string[]) =>
      appendFile(real.podLog, lines.map((line) => `${new Date().toISOString()} stdout F ${line}\n`).join(""));

    it("are returned whole, by tail lines, by bytes and with timestamps", async () => {
      await write("one", "two", "three");
      expect(await text(client.logs(Pod, at))).toBe("one\ntwo\nthree\n");
      expect(await text(client.logs(Pod, at, { container: "main", tailLines: 2 }))).toBe("two\nthree\n");
      expect(await text(client.logs(Pod, at, { limitBytes: 5 }))).toBe("one\nt");
      expect(await text(client.logs(Pod, at, { tailLines: 1, timestamps: true }))).toMatch(/^\d{4}-\d\d-\d\dT\S+Z three\n$/);
      expect(await text(client.logs(Pod, at, { sinceTime: new Date(Date.now() + 60_000).toISOString() }))).toBe("");
    });

    it("are followed as they are written, until the caller stops iterating", async () => {
      await write("before");
      let seen = "";
      for await (const chunk of client.logs(Pod, at, { follow: true, tailLines: 1 })) {
        seen += Buffer.from(chunk).toString();
        if (seen === "before\n") await write("during");
        if (seen === "before\nduring\n") await write("after");
        if (seen.endsWith("after\n")) break;
      }
      expect(seen).toBe("before\nduring\nafter\n");
    });

    it("end with the abort reason when aborted while idle", async () => {
      const caller = new AbortController();
      const enough = new Error("enough");
      const logs = client.logs(Pod, at, { follow: true, tailLines: 1, signal: caller.signal });
      await logs.next();
      const silence = logs.next();
      caller.abort(enough);
      await expect(silence).rejects.toBe(enough);
    });

    it("of a missing container or pod are refused", async () => {
      await expect(text(client.logs(Pod, at, { container: "other" }))).rejects.toThrow(BadRequest);
      await expect(text(client.logs(Pod, { ...at, name: "other" }))).rejects.toThrow(NotFound);
    });
  });

  describe("exec", () => {
    const shell = (script: string) => ["sh", "-c", script];

    it("separates stdout and stderr and returns the exit code", async () => {
      for (const code of [0, 1, 42, 255]) {
        const run = await client.exec(Pod, at, { command: shell(`echo out; echo err >&2; exit ${code}`), container: "main" });
        expect([await text(run.stdout), await text(run.stderr), await run.exit]).toEqual(["out\n", "err\n", code]);
      }
    });

    it("passes arguments to the command unchanged", async () => {
      const odd = ["", "a b", "ü&=?+%20", "'\"$HOME"];
      const run = await client.exec(Pod, at, { command: ["printf", "<%s>", ...odd] });
      expect(await text(run.stdout)).toBe(odd.map((argument) => `<${argument}>`).join(""));
    });

    it("closes the command's stdin with the caller's, also when there is none", async () => {
      for (const stdin of [["one\n", Buffer.from("two\n")], [], [""]]) {
        const run = await client.exec(Pod, at, { command: ["cat"], stdin });
        expect([await text(run.stdout), await run.exit]).toEqual([stdin.join(""), 0]);
      }
    });

    it("streams interactively with a command that replies", async () => {
      const questions = new PassThrough();
      const run = await client.exec(Pod, at, { command: shell("while read n; do echo $((n * 2)); done; exit 9"), stdin: questions });
      const answers = run.stdout[Symbol.asyncIterator]();
      for (const number of [2, 5, 21]) {
        questions.write(`${number}\n`);
        expect(String((await answers.next()).value)).toBe(`${number * 2}\n`);
      }
      questions.end();
      expect(await run.exit).toBe(9);
    });

    it("transfers large data in both directions without loss", async () => {
      const much = randomBytes(16 << 20);
      const stdin = Array.from({ length: 256 }, (_, i) => much.subarray(i << 16, (i + 1) << 16));
      const run = await client.exec(Pod, at, { command: ["tee", "/dev/stderr"], stdin });
      const [out, err] = await Promise.all([buffer(run.stdout), buffer(run.stderr)]);
      expect([out.equals(much), err.equals(much), await run.exit]).toEqual([true, true, 0]);
    });

    it("runs concurrently with other exec sessions", async () => {
      const numbers = Array.from({ length: 20 }, (_, i) => i);
      const codes = numbers.map(async (code) => (await client.exec(Pod, at, { command: shell(`exit ${code}`) })).exit);
      expect(await Promise.all(codes)).toEqual(numbers);
    });

    it("succeeds with a command that does not read its stdin", async () => {
      const endless = (function* () {
        for (;;) yield "y\n".repeat(1000);
      })();
      const run = await client.exec(Pod, at, { command: shell("head -n 1; exit 5"), stdin: endless });
      expect([await text(run.stdout), await run.exit]).toEqual(["y\n", 5]);
    });

    it("has a terminal size and one output stream with tty", async () => {
      const script = `until [ "$(stty size)" = "26 81" ]; do sleep 0.01; done; echo sized >&2; read answer; echo "got $answer"; read end`;
      let seen = "";
      let notify = () => {};
      const waitForText = async (what: string) => {
        while (!seen.includes(what)) await new Promise<void>((resolve) => (notify = resolve));
      };
      const typed = (async function* () {
        await waitForText("sized\r\n");
        yield "yes\n";
        await waitForText("got yes\r\n");
        yield "\n";
      })();
      const run = await client.exec(Pod, at, { command: shell(script), stdin: typed, tty: true });
      run.resize({ columns: 81, rows: 26 });
      for await (const chunk of run.stdout) {
        seen += Buffer.from(chunk).toString();
        notify();
      }
      expect(await run.exit).toBe(0);
      expect(await text(run.stderr)).toBe("");
    });

    it.each(["abort", "close"] as const)("by %s hangs up on the command too", async (how) => {
      const caller = new AbortController();
      const enough = new Error("enough");
      const silent = new PassThrough();
      const run = await client.exec(Pod, at, { command: shell("echo $$; exec cat"), stdin: silent, signal: caller.signal });
      const output = run.stdout[Symbol.asyncIterator]();
      const id = Number(String((await output.next()).value));
      if (how === "abort") caller.abort(enough);
      else run.close();
      const error = await run.exit.catch((reason: unknown) => reason);
      if (how === "abort") expect(error).toBe(enough);
      else expect(error).toBeInstanceOf(ConnectionError);
      await expect(output.next()).rejects.toBe(error);
      await vi.waitFor(() => expect(() => process.kill(id, 0)).toThrow("ESRCH"), { timeout: 10_000 });
    });

    it("rejects with the error of its input stream", async () => {
      const torn = new Error("torn");
      const stdin = new PassThrough();
      const run = await client.exec(Pod, at, { command: ["cat"], stdin });
      stdin.destroy(torn);
      await expect(run.exit).rejects.toBe(torn);
      await expect(text(run.stdout)).rejects.toBe(torn);
    });

    it("of a missing container or pod is refused", async () => {
      const run = await client.exec(Pod, at, { command: ["/no/such/program"] });
      const error = await run.exit.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ServerError);
      expect((error as Error).message).toContain("/no/such/program");
      await expect(text(run.stdout)).rejects.toBe(error);
      await expect(client.exec(Pod, at, { command: ["true"], container: "other" })).rejects.toThrow(BadRequest);
      await expect(client.exec(Pod, { ...at, name: "other" }, { command: ["true"] })).rejects.toThrow(NotFound);
    });
  });

  describe("port-forward", () => {
    /** The two ends of one forwarded connection. */
    async function connection(signal?: AbortSignal): Promise<{ readonly ours: Duplex; readonly theirs: Socket }> {
      const accepted = once(target, "connection") as Promise<[Socket]>;
      const ours = await client.portForward(Pod, at, port, { signal });
      return { ours, theirs: (await accepted)[0] };
    }
    const digest = async (from: Duplex, length: number) => {
      const hash = createHash("sha256");
      let left = length;
      // A connection that has been read to its end may still be written to.
      for await (const chunk of from.iterator({ destroyOnReturn: false })) {
        hash.update(chunk);
        left -= chunk.length;
        if (left <= 0) break;
      }
      return [left, hash.digest("hex")];
    };

    it("keeps the bytes of two connections separate", async () => {
      const one = await connection();
      const two = await connection();
      for (const { theirs } of [one, two]) theirs.pipe(theirs);
      one.ours.write("one");
      two.ours.write("two");
      expect(String((await once(two.ours, "data"))[0])).toBe("two");
      expect(String((await once(one.ours, "data"))[0])).toBe("one");
      for (const { ours } of [one, two]) {
        ours.end();
        await once(ours, "close");
      }
    });

    it("transfers large data in both directions at once without loss", async () => {
      const { ours, theirs } = await connection();
      const [up, down] = [randomBytes(24 << 20), randomBytes(24 << 20)];
      const sha = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
      ours.write(up);
      theirs.write(down);
      const received = await Promise.all([digest(theirs, up.length), digest(ours, down.length)]);
      expect(received).toEqual([
        [0, sha(up)],
        [0, sha(down)],
      ]);
      ours.end();
      theirs.end();
    });

    it("applies backpressure for a slow reader", async () => {
      const { ours, theirs } = await connection();
      const much = randomBytes(64 << 20);
      theirs.end(much);
      await once(ours, "readable");
      // Without backpressure, all data would be buffered in memory here.
      expect(theirs.writableLength).toBeGreaterThan(0);
      expect((await buffer(ours)).equals(much)).toBe(true);
    });

    it("ends after all data when the server closes the connection", async () => {
      const { ours, theirs } = await connection();
      theirs.end("goodbye");
      expect(await text(ours)).toBe("goodbye");
    });

    it("closes the server's connection after all data when the client ends", async () => {
      const { ours, theirs } = await connection();
      ours.end("goodbye");
      expect(await text(theirs)).toBe("goodbye");
      theirs.end();
    });

    it("ends with the abort reason", async () => {
      const caller = new AbortController();
      const enough = new Error("enough");
      const { ours, theirs } = await connection(caller.signal);
      const failed = once(ours, "close").catch((reason: unknown) => reason);
      caller.abort(enough);
      expect(await failed).toBe(enough);
      expect(await text(theirs)).toBe("");
      theirs.end();
    });

    it("to a closed port fails with the node's error", async () => {
      const refused = await client.portForward(Pod, at, port === 9 ? 10 : 9);
      await expect(text(refused)).rejects.toThrow(/^Pod streams\/web, port \d+: .*no forward found/);
      await expect(client.portForward(Pod, { ...at, name: "other" }, 80)).rejects.toThrow(NotFound);
    });
  });
});
