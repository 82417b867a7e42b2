import type { JsonObject } from "pintle/internal/json";
import { POLICY_GROUP } from "../api/names.ts";
import { PROBE } from "./cluster-object-set.ts";
import {
  atomicList,
  buildOwnDefinition,
  conditions,
  labelSelector,
  list,
  OBJECT_FIELDS,
  object,
  oneOf,
  type StructuralSchema,
  text,
} from "./schema.ts";
import { IMAGE_RULES, subdomainRule, unionRule } from "./text-rules.ts";

/** The CRD of ExtensionPolicy. */
export function buildExtensionPolicyDefinition(): JsonObject {
  return buildOwnDefinition({
    kind: "ExtensionPolicy",
    group: POLICY_GROUP,
    version: "v1alpha1",
    scope: "Cluster",
    shortNames: ["extpol"],
    columns: [
      { name: "Extension", type: "string", jsonPath: ".spec.extensionName" },
      { name: "Approval", type: "string", jsonPath: ".spec.approval" },
      { name: "Rights", type: "string", jsonPath: ".spec.rights" },
      { name: "OnFailure", type: "string", jsonPath: ".spec.onFailure.action" },
      { name: "Accepted", type: "string", jsonPath: ".status.conditions[?(@.type=='Accepted')].status" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
    schema: object(
      { ...OBJECT_FIELDS, spec: SPEC, status: STATUS },
      {
        required: ["spec"],
        description: "What is done with extensions beyond OLM v1. Without a policy an extension is treated as OLM v1 does.",
      },
    ),
  });
}

/** An enum whose first value is the behavior of OLM v1. */
const choice = (values: readonly [string, ...string[]], description: string): StructuralSchema =>
  oneOf(values, { description, keywords: { default: values[0] } });

const duration = (description: string): StructuralSchema =>
  text({
    description: `${description} Such as 90s, 30m or 1h30m.`,
    keywords: { maxLength: 32 },
    rules: [
      {
        rule: "self.matches('^([0-9]{1,6}(h|m|s))+$')",
        message: "must be a duration of hours, minutes and seconds, such as 90s, 30m or 1h30m",
      },
    ],
  });

const WINDOW = object(
  {
    cron: text({
      description: "When the window opens: minute, hour, day of month, month and day of week, in UTC.",
      keywords: { minLength: 9, maxLength: 128 },
      rules: [
        {
          rule: "self.matches('^[0-9*,/-]+ [0-9*,/-]+ [0-9*,/-]+ [0-9*,/-]+ [0-9*,/-]+$')",
          message: "must have five fields of numbers: minute, hour, day of month, month and day of week",
        },
      ],
    }),
    duration: duration("How long the window stays open."),
  },
  { required: ["cron", "duration"], description: "New revisions begin only in this window. Default: at any time." },
);

const ON_FAILURE = object(
  {
    action: choice(["Hold", "RollBack"], "RollBack makes a new revision with the content of the last one that was healthy."),
    after: duration("How long a revision may be unhealthy before it is given up. Default: 10m."),
  },
  {
    description: "What happens with a revision that does not roll out, or does not stay healthy.",
    rules: [{ rule: "!has(self.after) || self.action == 'RollBack'", message: "after is forbidden unless action is RollBack" }],
  },
);

const HEALTH = object(
  {
    probes: atomicList(PROBE, {
      description: "What must hold for objects of a revision besides what the manager itself requires.",
      keywords: { minItems: 1, maxItems: 10 },
    }),
    soak: duration("How long a revision must stay healthy before it counts as good. Default: 0s."),
  },
  {
    description: "When a revision is healthy.",
    rules: [{ rule: "has(self.probes) || has(self.soak)", message: "at least one of [probes soak] is required" }],
  },
);

const TRUST = object(
  {
    identities: atomicList(
      object(
        {
          issuer: text({ description: "The URL of the OpenID provider.", keywords: { minLength: 1, maxLength: 512 } }),
          subject: text({
            description: "The subject, such as an e-mail address or a workflow.",
            keywords: { minLength: 1, maxLength: 512 },
          }),
        },
        { required: ["issuer", "subject"] },
      ),
      { description: "Identities that sign without a key.", keywords: { minItems: 1, maxItems: 16 } },
    ),
    keys: atomicList(
      text({
        keywords: { maxLength: 4096 },
        rules: [{ rule: "self.startsWith('-----BEGIN PUBLIC KEY-----')", message: "must be a public key as PEM" }],
      }),
      { description: "Public keys as cosign has them. A signature by one of them is enough.", keywords: { minItems: 1, maxItems: 16 } },
    ),
    sbom: choice(["Ignore", "Require"], "Require refuses bundles without a signed bill of materials."),
  },
  {
    description: "Only bundles that are signed are installed. Default: all are.",
    rules: [{ rule: "has(self.keys) || has(self.identities)", message: "at least one of [keys identities] is required" }],
  },
);

const SOURCE = object(
  {
    folder: text({ description: "The folder of the bundle on the machine of the manager.", keywords: { minLength: 1, maxLength: 1024 } }),
    image: text({ description: "The image of the bundle, with a tag or a digest.", keywords: { maxLength: 1000 }, rules: IMAGE_RULES }),
    type: oneOf(["Image", "Folder"], { description: "The kind of source." }),
  },
  {
    required: ["type"],
    description: "The bundle, instead of one that is chosen from catalogs. Its package must be that of the extension.",
    rules: [
      unionRule("image", "type", "Image", "self.type == 'Image' ? "),
      unionRule("folder", "type", "Folder", "self.type == 'Folder' ? "),
    ],
  },
);

const DIGEST = text({
  keywords: { maxLength: 71 },
  rules: [{ rule: "self.matches('^sha256:[0-9a-f]{64}$')", message: "must be the digest of an ExtensionPlan" }],
});

const SPEC = object(
  {
    approval: choice(
      ["Automatic", "Manual", "ManualAfterFirst"],
      "Manual: a new revision begins when the digest of its ExtensionPlan is in approved. ManualAfterFirst does not apply to the first installation.",
    ),
    approved: list(DIGEST, {
      description: "The digests of the plans that may be carried out.",
      keywords: { maxItems: 100, "x-kubernetes-list-type": "set" },
    }),
    certificates: choice(
      ["CertManager", "Pintle"],
      "Who issues the certificates of webhooks. Pintle: the manager, with an authority of its own for each extension.",
    ),
    dependencies: choice(
      ["Refuse", "Require", "Install"],
      "What happens with bundles that depend on others. Require: they are installed once what they need is there. Install: it is installed too.",
    ),
    extensionName: text({
      description: "The extension, by name. Outranks policies that select extensions by label.",
      keywords: { maxLength: 253 },
      rules: [subdomainRule("extensionName")],
    }),
    extensionSelector: labelSelector({ description: "The extensions, by label." }),
    health: HEALTH,
    onFailure: ON_FAILURE,
    removal: choice(
      ["Delete", "KeepDefinitions", "RefuseIfInUse"],
      "What happens with CRDs, and so with custom resources, when an extension is deleted. RefuseIfInUse: the extension stays until there are none.",
    ),
    rights: choice(
      ["ClusterAdmin", "Derived"],
      "Derived: objects are applied by a ServiceAccount that has the rights which follow from them. A revision that needs more waits for approval.",
    ),
    source: SOURCE,
    stored: choice(
      ["Ignore", "Check", "Migrate"],
      "Check: a CRD that would refuse stored objects is not applied. Migrate: as well, objects stored in old versions are rewritten.",
    ),
    trust: TRUST,
    window: WINDOW,
  },
  {
    description: "The desired state.",
    rules: [
      {
        rule: "has(self.extensionName) != has(self.extensionSelector)",
        message: "exactly one of [extensionName extensionSelector] is required",
      },
    ],
  },
);

const STATUS = object(
  {
    conditions: conditions("Accepted: whether the policy can be followed."),
    extensions: atomicList(text(), { description: "The extensions that follow the policy." }),
  },
  { description: "The observed state." },
);
