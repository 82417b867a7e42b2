/** Maps members and snapshots to Kubernetes objects and back. Input: clusters, volumes and snapshots. Output: desired objects. */
export { credentialsOf, secretNames, secretsFor } from "./certificates.ts";
export { claimFor, volumeFromClaim } from "./claim.ts";
export { podFor, podMatchesVolume, serverSettings } from "./pod.ts";
export { disruptionBudgetFor, servicesFor } from "./services.ts";
export { snapshotClaimFor, snapshotFromClaim } from "./snapshot-claim.ts";
export { jobOutcome, restoreJobFor, snapshotJobFor } from "./snapshot-job.ts";
