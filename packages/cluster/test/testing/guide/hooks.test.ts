import { Namespace } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { useCluster } from "../../../src/vitest/index.ts";

const used = useCluster();

test("the API server lists namespaces", async () => {
  expect((await used.client.list(Namespace)).items.length).toBeGreaterThan(0);
});
