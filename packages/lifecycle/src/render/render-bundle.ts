import { PintleError } from "pintle/internal/errors";
import type { JsonObject } from "pintle/internal/json";
import { isNamespacedKind, type NamedObject, type RegistryBundle } from "../bundle/index.ts";
import { toGoJson } from "../go-types/index.ts";
import { createCertificateObjects } from "./certificates.ts";
import { renderDefinitions } from "./definitions.ts";
import { renderDeployments } from "./deployments.ts";
import { findTargetNamespaceProblem, supportedInstallModes } from "./install-modes.ts";
import { renderClusterPermissions, renderPermissions, renderServiceAccounts } from "./permissions.ts";
import { findBundleProblems } from "./validate-bundle.ts";
import { renderWebhookConfigurations, renderWebhookServices } from "./webhooks.ts";

/** Where the serving certificates of webhooks come from. */
export type CertificateProvider = "cert-manager" | "service-ca";

/** How a bundle is rendered. */
export interface BundleRenderOptions {
  /** The namespace of the operator. */
  readonly namespace: string;
  /** The namespaces that the operator watches; `[""]` for all. Default: all, if the bundle supports that. */
  readonly targetNamespaces?: readonly string[];
  /** Who issues the certificates of webhooks. Default: none, webhooks have no certificates. */
  readonly certificates?: CertificateProvider;
  /** Changes to the Deployments of the operator, as in `deploymentConfig` of a ClusterExtension. Default: none. */
  readonly deploymentConfig?: JsonObject;
}

/** The options with their defaults. */
export interface RenderContext {
  readonly namespace: string;
  readonly targetNamespaces: readonly string[];
  readonly certificates: CertificateProvider | undefined;
  readonly deploymentConfig: JsonObject | undefined;
}

/**
 * Renders a bundle to the objects that OLM v1 applies. Throws `PintleError` with the text of operator-controller if the bundle cannot be installed
 * this way.
 *
 * @example
 * ```ts
 * import { readBundle, readBundleFolder, renderBundle } from "@pintle/lifecycle";
 *
 * const objects = renderBundle(readBundle(readBundleFolder("bundle")), { namespace: "memcached-system" });
 * ```
 */
export function renderBundle(bundle: RegistryBundle, options: BundleRenderOptions): JsonObject[] {
  const problems = findBundleProblems(bundle);
  if (problems.length > 0) throw new PintleError("PINTLE8016", problems.join("\n"));
  const given = options.targetNamespaces ?? [];
  const defaults = supportedInstallModes(bundle).includes("AllNamespaces") ? [""] : [];
  const context: RenderContext = {
    namespace: options.namespace,
    targetNamespaces: given.length > 0 ? given : defaults,
    certificates: options.certificates,
    deploymentConfig: options.deploymentConfig,
  };
  const problem = findTargetNamespaceProblem(bundle, context);
  if (problem !== undefined) {
    throw new PintleError("PINTLE8016", `invalid option(s): invalid target namespaces [${context.targetNamespaces.join(" ")}]: ${problem}`);
  }
  return [
    ...renderServiceAccounts(bundle, context),
    ...renderPermissions(bundle, context),
    ...renderClusterPermissions(bundle, context),
    ...renderDefinitions(bundle, context),
    ...bundle.others.map((object) => setNamespace(object, context.namespace)),
    ...renderDeployments(bundle, context),
    ...renderWebhookConfigurations(bundle, context, "ValidatingAdmissionWebhook"),
    ...renderWebhookConfigurations(bundle, context, "MutatingAdmissionWebhook"),
    ...renderWebhookServices(bundle, context),
    ...createCertificateObjects(bundle, context),
  ];
}

function setNamespace(object: NamedObject, namespace: string): JsonObject {
  if (!isNamespacedKind(object.kind ?? "") || object.metadata === null) return object;
  const { namespace: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata: namespace === "" ? metadata : { ...metadata, namespace } };
}

/** An object of a Go type with its zero values. */
export function createObject(type: string, kind: string, apiVersion: string, fields: JsonObject): JsonObject {
  return toGoJson({ kind, apiVersion, ...fields }, type);
}
