/** What members and snapshots are in Kubernetes. In come clusters, volumes and snapshots; out come objects that should be, and back. */
export { credentialsOf, secretNames, secretsFor } from "./certificates.ts";
export { claimFor, volumeOf } from "./claim.ts";
export { isFitted, podFor, settingsOf } from "./pod.ts";
export { budgetFor, servicesFor } from "./services.ts";
export { snapshotClaimFor, snapshotOf } from "./snapshot-claim.ts";
export { outcomeOf, snapshotJobFor, unpackJobFor } from "./snapshot-job.ts";
