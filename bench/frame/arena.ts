import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Client, connect } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Namespace } from "pintle/kinds/core/v1";
import { type ControlPlane, startControlPlane } from "../../conformance/real/index.ts";
import { freePorts } from "../../conformance/real/ports.ts";
import { NAMESPACE, storeDefinition } from "../peers/pepr/store.ts";
import { Memcached } from "../peers/pintle/memcached.ts";
import { workerDefinition } from "../peers/pintle/worker.ts";
import { type Measured, measured } from "./measured.ts";
import type { Options } from "./outcome.ts";
import { buildRealServer } from "./real-server.ts";
import { type Side, type Sides, sides } from "./sides.ts";

/** One real kube-apiserver and etcd, and everybody who takes part against it. */
export interface Arena extends Omit<Sides, "folder"> {
  readonly plane: ControlPlane;
  readonly client: Client;
  operator(side: Side, kubeconfig?: string): Promise<Measured>;
  /** Undefined when the side has no such cache. */
  cache(side: Side, of: "pods" | "workers", metadataOnly: boolean, kubeconfig?: string): Measured | undefined;
}

/** Runs `work` in an arena of its own and clears it away. */
export async function arena<T>(options: Options, work: (arena: Arena) => Promise<T>): Promise<T> {
  buildRealServer();
  const { folder, ...taking } = await sides(options.sides);
  const logs = mkdtempSync(path.join(tmpdir(), "pintle-bench-logs-"));
  const plane = await startControlPlane({ disableAdmissionPlugins: ["ServiceAccount"] });
  const client = await connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} });
  const start = ([command = "", ...args]: readonly string[], side: Side, kubeconfig: string) =>
    measured(command, args, { KUBECONFIG: kubeconfig }, path.join(logs, `${side.name}.log`));
  try {
    await client.create(Namespace, { metadata: { name: NAMESPACE } });
    for (const definition of [Memcached.crd(), workerDefinition, storeDefinition]) await install(client, definition);
    return await work({
      ...taking,
      plane,
      client,
      operator: async (side, kubeconfig = plane.kubeconfig) => start(side.operator(await freePorts(2)), side, kubeconfig),
      cache(side, of, metadataOnly, kubeconfig = plane.kubeconfig) {
        const command = side.cache(of, metadataOnly);
        return command && start(command, side, kubeconfig);
      },
    });
  } finally {
    await client.close();
    await plane.stop();
    for (const each of [folder, logs]) rmSync(each, { recursive: true, force: true });
  }
}

/** Creates a definition and waits until its kind is served. */
export async function install(client: Client, definition: { readonly metadata: { readonly name: string } }): Promise<void> {
  const { metadata } = await client.create(CustomResourceDefinition, definition as never);
  const isServed = (crd: CustomResourceDefinition) =>
    crd.status?.conditions?.some((each) => each.type === "Established" && each.status === "True") ?? false;
  await client.wait(CustomResourceDefinition, metadata, isServed, { timeout: 60_000 });
}
