import { ContainerConfigError } from "../environment/config-sources.ts";
import type { IsolationDriver } from "./isolation-driver.ts";

/** Creates a driver for a machine that cannot run pods: every container fails with the reason. */
export function createUnsupportedDriver(reason: string): IsolationDriver {
  const refuse = () => {
    throw new ContainerConfigError(reason);
  };
  return {
    mode: "loopback",
    hostAddress: "127.0.0.1",
    createSandbox: async (_, address) => ({ address, buildSpawn: async () => refuse(), buildExec: refuse, async close() {} }),
    async assignAddress() {},
    async unassignAddress() {},
    async close() {},
  };
}
