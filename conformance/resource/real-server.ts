import { createTransport, loadClusterAccess } from "pintle/client";
import { binaries, type ControlPlane, startControlPlane } from "../real/index.ts";
import { createTestServer, type TestServer } from "./test-server.ts";

const missing = binaries().missing.filter((program) => program === "etcd" || program === "kube-apiserver");

/** Returns whether the programs of a real server are installed; warns loudly if not. */
export function isRealServerBuilt(): boolean {
  if (missing.length > 0) console.warn(`\n!!! SKIPPED: no ${missing.join(", ")} in ${binaries().folder}. Run: npm run real:build\n`);
  return missing.length === 0;
}

export interface RealServer extends TestServer {
  readonly plane: ControlPlane;
  stop(): Promise<void>;
}

export async function startRealServer(): Promise<RealServer> {
  const plane = await startControlPlane();
  const transport = await createTransport(await loadClusterAccess({ kubeconfig: plane.kubeconfig }));
  const stop = async () => {
    await transport.close();
    await plane.stop();
  };
  return { ...createTestServer(transport), plane, stop };
}
