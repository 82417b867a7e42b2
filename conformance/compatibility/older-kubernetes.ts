/**
 * The suites that an operator needs of its API server, for the minors before the one that the embedded cluster is compared with:
 * `npm run conformance -- compatibility --kubernetes 1.35`. Suites that compare the embedded cluster with a server are not among them.
 */
export const OLDER_KUBERNETES_SUITES: readonly string[] = [
  // The client: every verb, errors, pod streams, a server that is killed.
  "client/client.test.ts",
  "client/killed.test.ts",
  "client/pod.test.ts",
  // The runtime: apply and settle every kind, Events, RBAC, leader election, the flags of manifests, an operator.
  "runtime/flags.test.ts",
  "runtime/leader.test.ts",
  "runtime/memcached.test.ts",
  "runtime/rbac.test.ts",
  "runtime/real.test.ts",
  "runtime/settled.test.ts",
  // Definitions: what a CRD accepts, versions, scale, columns.
  "resource/features.test.ts",
  "resource/shapes.test.ts",
  "resource/versions.test.ts",
  // Webhooks: admission, conversion, certificates.
  "webhook/admission.test.ts",
  "webhook/certificates.test.ts",
  "webhook/conversion.test.ts",
  "webhook/rights.test.ts",
];
