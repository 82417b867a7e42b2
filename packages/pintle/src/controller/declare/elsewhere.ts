import type { KindInfo } from "../../kinds/index.ts";

const declaredElsewhere = new WeakSet<object>();

/**
 * Marks a kind in `owns` whose children can be in other namespaces than the primary object.
 *
 * ## Guarantees
 *
 * - Such children carry the label `pintle.dev/owner` with the owner's uid instead of an owner reference.
 * - A finalizer on the primary object deletes them before the object is removed.
 *
 * ## Caveats
 *
 * - The garbage collector does not know these children. If the finalizer is removed by hand, they are deleted at the next start of the operator.
 *
 * @example
 * ```ts
 * import { controller, defineResource, elsewhere, z } from "pintle";
 * import { ConfigMap } from "pintle/kinds/core/v1";
 *
 * const Banner = defineResource({ group: "example.com", version: "v1", kind: "Banner", spec: z.object({ text: z.string() }) });
 *
 * export const banner = controller(Banner, {
 *   owns: [elsewhere(ConfigMap)],
 *   reconcile: ({ object, want }) =>
 *     want({
 *       children: { shared: ConfigMap.desired({ metadata: { name: object.metadata.name, namespace: "shared" }, data: object.spec }) },
 *     }),
 * });
 * ```
 */
export function elsewhere<K extends KindInfo>(kind: K): K {
  const derived = Object.freeze(Object.create(kind)) as K;
  declaredElsewhere.add(derived);
  return derived;
}

export function isElsewhere(kind: KindInfo): boolean {
  return declaredElsewhere.has(kind);
}
