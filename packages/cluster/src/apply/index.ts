/**
 * How a write changes an object: JSON patch, merge patch, strategic merge patch, and server-side apply with managed fields. The stored
 * object, the request and the kind's Shape come in; the object to store goes out, or an `ApiError` is thrown. Inputs are not modified,
 * and unchanged parts are shared with the stored object.
 */
export {
  applyConfiguration,
  applyConfigurationAsync,
  type ServerSideApply,
} from "./managed-fields/server-side-apply.ts";
export {
  type ManagedFieldsUpdate,
  updateManagedFields,
  updateManagedFieldsAsync,
} from "./managed-fields/update-managed-fields.ts";
export type {
  AsyncVersionConverter,
  ManagedFieldsSchema,
  ObjectInVersion,
  VersionConverter,
} from "./managed-fields/versions.ts";
export { applyJsonPatch } from "./patch/json-patch.ts";
export { applyMergePatch } from "./patch/merge-patch.ts";
export { applyStrategicMergePatch } from "./patch/strategic-merge-patch.ts";
