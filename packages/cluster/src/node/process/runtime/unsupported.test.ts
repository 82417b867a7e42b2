import type { Pod } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { ConfigProblem } from "../environment/problem.ts";
import { unsupportedDriver } from "./unsupported.ts";

test("where pods cannot run, every container is told why", async () => {
  const why = "process nodes run on Linux only; this is darwin: use simulated nodes here";
  const sandbox = await unsupportedDriver(why).sandbox({} as Pod, "127.64.0.2");
  const launch = { argv: ["sh"], env: {}, mounts: [], folder: "/nowhere" };
  await expect(sandbox.launch(launch)).rejects.toThrow(new ConfigProblem(why));
});
