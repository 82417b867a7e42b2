import { allow, type Case, CM, configMap, create, deny, mutating, onConfigMaps, patch, validating } from "../case.ts";
import { binding, policy } from "./policies.ts";

const withAuditAnnotations = (auditAnnotations: object) => ({ auditAnnotations });
const always = [{ expression: "true" }];
const never = [{ expression: "object.data.size == '1'", message: "wrong size" }, { expression: "true" }, { expression: "false" }];
const auditAnnotation = (valueExpression: string, key = "note") => ({ key, valueExpression });
const createSized = create("a", { data: { size: "3" } });

/** A case of a policy with audit annotations. */
const annotationCase = (title: string, auditAnnotations: readonly object[], spec: object = {}): Case => ({
  title,
  objects: [policy({ validations: always, auditAnnotations, ...spec }), binding()],
  steps: [createSized],
});
/** A case of a failing policy with these validation actions. */
const failingCase = (title: string, validationActions: readonly string[]): Case => ({
  title,
  objects: [policy({ validations: never }), binding({ validationActions })],
  steps: [createSized],
});

/** Audit annotations appear in the audit log only. */
export const annotations: readonly Case[] = [
  {
    title: "a webhook adds audit annotations",
    hooks: [validating(allow(withAuditAnnotations({ seen: "yes", "by.me": "" })))],
    steps: [createSized],
  },
  {
    title: "a denying webhook adds audit annotations",
    hooks: [validating(deny({ message: "no" }, withAuditAnnotations({ seen: "yes" })))],
    steps: [createSized],
  },
  {
    title: "mutating webhooks add audit annotations",
    hooks: [
      mutating(patch([{ op: "add", path: "/data/a", value: "b" }], withAuditAnnotations({ changed: "a" })), onConfigMaps(), "m"),
      mutating(allow(withAuditAnnotations({ changed: "nothing" })), onConfigMaps(), "n"),
      validating(allow(withAuditAnnotations({ changed: "no" }))),
    ],
    steps: [createSized],
  },
  {
    title: "a reinvoked webhook adds audit annotations",
    hooks: [
      mutating(
        (review) => allow(withAuditAnnotations({ size: review.request.object.data.size }))(review),
        { ...onConfigMaps(), reinvocationPolicy: "IfNeeded" },
        "m",
      ),
      mutating(patch([{ op: "replace", path: "/data/size", value: "4" }]), onConfigMaps(), "n"),
    ],
    steps: [createSized],
  },
  {
    title: "a dry run has audit annotations",
    hooks: [validating(allow(withAuditAnnotations({ seen: "yes" })))],
    steps: [["POST", `${CM}?dryRun=All`, configMap("a")]],
  },
  annotationCase("a policy notes something", [auditAnnotation("'size ' + object.data.size"), auditAnnotation("request.operation", "what")]),
  annotationCase("a policy has nothing to note", [
    auditAnnotation("null"),
    auditAnnotation("''", "empty"),
    auditAnnotation("'  '", "blank"),
  ]),
  annotationCase("what a policy notes is trimmed", [auditAnnotation("'  a  '")]),
  annotationCase("a policy that only notes", [auditAnnotation("'here'")], { validations: [] }),
  {
    title: "policies add audit annotations whether they allow or deny",
    objects: [policy({ validations: never, auditAnnotations: [auditAnnotation("'size ' + object.data.size")] }), binding()],
    steps: [createSized],
  },
  {
    title: "two bindings add the same audit annotation",
    objects: [policy({ validations: always, auditAnnotations: [auditAnnotation("'same'")] }), binding(), binding({}, "NS-b")],
    steps: [createSized],
  },
  failingCase("a failure with the action Audit", ["Audit"]),
  failingCase("a failure with the actions Warn and Audit", ["Warn", "Audit"]),
  failingCase("a failure with the actions Deny and Audit", ["Deny", "Audit"]),
  {
    title: "a validation that fails to evaluate is annotated as a failure",
    objects: [policy({ validations: [{ expression: "object.data.nothing == 'x'" }] }), binding({ validationActions: ["Audit"] })],
    steps: [createSized],
  },
  {
    title: "an audit annotation that fails to evaluate",
    objects: [
      policy({ validations: always, auditAnnotations: [auditAnnotation("'x ' + object.data.nothing"), auditAnnotation("'b'", "b")] }),
      binding({ validationActions: ["Audit"] }),
    ],
    steps: [createSized],
  },
];
