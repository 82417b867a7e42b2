import type { Config } from "@pintle/cli";

/** Settings of the generated manifests that do not follow from the code. */
export default {
  domain: "batch.tutorial.kubebuilder.io",
} satisfies Config;
