import type { MatchResources, MutatingWebhook, ValidatingWebhook } from "pintle/kinds/admissionregistration/v1";
import type { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import type { EndpointPort } from "pintle/kinds/discovery/v1";
import type { IngressClass, NetworkPolicy, NetworkPolicyPort } from "pintle/kinds/networking/v1";
import type { ClusterRoleBinding, RoleBinding, Subject } from "pintle/kinds/rbac/v1";
import type { CSIDriver, StorageClass } from "pintle/kinds/storage/v1";
import type { Draft } from "../draft.ts";
import type { DefaultingFunctions } from "./struct-defaulter.ts";

const RBAC_GROUP = "rbac.authorization.k8s.io";

export const otherDefaults: DefaultingFunctions = {
  "networking.v1.NetworkPolicyPort": (port: Draft<NetworkPolicyPort>) => {
    port.protocol ??= "TCP";
  },
  "networking.v1.NetworkPolicy": ({ spec }: Draft<NetworkPolicy>) => {
    if (!spec || spec.policyTypes?.length) return;
    spec.policyTypes = spec.egress?.length ? ["Ingress", "Egress"] : ["Ingress"];
  },
  "networking.v1.IngressClass": ({ spec }: Draft<IngressClass>) => {
    if (spec?.parameters) spec.parameters.scope ??= "Cluster";
  },
  "rbac.v1.ClusterRoleBinding": defaultRoleRef,
  "rbac.v1.RoleBinding": defaultRoleRef,
  "rbac.v1.Subject": (subject: Draft<Subject>) => {
    if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= RBAC_GROUP;
  },
  "admissionregistration.v1.ValidatingWebhook": defaultWebhook,
  "admissionregistration.v1.MutatingWebhook": (hook: Draft<MutatingWebhook>) => {
    defaultWebhook(hook);
    hook.reinvocationPolicy ??= "Never";
  },
  "admissionregistration.v1.RuleWithOperations": (rule: { scope?: string }) => {
    rule.scope ??= "*";
  },
  "admissionregistration.v1.NamedRuleWithOperations": (rule: { scope?: string }) => {
    rule.scope ??= "*";
  },
  "admissionregistration.v1.ServiceReference": defaultServicePort,
  "admissionregistration.v1.ValidatingAdmissionPolicySpec": defaultFailurePolicy,
  "admissionregistration.v1.MutatingAdmissionPolicySpec": defaultFailurePolicy,
  "admissionregistration.v1.MatchResources": (match: Draft<MatchResources>) => {
    match.matchPolicy ??= "Equivalent";
    match.namespaceSelector ??= {};
    match.objectSelector ??= {};
  },
  "storage.v1.StorageClass": (storageClass: Draft<StorageClass>) => {
    storageClass.reclaimPolicy ??= "Delete";
    storageClass.volumeBindingMode ??= "Immediate";
  },
  "storage.v1.CSIDriver": ({ spec }: Draft<CSIDriver>) => {
    if (!spec) return;
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
    if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ["Persistent"];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
  },
  "discovery.v1.EndpointPort": (port: Draft<EndpointPort>) => {
    port.name ??= "";
    port.protocol ??= "TCP";
  },
  "scheduling.v1.PriorityClass": (priority: { preemptionPolicy?: string }) => {
    priority.preemptionPolicy ??= "PreemptLowerPriority";
  },
  "resource.v1.ExactDeviceRequest": defaultDeviceCount,
  "resource.v1.DeviceSubRequest": defaultDeviceCount,
  "flowcontrol.v1.FlowSchemaSpec": (spec: { matchingPrecedence?: number }) => {
    spec.matchingPrecedence ||= 1000;
  },
  "flowcontrol.v1.ExemptPriorityLevelConfiguration": (level: ConcurrencyShares) => defaultShares(level, 0),
  "flowcontrol.v1.LimitedPriorityLevelConfiguration": (level: ConcurrencyShares) => defaultShares(level, 30),
  "flowcontrol.v1.QueuingConfiguration": (queuing: { handSize?: number; queues?: number; queueLengthLimit?: number }) => {
    queuing.handSize ||= 8;
    queuing.queues ||= 64;
    queuing.queueLengthLimit ||= 50;
  },
  "apiextensions.v1.CustomResourceDefinition": ({ spec, status }: Draft<CustomResourceDefinition>) => {
    if (!spec) return;
    spec.names ??= {};
    spec.names.singular ||= (spec.names.kind ?? "").toLowerCase();
    if (spec.names.kind) spec.names.listKind ||= `${spec.names.kind}List`;
    spec.conversion ??= { strategy: "None" };
    const stored = spec.versions?.find(({ storage }) => storage)?.name;
    if (status && !status.storedVersions?.length && stored) status.storedVersions = [stored];
  },
  "apiextensions.v1.ServiceReference": defaultServicePort,
  "apiregistration.v1.ServiceReference": defaultServicePort,
  "authentication.v1.TokenRequestSpec": (spec: { expirationSeconds?: number | null }) => {
    spec.expirationSeconds ??= 3600;
  },
};

function defaultRoleRef(binding: Draft<ClusterRoleBinding> | Draft<RoleBinding>): void {
  if (binding.roleRef) binding.roleRef.apiGroup ||= RBAC_GROUP;
}

function defaultWebhook(hook: Draft<MutatingWebhook> | Draft<ValidatingWebhook>): void {
  hook.failurePolicy ??= "Fail";
  hook.matchPolicy ??= "Equivalent";
  hook.namespaceSelector ??= {};
  hook.objectSelector ??= {};
  hook.timeoutSeconds ??= 10;
}

function defaultFailurePolicy(spec: { failurePolicy?: string }): void {
  spec.failurePolicy ??= "Fail";
}

function defaultServicePort(service: { port?: number }): void {
  service.port ??= 443;
}

function defaultDeviceCount(request: { allocationMode?: string; count?: number }): void {
  request.allocationMode ||= "ExactCount";
  if (request.allocationMode === "ExactCount") request.count ||= 1;
}

interface ConcurrencyShares {
  nominalConcurrencyShares?: number | null;
  lendablePercent?: number;
}

function defaultShares(level: ConcurrencyShares, nominal: number): void {
  level.nominalConcurrencyShares ??= nominal;
  level.lendablePercent ??= 0;
}
