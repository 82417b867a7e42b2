import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Client, connect } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Namespace } from "pintle/kinds/core/v1";
import { type ControlPlane, startControlPlane } from "../../../conformance/real/index.ts";
import { freePorts } from "../../../conformance/real/programs/ports.ts";
import { NAMESPACE, storeDefinition } from "../../peers/pepr/store.ts";
import { Memcached } from "../../peers/pintle/memcached.ts";
import { workerDefinition } from "../../peers/pintle/worker.ts";
import type { BenchmarkOptions } from "../benchmark.ts";
import { type MeasuredProcess, startMeasured } from "../process/measured-process.ts";
import { type Framework, type FrameworkSet, prepareFrameworks } from "./frameworks.ts";
import { buildRealServer } from "./real-server.ts";

/** A real kube-apiserver with etcd, and the frameworks that are measured against it. */
export interface TestBed extends Omit<FrameworkSet, "folder"> {
  readonly plane: ControlPlane;
  readonly client: Client;
  startOperator(framework: Framework, kubeconfig?: string): Promise<MeasuredProcess>;
  /** Returns undefined if the framework has no such cache. */
  startCache(framework: Framework, kind: "pods" | "workers", metadataOnly: boolean, kubeconfig?: string): MeasuredProcess | undefined;
}

/** Starts a test bed, calls `run` with it and stops it. */
export async function withTestBed<T>(options: BenchmarkOptions, run: (testBed: TestBed) => Promise<T>): Promise<T> {
  buildRealServer();
  const { folder, ...frameworks } = await prepareFrameworks(options.sides);
  const logs = mkdtempSync(path.join(tmpdir(), "pintle-bench-logs-"));
  const plane = await startControlPlane({ disableAdmissionPlugins: ["ServiceAccount"] });
  const client = await connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} });
  const start = ([command = "", ...args]: readonly string[], framework: Framework, kubeconfig: string) =>
    startMeasured(command, args, { KUBECONFIG: kubeconfig }, path.join(logs, `${framework.name}.log`));
  try {
    await client.create(Namespace, { metadata: { name: NAMESPACE } });
    for (const crd of [Memcached.crd(), workerDefinition, storeDefinition]) await installCrd(client, crd);
    return await run({
      ...frameworks,
      plane,
      client,
      startOperator: async (framework, kubeconfig = plane.kubeconfig) =>
        start(framework.operatorCommand(await freePorts(2)), framework, kubeconfig),
      startCache(framework, kind, metadataOnly, kubeconfig = plane.kubeconfig) {
        const command = framework.cacheCommand(kind, metadataOnly);
        return command && start(command, framework, kubeconfig);
      },
    });
  } finally {
    await client.close();
    await plane.stop();
    for (const each of [folder, logs]) rmSync(each, { recursive: true, force: true });
  }
}

/** Creates a CRD and waits until it is Established. */
export async function installCrd(client: Client, crd: { readonly metadata: { readonly name: string } }): Promise<void> {
  const { metadata } = await client.create(CustomResourceDefinition, crd as never);
  const isEstablished = ({ status }: CustomResourceDefinition) =>
    status?.conditions?.some((condition) => condition.type === "Established" && condition.status === "True") ?? false;
  await client.waitFor(CustomResourceDefinition, metadata, isEstablished, { timeout: 60_000 });
}
