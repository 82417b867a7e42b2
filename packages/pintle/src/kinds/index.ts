/**
 * What a kind is, and the built-in kinds as values.
 *
 * A kind carries its group, version, plural, scope and TypeScript type, so the client, the cache and the controller
 * never see a string where a kind is meant. `generated/` holds one file per built-in group-version, made by
 * `npm run kinds` from the OpenAPI a real API server publishes; nothing in it is edited by hand. They are imported as
 * `pintle/kinds/<group>/<version>`, the group by its first label: apps, batch, rbac (rbac.authorization.k8s.io), and
 * core for the group without a name.
 * This folder imports nothing; everybody may import it.
 */
export * from "./foreign.ts";
export * from "./json.ts";
export * from "./kind.ts";
export * from "./meta.ts";
export * from "./shape.ts";
export * from "./shape-table.ts";
export * from "./values.ts";
