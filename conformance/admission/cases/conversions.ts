import { APPLY, allow, type Case, type CaseStep, MERGE, mutating, rule } from "../case.ts";
import type { WebhookHandler } from "../hook-server.ts";

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

/** Moves the size field; the object's `mode` selects an invalid result. */
const convertObject = (object: any, apiVersion: string): any => {
  const { spec = {}, ...rest } = object;
  const { box, size: flat, mode: how } = spec;
  const modeField = how === undefined ? {} : { mode: how };
  const found = box?.size ?? flat;
  const sizeField = found === undefined ? {} : { size: found };
  return {
    ...rest,
    apiVersion,
    spec: apiVersion.endsWith("/v2") ? { ...modeField, box: { ...sizeField } } : { ...modeField, ...sizeField },
  };
};
const INVALID_RESULTS: Readonly<Record<string, (object: any) => any>> = {
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
const buildResponse = (review: any, response: object) => ({
  json: { apiVersion: review.apiVersion, kind: review.kind, response: { uid: review.request.uid, ...response } },
});
const success = { status: "Success" };

/** Converts objects, unless the `mode` of an object to convert to v2 requests a failure. */
const converter: WebhookHandler = (review) => {
  const { objects, desiredAPIVersion } = review.request;
  const how: string = desiredAPIVersion.endsWith("/v2") ? (objects[0]?.spec?.mode ?? "") : "";
  const converted = objects.map((object: any) => convertObject(object, desiredAPIVersion));
  switch (how) {
    case "fail":
      return buildResponse(review, { result: { status: "Failure", message: "will not" } });
    case "mute":
      return buildResponse(review, { result: { status: "Failure" } });
    case "none":
      return buildResponse(review, { result: success, convertedObjects: [] });
    case "more":
      return buildResponse(review, { result: success, convertedObjects: [...converted, ...converted] });
    case "other":
      return { json: { ...buildResponse(review, {}).json, response: { uid: "other", result: success, convertedObjects: converted } } };
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
      return buildResponse(review, {
        result: success,
        convertedObjects: converted.map((object: any) => INVALID_RESULTS[how]?.(object) ?? object),
      });
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
const conversionCase = (title: string, ...steps: readonly CaseStep[]): Case => ({ title, conversion: { crd, does: converter }, steps });
/** Creates an object as v1 and reads it as v2. */
const readCase = (title: string, how: string, metadata: object = {}): Case =>
  conversionCase(title, ["POST", at("v1"), v1("a", { size: 3, mode: how }, metadata)], ["GET", at("v2", "a")]);

export const conversions: readonly Case[] = [
  {
    ...conversionCase("created and read in both versions", ["POST", at("v1"), v1("a")], ["GET", at("v2", "a")], ["GET", at("v1", "a")]),
    reviews: false,
  },
  conversionCase("created in the version that is not stored", ["POST", at("v2"), v2("a")], ["GET", at("v1", "a")], ["GET", at("v2", "a")]),
  conversionCase("a list in the other version", ["POST", at("v1"), v1("a")], ["POST", at("v1"), v1("b", { size: 4 })], ["GET", at("v2")]),
  conversionCase("an empty list", ["GET", at("v2")]),
  conversionCase(
    "a patch in the other version",
    ["POST", at("v1"), v1("a")],
    ["PATCH", at("v2", "a"), { spec: { box: { size: 5 } } }, MERGE],
    ["GET", at("v1", "a")],
  ),
  conversionCase("a replacement in the other version", ["POST", at("v1"), v1("a")], (answers) => [
    "PUT",
    at("v2", "a"),
    {
      ...v2("a", { box: { size: 8, color: "blue" } }),
      metadata: { name: "a", resourceVersion: answers[0]?.body.metadata.resourceVersion },
    },
  ]),
  conversionCase(
    "a status in the other version",
    ["POST", at("v1"), v1("a")],
    ["PATCH", at("v2", "a/status"), { status: { phase: "x" } }, MERGE],
    ["GET", at("v1", "a")],
  ),
  conversionCase("applied in the other version", ["PATCH", `${at("v2", "a")}?fieldManager=me`, v2("a"), APPLY], ["GET", at("v1", "a")]),
  conversionCase("a deletion in the other version", ["POST", at("v1"), v1("a")], ["DELETE", at("v2", "a")], ["GET", at("v1", "a")]),
  conversionCase("a dry run in the other version", ["POST", `${at("v2")}?dryRun=All`, v2("a")], ["GET", at("v1", "a")]),
  conversionCase("an invalid object in the other version", ["POST", at("v2"), v2("a", { box: { size: "big" } })]),
  readCase("a webhook that fails with a message", "fail"),
  readCase("a webhook that fails without a message", "mute"),
  readCase("a webhook that returns no objects", "none"),
  readCase("a webhook that returns too many objects", "more"),
  readCase("a response with another uid", "other"),
  readCase("a webhook without a response", "silent"),
  readCase("a webhook without a kind", "kindless"),
  readCase("a webhook that returns an error status", "broken"),
  readCase("a webhook path that returns 404", "absent"),
  readCase("a webhook that returns text", "text"),
  readCase("a webhook that returns an empty body", "empty"),
  readCase("another name after conversion", "rename"),
  readCase("another uid after conversion", "uid"),
  readCase("another namespace after conversion", "namespace"),
  readCase("another version after conversion", "version"),
  readCase("another kind after conversion", "kind"),
  readCase("labels after conversion", "labels", { labels: { old: "yes" } }),
  readCase("finalizers after conversion", "finalizers"),
  readCase("unknown fields after conversion", "unknown"),
  readCase("no metadata after conversion", "metadata"),
  readCase("labels that are numbers after conversion", "number"),
  {
    title: "connection refused by the conversion webhook",
    conversion: { crd, does: converter, at: "closed-port" },
    steps: [
      ["POST", at("v1"), v1("a")],
      ["GET", at("v2", "a")],
      ["GET", at("v1", "a")],
      ["POST", at("v2"), v2("b")],
    ],
  },
  {
    title: "an object converted for an admission webhook of the other version",
    conversion: { crd, does: converter },
    hooks: [mutating(allow(), { rules: [rule(["CREATE"], ["widgets"], ["NS.example.com"], ["v2"])] })],
    steps: [["POST", at("v1"), v1("a")]],
  },
];
