/**
 * The parts of `pintle dev`: the operator process with its own service account, the rebuild on source changes, the webhook proxy, and the
 * formatting of log lines.
 */

export { bufferedIo } from "./buffered-io.ts";
export { type DevWebhooks, devWebhooks } from "./dev-webhooks.ts";
export { formatLogLine } from "./format-log-line.ts";
export { openKubectlShell } from "./kubectl-shell.ts";
export { applyOperatorRbac, serviceAccountKubeconfig } from "./operator-account.ts";
export { OperatorProcess } from "./operator-process.ts";
export { watchBuild } from "./watch-build.ts";
