import { type Cluster, startCluster } from "@pintle/cluster";
import { afterAll, beforeAll, describe, it } from "vitest";
import { resourceOf } from "./shape.ts";
import { shapes } from "./shapes.ts";
import { type Trial, trial } from "./trial.ts";
import { tried } from "./tried.ts";

describe("the embedded cluster", () => {
  let cluster: Cluster;
  let server: Trial;
  beforeAll(async () => {
    cluster = await startCluster({ without: true });
    server = trial(cluster.transport);
  });
  afterAll(() => cluster?.stop());

  it.each(shapes.map((shape, i) => ({ ...shape, number: i })))("$name", async (shape) => {
    await server.install(resourceOf(shape, shape.number));
    await tried(server, shape, shape.number);
  });
});
