/**
 * The samples' own tests, unchanged, on a real kube-apiserver with kube-controller-manager, kube-scheduler and a simulated
 * node. Only their `@pintle/cluster` is mocked. All samples with `--full`, else one of them.
 */
import { afterAll, vi } from "vitest";
import { Application } from "../../examples/application/src/application.ts";
import { ImoocPod } from "../../examples/imoocpod/src/imoocpod.ts";
import { Memcached } from "../../examples/memcached/src/memcached.ts";
import { full, seed } from "../sampling.ts";
import { declareKinds, stopCluster } from "./real-cluster.ts";

vi.mock("@pintle/cluster", () => import("./real-cluster.ts"));

const SAMPLES = [
  () => import("../../examples/application/test/application.test.ts"),
  () => import("../../examples/imoocpod/test/imoocpod.test.ts"),
  async () => {
    await import("../../examples/memcached/test/memcached.test.ts");
    await import("../../examples/memcached/test/versions.test.ts");
  },
];

declareKinds([Application, ImoocPod, Memcached]);
afterAll(stopCluster);
for (const tests of full ? SAMPLES : SAMPLES.slice(seed % SAMPLES.length).slice(0, 1)) await tests();
