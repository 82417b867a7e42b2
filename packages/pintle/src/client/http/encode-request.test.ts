import { expect, it } from "vitest";
import { buildImpersonationHeaders } from "./encode-request.ts";

it("encodes the impersonated user, uid, groups and extra as headers", () => {
  expect(buildImpersonationHeaders(undefined)).toEqual({});
  expect(
    buildImpersonationHeaders({
      user: "jane",
      uid: "u-1",
      groups: ["dev", "ops"],
      extra: { Scopes: ["view"], "example.com/Ünit": ["a", "b"] },
    }),
  ).toEqual({
    "impersonate-user": "jane",
    "impersonate-uid": "u-1",
    "impersonate-group": ["dev", "ops"],
    "impersonate-extra-scopes": ["view"],
    "impersonate-extra-example.com%2F%C3%BCnit": ["a", "b"],
  });
});
