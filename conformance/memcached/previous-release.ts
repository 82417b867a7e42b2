/** The release of the Memcached operator before v1: the same pods, with a CRD that only has v1alpha1. */
import { controller, defineResource, type ObjectOf, z } from "pintle";
import { Deployment } from "pintle/kinds/apps/v1";
import { deploymentFor } from "../../examples/memcached/src/deployment.ts";
import { Memcached } from "../../examples/memcached/src/memcached.ts";

export const PreviousMemcached = defineResource({
  group: Memcached.group,
  version: "v1alpha1",
  kind: "Memcached",
  spec: z.object({
    size: z.int32().min(1).max(9).default(1),
    image: z.string().min(1).default("memcached:1.6-alpine"),
    containerPort: z.int32().min(1024).max(65_535).default(11_211),
  }),
  status: z.object({ ready: z.int32() }),
});
export interface PreviousMemcached extends ObjectOf<typeof PreviousMemcached> {}

export const previousController = controller(PreviousMemcached, {
  name: "memcached",
  owns: [Deployment],
  reconcile({ object, owned, want }) {
    const ready = owned(Deployment).get(object.metadata.name)?.status.readyReplicas ?? 0;
    const { containerPort: port, ...spec } = object.spec;
    return want({ children: { deployment: deploymentFor({ ...object, status: undefined, spec: { ...spec, port } }) }, status: { ready } });
  },
});
