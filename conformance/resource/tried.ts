import { expect } from "vitest";
import { type Bad, resourceOf, type Shape } from "./shape.ts";
import { type Answer, fieldsOf, type Trial } from "./trial.ts";

/** The good object is stored as it should be, the bad ones are refused by their field. */
export async function tried(server: Trial, shape: Shape, number: number): Promise<void> {
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

async function updated(server: Trial, resource: Parameters<Trial["create"]>[0], name: string, { from, spec }: Bad): Promise<Answer> {
  const { body } = await server.create(resource, name, from);
  expect(body["message"]).toBeUndefined();
  return server.update(resource, body, spec);
}
