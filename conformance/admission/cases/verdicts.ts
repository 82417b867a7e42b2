import { allow, type Case, create, deny, http, mutating, onConfigMaps, says, validating } from "../case.ts";

const V1 = "admission.k8s.io/v1";

/** An answer to the review with other fields than it should have. */
const other = (change: (review: any) => object) =>
  says((review) => ({ apiVersion: V1, kind: "AdmissionReview", response: { uid: review.request.uid, allowed: true }, ...change(review) }));

export const verdicts: readonly Case[] = [
  { title: "a validating webhook allows", hooks: [validating(allow())], steps: [create()], reviews: true },
  { title: "a mutating webhook allows", hooks: [mutating(allow())], steps: [create()], reviews: true },
  { title: "denied with a message", hooks: [validating(deny({ message: "not today" }))], steps: [create()] },
  { title: "denied without a word", hooks: [validating(deny())], steps: [create()] },
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
    title: "the same warning of two is told once",
    hooks: [mutating(allow({ warnings: ["twice"] })), validating(allow({ warnings: ["twice"] }))],
    steps: [create()],
  },
  { title: "audit annotations are accepted", hooks: [validating(allow({ auditAnnotations: { key: "value" } }))], steps: [create()] },
  {
    title: "an answer without a response",
    hooks: [validating(says(() => ({ apiVersion: V1, kind: "AdmissionReview" })))],
    steps: [create()],
  },
  {
    title: "an answer to another review",
    hooks: [validating(other(() => ({ response: { uid: "other", allowed: true } })))],
    steps: [create()],
  },
  { title: "an answer without a uid", hooks: [validating(other(() => ({ response: { allowed: true } })))], steps: [create()] },
  {
    title: "an answer without kind",
    hooks: [validating(says((review) => ({ apiVersion: V1, response: { uid: review.request.uid, allowed: true } })))],
    steps: [create()],
  },
  {
    title: "an answer without apiVersion",
    hooks: [validating(says((review) => ({ kind: "AdmissionReview", response: { uid: review.request.uid, allowed: true } })))],
    steps: [create()],
  },
  {
    title: "an answer that is nothing but a response",
    hooks: [validating(says((review) => ({ response: { uid: review.request.uid, allowed: true } })))],
    steps: [create()],
  },
  { title: "an answer of another kind", hooks: [validating(says(() => ({ apiVersion: "v1", kind: "Pod" })))], steps: [create()] },
  {
    title: "an answer of another group",
    hooks: [validating(says(() => ({ apiVersion: "example.com/v1", kind: "AdmissionReview" })))],
    steps: [create()],
  },
  {
    title: "allowed is no boolean",
    hooks: [validating(other((review) => ({ response: { uid: review.request.uid, allowed: "yes" } })))],
    steps: [create()],
  },
  {
    title: "warnings are no list",
    hooks: [validating(other((review) => ({ response: { uid: review.request.uid, allowed: true, warnings: "w" } })))],
    steps: [create()],
  },
  { title: "the response is no object", hooks: [validating(other(() => ({ response: "yes" })))], steps: [create()] },
  { title: "an answer that is a list", hooks: [validating(says(() => []))], steps: [create()] },
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
    title: "the first known version of reviews is spoken",
    hooks: [mutating(allow(), { ...onConfigMaps(), admissionReviewVersions: ["v1beta1", "v1"] })],
    steps: [create()],
    reviews: true,
  },
  {
    title: "reviews of v1beta1 need no uid",
    hooks: [
      validating(
        says(() => ({
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
