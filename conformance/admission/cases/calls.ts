import { allow, type Case, create, deny, http, mutating, onConfigMaps, patch, respondWith, validating } from "../case.ts";

const ignored = { ...onConfigMaps(), failurePolicy: "Ignore" };
const status = (more: object) =>
  JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", message: "from the webhook", ...more });

export const calls: readonly Case[] = [
  { title: "connection refused", hooks: [validating(allow(), onConfigMaps(), "v", { at: "closed-port" })], steps: [create()] },
  {
    title: "connection refused, failurePolicy Ignore",
    hooks: [validating(allow(), ignored, "v", { at: "closed-port" })],
    steps: [create()],
  },
  {
    title: "connection refused, mutating webhook",
    hooks: [mutating(allow(), onConfigMaps(), "m", { at: "closed-port" })],
    steps: [create()],
  },
  {
    title: "connection refused, mutating webhook, failurePolicy Ignore",
    hooks: [mutating(allow(), ignored, "m", { at: "closed-port" })],
    steps: [create()],
  },
  {
    title: "a certificate of another authority",
    hooks: [validating(allow(), onConfigMaps(), "v", { at: "untrusted" })],
    steps: [create()],
  },
  {
    title: "a certificate of another authority, failurePolicy Ignore",
    hooks: [validating(allow(), ignored, "v", { at: "untrusted" })],
    steps: [create()],
  },
  { title: "a missing Service", hooks: [validating(allow(), onConfigMaps(), "v", { at: "service" })], steps: [create()] },
  { title: "a missing Service, failurePolicy Ignore", hooks: [mutating(allow(), ignored, "m", { at: "service" })], steps: [create()] },
  {
    title: "a Service without the port",
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
    title: "a webhook timeout",
    hooks: [validating(() => "hang", { ...onConfigMaps(), timeoutSeconds: 1 })],
    steps: [create()],
  },
  {
    title: "a webhook timeout, failurePolicy Ignore",
    hooks: [mutating(() => "hang", { ...ignored, timeoutSeconds: 1 })],
    steps: [create()],
  },
  { title: "a webhook that closes the connection", hooks: [validating(() => "close")], steps: [create()] },
  { title: "a webhook that returns 404", hooks: [validating(http(404, "404 page not found\n"))], steps: [create()] },
  { title: "a webhook that returns 500 with text", hooks: [validating(http(500, "boom"))], steps: [create()] },
  {
    title: "a webhook that returns 500 with JSON",
    hooks: [validating(http(500, '{"error":"boom"}', "application/json"))],
    steps: [create()],
  },
  { title: "a webhook that returns 500 with a Status", hooks: [validating(http(500, status({}), "application/json"))], steps: [create()] },
  { title: "a webhook that returns 200 with a Status", hooks: [validating(http(200, status({}), "application/json"))], steps: [create()] },
  { title: "a webhook that returns 500 with an empty body", hooks: [validating(http(500, ""))], steps: [create()] },
  { title: "bad request", hooks: [validating(http(400, "bad"))], steps: [create()] },
  { title: "unauthorized", hooks: [validating(http(401, "who"))], steps: [create()] },
  { title: "forbidden", hooks: [validating(http(403, "no"))], steps: [create()] },
  { title: "conflict", hooks: [validating(http(409, "conflict"))], steps: [create()] },
  { title: "unprocessable", hooks: [validating(http(422, "bad"))], steps: [create()] },
  { title: "unavailable", hooks: [validating(http(503, "later"))], steps: [create()] },
  { title: "gateway timeout", hooks: [validating(http(504, "late"))], steps: [create()] },
  { title: "no content", hooks: [validating(http(204, ""))], steps: [create()] },
  { title: "an empty response", hooks: [validating(http(200, "", "application/json"))], steps: [create()] },
  { title: "an empty response of type text/plain", hooks: [validating(http(200, "", "text/plain"))], steps: [create()] },
  { title: "HTML", hooks: [validating(http(200, "<html>", "text/html"))], steps: [create()] },
  { title: "truncated JSON", hooks: [validating(http(200, '{"kind":', "application/json"))], steps: [create()] },
  { title: "a response in YAML", hooks: [validating(http(200, "kind: AdmissionReview\n", "application/yaml"))], steps: [create()] },
  {
    title: "an unusable response, failurePolicy Ignore",
    hooks: [
      validating(
        respondWith(() => ({})),
        ignored,
      ),
    ],
    steps: [create()],
  },
  {
    title: "a failing first webhook and an allowing second one",
    hooks: [mutating(http(500, "x"), ignored, "one"), mutating(deny({ message: "no" }), onConfigMaps(), "two")],
    steps: [create()],
  },
  {
    title: "an unusable patch, failurePolicy Ignore",
    hooks: [
      mutating(patch("{"), ignored, "one"),
      mutating(patch([{ op: "add", path: "/data", value: { a: "b" } }]), onConfigMaps(), "two"),
    ],
    steps: [create()],
  },
  { title: "a denial with failurePolicy Ignore", hooks: [validating(deny({ message: "no" }), ignored)], steps: [create()] },
];
