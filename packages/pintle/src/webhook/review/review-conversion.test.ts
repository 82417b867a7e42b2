import { expect, test } from "vitest";
import * as z from "zod";
import { defineResource } from "../../resource/index.ts";
import { resourcesByGroupKind, reviewConversion } from "./review-conversion.ts";

const Thing = defineResource({ group: "example.com", version: "v2", kind: "Thing", spec: z.object({ n: z.int() }) }).older({
  version: "v1",
  spec: z.object({ m: z.string() }),
  toHub({ spec }) {
    if (spec.m === "boom") throw new Error("no number");
    return { spec: { n: Number(spec.m) } };
  },
  fromHub: ({ spec }) => ({ spec: { m: String(spec.n) } }),
});
const known = resourcesByGroupKind([Thing]);
const oldObject = (m: string) => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "a", namespace: "d", uid: "x" },
  spec: { m },
  extra: [1],
});
const review = (request: unknown, apiVersion = "apiextensions.k8s.io/v1", kind = "ConversionReview") => {
  const { body, ...rest } = reviewConversion(known, Buffer.from(JSON.stringify({ apiVersion, kind, request })));
  return { ...JSON.parse(body), ...rest };
};

test("reviewConversion returns all objects in the requested version, in order, with other fields unchanged", () => {
  const { apiVersion, kind, response, code } = review({
    uid: "u",
    desiredAPIVersion: "example.com/v2",
    objects: [oldObject("1"), oldObject("2")],
  });
  expect({ apiVersion, kind, code }).toEqual({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", code: 200 });
  const { spec: _, ...rest } = oldObject("");
  expect(response).toEqual({
    uid: "u",
    result: { status: "Success" },
    convertedObjects: [1, 2].map((n) => ({ ...rest, apiVersion: "example.com/v2", spec: { n } })),
  });
});

test.each<[string, unknown, number, string]>([
  [
    "a conversion that throws",
    { uid: "u", desiredAPIVersion: "example.com/v2", objects: [oldObject("1"), oldObject("boom")] },
    500,
    "Thing d/a cannot be converted from example.com/v1 to example.com/v2: no number",
  ],
  [
    "an unknown version",
    { uid: "u", desiredAPIVersion: "example.com/v9", objects: [oldObject("1")] },
    500,
    "there is no version v9; known are v2, v1",
  ],
  [
    "another group",
    { uid: "u", desiredAPIVersion: "other.com/v2", objects: [oldObject("1")] },
    400,
    "Thing of example.com/v1 cannot be converted to other.com/v2 here",
  ],
  [
    "another kind",
    { uid: "u", desiredAPIVersion: "example.com/v2", objects: [{ ...oldObject("1"), kind: "Other" }] },
    400,
    "Other of example.com/v1 cannot be converted",
  ],
  ["no version", { uid: "u", objects: [] }, 400, "has no desiredAPIVersion"],
  ["no objects", { uid: "u", desiredAPIVersion: "example.com/v2", objects: {} }, 400, "has no list of objects"],
  ["objects that are not objects", { uid: "u", desiredAPIVersion: "example.com/v2", objects: [null] }, 400, "has no list of objects"],
])("reviewConversion fails without converted objects: %s", (_, request, code, message) => {
  const got = review(request);
  expect(got.code).toBe(code);
  expect(got.response).toMatchObject({ uid: "u", convertedObjects: [], result: { status: "Failure" } });
  expect(got.response.result.message).toContain(message);
  expect("thrown" in got).toBe(code === 500);
});

test("reviewConversion treats __proto__ as an ordinary key", () => {
  const evil = JSON.parse(
    '{"uid":"u","desiredAPIVersion":"example.com/v2","objects":[{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"m":"3","__proto__":{"polluted":1}}}]}',
  );
  expect(review(evil).response.convertedObjects[0].spec).toEqual({ n: 3 });
  expect(Object.prototype).not.toHaveProperty("polluted");
});
