import type { JsonObject } from "pintle/internal/json";
import {
  atomicList,
  buildDefinition,
  conditions,
  integer,
  labelSelector,
  list,
  mapList,
  OBJECT_FIELDS,
  object,
  oneOf,
  text,
} from "./schema.ts";
import { FIELD_PATH_RULE, LABEL_RULE, unionRule } from "./text-rules.ts";

/** The CRD of ClusterObjectSet. */
export function buildClusterObjectSetDefinition(): JsonObject {
  return buildDefinition({
    kind: "ClusterObjectSet",
    set: "experimental",
    columns: [
      { name: "Available", type: "string", jsonPath: ".status.conditions[?(@.type=='Available')].status" },
      { name: "Progressing", type: "string", jsonPath: ".status.conditions[?(@.type=='Progressing')].status" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
    schema: object({ ...OBJECT_FIELDS, spec: SPEC, status: STATUS }, { description: "A revision: objects that are applied in phases." }),
  });
}

const PROTECTIONS = ["Prevent", "IfNoController", "None"];
const SHORT_TEXT = { minLength: 1, maxLength: 200 };
const PHASE_NAME = text({ description: "The name of the phase.", keywords: { minLength: 1, maxLength: 63 }, rules: [LABEL_RULE] });

const PHASE_OBJECT = object(
  {
    collisionProtection: oneOf(PROTECTIONS, { description: "Default: that of the phase." }),
    object: {
      type: "object",
      description: "The object itself.",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
    ref: object(
      {
        key: text({ description: "The key in the Secret.", keywords: { minLength: 1, maxLength: 253 } }),
        name: text({ description: "The name of the Secret.", keywords: { minLength: 1, maxLength: 253 } }),
        namespace: text({ description: "The namespace of the Secret.", keywords: { maxLength: 63 } }),
      },
      { required: ["key", "name"], description: "The immutable Secret that has the object as JSON." },
    ),
  },
  {
    rules: [
      {
        rule: "[has(self.object),has(self.ref)].filter(x,x==true).size() == 1",
        message: "exactly one of the fields in [object ref] must be set",
      },
    ],
  },
);

const PHASE = object(
  {
    collisionProtection: oneOf(PROTECTIONS, { description: "Default: that of the revision." }),
    name: PHASE_NAME,
    objects: list(PHASE_OBJECT, { description: "The objects, which are applied together.", keywords: { maxItems: 50 } }),
  },
  { required: ["name", "objects"] },
);

const memberRule = (member: string, value: string) => unionRule(member, "type", value, `self.type == '${value}' ?`);
const fieldPath = () => text({ keywords: SHORT_TEXT, rules: [FIELD_PATH_RULE] });

const ASSERTION = object(
  {
    conditionEqual: object(
      { status: oneOf(["True", "False"]), type: text({ keywords: SHORT_TEXT }) },
      { required: ["status", "type"], description: "A condition must have this status." },
    ),
    fieldValue: object(
      { fieldPath: fieldPath(), value: text({ keywords: SHORT_TEXT }) },
      { required: ["fieldPath", "value"], description: "A field must have this value." },
    ),
    fieldsEqual: object(
      { fieldA: fieldPath(), fieldB: fieldPath() },
      { required: ["fieldA", "fieldB"], description: "Two fields must have the same value." },
    ),
    type: oneOf(["ConditionEqual", "FieldsEqual", "FieldValue"], { description: "The kind of assertion." }),
  },
  {
    required: ["type"],
    rules: [
      memberRule("conditionEqual", "ConditionEqual"),
      memberRule("fieldsEqual", "FieldsEqual"),
      memberRule("fieldValue", "FieldValue"),
    ],
  },
);

/** A probe: which objects, and what must hold for them. */
export const PROBE = object(
  {
    assertions: atomicList(ASSERTION, { description: "What must hold for the selected objects.", keywords: { minItems: 1, maxItems: 20 } }),
    selector: object(
      {
        groupKind: object({ group: text(), kind: text() }, { required: ["group", "kind"], description: "Objects of a kind." }),
        label: labelSelector({
          description: "Objects with labels.",
          rules: [
            {
              rule: "(has(self.matchExpressions) && !has(self.matchLabels)) || (!has(self.matchExpressions) && has(self.matchLabels))",
              message: "exactly one of matchLabels or matchExpressions must be set",
            },
          ],
        }),
        type: oneOf(["GroupKind", "Label"], { description: "The kind of selector." }),
      },
      {
        required: ["type"],
        description: "Which objects are probed.",
        rules: [memberRule("groupKind", "GroupKind"), memberRule("label", "Label")],
      },
    ),
  },
  { required: ["assertions", "selector"] },
);

const SPEC = object(
  {
    collisionProtection: oneOf(PROTECTIONS, {
      description: "Which objects that exist already are taken over.",
      rules: [{ rule: "self == oldSelf", message: "collisionProtection is immutable" }],
    }),
    lifecycleState: oneOf(["Active", "Archived"], {
      description: "Archived removes the objects that no other revision owns.",
      rules: [{ rule: "oldSelf == 'Active' || oldSelf == 'Archived' && oldSelf == self", message: "cannot un-archive" }],
    }),
    phases: mapList("name", PHASE, {
      description: "The phases, one after the other: the next begins when all probes of the objects of the last succeed.",
      keywords: { maxItems: 20 },
      rules: [{ rule: "self == oldSelf || oldSelf.size() == 0", message: "phases is immutable" }],
    }),
    progressDeadlineMinutes: integer({
      description: "After how many minutes a revision that has not rolled out is reported as failed. Default: never.",
      keywords: { format: "int32", minimum: 10, maximum: 720 },
    }),
    progressionProbes: atomicList(PROBE, { description: "When objects count as ready.", keywords: { minItems: 1, maxItems: 20 } }),
    revision: integer({
      description: "The number of the revision. Objects belong to the highest.",
      keywords: { format: "int64", minimum: 1 },
      rules: [{ rule: "self == oldSelf", message: "revision is immutable" }],
    }),
  },
  { required: ["collisionProtection", "lifecycleState", "revision"], description: "The desired state." },
);

const STATUS = object(
  {
    conditions: conditions("Progressing, Available and Succeeded."),
    observedPhases: mapList(
      "name",
      object(
        {
          digest: text({
            description: "The digest of the objects of the phase.",
            keywords: { minLength: 1, maxLength: 256 },
            rules: [{ rule: "self.matches('^[a-z0-9]+:[a-f0-9]+$')", message: "digest must be in the format '<algorithm>:<hex>'" }],
          }),
          name: PHASE_NAME,
        },
        { required: ["digest", "name"] },
      ),
      {
        description: "The content of the phases when the revision was first reconciled.",
        keywords: { maxItems: 20 },
        rules: [{ rule: "self == oldSelf || oldSelf.size() == 0", message: "observedPhases is immutable" }],
      },
    ),
  },
  { description: "The observed state." },
);
