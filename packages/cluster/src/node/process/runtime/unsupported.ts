import { ConfigProblem } from "../environment/problem.ts";
import type { Driver } from "./driver.ts";

/** A machine that cannot run pods: every container is told why. */
export function unsupportedDriver(why: string): Driver {
  const refuse = () => {
    throw new ConfigProblem(why);
  };
  return {
    mode: "loopback",
    hostAddress: "127.0.0.1",
    sandbox: async (_, address) => ({ address, launch: async () => refuse(), join: refuse, async close() {} }),
    async hold() {},
    async release() {},
    async close() {},
  };
}
