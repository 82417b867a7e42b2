import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { locate, type Material, type Transport, transportTo } from "pintle/client";
import { startControlPlane } from "../../conformance/real/index.ts";
import { child } from "./child.ts";
import type { Target } from "./generator.ts";
import { cpuSeconds, processesOf, rssMb } from "./processes.ts";

export type ContestantName = "pintle" | "kube-apiserver";

/** An API server alone, without controllers, over TLS. */
export interface Contestant {
  readonly name: ContestantName;
  readonly target: Target;
  /** Its path. */
  readonly kubeconfig: string;
  /** For what has to be set up; nothing is measured through it. */
  readonly transport: Transport;
  /** Of all its processes, since they began. */
  cpuSeconds(): number;
  rssMb(): number;
  stop(): Promise<void>;
}

/** Ours, as it is built, in a process of its own, with more flags for Node. */
export async function embedded(flags: readonly string[] = []): Promise<Contestant> {
  const folder = await mkdtemp(join(tmpdir(), "pintle-bench-"));
  const kubeconfig = join(folder, "kubeconfig");
  const server = child("embedded.mjs", [kubeconfig], flags);
  await server.message();
  return contestant("pintle", kubeconfig, [server.pid], async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
}

/** kube-apiserver and etcd, which does not wait for the disk. Ours has no tokens to give to pods either when it is alone. */
export async function real(): Promise<Contestant> {
  const plane = await startControlPlane({ disableAdmissionPlugins: ["ServiceAccount"] });
  const pids = processesOf(plane.dir, ["kube-apiserver", "etcd"]);
  return contestant("kube-apiserver", plane.kubeconfig, pids, () => plane.stop());
}

async function contestant(
  name: ContestantName,
  kubeconfig: string,
  pids: readonly number[],
  stop: () => Promise<void>,
): Promise<Contestant> {
  const access = await locate({ kubeconfig });
  const transport = await transportTo(access);
  return {
    name,
    transport,
    kubeconfig,
    target: { server: access.server, authority: pem(access.ca), certificate: pem(access.user?.cert), key: pem(access.user?.key) },
    cpuSeconds: () => cpuSeconds(pids),
    rssMb: () => rssMb(pids),
    async stop() {
      await transport.close();
      await stop();
    },
  };
}

function pem(material: Material | undefined): string {
  return material?.data ?? readFileSync(material?.file ?? "", "utf8");
}
