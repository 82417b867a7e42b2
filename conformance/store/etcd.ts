import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { certificateAuthority } from "../real/certificates/certificates.ts";
import { binary, type Program } from "../real/index.ts";
import { freePorts } from "../real/programs/ports.ts";
import { startSupervisor } from "../real/programs/supervisor.ts";

export interface Etcd extends AsyncDisposable {
  readonly endpoint: string;
  /** Client credentials, if etcd requires certificates. */
  readonly credentials: { readonly ca: string; readonly cert: string; readonly key: string } | undefined;
  /** Their file paths, by the names of etcdctl's flags. */
  readonly files: { readonly cacert: string; readonly cert: string; readonly key: string };
  etcdctl(...words: readonly string[]): string;
  put(key: string, value: string): void;
  /** Several puts in one transaction. */
  putAll(values: Readonly<Record<string, string>>): void;
  keys(prefix: string): readonly string[];
  kill(): Promise<void>;
  /** Restarts it on the same port and with the same data. */
  start(): Promise<void>;
}

let program: Program = "etcd";

/** Selects the etcd version that is started from now on. */
export function useEtcd(line: "etcd" | "etcd-3.5"): void {
  program = line;
}

/** Starts a real etcd on loopback, which ends with the test. */
export async function startEtcd({ tls = false } = {}): Promise<Etcd> {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-etcd-"));
  const [port, peer] = await freePorts(2);
  const endpoint = `${tls ? "https" : "http"}://127.0.0.1:${port}`;
  const programs = startSupervisor(folder);
  const files = { cacert: path.join(folder, "ca.crt"), cert: path.join(folder, "client.crt"), key: path.join(folder, "client.key") };
  const served = { cert: path.join(folder, "server.crt"), key: path.join(folder, "server.key") };
  const authority = certificateAuthority("etcd");
  const client = authority.client({ commonName: "pintle" });
  const server = authority.server({ commonName: "etcd" }, ["127.0.0.1"]);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of [
    [files.cacert, authority.certificate],
    [files.cert, client.certificate],
    [files.key, client.key],
    [served.cert, server.certificate],
    [served.key, server.key],
  ] as const) {
    writeFileSync(file, text, { mode: 0o600 });
  }
  const flags = tls ? ["--cacert", files.cacert, "--cert", files.cert, "--key", files.key] : [];
  const run = (words: readonly string[], input: string) =>
    execFileSync(binary("etcdctl"), ["--endpoints", endpoint, ...flags, ...words], { maxBuffer: 1 << 28, stdio: "pipe", input }).toString();
  const etcdctl = (...words: readonly string[]) => run(words, "");
  const start = async () => {
    programs.start({
      name: "etcd",
      command: binary(program),
      args: [
        `--data-dir=${path.join(folder, "data")}`,
        `--listen-client-urls=${endpoint}`,
        `--advertise-client-urls=${endpoint}`,
        `--listen-peer-urls=http://127.0.0.1:${peer}`,
        `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
        `--initial-cluster=default=http://127.0.0.1:${peer}`,
        "--unsafe-no-fsync",
        ...(tls
          ? ["--client-cert-auth", `--trusted-ca-file=${files.cacert}`, `--cert-file=${served.cert}`, `--key-file=${served.key}`]
          : []),
      ],
    });
    for (;;) {
      programs.lost.throwIfAborted();
      try {
        etcdctl("endpoint", "health");
        return;
      } catch {
        await delay(50);
      }
    }
  };
  await start();
  return {
    endpoint,
    credentials: tls ? { ca: authority.certificate, cert: client.certificate, key: client.key } : undefined,
    files,
    etcdctl,
    put: (key, value) => void run(["put", key], value),
    putAll(values) {
      const puts = Object.entries(values).map(([key, value]) => `put ${key} '${value}'`);
      run(["txn"], ["", ...puts, "", "", ""].join("\n"));
    },
    keys: (prefix) => etcdctl("get", prefix, "--prefix", "--keys-only").split("\n").filter(Boolean),
    kill: () => programs.kill("etcd"),
    start,
    [Symbol.asyncDispose]: () => programs.stop(),
  };
}
