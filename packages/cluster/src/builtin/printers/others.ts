import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
} from "pintle/kinds/admissionregistration/v1";
import type { APIService } from "pintle/kinds/apiregistration/v1";
import type { CertificateSigningRequest } from "pintle/kinds/certificates/v1";
import type { Lease } from "pintle/kinds/coordination/v1";
import type { EndpointSlice } from "pintle/kinds/discovery/v1";
import type { FlowSchema, PriorityLevelConfiguration } from "pintle/kinds/flowcontrol/v1";
import type { Ingress, IngressClass, IPAddress, NetworkPolicy, ServiceCIDR } from "pintle/kinds/networking/v1";
import type { RuntimeClass } from "pintle/kinds/node/v1";
import type { RoleBinding } from "pintle/kinds/rbac/v1";
import type { ResourceClaim, ResourceSlice } from "pintle/kinds/resource/v1";
import type { PriorityClass } from "pintle/kinds/scheduling/v1";
import { formatHumanDuration, type TablePrinter } from "../../api/index.ts";
import type { Unvalidated } from "../draft.ts";
import { listLoadBalancerAddresses } from "./core.ts";
import {
  AGE_COLUMN,
  booleanColumn,
  createTablePrinter,
  formatFirst,
  formatSelectorOrNone,
  integerColumn,
  NAME_COLUMN,
  nameColumn,
  stringColumn,
  wideColumn,
} from "./table-printer.ts";

export const ingressPrinter = createTablePrinter<Ingress>(
  NAME_COLUMN,
  stringColumn("Class", ({ spec }) => spec?.ingressClassName ?? "<none>"),
  stringColumn("Hosts", ({ spec }) => {
    const rules = spec?.rules ?? [];
    const hosts: string[] = [];
    for (const [index, { host }] of rules.entries()) {
      if (hosts.length === 3) return `${hosts.join(",")} + ${rules.length - 3} more...`;
      if (host && index < rules.length) hosts.push(host);
    }
    return hosts.join(",") || "*";
  }),
  stringColumn("Address", ({ status }) => listLoadBalancerAddresses(status?.loadBalancer?.ingress).join(",")),
  stringColumn("Ports", ({ spec }) => (spec?.tls?.length ? "80, 443" : "80")),
  AGE_COLUMN,
);

export const ingressClassPrinter = createTablePrinter<IngressClass>(
  nameColumn("Name", ({ metadata }) => {
    const isDefault = metadata?.annotations?.["ingressclass.kubernetes.io/is-default-class"] === "true";
    return `${metadata?.name}${isDefault ? " (default)" : ""}`;
  }),
  stringColumn("Controller", ({ spec }) => spec?.controller),
  stringColumn("Parameters", ({ spec }) => {
    if (!spec?.parameters) return "<none>";
    const { apiGroup, kind, name: target } = spec.parameters;
    return `${kind}${apiGroup == null ? "" : `.${apiGroup}`}/${target}`;
  }),
  AGE_COLUMN,
);

export const networkPolicyPrinter = createTablePrinter<NetworkPolicy>(
  NAME_COLUMN,
  stringColumn("Pod-Selector", ({ spec }) => formatSelectorOrNone(spec?.podSelector)),
  AGE_COLUMN,
);
export const serviceCidrPrinter = createTablePrinter<ServiceCIDR>(
  NAME_COLUMN,
  stringColumn("CIDRs", ({ spec }) => spec?.cidrs?.join(",")),
  AGE_COLUMN,
);

const ipAddressColumns = createTablePrinter<IPAddress>(
  NAME_COLUMN,
  stringColumn("ParentRef", ({ spec }) => {
    if (!spec?.parentRef) return "<none>";
    const { group, resource, namespace, name: parent } = spec.parentRef;
    return [`${resource}${group ? `.${group}` : ""}`.toLowerCase(), namespace, parent].filter((part) => !!part).join("/");
  }),
  AGE_COLUMN,
);
/** kube-apiserver fills in an age cell without declaring a column for it. */
export const ipAddressPrinter: TablePrinter = { ...ipAddressColumns, columns: ipAddressColumns.columns.slice(0, 2) };

export const endpointSlicePrinter = createTablePrinter<EndpointSlice>(
  NAME_COLUMN,
  stringColumn("AddressType", ({ addressType }) => addressType),
  stringColumn("Ports", ({ ports }) => formatFirst((ports ?? []).map((each) => String(each.port ?? each.name ?? "*"))) || "<unset>"),
  stringColumn("Endpoints", ({ endpoints }) => formatFirst((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])) || "<unset>"),
  AGE_COLUMN,
);

export const leasePrinter = createTablePrinter<Lease>(
  NAME_COLUMN,
  stringColumn("Holder", ({ spec }) => spec?.holderIdentity),
  AGE_COLUMN,
);
export const runtimeClassPrinter = createTablePrinter<RuntimeClass>(
  NAME_COLUMN,
  stringColumn("Handler", ({ handler }) => handler),
  AGE_COLUMN,
);

export const priorityClassPrinter = createTablePrinter<PriorityClass>(
  NAME_COLUMN,
  integerColumn("Value", ({ value }) => value),
  booleanColumn("Global-Default", ({ globalDefault }) => globalDefault ?? false),
  AGE_COLUMN,
  stringColumn("PreemptionPolicy", ({ preemptionPolicy }) => preemptionPolicy),
);

const formatSubjects = (kind: string, { subjects: all }: Unvalidated<RoleBinding>) =>
  (all ?? [])
    .filter((each) => each.kind === kind)
    .map((each) => (kind === "ServiceAccount" ? `${each.namespace ?? ""}/${each.name}` : each.name))
    .join(", ");

export const roleBindingPrinter = createTablePrinter<RoleBinding>(
  NAME_COLUMN,
  stringColumn("Role", ({ roleRef }) => `${roleRef?.kind}/${roleRef?.name}`),
  AGE_COLUMN,
  wideColumn(stringColumn("Users", (binding) => formatSubjects("User", binding))),
  wideColumn(stringColumn("Groups", (binding) => formatSubjects("Group", binding))),
  wideColumn(stringColumn("ServiceAccounts", (binding) => formatSubjects("ServiceAccount", binding))),
);

export const certificateSigningRequestPrinter = createTablePrinter<CertificateSigningRequest>(
  NAME_COLUMN,
  AGE_COLUMN,
  stringColumn("SignerName", ({ spec }) => spec?.signerName || "<none>"),
  stringColumn("Requestor", ({ spec }) => spec?.username),
  stringColumn("RequestedDuration", ({ spec }) =>
    spec?.expirationSeconds == null ? "<none>" : formatHumanDuration(spec.expirationSeconds * 1000),
  ),
  stringColumn("Condition", ({ status }) => {
    const hasCondition = (type: string) => status?.conditions?.some((each) => each.type === type) ?? false;
    const decision = hasCondition("Denied") ? "Denied" : hasCondition("Approved") ? "Approved" : "Pending";
    return `${decision}${hasCondition("Failed") ? ",Failed" : ""}${status?.certificate ? ",Issued" : ""}`;
  }),
);

export const webhookPrinter = createTablePrinter<MutatingWebhookConfiguration>(
  NAME_COLUMN,
  integerColumn("Webhooks", ({ webhooks }) => webhooks?.length ?? 0),
  AGE_COLUMN,
);

const paramKindColumn = stringColumn<ValidatingAdmissionPolicy>("ParamKind", ({ spec }) =>
  spec?.paramKind ? `${spec.paramKind.apiVersion}/${spec.paramKind.kind}` : "<unset>",
);
export const validatingPolicyPrinter = createTablePrinter<ValidatingAdmissionPolicy>(
  NAME_COLUMN,
  integerColumn("Validations", ({ spec }) => spec?.validations?.length ?? 0),
  paramKindColumn,
  AGE_COLUMN,
);
export const mutatingPolicyPrinter = createTablePrinter<MutatingAdmissionPolicy>(
  NAME_COLUMN,
  integerColumn("Mutations", ({ spec }) => spec?.mutations?.length ?? 0),
  paramKindColumn as never,
  AGE_COLUMN,
);
export const policyBindingPrinter = createTablePrinter<MutatingAdmissionPolicyBinding>(
  NAME_COLUMN,
  stringColumn("PolicyName", ({ spec }) => spec?.policyName),
  stringColumn("ParamRef", ({ spec }) => {
    if (!spec?.paramRef) return "<unset>";
    return spec.paramRef.name ? `${spec.paramRef.namespace || "*"}/${spec.paramRef.name}` : "<unset>";
  }),
  AGE_COLUMN,
);

const flowSchemaColumns = createTablePrinter<FlowSchema>(
  NAME_COLUMN,
  stringColumn("PriorityLevel", ({ spec }) => spec?.priorityLevelConfiguration?.name),
  stringColumn("MatchingPrecedence", ({ spec }) => spec?.matchingPrecedence),
  stringColumn("DistinguisherMethod", ({ spec }) => spec?.distinguisherMethod?.type ?? "<none>"),
  AGE_COLUMN,
  stringColumn("MissingPL", ({ status }) => status?.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?"),
);

/** Rows are sorted in the order in which flow schemas are matched. */
export const flowSchemaPrinter: TablePrinter = {
  ...flowSchemaColumns,
  compareRows: (a, b) => getPrecedence(a) - getPrecedence(b) || (getName(a) < getName(b) ? -1 : 1),
};
const getPrecedence = (object: Unvalidated<FlowSchema>) => object.spec?.matchingPrecedence ?? 0;
const getName = (object: Unvalidated<FlowSchema>) => object.metadata?.name ?? "";

export const priorityLevelPrinter = createTablePrinter<PriorityLevelConfiguration>(
  NAME_COLUMN,
  stringColumn("Type", ({ spec }) => spec?.type),
  stringColumn("NominalConcurrencyShares", ({ spec }) => spec?.limited?.nominalConcurrencyShares ?? "<none>"),
  stringColumn("Queues", ({ spec }) => spec?.limited?.limitResponse?.queuing?.queues ?? "<none>"),
  stringColumn("HandSize", ({ spec }) => spec?.limited?.limitResponse?.queuing?.handSize ?? "<none>"),
  stringColumn("QueueLengthLimit", ({ spec }) => spec?.limited?.limitResponse?.queuing?.queueLengthLimit ?? "<none>"),
  AGE_COLUMN,
);

export const apiServicePrinter = createTablePrinter<APIService>(
  NAME_COLUMN,
  stringColumn("Service", ({ spec }) => (spec?.service ? `${spec.service.namespace}/${spec.service.name}` : "Local")),
  stringColumn("Available", ({ status }) => {
    const available = status?.conditions?.find(({ type }) => type === "Available");
    if (available === undefined) return "Unknown";
    return available.status === "True" || !available.reason ? available.status : `${available.status} (${available.reason})`;
  }),
  AGE_COLUMN,
);

export const resourceClaimPrinter = createTablePrinter<ResourceClaim>(
  NAME_COLUMN,
  stringColumn("State", ({ metadata, status }) => {
    const deleted = !!metadata?.deletionTimestamp;
    const allocation = status?.allocation ? ["allocated", ...(status.reservedFor?.length ? ["reserved"] : [])] : deleted ? [] : ["pending"];
    return [...(deleted ? ["deleted"] : []), ...allocation].join(",");
  }),
  AGE_COLUMN,
);
export const resourceSlicePrinter = createTablePrinter<ResourceSlice>(
  NAME_COLUMN,
  stringColumn("Node", ({ spec }) => spec?.nodeName),
  stringColumn("Driver", ({ spec }) => spec?.driver),
  stringColumn("Pool", ({ spec }) => spec?.pool?.name),
  AGE_COLUMN,
);
