/** What objects take from a ResourceQuota: pure facts that admission and the quota controller share. */
export { quotaScope } from "./scope.ts";
export { sumUsage, type Usage, usageOf } from "./usage.ts";
