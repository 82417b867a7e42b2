import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport, loadClusterAccess, type PemSource, type Transport } from "pintle/client";
import { startControlPlane } from "../../conformance/real/index.ts";
import type { LoadTarget } from "../harness/load/load-generator.ts";
import { startChild } from "../harness/process/child-program.ts";
import { findProcesses, readCpuSeconds, readRssMb } from "../harness/process/proc.ts";

export type ApiServerName = "pintle" | "kube-apiserver";

/** An API server without controllers, reachable over TLS. */
export interface ApiServer {
  readonly name: ApiServerName;
  readonly target: LoadTarget;
  /** The path of its kubeconfig. */
  readonly kubeconfig: string;
  /** For setup and cleanup. Requests that are measured come from the load generator. */
  readonly transport: Transport;
  /** CPU seconds of all its processes since their start. */
  cpuSeconds(): number;
  rssMb(): number;
  stop(): Promise<void>;
}

/** Starts the embedded API server, as it is published, in a child process with `flags` for Node. */
export async function startEmbeddedServer(flags: readonly string[] = []): Promise<ApiServer> {
  const folder = await mkdtemp(join(tmpdir(), "pintle-bench-"));
  const kubeconfig = join(folder, "kubeconfig");
  const server = startChild(new URL("embedded.mjs", import.meta.url), [kubeconfig], flags);
  await server.receive();
  return connectServer("pintle", kubeconfig, [server.pid], async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
}

/** Starts kube-apiserver and etcd without fsync. The ServiceAccount plugin is off, because the embedded server has no tokens without controllers. */
export async function startRealServer(): Promise<ApiServer> {
  const plane = await startControlPlane({ disableAdmissionPlugins: ["ServiceAccount"] });
  const pids = findProcesses(plane.dir, ["kube-apiserver", "etcd"]);
  return connectServer("kube-apiserver", plane.kubeconfig, pids, () => plane.stop());
}

async function connectServer(
  name: ApiServerName,
  kubeconfig: string,
  pids: readonly number[],
  stop: () => Promise<void>,
): Promise<ApiServer> {
  const access = await loadClusterAccess({ kubeconfig });
  const transport = await createTransport(access);
  return {
    name,
    transport,
    kubeconfig,
    target: {
      server: access.server,
      authority: readPem(access.ca),
      certificate: readPem(access.user?.clientCertificate),
      key: readPem(access.user?.clientKey),
    },
    cpuSeconds: () => readCpuSeconds(pids),
    rssMb: () => readRssMb(pids),
    async stop() {
      await transport.close();
      await stop();
    },
  };
}

function readPem(source: PemSource | undefined): string {
  return source?.data ?? readFileSync(source?.file ?? "", "utf8");
}
