import { describe, expect, test } from "vitest";
import * as z from "zod";
import { Pod } from "../../kinds/generated/core/v1.ts";
import { defineResource } from "../../resource/index.ts";
import { denyAdmission, webhook } from "../index.ts";
import { reviewAdmission } from "./review-admission.ts";

const Thing = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Thing",
  spec: z.object({ n: z.int().default(0), big: z.int().optional() }),
});
const signal = () => new AbortController().signal;
const request = (more: object = {}) => ({
  uid: "u-1",
  kind: { group: "example.com", version: "v1", kind: "Thing" },
  resource: { group: "example.com", version: "v1", resource: "things" },
  operation: "CREATE",
  name: "a",
  namespace: "d",
  userInfo: { username: "ana", groups: ["g"] },
  object: { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a", namespace: "d" }, spec: { n: 1 }, unknown: { x: [1] } },
  oldObject: null,
  dryRun: false,
  ...more,
});
const body = (more?: object, apiVersion = "admission.k8s.io/v1") =>
  Buffer.from(JSON.stringify({ apiVersion, kind: "AdmissionReview", request: request(more) }));
const review = async (
  hook: ReturnType<typeof webhook>,
  bytes: Uint8Array = body(),
  phase: "mutate" | "validate" = hook.default ? "mutate" : "validate",
) => {
  const outcome = await reviewAdmission(hook, phase, bytes, signal);
  const decoded = JSON.parse(outcome.body);
  const { patch } = decoded.response;
  return { ...outcome, ...decoded, patch: patch === undefined ? undefined : JSON.parse(Buffer.from(patch, "base64").toString()) };
};

describe("default", () => {
  test("sends only the difference, for an object changed in place and for a returned one", async () => {
    const inPlace = webhook(Thing, {
      default(object) {
        object.spec.n = 2;
      },
    });
    const returned = webhook(Thing, { default: (object) => ({ ...object, spec: { ...object.spec, n: 2 } }) });
    for (const hook of [inPlace, returned]) {
      const { response, patch } = await review(hook);
      expect(response).toMatchObject({ uid: "u-1", allowed: true, patchType: "JSONPatch" });
      expect(patch).toEqual([{ op: "replace", path: "/spec/n", value: 2 }]);
    }
  });

  test("sends no patch for an unchanged object and for DELETE", async () => {
    const hook = webhook(Thing, { default() {} });
    expect((await review(hook)).response).toEqual({ uid: "u-1", allowed: true });
    expect((await review(hook, body({ operation: "DELETE", object: null }))).response).toEqual({ uid: "u-1", allowed: true });
  });

  test("preserves integers beyond 2^53", async () => {
    const hook = webhook(Thing, {
      default(object) {
        object.metadata.labels = { seen: String(object.spec.big) };
      },
    });
    const bytes = Buffer.from(body().toString().replace('"n":1', '"n":1,"big":9007199254740993'));
    expect((await review(hook, bytes)).patch).toEqual([{ op: "add", path: "/metadata/labels", value: { seen: "9007199254740993" } }]);
  });
});

describe("validate", () => {
  test("receives operation, user and objects", async () => {
    let seen: any;
    const hook = webhook(Thing, {
      operations: ["CREATE", "UPDATE", "DELETE"],
      validate(received) {
        seen = received;
      },
    });
    await review(hook, body({ operation: "UPDATE", oldObject: request().object, dryRun: true }));
    expect(seen).toMatchObject({
      operation: "UPDATE",
      user: { username: "ana", groups: ["g"], extra: {} },
      dryRun: true,
      name: "a",
      namespace: "d",
    });
    expect(seen.old).toEqual(seen.object);
    expect(seen.signal).toBeInstanceOf(AbortSignal);
    await review(hook, body({ operation: "DELETE", object: null, oldObject: request().object }));
    expect([seen.object, seen.old.spec.n]).toEqual([undefined, 1]);
  });

  test("reports field errors and warnings in a Status", async () => {
    const hook = webhook(Thing, {
      validate: () => ({
        errors: [
          { field: "spec.n", message: "must be even" },
          { field: "spec.big", reason: "Required", message: "say it" },
        ],
        warnings: ["careful"],
      }),
    });
    const { response, code } = await review(hook);
    expect(code).toBe(422);
    expect(response).toEqual({
      uid: "u-1",
      allowed: false,
      warnings: ["careful"],
      status: {
        status: "Failure",
        code: 422,
        reason: "Invalid",
        message: 'Thing.example.com "a" is invalid: [spec.n: Invalid value: 1: must be even, spec.big: Required value: say it]',
        details: {
          name: "a",
          group: "example.com",
          kind: "Thing",
          causes: [
            { reason: "FieldValueInvalid", message: "Invalid value: 1: must be even", field: "spec.n" },
            { reason: "FieldValueRequired", message: "Required value: say it", field: "spec.big" },
          ],
        },
      },
    });
  });

  test.each<[string, unknown, number, string]>([
    ["a denial", denyAdmission("not today"), 403, "not today"],
    ["a denial with a status code", denyAdmission("slowly", { statusCode: 429 }), 429, "slowly"],
    ["an error", new Error("no luck"), 500, "the webhook for Thing d/a failed: no luck"],
    ["a string", "oops", 500, "the webhook for Thing d/a failed: oops"],
    ["undefined", undefined, 500, "the webhook for Thing d/a failed: undefined"],
  ])("responds with a Status when it throws %s", async (_, thrown, code, message) => {
    const hook = webhook(Thing, {
      validate() {
        throw thrown;
      },
    });
    const outcome = await review(hook);
    expect(outcome.response).toMatchObject({ uid: "u-1", allowed: false, status: { code, message } });
    expect("thrown" in outcome).toBe(code === 500);
  });

  test.each([[true], ["no"], [{ error: [] }], [{ errors: "no" }], [[{ message: "no field" }]], [{ warnings: [1] }]])(
    "responds with an error when it returns %j",
    async (verdict) => {
      const hook = webhook(Thing, { validate: (() => verdict) as never });
      expect((await review(hook)).response.status).toMatchObject({
        code: 500,
        message: expect.stringContaining("validate returned an invalid result"),
      });
    },
  );
});

describe("a malformed review gets a response with its uid", () => {
  const hook = webhook(Thing, { default() {}, validate: () => [] });
  const sound = body().toString();
  test.each<[string, string | Buffer, string, string]>([
    ["empty", "", "", "the body is empty"],
    ["not JSON", "{", "", "the body is not JSON"],
    ["a list", "[]", "", "the body is not a AdmissionReview"],
    ["another version", sound.replace("k8s.io/v1", "k8s.io/v7"), "u-1", "send AdmissionReview of admission.k8s.io/v1 or"],
    ["another kind", sound.replace('"AdmissionReview"', '"ConversionReview"'), "u-1", "send AdmissionReview"],
    ["no request", '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}', "", "the AdmissionReview has no request"],
    ["a uid that is not a string", sound.replace('"u-1"', "7"), "", "has no uid"],
    ["an unknown operation", sound.replace('"CREATE"', '"EAT"'), "u-1", "EAT is not an operation"],
    [
      "another kind of object",
      sound.replace('"kind":"Thing"', '"kind":"Other"'),
      "u-1",
      "this webhook is for example.com/v1/Thing, but the request is for example.com/v1/Other",
    ],
    ["no kind of object", sound.replace('"kind":{', '"kynd":{'), "u-1", "the request has no kind"],
  ])("%s", async (_, text, uid, message) => {
    for (const phase of ["mutate", "validate"] as const) {
      const { response, code } = await review(hook, Buffer.from(text), phase);
      expect(code).toBe(400);
      expect(response).toMatchObject({ uid, allowed: false, status: { code: 400, reason: "BadRequest" } });
      expect(response.status.message).toContain(message);
    }
  });

  test("if its body is truncated at any byte", async () => {
    for (let end = 0; end < sound.length; end += 7) {
      const { response } = await review(hook, Buffer.from(sound.slice(0, end)));
      expect(response.allowed).toBe(false);
      if (end > sound.indexOf("u-1") + 4) expect(response.uid).toBe("u-1");
    }
  });

  test("of version v1beta1, in v1beta1", async () => {
    expect((await review(hook, body({}, "admission.k8s.io/v1beta1"))).apiVersion).toBe("admission.k8s.io/v1beta1");
  });

  test("if its object is nested too deeply", async () => {
    const deep = sound.replace('"x":[1]', `"x":${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    const { response } = await review(hook, Buffer.from(deep));
    expect(response).toMatchObject({ uid: "u-1", allowed: false, status: { code: 400, message: "the object is nested too deeply" } });
    expect((await review(hook, Buffer.from(deep), "validate")).response.allowed).toBe(true);
  });

  test("__proto__ and constructor stay ordinary keys", async () => {
    const evil = sound.replace('"n":1', '"n":1,"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}');
    const touching = webhook(Thing, {
      default(object) {
        object.spec.n = 5;
      },
    });
    const { patch } = await review(touching, Buffer.from(evil));
    expect(patch).toEqual([{ op: "replace", path: "/spec/n", value: 5 }]);
    expect(({} as any).polluted).toBeUndefined();
    expect(Object.prototype).not.toHaveProperty("polluted");
  });

  test("accepts the kinds of subresources", async () => {
    const evictions = webhook(Pod, {
      subresources: ["eviction"],
      onlySubresources: true,
      validate: ({ object }) => ({ warnings: [object.kind] }),
    });
    const bytes = body({
      kind: { group: "policy", version: "v1", kind: "Eviction" },
      subResource: "eviction",
      object: { kind: "Eviction", apiVersion: "policy/v1", metadata: {} },
    });
    expect((await review(evictions, bytes)).response).toEqual({ uid: "u-1", allowed: true, warnings: ["Eviction"] });
  });
});
