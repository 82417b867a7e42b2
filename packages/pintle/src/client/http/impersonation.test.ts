import { expect, it } from "vitest";
import { impersonationHeaders } from "./impersonation.ts";

it("says whom to act as", () => {
  expect(impersonationHeaders(undefined)).toEqual({});
  expect(
    impersonationHeaders({ user: "jane", uid: "u-1", groups: ["dev", "ops"], extra: { Scopes: ["view"], "example.com/Ünit": ["a", "b"] } }),
  ).toEqual({
    "impersonate-user": "jane",
    "impersonate-uid": "u-1",
    "impersonate-group": ["dev", "ops"],
    "impersonate-extra-scopes": ["view"],
    "impersonate-extra-example.com%2F%C3%BCnit": ["a", "b"],
  });
});
