import type { Client } from "pintle/client";
import type { JsonObject } from "pintle/internal/json";
import { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "pintle/kinds/admissionregistration/v1";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Namespace } from "pintle/kinds/core/v1";
import { SYSTEM_NAMESPACE } from "./api/names.ts";
import { buildManagerDefinitions, buildPolicyDefinitions } from "./crds/index.ts";

const FIELD_MANAGER = "pintle-operator-setup";
const POLICY = "clusterextension-serviceaccount-deprecated";

/** Options of `installLifecycleManager`. */
export interface InstallManagerOptions {
  /** Default: "olmv1-system". */
  readonly systemNamespace?: string;
}

/** Returns the objects that the manager requires: CRDs, its namespace, and the admission policy that warns about an ignored ServiceAccount. */
export function buildManagerPrerequisites({ systemNamespace = SYSTEM_NAMESPACE }: InstallManagerOptions = {}): JsonObject[] {
  return [
    ...buildDefinitions(),
    { apiVersion: "v1", kind: "Namespace", metadata: { name: systemNamespace } },
    ...buildServiceAccountPolicy(),
  ];
}

function buildDefinitions(): JsonObject[] {
  return [...buildManagerDefinitions("experimental"), ...buildPolicyDefinitions()];
}

function buildServiceAccountPolicy(): JsonObject[] {
  const apiVersion = "admissionregistration.k8s.io/v1";
  const metadata = { name: POLICY, labels: { "app.kubernetes.io/name": "operator-controller" } };
  return [
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicy",
      metadata,
      spec: {
        failurePolicy: "Ignore",
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: ["olm.operatorframework.io"],
              apiVersions: ["v1"],
              operations: ["CREATE", "UPDATE"],
              resources: ["clusterextensions"],
            },
          ],
        },
        validations: [
          {
            expression:
              "!has(object.spec.serviceAccount) || !has(object.spec.serviceAccount.name) || object.spec.serviceAccount.name == ''",
            message:
              "spec.serviceAccount is deprecated, ignored, and will be removed in a future release. The operator-controller's cluster-admin service account is used for all cluster interactions.",
          },
        ],
      },
    },
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata,
      spec: { policyName: POLICY, validationActions: ["Warn"] },
    },
  ];
}

/**
 * Creates or updates the objects that the manager requires, and waits until its kinds are served.
 *
 * @example
 * ```ts
 * import { installLifecycleManager } from "@pintle/lifecycle/manager";
 * import { connect } from "pintle/client";
 *
 * await installLifecycleManager(await connect());
 * ```
 */
export async function installLifecycleManager(client: Client, options: InstallManagerOptions = {}): Promise<void> {
  const kinds = [CustomResourceDefinition, Namespace, ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding];
  for (const object of buildManagerPrerequisites(options)) {
    const kind = kinds.find((each) => each.kind === object["kind"])!;
    await client.apply(kind, object as never, { force: true, fieldManager: FIELD_MANAGER });
  }
  for (const definition of buildDefinitions()) {
    const { name } = definition["metadata"] as { readonly name: string };
    await client.waitFor(CustomResourceDefinition, { name }, ({ status }) =>
      (status?.conditions ?? []).some(({ type, status: is }) => type === "Established" && is === "True"),
    );
  }
}
