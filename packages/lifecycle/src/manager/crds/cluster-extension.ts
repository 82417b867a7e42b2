import type { JsonObject } from "pintle/internal/json";
import {
  buildDefinition,
  conditions,
  type DefinitionSet,
  integer,
  labelSelector,
  list,
  mapList,
  OBJECT_FIELDS,
  object,
  oneOf,
  type StructuralSchema,
  text,
} from "./schema.ts";
import { CHANNEL_RULE, subdomainRule, unionRule } from "./text-rules.ts";

/** The CRD of ClusterExtension. */
export function buildClusterExtensionDefinition(set: DefinitionSet): JsonObject {
  return buildDefinition({
    kind: "ClusterExtension",
    set,
    columns: [
      { name: "Installed Bundle", type: "string", jsonPath: ".status.install.bundle.name" },
      { name: "Version", type: "string", jsonPath: ".status.install.bundle.version" },
      { name: "Installed", type: "string", jsonPath: ".status.conditions[?(@.type=='Installed')].status" },
      { name: "Progressing", type: "string", jsonPath: ".status.conditions[?(@.type=='Progressing')].status" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
    schema: object(
      { ...OBJECT_FIELDS, spec: buildSpec(set), status: buildStatus(set) },
      { description: "An operator, or another extension of the cluster, that is installed from a catalog." },
    ),
  });
}

const VERSION_RULE = {
  rule: String.raw`self.matches("^(\\s*(=||!=|>|<|>=|=>|<=|=<|~|~>|\\^)\\s*(v?(0|[1-9]\\d*|[x|X|\\*])(\\.(0|[1-9]\\d*|x|X|\\*]))?(\\.(0|[1-9]\\d*|x|X|\\*))?(-([0-9A-Za-z\\-]+(\\.[0-9A-Za-z\\-]+)*))?(\\+([0-9A-Za-z\\-]+(\\.[0-9A-Za-z\\-]+)*))?)\\s*)((?:\\s+|,\\s*|\\s*\\|\\|\\s*)(=||!=|>|<|>=|=>|<=|=<|~|~>|\\^)\\s*(v?(0|[1-9]\\d*|x|X|\\*])(\\.(0|[1-9]\\d*|x|X|\\*))?(\\.(0|[1-9]\\d*|x|X|\\*]))?(-([0-9A-Za-z\\-]+(\\.[0-9A-Za-z\\-]+)*))?(\\+([0-9A-Za-z\\-]+(\\.[0-9A-Za-z\\-]+)*))?)\\s*)*$")`,
  message: "invalid version expression",
};

const CATALOG_SOURCE = object(
  {
    channels: list(text({ keywords: { maxLength: 253 }, rules: [CHANNEL_RULE] }), {
      description: "The channels whose bundles can be installed. Default: all.",
      keywords: { maxItems: 256 },
    }),
    packageName: text({
      description: "The package to install.",
      keywords: { maxLength: 253 },
      rules: [{ rule: "self == oldSelf", message: "packageName is immutable" }, subdomainRule("packageName")],
    }),
    selector: labelSelector({ description: "The catalogs to install from. Default: all." }),
    upgradeConstraintPolicy: oneOf(["CatalogProvided", "SelfCertified"], {
      description: "SelfCertified allows upgrades and downgrades that the catalog does not declare.",
      keywords: { default: "CatalogProvided" },
    }),
    version: text({
      description: "A version, or a range of versions. Default: the highest.",
      keywords: { maxLength: 64 },
      rules: [VERSION_RULE],
    }),
  },
  { required: ["packageName"], description: "The package and its versions." },
);

const INSTALL = object(
  {
    preflight: object(
      {
        crdUpgradeSafety: object(
          { enforcement: oneOf(["None", "Strict"], { description: "Strict refuses CRDs that could break stored objects." }) },
          { required: ["enforcement"], description: "The check before a CRD is replaced." },
        ),
      },
      {
        required: ["crdUpgradeSafety"],
        description: "The checks before anything is changed.",
        rules: [
          {
            rule: "has(self.crdUpgradeSafety)",
            message: "at least one of [crdUpgradeSafety] are required when preflight is specified",
          },
        ],
      },
    ),
  },
  {
    description: "How the extension is installed.",
    rules: [{ rule: "has(self.preflight)", message: "at least one of [preflight] are required when install is specified" }],
  },
);

const CONFIG = object(
  {
    configType: oneOf(["Inline"], { description: "Where the configuration is." }),
    inline: {
      type: "object",
      description: "The configuration; the bundle defines its fields.",
      minProperties: 1,
      "x-kubernetes-preserve-unknown-fields": true,
    },
  },
  {
    required: ["configType"],
    description: "The configuration of the bundle.",
    rules: [unionRule("inline", "configType", "Inline", "has(self.configType) && self.configType == 'Inline' ?")],
  },
);

function buildSpec(set: DefinitionSet): StructuralSchema {
  const experimental: Record<string, StructuralSchema> = {
    config: CONFIG,
    progressDeadlineMinutes: integer({
      description: "After how many minutes a revision that has not rolled out is reported as failed. Default: never.",
      keywords: { format: "int32", minimum: 10, maximum: 720 },
    }),
  };
  return object(
    {
      ...(set === "experimental" ? experimental : {}),
      install: INSTALL,
      namespace: text({
        description: "The namespace of the namespaced objects of the bundle. It must exist.",
        keywords: { maxLength: 63 },
        rules: [
          { rule: "self == oldSelf", message: "namespace is immutable" },
          { rule: `self.matches("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")`, message: "namespace must be a valid DNS1123 label" },
        ],
      }),
      serviceAccount: object(
        {
          name: text({
            description: "Ignored.",
            keywords: { minLength: 1, maxLength: 253 },
            rules: [{ rule: "self == oldSelf", message: "name is immutable once set but may be cleared" }, subdomainRule("name")],
          }),
        },
        { description: "Deprecated and ignored.", keywords: { minProperties: 1 } },
      ),
      source: object(
        { catalog: CATALOG_SOURCE, sourceType: oneOf(["Catalog"], { description: "The kind of source." }) },
        {
          required: ["sourceType"],
          description: "What is installed.",
          rules: [unionRule("catalog", "sourceType", "Catalog", "has(self.sourceType) && self.sourceType == 'Catalog' ? ")],
        },
      ),
    },
    { required: ["namespace", "source"], description: "The desired state." },
  );
}

const RELEASE = text({
  description: "The release of the bundle.",
  keywords: { maxLength: 20 },
  rules: [
    {
      rule: String.raw`self.matches("^$|^(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(\\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*$")`,
      message: "release must be empty or consist of dot-separated identifiers (numeric without leading zeros, or alphanumeric)",
    },
  ],
});

function buildStatus(set: DefinitionSet): StructuralSchema {
  const revision = object(
    { conditions: conditions("Available and Progressing of the revision."), name: text({ description: "The ClusterObjectSet." }) },
    { required: ["name"] },
  );
  const bundle = object(
    {
      name: text({ description: "The name of the bundle.", rules: [subdomainRule("packageName")] }),
      ...(set === "experimental" ? { release: RELEASE } : {}),
      version: text({
        description: "The version of the bundle.",
        rules: [
          {
            rule: String.raw`self.matches("^([0-9]+)(\\.[0-9]+)?(\\.[0-9]+)?(-([-0-9A-Za-z]+(\\.[-0-9A-Za-z]+)*))?(\\+([-0-9A-Za-z]+(-\\.[-0-9A-Za-z]+)*))?")`,
            message: "version must be well-formed semver",
          },
        ],
      }),
    },
    { required: ["name", "version"], description: "The installed bundle." },
  );
  const activeRevisions = mapList("name", revision, { description: "The revisions that are not archived." });
  return object(
    {
      ...(set === "experimental" ? { activeRevisions } : {}),
      conditions: conditions("Installed, Progressing, Deprecated and its parts, and Available."),
      install: object({ bundle }, { required: ["bundle"], description: "What is installed." }),
    },
    { description: "The observed state." },
  );
}
