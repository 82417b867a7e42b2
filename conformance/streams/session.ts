import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kubectl } from "../../packages/cluster/test/kubectl/kubectls.ts";
import { runCommand } from "../../packages/cluster/test/kubectl/run-command.ts";
import { createMachineNode, type MachineNode, waitUntil } from "../../packages/cluster/test/streams/machine-node.ts";
import type { StartServer } from "./servers.ts";

/** Runs every kubectl command on a running pod and returns a transcript: commands and their output. */
export async function recordSession(start: StartServer, kubectl: Kubectl): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "pintle-session-"));
  const inside = join(home, "inside");
  await mkdir(inside);
  const node = createMachineNode(inside);
  const page = createServer((request, response) => response.end(`page ${request.method} ${request.url}\n`));
  await once(page.listen(0, "127.0.0.1"), "listening");
  try {
    await using server = await start(node);
    return await runSession({ kubectl, home, node, kubeconfig: server.kubeconfig, port: (page.address() as AddressInfo).port });
  } finally {
    page.close();
    await rm(home, { recursive: true, force: true });
  }
}

interface SessionContext {
  readonly kubectl: Kubectl;
  readonly home: string;
  readonly node: MachineNode;
  readonly kubeconfig: string;
  /** Port of an HTTP server on this machine, and so in the pod. */
  readonly port: number;
}

async function runSession({ kubectl, home, node, kubeconfig, port }: SessionContext): Promise<string> {
  const env = { PATH: process.env["PATH"], HOME: home, TMPDIR: home, KUBECONFIG: kubeconfig };
  const transcript: string[] = [];
  const record = (line: string, out: string, err = "", code: number | null = 0) =>
    transcript.push(
      `$ ${line}\n${out}${err.replace(/^(?=.)/gm, "! ")}${code === 0 ? "" : `! exit ${code}\n`}`
        .replaceAll(home, "<home>")
        .replaceAll(String(port), "<port>")
        .replace(/^! Defaulted container .*\n/gm, "")
        // Whether kubectl prints this is a race on any server; and it may listen before it knows the target.
        .replace(/^! E\d{4} .*("Copying stdin failed"|Unknown stream id \d, discarding message).*\n/gm, ""),
    );
  const run = async (args: readonly string[], stdin?: string) => {
    const { code, out, err } = await runCommand({ path: kubectl.path, args, folder: home, env, stdin });
    record(`kubectl ${args.join(" ")}`, out, err, code);
  };
  /** Runs a command until `use` resolves; `use` reads the output so far. */
  const withCommand = async (args: readonly string[], use: (shown: () => string) => Promise<string>) => {
    const child = spawn(kubectl.path, args, { cwd: home, env });
    let out = "";
    for (const from of [child.stdout, child.stderr]) from.setEncoding("utf8").on("data", (text: string) => (out += text));
    const closed = once(child, "close");
    const early = closed.then(() => Promise.reject(new Error("it ended")));
    early.catch(() => {});
    try {
      record(`kubectl ${args.join(" ")}`, await Promise.race([use(() => out), early]));
    } catch (error) {
      throw new Error(`kubectl ${args.join(" ")}: ${(error as Error).message}; output so far: ${JSON.stringify(out)}`, { cause: error });
    } finally {
      child.kill();
      await closed;
    }
  };

  for (const line of ["one", "two", "three"]) node.log(line);
  await run(["logs", "web"]);
  await run(["logs", "web", "--tail=1", "--timestamps"]);
  await run(["logs", "web", "--since-time=2026-03-01T12:00:01Z", "--limit-bytes=6"]);
  await run(["logs", "web", "-c", "nope"]);
  await run(["logs", "pair"]);
  await run(["logs", "pair", "-c", "side", "--tail=1"]);
  await withCommand(["logs", "-f", "web", "--tail=1"], async (shown) => {
    await waitUntil(() => node.followers > 0 && shown().includes("three\n"));
    node.log("four");
    await waitUntil(() => shown().includes("four\n"));
    node.endLog();
    return shown();
  });

  const shell = (script: string) => ["exec", "web", "--", "sh", "-c", script];
  await run(shell("echo out; echo err >&2; exit 3"));
  await run(shell("exit 0"));
  await run(["exec", "-i", "web", "--", "sort"], "b\na\n");
  await run(["exec", "-i", "web", "--", "head", "-n", "1"], "y\n".repeat(100_000));
  await run(["exec", "pair", "-c", "side", "--", "echo", "a b", "c"]);
  await run(["exec", "web", "-c", "nope", "--", "true"]);
  await terminal(`stty rows 31 cols 97; exec ${kubectl.path} exec -it web -- size`, env, home).then((shown) =>
    record("kubectl exec -it web -- size", shown),
  );
  await run(["attach", "-i", "web"], "hello\n");

  await writeFile(join(home, "sent.bin"), Buffer.alloc(300_000, "content of a file\n"));
  await run(["cp", "sent.bin", "web:there.bin"]);
  await run(["cp", "web:there.bin", "back.bin"]);
  record("cmp sent.bin back.bin", String((await readFile(join(home, "sent.bin"))).equals(await readFile(join(home, "back.bin")))));

  await withCommand(["port-forward", "pod/web", `:${port}`], async (shown) => {
    await waitUntil(() => /Forwarding from 127\.0\.0\.1:(\d+)/.test(shown()));
    const local = /Forwarding from 127\.0\.0\.1:(\d+)/.exec(shown())![1];
    const pages = [];
    for (const path of ["/a", "/b?c=d"]) pages.push(await (await fetch(`http://127.0.0.1:${local}${path}`)).text());
    return pages.join("");
  });
  await withCommand(["port-forward", "pod/web", ":1"], async (shown) => {
    await waitUntil(() => /Forwarding from 127\.0\.0\.1:(\d+)/.test(shown()));
    const local = /Forwarding from 127\.0\.0\.1:(\d+)/.exec(shown())![1];
    await fetch(`http://127.0.0.1:${local}/`).catch(() => {});
    await waitUntil(() => shown().includes("error forwarding port 1"));
    return /error forwarding port 1 to pod [^,]*/.exec(shown())![0].replace(/pod \S*/, "pod ...");
  });
  await withCommand(["proxy", "--port=0"], async (shown) => {
    await waitUntil(() => /Starting to serve on (\S+)/.test(shown()));
    const base = `http://${/Starting to serve on (\S+)/.exec(shown())![1]}/api/v1/namespaces/default`;
    const log = await (await fetch(`${base}/pods/web/log?tailLines=1`)).text();
    return `${log}${(await fetch(`${base}/pods/nobody/log`)).status}\n`;
  });
  return transcript.join("\n");
}

/** Runs a command in a terminal, and sends it a line once it has printed its size. */
async function terminal(script: string, env: Readonly<Record<string, string | undefined>>, folder: string): Promise<string> {
  const child = spawn("script", ["-qec", script, "/dev/null"], { cwd: folder, env: { ...env, SHELL: "/bin/sh" } });
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    if (shown.includes("size 31 97") && !shown.includes("yes")) child.stdin.write("yes\n");
  });
  const [code] = (await once(child, "close")) as [number | null];
  return `${shown.replaceAll("\r\n", "\n").replace(/^(?!size |got |command ).*\n/gm, "")}exit ${code}\n`;
}
