import { fieldPath, fieldSet } from "pintle/merge";

/** What identifies an object or is written by the server alone: nobody owns it. */
export const SYSTEM_FIELDS = fieldSet(
  fieldPath("apiVersion"),
  fieldPath("kind"),
  fieldPath("metadata"),
  ...["name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation", "managedFields", "resourceVersion"].map(
    (name) => fieldPath("metadata", name),
  ),
);
