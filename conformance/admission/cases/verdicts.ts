import { allow, type Case, create, deny, http, mutating, onConfigMaps, respondWith, validating } from "../case.ts";

const V1 = "admission.k8s.io/v1";

/** A response to the review with these fields replaced. */
const respondWithFields = (change: (review: any) => object) =>
  respondWith((review) => ({
    apiVersion: V1,
    kind: "AdmissionReview",
    response: { uid: review.request.uid, allowed: true },
    ...change(review),
  }));

export const verdicts: readonly Case[] = [
  { title: "a validating webhook allows", hooks: [validating(allow())], steps: [create()], reviews: true },
  { title: "a mutating webhook allows", hooks: [mutating(allow())], steps: [create()], reviews: true },
  { title: "denied with a message", hooks: [validating(deny({ message: "not today" }))], steps: [create()] },
  { title: "denied without a status", hooks: [validating(deny())], steps: [create()] },
  { title: "denied with an empty status", hooks: [validating(deny({}))], steps: [create()] },
  { title: "denied with a code", hooks: [validating(deny({ code: 403, message: "no" }))], steps: [create()] },
  { title: "denied with a code that is a success", hooks: [validating(deny({ code: 200, message: "no" }))], steps: [create()] },
  { title: "denied with a reason", hooks: [validating(deny({ code: 409, reason: "Conflict" }))], steps: [create()] },
  {
    title: "denied with reason and message",
    hooks: [validating(deny({ code: 422, reason: "Invalid", message: "bad" }))],
    steps: [create()],
  },
  {
    title: "denied with details",
    hooks: [
      validating(
        deny({
          code: 422,
          reason: "Invalid",
          message: "bad",
          details: { name: "a", kind: "ConfigMap", causes: [{ reason: "FieldValueInvalid", message: "too small", field: "data.a" }] },
        }),
      ),
    ],
    steps: [create()],
  },
  { title: "denied with a status of success", hooks: [validating(deny({ status: "Success", message: "no" }))], steps: [create()] },
  { title: "denied with a message of several lines", hooks: [validating(deny({ message: "one\ntwo" }))], steps: [create()] },
  { title: "denied by a mutating webhook", hooks: [mutating(deny({ code: 403, message: "no" }))], steps: [create()] },
  { title: "warnings of one that allows", hooks: [validating(allow({ warnings: ["careful", 'with "quotes"'] }))], steps: [create()] },
  { title: "warnings of one that denies", hooks: [validating(deny({ message: "no" }, { warnings: ["last warning"] }))], steps: [create()] },
  { title: "warnings of a mutating one", hooks: [mutating(allow({ warnings: ["changed nothing"] }))], steps: [create()] },
  {
    title: "the same warning of two webhooks is returned once",
    hooks: [mutating(allow({ warnings: ["twice"] })), validating(allow({ warnings: ["twice"] }))],
    steps: [create()],
  },
  { title: "audit annotations are accepted", hooks: [validating(allow({ auditAnnotations: { key: "value" } }))], steps: [create()] },
  {
    title: "an answer without a response",
    hooks: [validating(respondWith(() => ({ apiVersion: V1, kind: "AdmissionReview" })))],
    steps: [create()],
  },
  {
    title: "an answer to another review",
    hooks: [validating(respondWithFields(() => ({ response: { uid: "other", allowed: true } })))],
    steps: [create()],
  },
  { title: "an answer without a uid", hooks: [validating(respondWithFields(() => ({ response: { allowed: true } })))], steps: [create()] },
  {
    title: "an answer without kind",
    hooks: [validating(respondWith((review) => ({ apiVersion: V1, response: { uid: review.request.uid, allowed: true } })))],
    steps: [create()],
  },
  {
    title: "an answer without apiVersion",
    hooks: [validating(respondWith((review) => ({ kind: "AdmissionReview", response: { uid: review.request.uid, allowed: true } })))],
    steps: [create()],
  },
  {
    title: "a body that contains only a response",
    hooks: [validating(respondWith((review) => ({ response: { uid: review.request.uid, allowed: true } })))],
    steps: [create()],
  },
  { title: "an answer of another kind", hooks: [validating(respondWith(() => ({ apiVersion: "v1", kind: "Pod" })))], steps: [create()] },
  {
    title: "an answer of another group",
    hooks: [validating(respondWith(() => ({ apiVersion: "example.com/v1", kind: "AdmissionReview" })))],
    steps: [create()],
  },
  {
    title: "allowed is no boolean",
    hooks: [validating(respondWithFields((review) => ({ response: { uid: review.request.uid, allowed: "yes" } })))],
    steps: [create()],
  },
  {
    title: "warnings are no list",
    hooks: [validating(respondWithFields((review) => ({ response: { uid: review.request.uid, allowed: true, warnings: "w" } })))],
    steps: [create()],
  },
  { title: "the response is no object", hooks: [validating(respondWithFields(() => ({ response: "yes" })))], steps: [create()] },
  { title: "an answer that is a list", hooks: [validating(respondWith(() => []))], steps: [create()] },
  { title: "an answer that is a text", hooks: [validating(http(200, "ok"))], steps: [create()] },
  { title: "a validating webhook with a patch", hooks: [validating(allow({ patch: "W10=", patchType: "JSONPatch" }))], steps: [create()] },
  { title: "a validating webhook with a patch type", hooks: [validating(allow({ patchType: "JSONPatch" }))], steps: [create()] },
  {
    title: "reviews of v1beta1",
    hooks: [validating(allow(), { ...onConfigMaps(), admissionReviewVersions: ["v1beta1"] })],
    steps: [create()],
    reviews: true,
  },
  {
    title: "the first known review version is used",
    hooks: [mutating(allow(), { ...onConfigMaps(), admissionReviewVersions: ["v1beta1", "v1"] })],
    steps: [create()],
    reviews: true,
  },
  {
    title: "reviews of v1beta1 need no uid",
    hooks: [
      validating(
        respondWith(() => ({
          apiVersion: "admission.k8s.io/v1beta1",
          kind: "AdmissionReview",
          response: { allowed: false, status: { message: "no" } },
        })),
        { ...onConfigMaps(), admissionReviewVersions: ["v1beta1"] },
      ),
    ],
    steps: [create()],
  },
];
