import { APPLY, allow, type Case, MERGE, mutating, rule, type Step } from "../case.ts";
import type { Program } from "../hook-server.ts";

const schema = (properties: object) => ({
  openAPIV3Schema: {
    type: "object",
    properties: { spec: { type: "object", properties }, status: { type: "object", properties: { phase: { type: "string" } } } },
  },
});
const size = { type: "integer" };
const mode = { type: "string" };
const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.NS.example.com" },
  spec: {
    group: "NS.example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget", singular: "widget" },
    versions: [
      { name: "v1", served: true, storage: true, subresources: { status: {} }, schema: schema({ size, mode }) },
      {
        name: "v2",
        served: true,
        storage: false,
        subresources: { status: {} },
        schema: schema({ box: { type: "object", properties: { size, color: { type: "string", default: "red" } } }, mode }),
      },
    ],
  },
};

/** Moves the size; what else it does is a matter of the object's own `mode`. */
const moved = (object: any, apiVersion: string): any => {
  const { spec = {}, ...rest } = object;
  const { box, size: flat, mode: how } = spec;
  const kept = how === undefined ? {} : { mode: how };
  const found = box?.size ?? flat;
  const given = found === undefined ? {} : { size: found };
  return { ...rest, apiVersion, spec: apiVersion.endsWith("/v2") ? { ...kept, box: { ...given } } : { ...kept, ...given } };
};
const spoilt: Readonly<Record<string, (object: any) => any>> = {
  rename: (object) => ({ ...object, metadata: { ...object.metadata, name: "other" } }),
  uid: (object) => ({ ...object, metadata: { ...object.metadata, uid: "other" } }),
  namespace: (object) => ({ ...object, metadata: { ...object.metadata, namespace: "other" } }),
  version: (object) => ({ ...object, apiVersion: object.apiVersion.replace("/v2", "/v3") }),
  kind: (object) => ({ ...object, kind: "Gadget" }),
  labels: (object) => ({ ...object, metadata: { ...object.metadata, labels: { converted: "yes" }, annotations: { by: "hook" } } }),
  finalizers: (object) => ({ ...object, metadata: { ...object.metadata, finalizers: ["example.com/x"], generation: 7 } }),
  unknown: (object) => ({ ...object, spec: { ...object.spec, extra: 1 } }),
  metadata: ({ metadata: _metadata, ...rest }) => rest,
  number: (object) => ({ ...object, metadata: { ...object.metadata, labels: { a: 1 } } }),
};
const answer = (review: any, response: object) => ({
  json: { apiVersion: review.apiVersion, kind: review.kind, response: { uid: review.request.uid, ...response } },
});
const success = { status: "Success" };

/** Converts, unless an object that becomes v2 says otherwise. */
const converter: Program = (review) => {
  const { objects, desiredAPIVersion } = review.request;
  const how: string = desiredAPIVersion.endsWith("/v2") ? (objects[0]?.spec?.mode ?? "") : "";
  const converted = objects.map((object: any) => moved(object, desiredAPIVersion));
  switch (how) {
    case "fail":
      return answer(review, { result: { status: "Failure", message: "will not" } });
    case "mute":
      return answer(review, { result: { status: "Failure" } });
    case "none":
      return answer(review, { result: success, convertedObjects: [] });
    case "more":
      return answer(review, { result: success, convertedObjects: [...converted, ...converted] });
    case "other":
      return { json: { ...answer(review, {}).json, response: { uid: "other", result: success, convertedObjects: converted } } };
    case "silent":
      return { json: { apiVersion: review.apiVersion, kind: review.kind } };
    case "kindless":
      return { json: { response: { uid: review.request.uid, result: success, convertedObjects: converted } } };
    case "broken":
      return { status: 500, type: "text/plain", text: "boom" };
    case "absent":
      return { status: 404, type: "text/plain", text: "not here" };
    case "text":
      return { status: 200, type: "text/plain", text: "hello" };
    case "empty":
      return { status: 200, type: "application/json", text: "" };
    default:
      return answer(review, { result: success, convertedObjects: converted.map((object: any) => spoilt[how]?.(object) ?? object) });
  }
};

const at = (version: string, name = "") => `/apis/NS.example.com/${version}/namespaces/NS/widgets${name === "" ? "" : `/${name}`}`;
const v1 = (name: string, spec: object = { size: 3 }, metadata: object = {}) => ({
  apiVersion: "NS.example.com/v1",
  kind: "Widget",
  metadata: { name, ...metadata },
  spec,
});
const v2 = (name: string, spec: object = { box: { size: 3 } }) => ({
  apiVersion: "NS.example.com/v2",
  kind: "Widget",
  metadata: { name },
  spec,
});
const converting = (title: string, ...steps: readonly Step[]): Case => ({ title, converts: { crd, does: converter }, steps });
/** Stored as v1, read as v2. */
const read = (title: string, how: string, metadata: object = {}): Case =>
  converting(title, ["POST", at("v1"), v1("a", { size: 3, mode: how }, metadata)], ["GET", at("v2", "a")]);

export const conversions: readonly Case[] = [
  {
    ...converting("created and read in both versions", ["POST", at("v1"), v1("a")], ["GET", at("v2", "a")], ["GET", at("v1", "a")]),
    reviews: false,
  },
  converting("created in the version that is not stored", ["POST", at("v2"), v2("a")], ["GET", at("v1", "a")], ["GET", at("v2", "a")]),
  converting("a list in the other version", ["POST", at("v1"), v1("a")], ["POST", at("v1"), v1("b", { size: 4 })], ["GET", at("v2")]),
  converting("an empty list", ["GET", at("v2")]),
  converting(
    "a patch in the other version",
    ["POST", at("v1"), v1("a")],
    ["PATCH", at("v2", "a"), { spec: { box: { size: 5 } } }, MERGE],
    ["GET", at("v1", "a")],
  ),
  converting("a replacement in the other version", ["POST", at("v1"), v1("a")], (answers) => [
    "PUT",
    at("v2", "a"),
    {
      ...v2("a", { box: { size: 8, color: "blue" } }),
      metadata: { name: "a", resourceVersion: answers[0]?.body.metadata.resourceVersion },
    },
  ]),
  converting(
    "a status in the other version",
    ["POST", at("v1"), v1("a")],
    ["PATCH", at("v2", "a/status"), { status: { phase: "x" } }, MERGE],
    ["GET", at("v1", "a")],
  ),
  converting("applied in the other version", ["PATCH", `${at("v2", "a")}?fieldManager=me`, v2("a"), APPLY], ["GET", at("v1", "a")]),
  converting("a deletion in the other version", ["POST", at("v1"), v1("a")], ["DELETE", at("v2", "a")], ["GET", at("v1", "a")]),
  converting("a dry run in the other version", ["POST", `${at("v2")}?dryRun=All`, v2("a")], ["GET", at("v1", "a")]),
  converting("what is invalid in the other version", ["POST", at("v2"), v2("a", { box: { size: "big" } })]),
  read("a webhook that will not convert", "fail"),
  read("a webhook that will not and does not say why", "mute"),
  read("a webhook that converts nothing", "none"),
  read("a webhook that converts too much", "more"),
  read("a webhook that answers somebody else", "other"),
  read("a webhook without a response", "silent"),
  read("a webhook without a kind", "kindless"),
  read("a webhook that is broken", "broken"),
  read("a webhook that is not at its place", "absent"),
  read("a webhook that says hello", "text"),
  read("a webhook that says nothing", "empty"),
  read("another name after conversion", "rename"),
  read("another uid after conversion", "uid"),
  read("another namespace after conversion", "namespace"),
  read("another version after conversion", "version"),
  read("another kind after conversion", "kind"),
  read("labels after conversion", "labels", { labels: { old: "yes" } }),
  read("finalizers after conversion", "finalizers"),
  read("fields that nobody knows after conversion", "unknown"),
  read("no metadata after conversion", "metadata"),
  read("labels that are numbers after conversion", "number"),
  {
    title: "nobody is there to convert",
    converts: { crd, does: converter, at: "nowhere" },
    steps: [
      ["POST", at("v1"), v1("a")],
      ["GET", at("v2", "a")],
      ["GET", at("v1", "a")],
      ["POST", at("v2"), v2("b")],
    ],
  },
  {
    title: "converted for a webhook that wants the other version",
    converts: { crd, does: converter },
    hooks: [mutating(allow(), { rules: [rule(["CREATE"], ["widgets"], ["NS.example.com"], ["v2"])] })],
    steps: [["POST", at("v1"), v1("a")]],
  },
];
