import { collectResources, derivePermissions, type ManagerOptions } from "pintle/internal/manager";
import { describeWebhooks } from "pintle/internal/webhook";
import type { KindName, OperatorDescription } from "./operator.ts";

/** Returns the description of the operator that `run(options)` would start. */
export function operatorFromOptions(options: ManagerOptions): OperatorDescription {
  const { controllers, webhooks = [] } = options;
  const resources = collectResources(options);
  return {
    controllers: controllers.map(({ name, kind, owns }) => ({ name, kind: kind.id, primary: kindName(kind), owns: owns.map(kindName) })),
    resources: resources.map((each) => ({ file: each.crdFileName, crd: each.crd() })),
    permissions: derivePermissions(controllers, {
      leaderElection: options.leaderElection || true,
      metrics: { address: ":8443", requireAuthorization: true },
    }),
    webhooks: describeWebhooks(webhooks, resources),
  };
}

function kindName({ group, version, kind }: KindName): KindName {
  return { group, version, kind };
}
