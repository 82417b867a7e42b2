import { webhook } from "pintle";
import { Application } from "./application.ts";

/** Names of the cluster itself: nobody outside could resolve them. */
const INSIDE = /(^|\.)(svc|cluster\.local|localhost)$/;
const HAS_TAG = /:[^/]+$/;

/** What the schema cannot say: a default that depends on another value, and a warning. */
export const applicationWebhook = webhook(Application, {
  default(object) {
    if (!HAS_TAG.test(object.spec.image)) object.spec.image += ":latest";
  },
  validate({ object: { spec } }) {
    const isInside = spec.host !== undefined && INSIDE.test(spec.host);
    return {
      errors: isInside ? [{ field: "spec.host", message: "must be a name for the outside world, not one of the cluster's own" }] : [],
      warnings: spec.image.endsWith(":latest") ? ["spec.image: latest is another image tomorrow; name a version"] : [],
    };
  },
});
