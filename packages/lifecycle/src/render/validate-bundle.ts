import { quoteGoString } from "pintle/internal/go-format";
import { isSupportedKind, type RegistryBundle, type WebhookDefinition } from "../bundle/index.ts";
import { supportedInstallModes } from "./install-modes.ts";

/**
 * Lists why OLM v1 cannot install a bundle, in the words and the order of operator-controller.
 *
 * @example
 * ```ts
 * import { findBundleProblems, readBundle, readBundleFolder } from "@pintle/lifecycle";
 *
 * for (const problem of findBundleProblems(readBundle(readBundleFolder("bundle")))) console.log(problem);
 * ```
 */
export function findBundleProblems(bundle: RegistryBundle): string[] {
  const { csv, crds, others, packageName } = bundle;
  const deployments = (csv.spec?.install?.spec?.deployments ?? []).map(({ name = "" }) => name);
  const definitions = crds.map(({ metadata }) => metadata?.name ?? "");
  const owned = (csv.spec?.customresourcedefinitions?.owned ?? []).map(({ name = "" }) => name);
  const webhooks = csv.spec?.webhookdefinitions ?? [];
  const missing = owned.filter((name) => !definitions.includes(name));
  return [
    ...findDuplicates(deployments).map((name) => `cluster service version contains duplicate strategy deployment spec '${name}'`),
    ...sortedSet(deployments).flatMap((name) =>
      findNameProblems(name, ", ").map((why) => `invalid cluster service version strategy deployment name '${name}': ${why}`),
    ),
    ...findDuplicates(definitions).map((name) => `bundle contains duplicate custom resource definition '${name}'`),
    ...sortedSet(missing).map(
      (name) => `cluster service definition references owned custom resource definition '${name}' not found in bundle`,
    ),
    ...(packageName === "" ? ["package name is empty"] : []),
    ...findInstallModeProblems(bundle, webhooks),
    ...findUnknownDeployments(webhooks, deployments),
    ...findWebhookNameProblems(webhooks),
    ...findConversionProblems(webhooks, owned),
    ...webhooks.flatMap(findRuleProblems),
    ...others
      .filter(({ kind = "" }) => !isSupportedKind(kind))
      .map(({ kind = "", metadata }) => `unsupported resource ${quoteGoString(metadata?.name ?? "")} with kind ${quoteGoString(kind)}`),
  ];
}

function findInstallModeProblems(bundle: RegistryBundle, webhooks: readonly WebhookDefinition[]): string[] {
  const modes = supportedInstallModes(bundle);
  if (modes.length === 1 && modes[0] === "AllNamespaces") return [];
  return webhooks.filter(isConversion).map(({ generateName = "" }) => {
    const why = "conversion webhooks are only supported for bundles that only support AllNamespaces install mode";
    return `bundle contains conversion webhook ${quoteGoString(generateName)} and supports install modes [${modes.join(" ")}] - ${why}`;
  });
}

function findUnknownDeployments(webhooks: readonly WebhookDefinition[], deployments: readonly string[]): string[] {
  return webhooks
    .map(({ type = "", generateName = "", deploymentName = "" }) => ({ type, generateName, deploymentName }))
    .filter(({ deploymentName }) => !deployments.includes(deploymentName))
    .sort((a, b) => compare(a.deploymentName, b.deploymentName) || compare(a.type, b.type) || compare(a.generateName, b.generateName))
    .map(
      ({ type, generateName, deploymentName }) =>
        `webhook of type '${type}' with name '${generateName}' references non-existent deployment '${deploymentName}'`,
    );
}

function findWebhookNameProblems(webhooks: readonly WebhookDefinition[]): string[] {
  const types = sortedSet(webhooks.map(({ type = "" }) => type));
  const namesOf = (wanted: string) => webhooks.filter(({ type = "" }) => type === wanted).map(({ generateName = "" }) => generateName);
  return [
    ...types.flatMap((type) => findDuplicates(namesOf(type)).map((name) => `duplicate webhook '${name}' of type '${type}'`)),
    ...types.flatMap((type) =>
      sortedSet(namesOf(type)).flatMap((name) =>
        findNameProblems(name, ",").map((why) => `webhook of type '${type}' has invalid name '${name}': ${why}`),
      ),
    ),
  ];
}

function findConversionProblems(webhooks: readonly WebhookDefinition[], owned: readonly string[]): string[] {
  const conversions = webhooks.filter(isConversion).map(({ generateName = "", conversionCRDs = [] }) => ({ generateName, conversionCRDs }));
  const definitions = conversions.flatMap(({ conversionCRDs }) => conversionCRDs);
  const shared = findDuplicates(definitions).map((name) => {
    const by = conversions.flatMap(({ generateName, conversionCRDs }) =>
      conversionCRDs.filter((crd) => crd === name).map(() => generateName),
    );
    return `conversion webhooks [${by.sort().join(",")}] reference same custom resource definition '${name}'`;
  });
  const unknown = [...conversions]
    .sort((a, b) => compare(a.generateName, b.generateName))
    .flatMap(({ generateName, conversionCRDs }) =>
      [...conversionCRDs]
        .sort()
        .filter((name) => !owned.includes(name))
        .map((name) => `conversion webhook '${generateName}' references custom resource definition '${name}' not owned bundle`),
    );
  return [...shared, ...unknown];
}

const FORBIDDEN_GROUPS = ["olm.operatorframework.io", "*"];
const FORBIDDEN_RESOURCES = [
  "*",
  ...["mutating", "validating"].flatMap((type) => [`${type}webhookconfiguration`, `${type}webhookconfigurations`]),
];

/** Webhooks for everything, for OLM's own kinds and for webhook configurations could make it impossible to remove them. */
function findRuleProblems(webhook: WebhookDefinition): string[] {
  if (isConversion(webhook)) return [];
  const where = `webhook ${quoteGoString(webhook.generateName ?? "")} contains forbidden rule: admission webhook rules cannot reference`;
  return (webhook.rules ?? []).flatMap(({ apiGroups = [], resources = [] }) =>
    apiGroups.flatMap((group) => [
      ...(FORBIDDEN_GROUPS.includes(group) ? [`${where} API group ${quoteGoString(group)}`] : []),
      ...(group === "admissionregistration.k8s.io" ? resources : [])
        .filter((resource) => FORBIDDEN_RESOURCES.includes(resource.toLowerCase()))
        .map((resource) => `${where} resource ${quoteGoString(resource)} for API group ${quoteGoString(group)}`),
    ]),
  );
}

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MAX_SUBDOMAIN_LENGTH = 253;

/** What is wrong with the name of an object, as one text or none. */
function findNameProblems(name: string, separator: string): string[] {
  const problems: string[] = [];
  if (!SUBDOMAIN.test(name)) {
    problems.push(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character " +
        "(e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    );
  }
  if (Buffer.byteLength(name) > MAX_SUBDOMAIN_LENGTH) problems.push(`must be no more than ${MAX_SUBDOMAIN_LENGTH} bytes`);
  return problems.length === 0 ? [] : [problems.join(separator)];
}

function isConversion({ type }: WebhookDefinition): boolean {
  return type === "ConversionWebhook";
}

function findDuplicates(names: readonly string[]): string[] {
  return sortedSet(names.filter((name, i) => names.indexOf(name) !== i));
}

function sortedSet(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
