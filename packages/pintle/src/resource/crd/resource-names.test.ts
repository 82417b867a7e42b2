import { expect, it } from "vitest";
import { checkVersionName, pluralize, resolveNames } from "./resource-names.ts";

it.each([
  ["memcached", "memcacheds"],
  ["policy", "policies"],
  ["gateway", "gateways"],
  ["status", "statuses"],
  ["box", "boxes"],
  ["mesh", "meshes"],
  ["match", "matches"],
  ["database", "databases"],
])("pluralizes %s as %s", (singular, plural) => {
  expect(pluralize(singular)).toBe(plural);
});

const base = { group: "example.com", kind: "Thing" };

it("prefers given names to derived ones", () => {
  expect(resolveNames({ ...base, plural: "thingies", singular: "thingy", listKind: "Things" })).toMatchObject({
    plural: "thingies",
    singular: "thingy",
    listKind: "Things",
  });
});

it.each([
  [{ group: "example" }, 'group: "example" is not a domain with at least one dot'],
  [{ group: "Example.com" }, "group: "],
  [{ group: "things.k8s.io" }, 'group: "things.k8s.io" is reserved for Kubernetes itself'],
  [{ group: "kubernetes.io" }, "reserved for Kubernetes itself"],
  [{ group: `${"a".repeat(250)}.com` }, "group: "],
  [{ kind: "thing" }, 'kind: "thing" is not a kind; write it like "MyKind"'],
  [{ kind: "My-Thing" }, "kind: "],
  [{ plural: "Things" }, "plural: "],
  [{ plural: "th.ings" }, "plural: "],
  [{ singular: "1thing" }, "singular: "],
  [{ listKind: "Thing" }, "listKind: "],
  [{ shortNames: ["th", "T"] }, 'shortNames[1]: "T" is not a DNS label'],
  [{ categories: ["all things"] }, "categories[0]: "],
  [{ labels: { "a b": "c" } }, 'labels: "a b" is not a key'],
  [{ labels: { a: "b c" } }, 'labels["a"]: "b c" is not a label value'],
  [{ annotations: { "A.com/": "c" } }, 'annotations: "A.com/" is not a key'],
])("rejects %o", (wrong, message) => {
  expect(() => resolveNames({ ...base, ...wrong })).toThrow(message);
});

it("accepts an approved definition in a domain of Kubernetes", () => {
  const annotations = { "api-approved.kubernetes.io": "https://example.com/review" };
  expect(resolveNames({ ...base, group: "things.x-k8s.io" }).group).toBe("things.x-k8s.io");
  expect(resolveNames({ ...base, group: "things.k8s.io", annotations }).group).toBe("things.k8s.io");
});

it.each(["v1", "v1beta1", "v2alpha3"])("accepts the version %s", (name) => {
  expect(checkVersionName(name)).toBe(name);
});
it.each(["", "1", "V1", "v1.0"])("rejects the version %o", (name) => {
  expect(() => checkVersionName(name)).toThrow("version: ");
});
