/** Kinds that say who may do what, and what goes first: RBAC, certificates, leases, priorities, flow control. */
import type { RuleTable } from "../rules.ts";
import { certificateSigningRequest } from "./certificate-signing-request.ts";
import { flowSchema, priorityLevelConfiguration } from "./flow-control.ts";
import { clusterRole, clusterRoleBinding, role, roleBinding } from "./rbac.ts";
import { lease, priorityClass, runtimeClass } from "./scheduling.ts";

export const accessRules: RuleTable = {
  CertificateSigningRequest: certificateSigningRequest,
  ClusterRole: clusterRole,
  ClusterRoleBinding: clusterRoleBinding,
  FlowSchema: flowSchema,
  Lease: lease,
  PriorityClass: priorityClass,
  PriorityLevelConfiguration: priorityLevelConfiguration,
  Role: role,
  RoleBinding: roleBinding,
  RuntimeClass: runtimeClass,
};
