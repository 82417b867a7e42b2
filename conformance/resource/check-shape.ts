import { expect } from "vitest";
import { isOlderKubernetes } from "../real/versions.ts";
import { type RejectedSpec, resourceOf, type Shape } from "./shape.ts";
import { fieldsOf, type ServerResponse, type TestServer } from "./test-server.ts";

/** Checks that the valid object is stored as expected, and that the invalid ones are rejected with their field. */
export async function checkShape(server: TestServer, shape: Shape, number: number): Promise<void> {
  const resource = resourceOf(shape, number);
  const created = await server.create(resource, "good", shape.good);
  expect(created.body["message"]).toBeUndefined();
  expect(created.body["spec"]).toEqual(shape.stored ?? shape.good);
  for (const [i, bad] of shape.bad.entries()) {
    if (bad.since !== undefined && isOlderKubernetes(bad.since)) continue;
    const answer = bad.from ? await updateObject(server, resource, `bad-${i}`, bad) : await server.create(resource, `bad-${i}`, bad.spec);
    expect(answer, JSON.stringify(bad)).toMatchObject({ status: 422, body: { reason: "Invalid" } });
    const message = String(answer.body["message"]);
    const fields = fieldsOf(answer);
    // Some validations name their field only in the message.
    const names =
      fields.includes(bad.field) || (fields.includes("<nil>") && new RegExp(`\\b${bad.field.replace(/[[\]]/g, "\\$&")}`).test(message));
    expect(names, `${bad.field} in ${message}`).toBe(true);
    if (bad.message !== undefined) expect(message).toContain(bad.message);
  }
}

async function updateObject(
  server: TestServer,
  resource: Parameters<TestServer["create"]>[0],
  name: string,
  { from, spec }: RejectedSpec,
): Promise<ServerResponse> {
  const { body } = await server.create(resource, name, from);
  expect(body["message"]).toBeUndefined();
  return server.update(resource, body, spec);
}
