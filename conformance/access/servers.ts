import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClusterOptions, startCluster } from "@pintle/cluster";
import { type ControlPlaneOptions, startControlPlane } from "../real/index.ts";
import { type Server, serverAt } from "./server.ts";

/** Users that both servers know by a token. */
export type Users = Readonly<Record<string, { readonly name: string; readonly uid?: string; readonly groups: readonly string[] }>>;

/** A real kube-apiserver. */
export async function realServer(users: Users = {}, options: ControlPlaneOptions = {}): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), "pintle-access-"));
  const file = join(folder, "tokens.csv");
  const lines = Object.entries(users).map(([token, { name, uid = "", groups }]) => `${token},"${name}","${uid}","${groups.join(",")}"\n`);
  await writeFile(file, lines.join(""));
  // An empty file is refused.
  const serverFlags = lines.length === 0 ? [] : [`--token-auth-file=${file}`];
  const plane = await startControlPlane({ ...options, serverFlags });
  return serverAt(plane.kubeconfig, async () => {
    await plane.stop();
    await rm(folder, { recursive: true });
  });
}

/** The embedded one, over HTTPS like the real one. */
export async function embeddedServer(users: Users = {}, options: ClusterOptions = {}): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), "pintle-access-"));
  const cluster = await startCluster({ without: true, ...options, http: true, tokens: users });
  const file = join(folder, "kubeconfig");
  await cluster.writeKubeconfig(file);
  return serverAt(file, async () => {
    await cluster.stop();
    await rm(folder, { recursive: true });
  });
}
