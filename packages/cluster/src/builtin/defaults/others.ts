import type { MatchResources, MutatingWebhook, ValidatingWebhook } from "pintle/kinds/admissionregistration/v1";
import type { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import type { EndpointPort } from "pintle/kinds/discovery/v1";
import type { IngressClass, NetworkPolicy, NetworkPolicyPort } from "pintle/kinds/networking/v1";
import type { ClusterRoleBinding, RoleBinding, Subject } from "pintle/kinds/rbac/v1";
import type { CSIDriver, StorageClass } from "pintle/kinds/storage/v1";
import type { Draft } from "../draft.ts";
import type { DefaultTable } from "./defaulter.ts";

const RBAC = "rbac.authorization.k8s.io";

export const otherDefaults: DefaultTable = {
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
  "rbac.v1.ClusterRoleBinding": roleRef,
  "rbac.v1.RoleBinding": roleRef,
  "rbac.v1.Subject": (subject: Draft<Subject>) => {
    if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= RBAC;
  },
  "admissionregistration.v1.ValidatingWebhook": webhook,
  "admissionregistration.v1.MutatingWebhook": (hook: Draft<MutatingWebhook>) => {
    webhook(hook);
    hook.reinvocationPolicy ??= "Never";
  },
  "admissionregistration.v1.RuleWithOperations": (rule: { scope?: string }) => {
    rule.scope ??= "*";
  },
  "admissionregistration.v1.NamedRuleWithOperations": (rule: { scope?: string }) => {
    rule.scope ??= "*";
  },
  "admissionregistration.v1.ServiceReference": servicePort,
  "admissionregistration.v1.ValidatingAdmissionPolicySpec": failurePolicy,
  "admissionregistration.v1.MutatingAdmissionPolicySpec": failurePolicy,
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
  "resource.v1.ExactDeviceRequest": deviceCount,
  "resource.v1.DeviceSubRequest": deviceCount,
  "flowcontrol.v1.FlowSchemaSpec": (spec: { matchingPrecedence?: number }) => {
    spec.matchingPrecedence ||= 1000;
  },
  "flowcontrol.v1.ExemptPriorityLevelConfiguration": (level: Shares) => shares(level, 0),
  "flowcontrol.v1.LimitedPriorityLevelConfiguration": (level: Shares) => shares(level, 30),
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
  "apiextensions.v1.ServiceReference": servicePort,
  "apiregistration.v1.ServiceReference": servicePort,
  "authentication.v1.TokenRequestSpec": (spec: { expirationSeconds?: number | null }) => {
    spec.expirationSeconds ??= 3600;
  },
};

function roleRef(binding: Draft<ClusterRoleBinding> | Draft<RoleBinding>): void {
  if (binding.roleRef) binding.roleRef.apiGroup ||= RBAC;
}

function webhook(hook: Draft<MutatingWebhook> | Draft<ValidatingWebhook>): void {
  hook.failurePolicy ??= "Fail";
  hook.matchPolicy ??= "Equivalent";
  hook.namespaceSelector ??= {};
  hook.objectSelector ??= {};
  hook.timeoutSeconds ??= 10;
}

function failurePolicy(spec: { failurePolicy?: string }): void {
  spec.failurePolicy ??= "Fail";
}

function servicePort(service: { port?: number }): void {
  service.port ??= 443;
}

function deviceCount(request: { allocationMode?: string; count?: number }): void {
  request.allocationMode ||= "ExactCount";
  if (request.allocationMode === "ExactCount") request.count ||= 1;
}

interface Shares {
  nominalConcurrencyShares?: number | null;
  lendablePercent?: number;
}

function shares(level: Shares, nominal: number): void {
  level.nominalConcurrencyShares ??= nominal;
  level.lendablePercent ??= 0;
}
