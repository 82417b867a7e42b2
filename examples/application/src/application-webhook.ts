import { webhook } from "pintle";
import { Application } from "./application.ts";

/** Host names that resolve only inside the cluster. */
const CLUSTER_INTERNAL_HOST = /(^|\.)(svc|cluster\.local|localhost)$/;
const HAS_TAG = /:[^/]+$/;

/** Defaults and validation that the schema cannot express: a default that depends on the value, and a warning. */
export const applicationWebhook = webhook(Application, {
  default(object) {
    if (!HAS_TAG.test(object.spec.image)) object.spec.image += ":latest";
  },
  validate({ object: { spec } }) {
    const isInternal = spec.host !== undefined && CLUSTER_INTERNAL_HOST.test(spec.host);
    return {
      errors: isInternal ? [{ field: "spec.host", message: "must be an external host name, not a name inside the cluster" }] : [],
      warnings: spec.image.endsWith(":latest") ? ["spec.image: the tag latest is mutable; use a specific version"] : [],
    };
  },
});
