import type { Config } from "@pintle/cli";

/** What the manifests say that the code does not. */
export default {
  domain: "example.com",
} satisfies Config;
