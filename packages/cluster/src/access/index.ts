/**
 * Who asks, and what they may do. Comes in: the store with its roles, bindings and service accounts. Goes out: what the
 * request pipeline plugs in: an authorizer, an authenticator of tokens, impersonation, the check that nobody hands out
 * more than they hold, the pages by which others check tokens, and the answers to TokenReview and its kin.
 */
export { type AccessControl, type AccessOptions, type AuthorizationMode, accessControl } from "./access-control.ts";
export { type AccountName, accountGroups, accountUser } from "./service-account.ts";
export type { AccountRules } from "./tokens/account-tokens.ts";
