import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isRealServerBuilt, type RealServer, realServer } from "./real-server.ts";
import { type Bad, resourceOf, type Shape } from "./shape.ts";
import { shapes } from "./shapes.ts";
import { fieldsOf, type Trial } from "./trial.ts";

const table = shapes.map((shape, i) => ({ ...shape, number: i }));
const minute = 60_000;

describe.skipIf(!isRealServerBuilt())("a real kube-apiserver", { timeout: minute }, () => {
  let server: RealServer;
  let installed: readonly PromiseSettledResult<void>[];
  beforeAll(async () => {
    server = await realServer();
    // A server takes seconds to offer a new resource, but many at once.
    installed = await Promise.allSettled(table.map((shape) => server.install(resourceOf(shape, shape.number))));
  }, 3 * minute);
  afterAll(() => server?.stop());

  it.each(table)("$name", async (shape) => {
    expect(installed[shape.number]).toEqual({ status: "fulfilled", value: undefined });
    await tried(server, shape, shape.number);
  });
});

/** The good object is stored as it should be, the bad ones are refused by their field. */
async function tried(server: Trial, shape: Shape, number: number): Promise<void> {
  const resource = resourceOf(shape, number);
  const created = await server.create(resource, "good", shape.good);
  expect(created.body["message"]).toBeUndefined();
  expect(created.body["spec"]).toEqual(shape.stored ?? shape.good);
  for (const [i, bad] of shape.bad.entries()) {
    const answer = bad.from ? await updated(server, resource, `bad-${i}`, bad) : await server.create(resource, `bad-${i}`, bad.spec);
    expect(answer, JSON.stringify(bad)).toMatchObject({ status: 422, body: { reason: "Invalid" } });
    const said = String(answer.body["message"]);
    const fields = fieldsOf(answer);
    // Some checks name their field only in the text.
    const names =
      fields.includes(bad.field) || (fields.includes("<nil>") && new RegExp(`\\b${bad.field.replace(/[[\]]/g, "\\$&")}`).test(said));
    expect(names, `${bad.field} in ${said}`).toBe(true);
    if (bad.message !== undefined) expect(said).toContain(bad.message);
  }
}

async function updated(server: Trial, resource: Parameters<Trial["create"]>[0], name: string, { from, spec }: Bad) {
  const { body } = await server.create(resource, name, from);
  expect(body["message"]).toBeUndefined();
  return server.update(resource, body, spec);
}
