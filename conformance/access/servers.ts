import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClusterOptions, startCluster } from "@pintle/cluster";
import { type ControlPlaneOptions, startControlPlane } from "../real/index.ts";
import { type AccessServer, connectServer } from "./server.ts";

/** Users by static token, configured on both servers. */
export type Users = Readonly<Record<string, { readonly name: string; readonly uid?: string; readonly groups: readonly string[] }>>;

/** Starts a real kube-apiserver. */
export async function startRealServer(users: Users = {}, options: ControlPlaneOptions = {}): Promise<AccessServer> {
  const folder = await mkdtemp(join(tmpdir(), "pintle-access-"));
  const file = join(folder, "tokens.csv");
  const lines = Object.entries(users).map(([token, { name, uid = "", groups }]) => `${token},"${name}","${uid}","${groups.join(",")}"\n`);
  await writeFile(file, lines.join(""));
  // kube-apiserver refuses an empty token file.
  const serverFlags = lines.length === 0 ? [] : [`--token-auth-file=${file}`];
  const plane = await startControlPlane({ ...options, serverFlags });
  return connectServer(plane.kubeconfig, async () => {
    await plane.stop();
    await rm(folder, { recursive: true });
  });
}

/** Starts the embedded API server with an HTTPS listener. */
export async function startEmbeddedServer(users: Users = {}, options: ClusterOptions = {}): Promise<AccessServer> {
  const folder = await mkdtemp(join(tmpdir(), "pintle-access-"));
  const cluster = await startCluster({ without: true, ...options, http: true, tokens: users });
  const file = join(folder, "kubeconfig");
  await cluster.writeKubeconfig(file);
  return connectServer(file, async () => {
    await cluster.stop();
    await rm(folder, { recursive: true });
  });
}
