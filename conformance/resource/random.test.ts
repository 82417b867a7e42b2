import { defineResource, InvalidResource } from "pintle/internal/resource";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { random, randomShape } from "./random-shape.ts";
import { isRealServerBuilt, type RealServer, startRealServer } from "./real-server.ts";

const minute = 60_000;
const COUNT = 400;
const SEED = 20260101;

/** A CEL rule that exceeds the cost limit is reported when CRDs are generated, not when they are defined. */
const COST = /^(?!.*(Invalid value|Required value)).*exceed(s|ing) (budget|cost limit)/s;

describe.skipIf(!isRealServerBuilt())("random shapes", { timeout: 3 * minute }, () => {
  let server: RealServer;
  beforeAll(async () => {
    server = await startRealServer();
  }, 3 * minute);
  afterAll(() => server?.stop());

  it("are rejected by defineResource or accepted by a real kube-apiserver", async () => {
    const next = random(SEED);
    const refused: string[] = [];
    let taken = 0;
    for (let i = 0; i < COUNT; i++) {
      const spec = randomShape(next);
      const resource = tryDefine(`Random${i}`, spec);
      if (resource === undefined) continue;
      const { status, body } = await server.send(
        "POST",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All",
        resource.crd(),
      );
      if (status === 201 || COST.test(String(body["message"]))) taken++;
      else refused.push(String(body["message"]));
    }
    expect(refused).toEqual([]);
    expect(taken).toBeGreaterThan(COUNT / 4);
  });
});

function tryDefine(kind: string, spec: ReturnType<typeof randomShape>) {
  try {
    return defineResource({ group: "random.example.com", version: "v1", kind, spec, conditions: ["Ready"] });
  } catch (error) {
    if (error instanceof InvalidResource) return undefined;
    throw error;
  }
}
