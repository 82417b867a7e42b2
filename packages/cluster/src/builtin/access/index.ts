/** Kinds that say who may do what, and what goes first: RBAC, certificates, leases, priorities, flow control. */
import type { RuleTable } from "../rules.ts";
import { flowSchemaTable, priorityLevelTable } from "../table/others.ts";
import { certificateSigningRequest } from "./certificate-signing-request.ts";
import { clusterRole, clusterRoleBinding, role, roleBinding } from "./rbac.ts";
import { lease, priorityClass, runtimeClass } from "./scheduling.ts";

export const accessRules: RuleTable = {
  CertificateSigningRequest: certificateSigningRequest,
  ClusterRole: clusterRole,
  ClusterRoleBinding: clusterRoleBinding,
  FlowSchema: { table: flowSchemaTable },
  Lease: lease,
  PriorityClass: priorityClass,
  PriorityLevelConfiguration: { table: priorityLevelTable },
  Role: role,
  RoleBinding: roleBinding,
  RuntimeClass: runtimeClass,
};
