import type { Pod } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { ContainerConfigError } from "../environment/config-sources.ts";
import { createUnsupportedDriver } from "./unsupported-driver.ts";

test("fails every container with the reason on an unsupported machine", async () => {
  const why = "process nodes run on Linux only; this is darwin: use simulated nodes here";
  const sandbox = await createUnsupportedDriver(why).createSandbox({} as Pod, "127.64.0.2");
  const launch = { argv: ["sh"], env: {}, mounts: [], folder: "/nowhere", files: "/nowhere/files" };
  await expect(sandbox.buildSpawn(launch)).rejects.toThrow(new ContainerConfigError(why));
});
