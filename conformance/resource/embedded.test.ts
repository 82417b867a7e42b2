import { type Cluster, startCluster } from "@pintle/cluster";
import { afterAll, beforeAll, describe, it } from "vitest";
import { checkShape } from "./check-shape.ts";
import { resourceOf } from "./shape.ts";
import { shapes } from "./shapes.ts";
import { createTestServer, type TestServer } from "./test-server.ts";

describe("the embedded cluster", () => {
  let cluster: Cluster;
  let server: TestServer;
  beforeAll(async () => {
    cluster = await startCluster({ without: true });
    server = createTestServer(cluster.transport);
  });
  afterAll(() => cluster?.stop());

  it.each(shapes.map((shape, i) => ({ ...shape, number: i })))("$name", async (shape) => {
    await server.install(resourceOf(shape, shape.number));
    await checkShape(server, shape, shape.number);
  });
});
