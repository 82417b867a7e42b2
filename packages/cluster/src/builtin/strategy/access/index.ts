/** Strategies of RBAC, certificates, leases, priority classes and flow control. */
import type { StrategyTable } from "../kind-strategy.ts";
import { certificateSigningRequestStrategy } from "./certificate-signing-request.ts";
import { flowSchemaStrategy, priorityLevelConfigurationStrategy } from "./flow-control.ts";
import { clusterRoleBindingStrategy, clusterRoleStrategy, roleBindingStrategy, roleStrategy } from "./rbac.ts";
import { leaseStrategy, priorityClassStrategy, runtimeClassStrategy } from "./scheduling.ts";

export const accessStrategies: StrategyTable = {
  CertificateSigningRequest: certificateSigningRequestStrategy,
  ClusterRole: clusterRoleStrategy,
  ClusterRoleBinding: clusterRoleBindingStrategy,
  FlowSchema: flowSchemaStrategy,
  Lease: leaseStrategy,
  PriorityClass: priorityClassStrategy,
  PriorityLevelConfiguration: priorityLevelConfigurationStrategy,
  Role: roleStrategy,
  RoleBinding: roleBindingStrategy,
  RuntimeClass: runtimeClassStrategy,
};
