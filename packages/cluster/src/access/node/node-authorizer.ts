/**
 * The Node authorization mode: what a kubelet may do. It may read the objects that pods bound to its node need, and its own Node, Lease and
 * CSINode; what it writes is limited further by the admission plugin NodeRestriction. Reasons are those of kube-apiserver.
 */
import { quoteGoString } from "pintle/internal/go-format";
import { type AuthorizationDecision, findNodeName, type ResourceAttributes } from "../../api/index.ts";
import type { RuleAuthorizer } from "../rbac/authorizer.ts";
import { allowsResource, type PolicyRule } from "../rbac/rule.ts";
import type { NodeAccess } from "./node-access.ts";

interface NodeRequest {
  readonly node: string;
  readonly info: ResourceAttributes;
  readonly access: NodeAccess;
}
type NodeCheck = (request: NodeRequest) => AuthorizationDecision;

const ALLOWED: AuthorizationDecision = { allowed: true };
const deny = (reason?: string): AuthorizationDecision => ({ allowed: false, reason });

/** Resources that every kubelet uses in the same way. */
const UNIFORM_RULES: readonly PolicyRule[] = [
  { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"] },
  { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: ["localsubjectaccessreviews", "subjectaccessreviews"] },
  { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["services"] },
  { verbs: ["create", "patch", "update"], apiGroups: ["", "events.k8s.io"], resources: ["events"] },
  { verbs: ["get"], apiGroups: [""], resources: ["endpoints"] },
  { verbs: ["create", "get", "list", "watch"], apiGroups: ["certificates.k8s.io"], resources: ["certificatesigningrequests"] },
  { verbs: ["get", "list", "watch"], apiGroups: ["storage.k8s.io"], resources: ["csidrivers"] },
  { verbs: ["get", "list", "watch"], apiGroups: ["node.k8s.io"], resources: ["runtimeclasses"] },
];

/** Checks of the other resources, by group and resource. */
const CHECKS: Readonly<Record<string, NodeCheck>> = {
  "/secrets": checkRead,
  "/configmaps": checkRead,
  "/persistentvolumeclaims": (request) => (request.info.subresource === "status" ? checkStatusUpdate(request) : checkGet(request)),
  "/persistentvolumes": checkGet,
  "resource.k8s.io/resourceclaims": checkGet,
  "storage.k8s.io/volumeattachments": checkGet,
  "/serviceaccounts": checkServiceAccount,
  "coordination.k8s.io/leases": checkLease,
  "storage.k8s.io/csinodes": checkCsiNode,
  "resource.k8s.io/resourceslices": checkResourceSlice,
  "/nodes": checkNode,
  "/pods": checkPod,
  "certificates.k8s.io/podcertificaterequests": () => deny(),
};

export function createNodeAuthorizer(access: NodeAccess): RuleAuthorizer {
  return {
    authorize({ user, info }) {
      const node = findNodeName(user);
      if (node === undefined) return deny();
      if (node === "") return deny(`unknown node for user ${quoteGoString(user.name)}`);
      if (info.type !== "resource") return deny();
      const check = CHECKS[`${info.group}/${info.resource}`];
      if (check !== undefined) return check({ node, info, access });
      return UNIFORM_RULES.some((rule) => allowsResource(rule, info)) ? ALLOWED : deny();
    },
    rulesFor(user) {
      const isNode = findNodeName(user) !== undefined;
      return { rules: [], missingRoles: [], ...(isNode ? { unlisted: "node authorizer does not support user rule resolution" } : {}) };
    },
  };
}

const READ_VERBS = ["get", "list", "watch"];
const OWN_OBJECT_VERBS = ["get", "create", "update", "patch", "delete"];

function checkReference({ node, info, access }: NodeRequest): AuthorizationDecision {
  if (info.name === "") return deny("No Object name found");
  return checkRelationship({ node, info, access });
}

function checkRelationship({ node, info, access }: NodeRequest): AuthorizationDecision {
  if (access.isReferenced(node, info.resource, info.namespace, info.name)) return ALLOWED;
  return deny(`no relationship found between node '${node}' and this object`);
}

function checkRead(request: NodeRequest): AuthorizationDecision {
  const { verb, subresource, namespace } = request.info;
  if (!READ_VERBS.includes(verb)) return deny("can only read resources of this type");
  if (subresource !== "") return deny("cannot read subresource");
  if (namespace === "") return deny("can only read namespaced object of this type");
  return checkReference(request);
}

function checkGet(request: NodeRequest): AuthorizationDecision {
  const { verb, subresource } = request.info;
  if (verb !== "get") return deny("can only get individual resources of this type");
  if (subresource !== "") return deny("cannot get subresource");
  return checkReference(request);
}

function checkStatusUpdate(request: NodeRequest): AuthorizationDecision {
  if (!["update", "patch"].includes(request.info.verb)) return deny("can only get/update/patch this type");
  return checkReference(request);
}

function checkServiceAccount(request: NodeRequest): AuthorizationDecision {
  const { verb, subresource, name } = request.info;
  if (verb === "get" && subresource === "") return checkRead(request);
  if (verb !== "create" || name === "") return deny("can only create tokens for individual service accounts");
  if (subresource !== "token") return deny("can only create token subresource of serviceaccount");
  return checkRelationship(request);
}

/** The name of an object that is created is not known here: NodeRestriction checks it. */
const isOwn = ({ node, info }: NodeRequest) => info.verb === "create" || info.name === node;

function checkLease(request: NodeRequest): AuthorizationDecision {
  const { verb, namespace } = request.info;
  if (!OWN_OBJECT_VERBS.includes(verb)) return deny("can only get, create, update, patch, or delete a node lease");
  if (namespace !== "kube-node-lease") return deny('can only access leases in the "kube-node-lease" system namespace');
  return isOwn(request) ? ALLOWED : deny("can only access node lease with the same name as the requesting node");
}

function checkCsiNode(request: NodeRequest): AuthorizationDecision {
  const { verb, subresource } = request.info;
  if (!OWN_OBJECT_VERBS.includes(verb)) return deny("can only get, create, update, patch, or delete a CSINode");
  if (subresource !== "") return deny("cannot authorize CSINode subresources");
  return isOwn(request) ? ALLOWED : deny("can only access CSINode with the same name as the requesting node");
}

const selectsNode = ({ node, info }: NodeRequest) =>
  (info.fieldSelector ?? []).some(({ field, equal, value }) => field === "spec.nodeName" && equal && value === node);

function checkResourceSlice(request: NodeRequest): AuthorizationDecision {
  const { verb, subresource } = request.info;
  if (subresource !== "") return deny("cannot authorize ResourceSlice subresources");
  if (verb === "create") return ALLOWED;
  if (["get", "update", "patch", "delete"].includes(verb)) return checkReference(request);
  if (["watch", "list", "deletecollection"].includes(verb)) {
    return selectsNode(request) ? ALLOWED : deny("can only list/watch/deletecollection resourceslices with nodeName field selector");
  }
  const verbs = "get, watch, list, create, update, patch, delete, deletecollection";
  return deny(`only the following verbs are allowed for a ResourceSlice: ${verbs}`);
}

function checkNode({ node, info }: NodeRequest): AuthorizationDecision {
  const { verb, subresource, name } = info;
  if (subresource === "status") return ["update", "patch"].includes(verb) ? ALLOWED : deny();
  if (subresource !== "") return deny();
  if (["create", "update", "patch"].includes(verb)) return ALLOWED;
  if (!READ_VERBS.includes(verb)) return deny();
  if (name === node) return ALLOWED;
  return deny(`node '${node}' cannot read ${name === "" ? "all nodes" : `'${name}'`}, only its own Node object`);
}

function checkPod(request: NodeRequest): AuthorizationDecision {
  const { verb, subresource, name } = request.info;
  if (subresource === "status") return ["update", "patch"].includes(verb) ? ALLOWED : deny();
  if (subresource === "eviction") return verb === "create" ? ALLOWED : deny();
  if (subresource !== "") return deny();
  if (verb === "get") return checkReference(request);
  if (verb === "list" || verb === "watch") {
    if (selectsNode(request)) return ALLOWED;
    return name === "" ? deny("can only list/watch pods with spec.nodeName field selector") : checkReference(request);
  }
  return ["create", "delete"].includes(verb) ? ALLOWED : deny();
}
