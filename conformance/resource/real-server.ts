import { locate, transportTo } from "pintle/client";
import { binaries, type ControlPlane, startControlPlane } from "../real/index.ts";
import { type Trial, trial } from "./trial.ts";

const missing = binaries().missing.filter((program) => program === "etcd" || program === "kube-apiserver");

/** Whether there is a real server to try things on; says so loudly when there is none. */
export function isRealServerBuilt(): boolean {
  if (missing.length > 0) console.warn(`\n!!! SKIPPED: no ${missing.join(", ")} in ${binaries().folder}. Run: npm run real:build\n`);
  return missing.length === 0;
}

export interface RealServer extends Trial {
  readonly plane: ControlPlane;
  stop(): Promise<void>;
}

export async function realServer(): Promise<RealServer> {
  const plane = await startControlPlane();
  const transport = await transportTo(await locate({ kubeconfig: plane.kubeconfig }));
  const stop = async () => {
    await transport.close();
    await plane.stop();
  };
  return { ...trial(transport), plane, stop };
}
