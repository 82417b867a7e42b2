import { expect, test } from "vitest";
import * as z from "zod";
import { defineResource } from "../resource/index.ts";
import { converted, families } from "./conversion.ts";

const Thing = defineResource({ group: "example.com", version: "v2", kind: "Thing", spec: z.object({ n: z.int() }) }).older({
  version: "v1",
  spec: z.object({ m: z.string() }),
  toHub({ spec }) {
    if (spec.m === "boom") throw new Error("no number");
    return { spec: { n: Number(spec.m) } };
  },
  fromHub: ({ spec }) => ({ spec: { m: String(spec.n) } }),
});
const known = families([Thing]);
const old = (m: string) => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "a", namespace: "d", uid: "x" },
  spec: { m },
  extra: [1],
});
const ask = (request: unknown, apiVersion = "apiextensions.k8s.io/v1", kind = "ConversionReview") => {
  const { body, ...rest } = converted(known, Buffer.from(JSON.stringify({ apiVersion, kind, request })));
  return { ...JSON.parse(body), ...rest };
};

test("all objects in the version asked for, in order, with everything that conversion does not touch", () => {
  const { apiVersion, kind, response, code } = ask({ uid: "u", desiredAPIVersion: "example.com/v2", objects: [old("1"), old("2")] });
  expect({ apiVersion, kind, code }).toEqual({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", code: 200 });
  const { spec: _, ...rest } = old("");
  expect(response).toEqual({
    uid: "u",
    result: { status: "Success" },
    convertedObjects: [1, 2].map((n) => ({ ...rest, apiVersion: "example.com/v2", spec: { n } })),
  });
});

test.each<[string, unknown, number, string]>([
  [
    "a conversion that throws",
    { uid: "u", desiredAPIVersion: "example.com/v2", objects: [old("1"), old("boom")] },
    500,
    "Thing d/a cannot be converted from example.com/v1 to example.com/v2: no number",
  ],
  [
    "an unknown version",
    { uid: "u", desiredAPIVersion: "example.com/v9", objects: [old("1")] },
    500,
    "there is no version v9; known are v2, v1",
  ],
  [
    "another group",
    { uid: "u", desiredAPIVersion: "other.com/v2", objects: [old("1")] },
    400,
    "Thing of example.com/v1 cannot be converted to other.com/v2 here",
  ],
  [
    "another kind",
    { uid: "u", desiredAPIVersion: "example.com/v2", objects: [{ ...old("1"), kind: "Other" }] },
    400,
    "Other of example.com/v1 cannot be converted",
  ],
  ["no version", { uid: "u", objects: [] }, 400, "does not say a desiredAPIVersion"],
  ["no objects", { uid: "u", desiredAPIVersion: "example.com/v2", objects: {} }, 400, "has no list of objects"],
  ["objects that are none", { uid: "u", desiredAPIVersion: "example.com/v2", objects: [null] }, 400, "has no list of objects"],
])("%s: nothing is converted, and why", (_, request, code, message) => {
  const got = ask(request);
  expect(got.code).toBe(code);
  expect(got.response).toMatchObject({ uid: "u", convertedObjects: [], result: { status: "Failure" } });
  expect(got.response.result.message).toContain(message);
  expect("bug" in got).toBe(code === 500);
});

test("keys that would change what objects are, stay keys", () => {
  const evil = JSON.parse(
    '{"uid":"u","desiredAPIVersion":"example.com/v2","objects":[{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"m":"3","__proto__":{"polluted":1}}}]}',
  );
  expect(ask(evil).response.convertedObjects[0].spec).toEqual({ n: 3 });
  expect(Object.prototype).not.toHaveProperty("polluted");
});
