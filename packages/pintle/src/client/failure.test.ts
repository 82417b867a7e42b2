import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import * as errors from "./errors.ts";
import { failure, failureOf } from "./failure.ts";
import type { Status } from "./status.ts";

const about = { request: "GET /api/v1/namespaces/default/pods/web", subject: "Pod default/web" };
const status = (code: number, reason: string, message: string, more: Partial<Status> = {}): Status => ({
  kind: "Status",
  apiVersion: "v1",
  status: "Failure",
  code,
  reason,
  message,
  ...more,
});

describe("failure", () => {
  it.each<[number, string, string]>([
    [400, "BadRequest", "BadRequest"],
    [401, "Unauthorized", "Unauthorized"],
    [403, "Forbidden", "Forbidden"],
    [404, "NotFound", "NotFound"],
    [405, "MethodNotAllowed", "BadRequest"],
    [406, "NotAcceptable", "BadRequest"],
    [409, "AlreadyExists", "AlreadyExists"],
    [409, "Conflict", "Conflict"],
    [410, "Expired", "Expired"],
    [410, "Gone", "Expired"],
    [413, "RequestEntityTooLarge", "BadRequest"],
    [415, "UnsupportedMediaType", "BadRequest"],
    [422, "Invalid", "Invalid"],
    [429, "TooManyRequests", "TooManyRequests"],
    [500, "InternalError", "ServerError"],
    [500, "ServerTimeout", "Timeout"],
    [500, "", "ServerError"],
    [503, "ServiceUnavailable", "ServerError"],
    [504, "Timeout", "Timeout"],
    [302, "", "ServerError"],
  ])("%i %s is %s", (code, reason, name) => {
    const error = failure(code, status(code, reason, "it says so"), about);
    expect(error.constructor).toBe(new Map<string, unknown>(Object.entries(errors)).get(name));
    expect(error).toBeInstanceOf(errors.RequestError);
    expect(error.name).toBe(name);
    expect(error.code).toBe(code);
    expect(error.request).toBe(about.request);
    expect(error.status?.message).toBe("it says so");
  });

  it.each<[string, Status, string]>([
    [
      "names user, verb, resource and namespace",
      status(403, "Forbidden", 'pods is forbidden: User "jane" cannot list resource "pods/log" in API group "" in the namespace "default"'),
      'Pod default/web: user "jane" is not allowed to list "pods/log" in API group "" in namespace "default"; grant it with a Role and a binding (GET /api/v1/namespaces/default/pods/web)',
    ],
    [
      "says what an admission rule says",
      status(403, "Forbidden", 'pods "web" is forbidden: exceeded quota: q'),
      'Pod default/web: pods "web" is forbidden: exceeded quota: q (GET /api/v1/namespaces/default/pods/web)',
    ],
    [
      "says how to go on after a conflict of appliers",
      status(409, "Conflict", 'Apply failed with 1 conflict: conflict with "m": .spec.replicas', {
        details: { causes: [{ reason: "FieldManagerConflict", field: ".spec.replicas", message: 'conflict with "m"' }] },
      }),
      'Pod default/web: Apply failed with 1 conflict: conflict with "m": .spec.replicas; leave these fields out, or apply with force to take them over (GET /api/v1/namespaces/default/pods/web)',
    ],
    [
      "asks for the CRD when the kind is missing",
      status(404, "NotFound", "the server could not find the requested resource", { details: {} }),
      "Pod default/web: the server could not find the requested resource; the server does not serve this: is its CustomResourceDefinition installed, and in this version? (GET /api/v1/namespaces/default/pods/web)",
    ],
  ])("%s", (_, body, message) => {
    expect(failure(body.code!, body, about).message).toBe(message);
  });

  it("keeps what a caller may need", () => {
    const denied = failure(
      403,
      status(403, "Forbidden", 'x: User "u" cannot patch resource "nodes" in API group "" at the cluster scope'),
      about,
    );
    expect((denied as errors.Forbidden).denial).toEqual({ user: "u", verb: "patch", resource: "nodes", group: "", namespace: undefined });
    const path = failure(403, status(403, "Forbidden", 'forbidden: User "u" cannot get path "/metrics"'), about);
    expect((path as errors.Forbidden).denial).toMatchObject({ verb: "get", resource: "/metrics" });
    const causes = [{ reason: "FieldValueRequired", message: "Required value", field: "spec.a" }];
    expect((failure(422, status(422, "Invalid", "m", { details: { causes } }), about) as errors.Invalid).causes).toEqual(causes);
    const expired = failure(410, status(410, "Expired", "m", { metadata: { continue: "token" } }), about) as errors.Expired;
    expect(expired.continue).toBe("token");
    const busy = failure(429, status(429, "TooManyRequests", "m", { details: { retryAfterSeconds: 3 } }), about) as errors.TooManyRequests;
    expect(busy.retryAfterSeconds).toBe(3);
    expect((failure(404, status(404, "NotFound", "m", { details: { name: "web", kind: "pods" } }), about) as errors.NotFound).ofKind).toBe(
      false,
    );
    expect((failure(404, "404 page not found", about) as errors.NotFound).ofKind).toBe(true);
  });

  it("prints one sentence and no dump of the answer", () => {
    const printed = inspect(failure(404, status(404, "NotFound", 'pods "web" not found', { details: { name: "web" } }), about));
    expect(printed.split("\n")[0]).toBe('NotFound: Pod default/web: pods "web" not found (GET /api/v1/namespaces/default/pods/web)');
    expect(printed).not.toContain("apiVersion");
  });

  it("reads answers in plain text", async () => {
    const bytes = async function* () {
      yield Buffer.from("upstream ");
      yield Buffer.from("gone\n");
    };
    const json = () => Promise.reject(new Error("not JSON"));
    const error = await failureOf({ status: 502, headers: { "content-type": "text/plain" }, json, lines: bytes, bytes }, about);
    expect(error).toBeInstanceOf(errors.ServerError);
    expect(error.message).toBe("Pod default/web: upstream gone (GET /api/v1/namespaces/default/pods/web)");
  });
});
