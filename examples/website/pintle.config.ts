import type { Config } from "@pintle/cli";

/** Settings of the generated manifests that do not follow from the code. */
export default {
  domain: "example.com",
} satisfies Config;
