import type { JsonObject } from "pintle/kinds";
import type { ScenarioStep } from "./scenario.ts";

const AUTHORIZATION = "/apis/authorization.k8s.io/v1";
const AUTHENTICATION = "/apis/authentication.k8s.io/v1";

const pods = { verb: "get", resource: "pods" };
const inA = { ...pods, namespace: "a" };

const subject: Readonly<Record<string, JsonObject>> = {
  empty: {},
  "nothing but a user": { spec: { user: "alice" } },
  "both kinds of attributes": { spec: { user: "alice", resourceAttributes: {}, nonResourceAttributes: {} } },
  "no subject named": { spec: { resourceAttributes: pods } },
  "a group only": { spec: { groups: ["dev"], resourceAttributes: pods } },
  "a path": { spec: { user: "bob", nonResourceAttributes: { path: "/metrics", verb: "get" } } },
  "a name": { metadata: { name: "x" }, spec: { user: "alice", resourceAttributes: inA } },
  "a namespace": { metadata: { namespace: "a" }, spec: { user: "alice", resourceAttributes: inA } },
  "another namespace": { metadata: { namespace: "b" }, spec: { user: "alice", resourceAttributes: inA } },
  labels: { metadata: { labels: { b: "1", a: "2" } }, spec: { user: "alice", resourceAttributes: inA } },
  "a status": { spec: { user: "zoe", resourceAttributes: inA }, status: { allowed: true, reason: "because" } },
  "an unknown field": { spec: { user: "zoe", resourceAttributes: inA, colour: "red" } },
  "two selectors at once": {
    spec: {
      user: "alice",
      resourceAttributes: { ...inA, fieldSelector: { rawSelector: "a=b", requirements: [{ key: "a", operator: "In", values: ["b"] }] } },
    },
  },
  "an empty selector": { spec: { user: "alice", resourceAttributes: { ...inA, labelSelector: {} } } },
  "a selector": { spec: { user: "alice", resourceAttributes: { ...inA, labelSelector: { rawSelector: "a=b" } } } },
  "a role that is not there": { spec: { user: "dave", resourceAttributes: { ...inA, namespace: "b", resource: "secrets" } } },
  "a role binding": { spec: { user: "alice", resourceAttributes: { verb: "create", resource: "configmaps", namespace: "a" } } },
  "a service account": {
    spec: {
      user: "system:serviceaccount:b:robot",
      groups: ["system:serviceaccounts:a"],
      resourceAttributes: { verb: "create", resource: "configmaps", namespace: "a" },
    },
  },
  masters: { spec: { user: "root", groups: ["system:masters"], resourceAttributes: { verb: "frobnicate", resource: "widgets" } } },
};

const self: Readonly<Record<string, JsonObject>> = {
  empty: {},
  attributes: { spec: { resourceAttributes: inA } },
  "a path": { spec: { nonResourceAttributes: { path: "/metrics", verb: "get" } } },
  "a name": { metadata: { name: "x" }, spec: { resourceAttributes: inA } },
};

const reviewSteps = (title: string, path: string, questions: Readonly<Record<string, JsonObject>>, as?: string): readonly ScenarioStep[] =>
  Object.entries(questions).map(([name, body]) => ({ step: `${title}: ${name}`, as, path, body }));

export const reviews: readonly ScenarioStep[] = [
  ...reviewSteps("subject access", `${AUTHORIZATION}/subjectaccessreviews`, subject),
  ...reviewSteps("local subject access", `${AUTHORIZATION}/namespaces/a/localsubjectaccessreviews`, subject),
  ...reviewSteps("local subject access where nothing is", `${AUTHORIZATION}/namespaces/nowhere/localsubjectaccessreviews`, {
    attributes: { spec: { user: "alice", resourceAttributes: { ...pods, namespace: "nowhere" } } },
  }),
  ...reviewSteps("self subject access as alice", `${AUTHORIZATION}/selfsubjectaccessreviews`, self, "token-alice"),
  ...reviewSteps("self subject access as the administrator", `${AUTHORIZATION}/selfsubjectaccessreviews`, self),
  ...["token-alice", "token-bob", "token-dave", "token-eve"].flatMap((token) =>
    reviewSteps(
      `rules of ${token}`,
      `${AUTHORIZATION}/selfsubjectrulesreviews`,
      { a: { spec: { namespace: "a" } }, b: { spec: { namespace: "b" } } },
      token,
    ),
  ),
  ...reviewSteps("rules of the administrator", `${AUTHORIZATION}/selfsubjectrulesreviews`, { a: { spec: { namespace: "a" } }, none: {} }),
  ...reviewSteps("self", `${AUTHENTICATION}/selfsubjectreviews`, {
    "as it is": {},
    "with a name": { metadata: { name: "x" }, status: {} },
  }),
  ...reviewSteps("self as alice", `${AUTHENTICATION}/selfsubjectreviews`, { "as it is": {} }, "token-alice"),
  ...reviewSteps("self as anonymous", `${AUTHENTICATION}/selfsubjectreviews`, { "as it is": {} }, ""),
  ...reviewSteps("self with a wrong token", `${AUTHENTICATION}/selfsubjectreviews`, { "as it is": {} }, "wrong"),
  { step: "a list of reviews", method: "GET", path: `${AUTHORIZATION}/subjectaccessreviews` },
  { step: "a review by name", method: "GET", path: `${AUTHORIZATION}/subjectaccessreviews/x` },
  { step: "a local review of no namespace", path: `${AUTHORIZATION}/localsubjectaccessreviews`, body: {} },
  { step: "a review of the wrong kind", path: `${AUTHORIZATION}/subjectaccessreviews`, body: { kind: "Pod", apiVersion: "v1" } },
  { step: "a strict review", path: `${AUTHORIZATION}/subjectaccessreviews?fieldValidation=Strict`, body: { spec: { colour: "red" } } },
  { step: "a dry review", path: `${AUTHORIZATION}/selfsubjectaccessreviews?dryRun=All`, body: { spec: { resourceAttributes: inA } } },
  { step: "reviews are for some", as: "token-alice", path: `${AUTHORIZATION}/subjectaccessreviews`, body: {} },
];
