import { expect, test } from "vitest";
import { parseRefusal } from "./parse-refusal.ts";

test.each([
  'secrets "a" is forbidden: User "system:serviceaccount:shop:operator" cannot get resource "secrets" in API group "" in the namespace "default"',
  'Secret in default: user "system:serviceaccount:shop:operator" is not allowed to get "secrets" in API group "" in namespace "default"; grant it with a Role and a binding (GET /api)',
])("finds the right that is missing in %j", (message) => {
  expect(parseRefusal(message)).toEqual({
    user: "system:serviceaccount:shop:operator",
    verb: "get",
    resource: "secrets",
    group: "",
    namespace: "default",
  });
});

test("finds a right at the cluster scope, and none in other errors", () => {
  const message = 'user "jane" is not allowed to watch "shops" in API group "shop.example.com" at the cluster scope';
  expect(parseRefusal(message)).toEqual({
    user: "jane",
    verb: "watch",
    resource: "shops",
    group: "shop.example.com",
    namespace: undefined,
  });
  expect(parseRefusal("the label is broken")).toBeUndefined();
});
