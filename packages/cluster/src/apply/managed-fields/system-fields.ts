import { buildFieldSet, fieldSetPath } from "pintle/internal/merge";

/** Fields that identify an object or are written by the server only; they have no manager. */
export const SYSTEM_FIELDS = buildFieldSet(
  fieldSetPath("apiVersion"),
  fieldSetPath("kind"),
  fieldSetPath("metadata"),
  ...["name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation", "managedFields", "resourceVersion"].map(
    (name) => fieldSetPath("metadata", name),
  ),
);
