import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkShape } from "./check-shape.ts";
import { isRealServerBuilt, type RealServer, startRealServer } from "./real-server.ts";
import { resourceOf } from "./shape.ts";
import { shapes } from "./shapes.ts";

const table = shapes.map((shape, i) => ({ ...shape, number: i }));
const minute = 60_000;

describe.skipIf(!isRealServerBuilt())("a real kube-apiserver", { timeout: minute }, () => {
  let server: RealServer;
  let installed: readonly PromiseSettledResult<void>[];
  beforeAll(async () => {
    server = await startRealServer();
    // A server takes seconds to serve a new resource, but many at once.
    installed = await Promise.allSettled(table.map((shape) => server.install(resourceOf(shape, shape.number))));
  }, 3 * minute);
  afterAll(() => server?.stop());

  it.each(table)("$name", async (shape) => {
    expect(installed[shape.number]).toEqual({ status: "fulfilled", value: undefined });
    await checkShape(server, shape, shape.number);
  });
});
