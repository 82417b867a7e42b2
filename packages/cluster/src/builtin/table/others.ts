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
import { humanDuration, type TablePrinter } from "../../api/index.ts";
import type { Loose } from "../draft.ts";
import { balancers } from "./core.ts";
import { AGE, few, flag, integer, NAME, name, printer, selector, text, wide } from "./printer.ts";

export const ingressTable = printer<Ingress>(
  NAME,
  text("Class", ({ spec }) => spec?.ingressClassName ?? "<none>"),
  text("Hosts", ({ spec }) => {
    const rules = spec?.rules ?? [];
    const hosts: string[] = [];
    for (const [index, { host }] of rules.entries()) {
      if (hosts.length === 3) return `${hosts.join(",")} + ${rules.length - 3} more...`;
      if (host && index < rules.length) hosts.push(host);
    }
    return hosts.join(",") || "*";
  }),
  text("Address", ({ status }) => balancers(status?.loadBalancer?.ingress).join(",")),
  text("Ports", ({ spec }) => (spec?.tls?.length ? "80, 443" : "80")),
  AGE,
);

export const ingressClassTable = printer<IngressClass>(
  name("Name", ({ metadata }) => {
    const isDefault = metadata?.annotations?.["ingressclass.kubernetes.io/is-default-class"] === "true";
    return `${metadata?.name}${isDefault ? " (default)" : ""}`;
  }),
  text("Controller", ({ spec }) => spec?.controller),
  text("Parameters", ({ spec }) => {
    if (!spec?.parameters) return "<none>";
    const { apiGroup, kind, name: target } = spec.parameters;
    return `${kind}${apiGroup == null ? "" : `.${apiGroup}`}/${target}`;
  }),
  AGE,
);

export const networkPolicyTable = printer<NetworkPolicy>(
  NAME,
  text("Pod-Selector", ({ spec }) => selector(spec?.podSelector)),
  AGE,
);
export const serviceCidrTable = printer<ServiceCIDR>(
  NAME,
  text("CIDRs", ({ spec }) => spec?.cidrs?.join(",")),
  AGE,
);

const ipAddresses = printer<IPAddress>(
  NAME,
  text("ParentRef", ({ spec }) => {
    if (!spec?.parentRef) return "<none>";
    const { group, resource, namespace, name: parent } = spec.parentRef;
    return [`${resource}${group ? `.${group}` : ""}`.toLowerCase(), namespace, parent].filter((part) => !!part).join("/");
  }),
  AGE,
);
/** The server fills in an age, but declares no column for it. */
export const ipAddressTable: TablePrinter = { ...ipAddresses, columns: ipAddresses.columns.slice(0, 2) };

export const endpointSliceTable = printer<EndpointSlice>(
  NAME,
  text("AddressType", ({ addressType }) => addressType),
  text("Ports", ({ ports }) => few((ports ?? []).map((each) => String(each.port ?? each.name ?? "*"))) || "<unset>"),
  text("Endpoints", ({ endpoints }) => few((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])) || "<unset>"),
  AGE,
);

export const leaseTable = printer<Lease>(
  NAME,
  text("Holder", ({ spec }) => spec?.holderIdentity),
  AGE,
);
export const runtimeClassTable = printer<RuntimeClass>(
  NAME,
  text("Handler", ({ handler }) => handler),
  AGE,
);

export const priorityClassTable = printer<PriorityClass>(
  NAME,
  integer("Value", ({ value }) => value),
  flag("Global-Default", ({ globalDefault }) => globalDefault ?? false),
  AGE,
  text("PreemptionPolicy", ({ preemptionPolicy }) => preemptionPolicy),
);

const subjects = (kind: string, { subjects: all }: Loose<RoleBinding>) =>
  (all ?? [])
    .filter((each) => each.kind === kind)
    .map((each) => (kind === "ServiceAccount" ? `${each.namespace ?? ""}/${each.name}` : each.name))
    .join(", ");

export const roleBindingTable = printer<RoleBinding>(
  NAME,
  text("Role", ({ roleRef }) => `${roleRef?.kind}/${roleRef?.name}`),
  AGE,
  wide(text("Users", (binding) => subjects("User", binding))),
  wide(text("Groups", (binding) => subjects("Group", binding))),
  wide(text("ServiceAccounts", (binding) => subjects("ServiceAccount", binding))),
);

export const certificateSigningRequestTable = printer<CertificateSigningRequest>(
  NAME,
  AGE,
  text("SignerName", ({ spec }) => spec?.signerName || "<none>"),
  text("Requestor", ({ spec }) => spec?.username),
  text("RequestedDuration", ({ spec }) => (spec?.expirationSeconds == null ? "<none>" : humanDuration(spec.expirationSeconds * 1000))),
  text("Condition", ({ status }) => {
    const has = (type: string) => status?.conditions?.some((each) => each.type === type) ?? false;
    const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
    return `${decision}${has("Failed") ? ",Failed" : ""}${status?.certificate ? ",Issued" : ""}`;
  }),
);

export const webhookTable = printer<MutatingWebhookConfiguration>(
  NAME,
  integer("Webhooks", ({ webhooks }) => webhooks?.length ?? 0),
  AGE,
);

const paramKind = text<ValidatingAdmissionPolicy>("ParamKind", ({ spec }) =>
  spec?.paramKind ? `${spec.paramKind.apiVersion}/${spec.paramKind.kind}` : "<unset>",
);
export const validatingPolicyTable = printer<ValidatingAdmissionPolicy>(
  NAME,
  integer("Validations", ({ spec }) => spec?.validations?.length ?? 0),
  paramKind,
  AGE,
);
export const mutatingPolicyTable = printer<MutatingAdmissionPolicy>(
  NAME,
  integer("Mutations", ({ spec }) => spec?.mutations?.length ?? 0),
  paramKind as never,
  AGE,
);
export const policyBindingTable = printer<MutatingAdmissionPolicyBinding>(
  NAME,
  text("PolicyName", ({ spec }) => spec?.policyName),
  text("ParamRef", ({ spec }) => {
    if (!spec?.paramRef) return "<unset>";
    return spec.paramRef.name ? `${spec.paramRef.namespace || "*"}/${spec.paramRef.name}` : "<unset>";
  }),
  AGE,
);

const flowSchemaColumns = printer<FlowSchema>(
  NAME,
  text("PriorityLevel", ({ spec }) => spec?.priorityLevelConfiguration?.name),
  text("MatchingPrecedence", ({ spec }) => spec?.matchingPrecedence),
  text("DistinguisherMethod", ({ spec }) => spec?.distinguisherMethod?.type ?? "<none>"),
  AGE,
  text("MissingPL", ({ status }) => status?.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?"),
);

/** In the order in which requests are matched. */
export const flowSchemaTable: TablePrinter = {
  ...flowSchemaColumns,
  order: (a, b) => precedence(a) - precedence(b) || (nameOf(a) < nameOf(b) ? -1 : 1),
};
const precedence = (object: Loose<FlowSchema>) => object.spec?.matchingPrecedence ?? 0;
const nameOf = (object: Loose<FlowSchema>) => object.metadata?.name ?? "";

export const priorityLevelTable = printer<PriorityLevelConfiguration>(
  NAME,
  text("Type", ({ spec }) => spec?.type),
  text("NominalConcurrencyShares", ({ spec }) => spec?.limited?.nominalConcurrencyShares ?? "<none>"),
  text("Queues", ({ spec }) => spec?.limited?.limitResponse?.queuing?.queues ?? "<none>"),
  text("HandSize", ({ spec }) => spec?.limited?.limitResponse?.queuing?.handSize ?? "<none>"),
  text("QueueLengthLimit", ({ spec }) => spec?.limited?.limitResponse?.queuing?.queueLengthLimit ?? "<none>"),
  AGE,
);

export const apiServiceTable = printer<APIService>(
  NAME,
  text("Service", ({ spec }) => (spec?.service ? `${spec.service.namespace}/${spec.service.name}` : "Local")),
  text("Available", ({ status }) => {
    const available = status?.conditions?.find(({ type }) => type === "Available");
    if (available === undefined) return "Unknown";
    return available.status === "True" || !available.reason ? available.status : `${available.status} (${available.reason})`;
  }),
  AGE,
);

export const resourceClaimTable = printer<ResourceClaim>(
  NAME,
  text("State", ({ metadata, status }) => {
    const deleted = !!metadata?.deletionTimestamp;
    const allocation = status?.allocation ? ["allocated", ...(status.reservedFor?.length ? ["reserved"] : [])] : deleted ? [] : ["pending"];
    return [...(deleted ? ["deleted"] : []), ...allocation].join(",");
  }),
  AGE,
);
export const resourceSliceTable = printer<ResourceSlice>(
  NAME,
  text("Node", ({ spec }) => spec?.nodeName),
  text("Driver", ({ spec }) => spec?.driver),
  text("Pool", ({ spec }) => spec?.pool?.name),
  AGE,
);
