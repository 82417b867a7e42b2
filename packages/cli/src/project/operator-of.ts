import { permissions, resourcesOf, type StartOptions } from "pintle/manager";
import { webhookFacts } from "pintle/webhook";
import type { Operator } from "./operator.ts";

/** What `run(options)` would run, as plain data. */
export function operatorOf(options: StartOptions): Operator {
  const { controllers, webhooks = [] } = options;
  const resources = resourcesOf(options);
  return {
    controllers: controllers.map(({ name, kind }) => ({ name, kind: kind.id })),
    resources: resources.map((each) => ({ file: each.crdFileName, crd: each.crd() })),
    permissions: permissions(controllers, { leaderElection: true, metrics: { address: ":8443", guarded: true } }),
    webhooks: webhookFacts(webhooks, resources),
  };
}
