/**
 * Authentication and authorization. The store with its roles, bindings and service accounts comes in; what the request pipeline plugs in
 * goes out: an authorizer, a token authenticator, impersonation, the RBAC escalation check, the OpenID discovery endpoints, and the
 * handlers of TokenReview, SubjectAccessReview and related kinds.
 */
export {
  type AccessControl,
  type AccessControlOptions,
  type AuthorizationMode,
  createAccessControl,
} from "./access-control.ts";
export {
  makeServiceAccountGroups,
  makeServiceAccountUsername,
  type ServiceAccountName,
} from "./service-account.ts";
export type { ServiceAccountTokenOptions } from "./tokens/service-account-tokens.ts";
