import { AlreadyExists, type Client } from "pintle/client";
import { isJsonObject, type Json, type JsonObject } from "pintle/internal/json";
import { Role, RoleBinding } from "pintle/kinds/rbac/v1";
import { describeError, failure } from "../api/failures.ts";
import { POLICY_FIELD_MANAGER } from "../api/names.ts";
import { type OperatorCondition, OperatorConditionKind } from "../api/policy-types.ts";
import type { ClusterExtension } from "../api/types.ts";
import { Hold } from "./hold.ts";

/** The variable by which operators find their OperatorCondition, as in OLM v0. */
const VARIABLE = "OPERATOR_CONDITION_NAME";

/** Creates the OperatorCondition of an operator, named as the extension, and the Role by which the operator may update it. */
export async function ensureOperatorCondition(client: Client, extension: ClusterExtension, objects: readonly JsonObject[]): Promise<void> {
  const { name, uid } = extension.metadata;
  const { namespace } = extension.spec;
  const owner = { apiVersion: "olm.operatorframework.io/v1", kind: "ClusterExtension", name, uid, blockOwnerDeletion: false };
  const metadata = { name, namespace, ownerReferences: [owner] };
  const options = { fieldManager: POLICY_FIELD_MANAGER };
  try {
    if ((await client.find(OperatorConditionKind, { name, namespace })) !== undefined) return;
    const roleName = `${name}-operator-condition`;
    const accounts = objects
      .filter(({ kind }) => kind === "ServiceAccount")
      .map((object) => String((object["metadata"] as JsonObject)["name"]));
    const resources = ["operatorconditions", "operatorconditions/status"];
    const rule = {
      apiGroups: ["operators.coreos.com"],
      resources,
      resourceNames: [name],
      verbs: ["get", "list", "watch", "update", "patch"],
    };
    const own = { ...metadata, name: roleName };
    await client.apply(Role, { metadata: own, rules: [rule] }, { ...options, force: true });
    await client.apply(
      RoleBinding,
      {
        metadata: own,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: roleName },
        subjects: accounts.map((account) => ({ kind: "ServiceAccount", namespace, name: account })),
      },
      { ...options, force: true },
    );
    // The RoleBinding is created last: its existence means that everything is complete.
    await client.create(OperatorConditionKind, { metadata, spec: {} } as never, options);
  } catch (error) {
    if (error instanceof AlreadyExists) return;
    throw failure(`creating OperatorCondition ${namespace}/${name}: ${describeError(error)}`, error);
  }
}

/** Throws `Hold` if the operator, or an administrator by an override, reports that it is not upgradeable. */
export async function refuseWhileNotUpgradeable(client: Client, { metadata, spec }: ClusterExtension, version: string): Promise<void> {
  const { name } = metadata;
  const condition = await client.find(OperatorConditionKind, { name, namespace: spec.namespace });
  const found = condition === undefined ? undefined : findUpgradeable(condition);
  if (found?.status !== "False") return;
  const text = found.message === "" ? found.reason : `${found.reason}: ${found.message}`;
  throw new Hold(
    "HeldByOperator",
    `version ${version} waits for OperatorCondition ${spec.namespace}/${name}, which has Upgradeable=False: ${text}`,
  );
}

/** Overrides of an administrator outrank conditions of the operator. */
function findUpgradeable({ spec, status }: OperatorCondition) {
  const lists = [spec?.overrides, spec?.conditions, status?.conditions];
  return lists.map((list) => list?.find(({ type }) => type === "Upgradeable")).find((each) => each !== undefined);
}

/** Sets the variable with the name of the OperatorCondition in the containers of Deployments, unless they already set it. */
export function nameOperatorCondition(objects: readonly JsonObject[], name: string): JsonObject[] {
  return objects.map((object) => {
    if (object["apiVersion"] !== "apps/v1" || object["kind"] !== "Deployment") return object;
    const spec = object["spec"] as JsonObject;
    const template = spec["template"] as JsonObject;
    const pod = template["spec"] as JsonObject;
    const containers = ((pod["containers"] ?? []) as readonly JsonObject[]).map((container) => {
      const env = (container["env"] ?? []) as readonly Json[];
      if (env.some((each) => isJsonObject(each) && each["name"] === VARIABLE)) return container;
      return { ...container, env: [...env, { name: VARIABLE, value: name }] };
    });
    return { ...object, spec: { ...spec, template: { ...template, spec: { ...pod, containers } } } };
  });
}
