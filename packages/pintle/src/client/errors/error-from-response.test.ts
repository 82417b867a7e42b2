import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { errorFromResponse, errorFromStatus } from "./error-from-response.ts";
import * as errors from "./request-errors.ts";
import type { Status } from "./status.ts";

const context = { request: "GET /api/v1/namespaces/default/pods/web", subject: "Pod default/web" };
const status = (code: number, reason: string, message: string, more: Partial<Status> = {}): Status => ({
  kind: "Status",
  apiVersion: "v1",
  status: "Failure",
  code,
  reason,
  message,
  ...more,
});

describe("errorFromStatus", () => {
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
    const error = errorFromStatus(code, status(code, reason, "the message"), context);
    expect(error.constructor).toBe(new Map<string, unknown>(Object.entries(errors)).get(name));
    expect(error).toBeInstanceOf(errors.RequestError);
    expect(error.name).toBe(name);
    expect(error.statusCode).toBe(code);
    expect(error.request).toBe(context.request);
    expect(error.status?.message).toBe("the message");
  });

  it.each<[string, Status, string]>([
    [
      "names user, verb, resource and namespace",
      status(403, "Forbidden", 'pods is forbidden: User "jane" cannot list resource "pods/log" in API group "" in the namespace "default"'),
      'Pod default/web: user "jane" is not allowed to list "pods/log" in API group "" in namespace "default"; grant it with a Role and a binding (GET /api/v1/namespaces/default/pods/web)',
    ],
    [
      "repeats the message of an admission plugin",
      status(403, "Forbidden", 'pods "web" is forbidden: exceeded quota: q'),
      'Pod default/web: pods "web" is forbidden: exceeded quota: q (GET /api/v1/namespaces/default/pods/web)',
    ],
    [
      "advises after a conflict of field managers",
      status(409, "Conflict", 'Apply failed with 1 conflict: conflict with "m": .spec.replicas', {
        details: { causes: [{ reason: "FieldManagerConflict", field: ".spec.replicas", message: 'conflict with "m"' }] },
      }),
      'Pod default/web: Apply failed with 1 conflict: conflict with "m": .spec.replicas; leave these fields out, or apply with force to take them over (GET /api/v1/namespaces/default/pods/web)',
    ],
    [
      "mentions the CustomResourceDefinition when the kind is not served",
      status(404, "NotFound", "the server could not find the requested resource", { details: {} }),
      "Pod default/web: the server could not find the requested resource; the server does not serve this: is its CustomResourceDefinition installed, and in this version? (GET /api/v1/namespaces/default/pods/web)",
    ],
  ])("%s", (_, body, message) => {
    expect(errorFromStatus(body.code!, body, context).message).toBe(message);
  });

  it("exposes denial, causes, continue token and retryAfterSeconds", () => {
    const denied = errorFromStatus(
      403,
      status(403, "Forbidden", 'x: User "u" cannot patch resource "nodes" in API group "" at the cluster scope'),
      context,
    );
    expect((denied as errors.Forbidden).denial).toEqual({ user: "u", verb: "patch", resource: "nodes", group: "", namespace: undefined });
    const path = errorFromStatus(403, status(403, "Forbidden", 'forbidden: User "u" cannot get path "/metrics"'), context);
    expect((path as errors.Forbidden).denial).toMatchObject({ verb: "get", resource: "/metrics" });
    const causes = [{ reason: "FieldValueRequired", message: "Required value", field: "spec.a" }];
    expect((errorFromStatus(422, status(422, "Invalid", "m", { details: { causes } }), context) as errors.Invalid).causes).toEqual(causes);
    const expired = errorFromStatus(410, status(410, "Expired", "m", { metadata: { continue: "token" } }), context) as errors.Expired;
    expect(expired.continue).toBe("token");
    const busy = errorFromStatus(
      429,
      status(429, "TooManyRequests", "m", { details: { retryAfterSeconds: 3 } }),
      context,
    ) as errors.TooManyRequests;
    expect(busy.retryAfterSeconds).toBe(3);
    expect(
      (errorFromStatus(404, status(404, "NotFound", "m", { details: { name: "web", kind: "pods" } }), context) as errors.NotFound)
        .isUnservedKind,
    ).toBe(false);
    expect((errorFromStatus(404, "404 page not found", context) as errors.NotFound).isUnservedKind).toBe(true);
  });

  it("is printed with its message and code, without the response", () => {
    const printed = inspect(errorFromStatus(404, status(404, "NotFound", 'pods "web" not found', { details: { name: "web" } }), context));
    expect(printed.split("\n")[0]).toBe('NotFound: Pod default/web: pods "web" not found (GET /api/v1/namespaces/default/pods/web)');
    expect(printed).not.toContain("apiVersion");
    expect(printed).toContain("PINTLE1101");
  });

  it("reads plain-text responses", async () => {
    const bytes = async function* () {
      yield Buffer.from("upstream ");
      yield Buffer.from("gone\n");
    };
    const json = () => Promise.reject(new Error("not JSON"));
    const error = await errorFromResponse({ status: 502, headers: { "content-type": "text/plain" }, json, lines: bytes, bytes }, context);
    expect(error).toBeInstanceOf(errors.ServerError);
    expect(error.message).toBe("Pod default/web: upstream gone (GET /api/v1/namespaces/default/pods/web)");
  });
});
