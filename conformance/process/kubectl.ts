import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Cluster } from "@pintle/cluster";
import { binary } from "../real/index.ts";

export interface Answer {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

export interface Following {
  /** Waits until what it wrote has what is looked for; throws where it ends before. */
  heard(wanted: RegExp): Promise<RegExpExecArray>;
  stop(): void;
}

/** kubectl, and a folder to run it in. */
export interface Kubectl extends AsyncDisposable {
  readonly folder: string;
  run(...args: readonly string[]): Promise<Answer>;
  /** What it answered; throws where it failed. */
  said(...args: readonly string[]): Promise<string>;
  apply(objects: readonly object[]): Promise<void>;
  /** One that goes on until it is stopped. */
  follow(...args: readonly string[]): Following;
}

export async function kubectlOf(cluster: Cluster): Promise<Kubectl> {
  const folder = await mkdtemp(path.join(tmpdir(), "pintle-kubectl-"));
  const config = path.join(folder, "config");
  await cluster.writeKubeconfig(config);
  const options = { cwd: folder, env: { ...process.env, KUBECONFIG: config } };
  const running = new Set<() => void>();
  const run = (args: readonly string[], input?: string) =>
    new Promise<Answer>((resolve) => {
      const child = execFile(binary("kubectl"), [...args], options, (error, out, errors) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, errors }),
      );
      child.stdin?.on("error", () => {});
      child.stdin?.end(input);
    });
  const said = async (args: readonly string[], input?: string) => {
    const { code, out, errors } = await run(args, input);
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${errors}`);
    return out;
  };
  return {
    folder,
    run: (...args) => run(args),
    said: (...args) => said(args),
    apply: async (objects) => void (await said(["apply", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }))),
    follow(...args) {
      const child = spawn(binary("kubectl"), [...args], { ...options, stdio: ["ignore", "pipe", "pipe"] });
      const stop = () => void child.kill();
      running.add(stop);
      let all = "";
      let ended: string | undefined;
      let look = () => {};
      const hear = (chunk: Buffer) => {
        all += chunk.toString();
        look();
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.once("close", (code) => {
        running.delete(stop);
        ended = `kubectl ${args.join(" ")} ended with ${code} and wrote:\n${all}`;
        look();
      });
      const heard = (wanted: RegExp) =>
        new Promise<RegExpExecArray>((resolve, reject) => {
          look = () => {
            const found = wanted.exec(all);
            if (found !== null) resolve(found);
            else if (ended !== undefined) reject(new Error(ended));
          };
          look();
        });
      return { heard, stop };
    },
    async [Symbol.asyncDispose]() {
      for (const stop of running) stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
