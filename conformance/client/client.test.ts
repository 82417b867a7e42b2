import { afterAll, beforeAll, describe } from "vitest";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { clientConformance } from "./client.conformance.ts";

/** Runs against the cluster of PINTLE_TEST_KUBECONFIG, or a new control plane. */
describe("the client against a real API server", () => {
  const given = process.env["PINTLE_TEST_KUBECONFIG"];
  let real: ControlPlane | undefined;
  beforeAll(async () => {
    if (given === undefined) real = await startControlPlane({ controllerManager: true });
  });
  afterAll(async () => {
    await real?.stop();
  });
  clientConformance(() => given ?? real!.kubeconfig);
});
