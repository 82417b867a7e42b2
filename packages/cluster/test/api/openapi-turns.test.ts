import { expect, test } from "vitest";
import { encodeGnosticDocument } from "../../src/api/routes/openapi/gnostic-document.ts";
import { listOpenApiPaths } from "../../src/builtin/index.ts";
import { createOpenApiPublisher } from "../../src/openapi/index.ts";

/** Counts the iterations of the event loop until the work is done. */
async function countIterations<T>(work: Promise<T>): Promise<{ readonly result: T; readonly iterations: number }> {
  let isDone = false;
  let iterations = 0;
  const count = () => {
    iterations++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const result = await work;
  isDone = true;
  return { result, iterations };
}

test("the OpenAPI v2 document is built and encoded in turns, once", async () => {
  const publisher = createOpenApiPublisher(() => [], "v1.36.3");
  const [first, second] = [publisher.swagger(), publisher.swagger()];
  const documents = (await listOpenApiPaths()).length;
  const { result, iterations } = await countIterations(first);
  expect(documents).toBeGreaterThan(30);
  expect(iterations).toBeGreaterThan(documents);
  expect(await second).toBe(result);

  let turns = 0;
  const wait = async () => {
    turns++;
  };
  const bytes = await encodeGnosticDocument(result, { isDivided: true, wait });
  expect(bytes.length).toBeGreaterThan(500_000);
  // A slice takes some milliseconds; without turns there would be none.
  expect(turns).toBeGreaterThan(0);
});
