import { allow, type Case, CM, configMap, create, deny, mutating, onConfigMaps, patch, validating } from "../case.ts";
import { binding, policy } from "./policies.ts";

const noting = (auditAnnotations: object) => ({ auditAnnotations });
const always = [{ expression: "true" }];
const never = [{ expression: "object.data.size == '1'", message: "wrong size" }, { expression: "true" }, { expression: "false" }];
const says = (valueExpression: string, key = "note") => ({ key, valueExpression });
const sized = create("a", { data: { size: "3" } });

/** Annotations of policies, and what is done. */
const annotated = (title: string, auditAnnotations: readonly object[], spec: object = {}): Case => ({
  title,
  objects: [policy({ validations: always, auditAnnotations, ...spec }), binding()],
  steps: [sized],
});
/** A policy that fails, with these consequences. */
const failing = (title: string, validationActions: readonly string[]): Case => ({
  title,
  objects: [policy({ validations: never }), binding({ validationActions })],
  steps: [sized],
});

/** What is noted with a request is told to auditors only. */
export const annotations: readonly Case[] = [
  { title: "a webhook notes something", hooks: [validating(allow(noting({ seen: "yes", "by.me": "" })))], steps: [sized] },
  { title: "a webhook that refuses notes why", hooks: [validating(deny({ message: "no" }, noting({ seen: "yes" })))], steps: [sized] },
  {
    title: "webhooks that change note, too",
    hooks: [
      mutating(patch([{ op: "add", path: "/data/a", value: "b" }], noting({ changed: "a" })), onConfigMaps(), "m"),
      mutating(allow(noting({ changed: "nothing" })), onConfigMaps(), "n"),
      validating(allow(noting({ changed: "no" }))),
    ],
    steps: [sized],
  },
  {
    title: "a webhook that is asked twice",
    hooks: [
      mutating(
        (review) => allow(noting({ size: review.request.object.data.size }))(review),
        { ...onConfigMaps(), reinvocationPolicy: "IfNeeded" },
        "m",
      ),
      mutating(patch([{ op: "replace", path: "/data/size", value: "4" }]), onConfigMaps(), "n"),
    ],
    steps: [sized],
  },
  {
    title: "a dry run is noted",
    hooks: [validating(allow(noting({ seen: "yes" })))],
    steps: [["POST", `${CM}?dryRun=All`, configMap("a")]],
  },
  annotated("a policy notes something", [says("'size ' + object.data.size"), says("request.operation", "what")]),
  annotated("a policy has nothing to note", [says("null"), says("''", "empty"), says("'  '", "blank")]),
  annotated("what a policy notes is trimmed", [says("'  a  '")]),
  annotated("a policy that only notes", [says("'here'")], { validations: [] }),
  {
    title: "policies note, whatever they think",
    objects: [policy({ validations: never, auditAnnotations: [says("'size ' + object.data.size")] }), binding()],
    steps: [sized],
  },
  {
    title: "two bindings note the same",
    objects: [policy({ validations: always, auditAnnotations: [says("'same'")] }), binding(), binding({}, "NS-b")],
    steps: [sized],
  },
  failing("a failure that is only noted", ["Audit"]),
  failing("a failure that is noted and told", ["Warn", "Audit"]),
  failing("a failure that is noted and denied", ["Deny", "Audit"]),
  {
    title: "a rule that cannot be evaluated is noted as a failure",
    objects: [policy({ validations: [{ expression: "object.data.nothing == 'x'" }] }), binding({ validationActions: ["Audit"] })],
    steps: [sized],
  },
  {
    title: "an annotation that cannot be evaluated",
    objects: [
      policy({ validations: always, auditAnnotations: [says("'x ' + object.data.nothing"), says("'b'", "b")] }),
      binding({ validationActions: ["Audit"] }),
    ],
    steps: [sized],
  },
];
