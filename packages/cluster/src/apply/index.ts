/**
 * How a request changes an object: JSON, merge and strategic merge patches, and server-side apply with its record of
 * who owns which field. In come the stored object, what the request says and the kind's Shape; out comes the object to
 * store, or an ApiError. Nothing is changed in place, and what a request leaves alone is shared with what was stored.
 */
export { type Apply, applyConfig } from "./apply-config.ts";
export { jsonPatch } from "./json-patch.ts";
export { mergePatch } from "./merge-patch.ts";
export { strategicMergePatch } from "./strategic-merge-patch.ts";
export { trackUpdate, type Update } from "./track-update.ts";
export type { Convert, Schema, Versioned } from "./versions.ts";
