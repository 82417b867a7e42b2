/**
 * Quota evaluation: takes objects and quotas; returns the usage an object charges and whether the scopes of a quota
 * match. Shared by the ResourceQuota admission plugin and the quota controller.
 */
export { matchesQuotaScopes } from "./scope.ts";
export { getQuotaUsage, type QuotaUsage, sumQuotaUsage } from "./usage.ts";
