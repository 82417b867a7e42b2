import type { DynamicObject } from "../../src/client/index.ts";
import { defineKind, type Kind } from "../../src/kinds/index.ts";

interface Body {
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>> | undefined;
}
interface ConfigMapKind extends Kind<"v1/ConfigMap", DynamicObject, Body, "Namespaced"> {}
export const ConfigMap = defineKind("v1/ConfigMap", "configmaps", "Namespaced") as unknown as ConfigMapKind;

interface PodKind extends Kind<"v1/Pod", DynamicObject, Body, "Namespaced"> {}
export const Pod = defineKind("v1/Pod", "pods", "Namespaced") as unknown as PodKind;

export const ref = { name: "a", namespace: "default" };
export const configMap = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", resourceVersion: "1", uid: name, creationTimestamp: "2026-01-01T00:00:00Z" },
  ...more,
});
