/**
 * The objects that run the lifecycle manager inside a cluster.
 *
 * In: an image and settings. Out: namespace, CRDs, RBAC, Service, NetworkPolicy, webhook and Deployment, with the names of upstream where other objects refer
 * to them. Pure: nothing is applied here.
 */
export { SYSTEM_NAMESPACE } from "../manager/index.ts";
export {
  buildSetupObjects,
  MANAGER_NAME,
  SETUP_FIELD_MANAGER,
  SETUP_LABELS,
  type SetupOptions,
} from "./build-setup-objects.ts";
export { findUpstreamCertificate, REPLICAS_ANNOTATION, UPSTREAM_DEPLOYMENTS } from "./upstream.ts";
