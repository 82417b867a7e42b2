import { allow, type Case, create, deny, http, mutating, onConfigMaps, patch, says, validating } from "../case.ts";

const ignored = { ...onConfigMaps(), failurePolicy: "Ignore" };
const status = (more: object) => JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", message: "told", ...more });

export const calls: readonly Case[] = [
  { title: "nobody listens", hooks: [validating(allow(), onConfigMaps(), "v", { at: "nowhere" })], steps: [create()] },
  { title: "nobody listens, and that is ignored", hooks: [validating(allow(), ignored, "v", { at: "nowhere" })], steps: [create()] },
  {
    title: "nobody listens where objects are changed",
    hooks: [mutating(allow(), onConfigMaps(), "m", { at: "nowhere" })],
    steps: [create()],
  },
  { title: "nobody changes objects, and that is ignored", hooks: [mutating(allow(), ignored, "m", { at: "nowhere" })], steps: [create()] },
  { title: "a certificate of another authority", hooks: [validating(allow(), onConfigMaps(), "v", { at: "stranger" })], steps: [create()] },
  {
    title: "a certificate of another authority, ignored",
    hooks: [validating(allow(), ignored, "v", { at: "stranger" })],
    steps: [create()],
  },
  { title: "a service that is not there", hooks: [validating(allow(), onConfigMaps(), "v", { at: "service" })], steps: [create()] },
  { title: "a service that is not there, ignored", hooks: [mutating(allow(), ignored, "m", { at: "service" })], steps: [create()] },
  {
    title: "a service without that port",
    hooks: [validating(allow(), onConfigMaps(), "v", { at: "service" })],
    objects: [
      [
        "/api/v1/namespaces/NS/services",
        { apiVersion: "v1", kind: "Service", metadata: { name: "absent" }, spec: { ports: [{ port: 80 }] } },
      ],
    ],
    steps: [create()],
  },
  {
    title: "a webhook that takes too long",
    hooks: [validating(() => "hang", { ...onConfigMaps(), timeoutSeconds: 1 })],
    steps: [create()],
  },
  {
    title: "a webhook that takes too long, ignored",
    hooks: [mutating(() => "hang", { ...ignored, timeoutSeconds: 1 })],
    steps: [create()],
  },
  { title: "a webhook that hangs up", hooks: [validating(() => "close")], steps: [create()] },
  { title: "a webhook that is not at its path", hooks: [validating(http(404, "404 page not found\n"))], steps: [create()] },
  { title: "a webhook that fails with a text", hooks: [validating(http(500, "boom"))], steps: [create()] },
  { title: "a webhook that fails with JSON", hooks: [validating(http(500, '{"error":"boom"}', "application/json"))], steps: [create()] },
  { title: "a webhook that fails with a Status", hooks: [validating(http(500, status({}), "application/json"))], steps: [create()] },
  { title: "a webhook that succeeds with a Status", hooks: [validating(http(200, status({}), "application/json"))], steps: [create()] },
  { title: "a webhook that fails without a word", hooks: [validating(http(500, ""))], steps: [create()] },
  { title: "bad request", hooks: [validating(http(400, "bad"))], steps: [create()] },
  { title: "unauthorized", hooks: [validating(http(401, "who"))], steps: [create()] },
  { title: "forbidden", hooks: [validating(http(403, "no"))], steps: [create()] },
  { title: "conflict", hooks: [validating(http(409, "conflict"))], steps: [create()] },
  { title: "unprocessable", hooks: [validating(http(422, "bad"))], steps: [create()] },
  { title: "unavailable", hooks: [validating(http(503, "later"))], steps: [create()] },
  { title: "gateway timeout", hooks: [validating(http(504, "late"))], steps: [create()] },
  { title: "no content", hooks: [validating(http(204, ""))], steps: [create()] },
  { title: "an empty answer", hooks: [validating(http(200, "", "application/json"))], steps: [create()] },
  { title: "an empty answer of no type", hooks: [validating(http(200, "", "text/plain"))], steps: [create()] },
  { title: "HTML", hooks: [validating(http(200, "<html>", "text/html"))], steps: [create()] },
  { title: "half a JSON", hooks: [validating(http(200, '{"kind":', "application/json"))], steps: [create()] },
  { title: "YAML is no answer", hooks: [validating(http(200, "kind: AdmissionReview\n", "application/yaml"))], steps: [create()] },
  {
    title: "an answer that is no use, ignored",
    hooks: [
      validating(
        says(() => ({})),
        ignored,
      ),
    ],
    steps: [create()],
  },
  {
    title: "a failure of the first hides the denial of none",
    hooks: [mutating(http(500, "x"), ignored, "one"), mutating(deny({ message: "no" }), onConfigMaps(), "two")],
    steps: [create()],
  },
  {
    title: "a patch that is no use, ignored",
    hooks: [
      mutating(patch("{"), ignored, "one"),
      mutating(patch([{ op: "add", path: "/data", value: { a: "b" } }]), onConfigMaps(), "two"),
    ],
    steps: [create()],
  },
  { title: "denial is never ignored", hooks: [validating(deny({ message: "no" }), ignored)], steps: [create()] },
];
