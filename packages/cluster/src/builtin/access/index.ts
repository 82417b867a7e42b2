/** Kinds of the groups rbac.authorization.k8s.io, certificates.k8s.io, scheduling.k8s.io, node.k8s.io, coordination.k8s.io and flowcontrol. */

import { pathSegmentProblems } from "../../api/index.ts";
import type { RuleTable } from "../rules.ts";
import {
  flowSchemaTable,
  leaseTable,
  priorityClassTable,
  priorityLevelTable,
  roleBindingTable,
  runtimeClassTable,
} from "../table/others.ts";
import { certificateSigningRequest } from "./certificate-signing-request.ts";

export const accessRules: RuleTable = {
  CertificateSigningRequest: certificateSigningRequest,
  ClusterRole: { name: pathSegmentProblems },
  ClusterRoleBinding: { name: pathSegmentProblems, table: roleBindingTable },
  FlowSchema: { table: flowSchemaTable },
  Lease: { table: leaseTable },
  PriorityClass: { table: priorityClassTable, generation: () => false },
  PriorityLevelConfiguration: { table: priorityLevelTable },
  Role: { name: pathSegmentProblems },
  RoleBinding: { name: pathSegmentProblems, table: roleBindingTable },
  RuntimeClass: { table: runtimeClassTable },
};
