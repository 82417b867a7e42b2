import { quoteGoString } from "pintle/internal/go-format";
import { isJsonObject, type Json, type JsonObject } from "pintle/internal/json";
import { TerminalFailure } from "../api/failures.ts";

/** The configuration of a bundle, once it is known to be valid. */
export interface BundleConfig {
  readonly watchNamespace: string | undefined;
  readonly deploymentConfig: JsonObject | undefined;
}

/** The constraints of a configuration. */
export interface ConfigRules {
  /** The install modes that the bundle supports. */
  readonly installModes: readonly string[];
  /** The namespace of the extension. */
  readonly namespace: string;
  /** Whether the Deployment can be configured. */
  readonly allowsDeploymentConfig: boolean;
}

const NAMESPACE_PATTERN = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
const MAX_NAMESPACE_LENGTH = 63;

/** The fields of `deploymentConfig`, with the type of each. */
const DEPLOYMENT_FIELDS: Readonly<Record<string, "object" | "array">> = {
  affinity: "object",
  annotations: "object",
  env: "array",
  envFrom: "array",
  nodeSelector: "object",
  resources: "object",
  tolerations: "array",
  volumeMounts: "array",
  volumes: "array",
};

/** Reads the configuration of an extension. Throws `TerminalFailure` with the text of operator-controller if the bundle does not accept it. */
export function readBundleConfig(config: JsonObject | undefined, rules: ConfigRules): BundleConfig {
  const fields = config ?? {};
  const problems = findProblems(fields, rules);
  if (problems.length > 0) {
    const text = problems.length === 1 ? problems[0]! : `multiple errors found:\n  - ${problems.join("\n  - ")}`;
    throw new TerminalFailure(`invalid ClusterExtension configuration: invalid configuration: ${text}`, "InvalidConfiguration");
  }
  const { watchNamespace, deploymentConfig } = fields;
  return {
    watchNamespace: typeof watchNamespace === "string" ? watchNamespace : undefined,
    deploymentConfig: isJsonObject(deploymentConfig) ? deploymentConfig : undefined,
  };
}

function findProblems(fields: JsonObject, rules: ConfigRules): string[] {
  const supports = (mode: string) => rules.installModes.includes(mode);
  const isConfigurable = supports("SingleNamespace") || supports("OwnNamespace");
  const isRequired = isConfigurable && !supports("AllNamespaces");
  const known = new Set([...(isConfigurable ? ["watchNamespace"] : []), ...(rules.allowsDeploymentConfig ? ["deploymentConfig"] : [])]);
  const unknown = Object.keys(fields).filter((name) => !known.has(name));
  return [
    ...(isRequired && fields["watchNamespace"] === undefined ? ['required field "watchNamespace" is missing'] : []),
    ...(unknown.length === 0 ? [] : [`unknown field ${quoteGoString(unknown.sort()[0]!)}`]),
    ...(isConfigurable && fields["watchNamespace"] !== undefined ? findNamespaceProblems(fields["watchNamespace"], rules, isRequired) : []),
    ...(rules.allowsDeploymentConfig ? findDeploymentProblems(fields["deploymentConfig"]) : []),
  ];
}

function findNamespaceProblems(value: Json | undefined, rules: ConfigRules, isRequired: boolean): string[] {
  if (value === null) return isRequired ? ['required field "watchNamespace" is missing'] : [];
  if (typeof value !== "string") {
    return isRequired
      ? [`invalid type for field "watchNamespace": got ${nameOf(value)}, want string`]
      : ['invalid value for field "watchNamespace"'];
  }
  const problems = [
    ...(value.length < 1 ? [`field "watchNamespace" must have minimum length of 1 (len=0)`] : []),
    ...(value.length > MAX_NAMESPACE_LENGTH
      ? [`field "watchNamespace" must have maximum length of ${MAX_NAMESPACE_LENGTH} (len=${value.length})`]
      : []),
    ...(new RegExp(NAMESPACE_PATTERN).test(value) ? [] : [`field "watchNamespace" must match pattern ${quoteGoString(NAMESPACE_PATTERN)}`]),
    ...findModeProblems(value, rules),
  ];
  return isRequired || problems.length === 0 ? problems : ['invalid value for field "watchNamespace"', ...problems];
}

/** An operator that supports only one of the modes cannot watch the namespaces of the other. */
function findModeProblems(value: string, { installModes, namespace }: ConfigRules): string[] {
  const [own, single] = [installModes.includes("OwnNamespace"), installModes.includes("SingleNamespace")];
  const shown = `${quoteGoString(value)}`;
  const prefix = `invalid format for field "watchNamespace": ${shown} is not valid`;
  if (own && !single && value !== namespace) {
    return [
      `${prefix} ownNamespaceInstallMode: invalid value ${shown}: must be ${quoteGoString(namespace)} (the namespace where the operator is installed) because this operator only supports OwnNamespace install mode`,
    ];
  }
  if (single && !own && value === namespace) {
    return [
      `${prefix} singleNamespaceInstallMode: invalid value ${shown}: must be different from ${quoteGoString(namespace)} (the install namespace) because this operator uses SingleNamespace install mode to watch a different namespace`,
    ];
  }
  return [];
}

function findDeploymentProblems(value: Json | undefined): string[] {
  if (value === undefined) return [];
  if (!isJsonObject(value)) return [`invalid type for field "deploymentConfig": got ${nameOf(value)}, want object`];
  const unknown = Object.keys(value)
    .filter((name) => !Object.hasOwn(DEPLOYMENT_FIELDS, name))
    .sort();
  const wrong = Object.entries(DEPLOYMENT_FIELDS).flatMap(([name, type]) => {
    const field = value[name];
    if (field === undefined || nameOf(field) === type) return [];
    return [`invalid type for field ${quoteGoString(`deploymentConfig.${name}`)}: got ${nameOf(field)}, want ${type}`];
  });
  return [...(unknown.length === 0 ? [] : [`unknown field ${quoteGoString(unknown[0]!)}`]), ...wrong];
}

function nameOf(value: Json | undefined): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
